"""Results for topics, looked up by topic id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar


class _OfTopic(Protocol):
    query_id: Any


Topic = TypeVar("Topic", bound=_OfTopic)


class ByTopic(Generic[Topic]):
    """Results for topics in qrels order; ``results['q1']`` looks up a topic, whose id is matched as text."""

    def __init__(self, topics: Sequence[Topic]):
        self.topics = list(topics)
        self._by_key = {str(topic.query_id): topic for topic in topics}

    def __getitem__(self, topic: Any) -> Topic:
        try:
            return self._by_key[str(topic)]
        except KeyError:
            raise KeyError(f"topic {topic!r} is not in the qrels") from None

    def __contains__(self, topic: Any) -> bool:
        return str(topic) in self._by_key

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)
