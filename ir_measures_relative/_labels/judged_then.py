"""What was judged when labels were learned, so that judgements made since are told apart."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray
from ir_measures_relative._judged import Judgements
from ir_measures_relative._labels.partly_judged import PartlyJudged


class JudgedThen(NamedTuple):
    """The judgements that labels were learned from."""

    judgements: Judgements
    judged: BoolArray  # (J,) False = hidden

    def seen(self, part: PartlyJudged) -> PartlyJudged:
        """A run as it was then: what has been judged since is free. Topics that were not there stay as they are."""
        judgements = part.run.judgements
        if judgements is self.judgements:
            then = part.judged & self.judged
        else:
            key = ("judged then", self.content())
            then = part.judged & judgements.memo.once(key, lambda: self._among(judgements))
        if (then == part.judged).all():
            return part
        since = (part.row >= 0) & ~then[part.row]
        return PartlyJudged(part.run, then, np.where(since, -1, part.row), part.free | since)

    def _among(self, judgements: Judgements) -> BoolArray:
        """(J',) which of other judgements were there then, or are of topics that were not."""
        known = {key: topic for topic, key in enumerate(self.judgements.topic_keys)}
        topic = np.array([known.get(key, -1) for key in judgements.topic_keys], dtype=np.int64)[judgements.topic]
        there: BoolArray = topic < 0  # (J',)
        row = self.judgements.rows_of(topic[~there], judgements.document_ids()[~there])
        there[~there] = (row >= 0) & self.judged[row]
        return there

    def content(self) -> bytes:
        """A digest of topics and documents, whatever their order."""
        return self.judgements.memo.once(("digest", self.judged.tobytes()), self._digest)

    def _digest(self) -> bytes:
        keys = np.array(self.judgements.topic_keys, dtype=object)[self.judgements.topic[self.judged]]
        documents = self.judgements.document_ids()[self.judged]
        listed = repr(sorted(zip(keys.tolist(), documents.tolist(), strict=True)))
        return hashlib.blake2b(listed.encode("utf-8", "surrogatepass"), digest_size=16).digest()
