"""The qrels as columns, rows grouped by topic; and a memo of results that are computed once."""

from collections.abc import Callable, Hashable, Iterator
from functools import wraps
from itertools import pairwise
from typing import Any, Self, TypeVar, cast

import numpy as np
import pandas as pd
from ir_measures import Qrel

from ir_measures_relative._checks import counted
from ir_measures_relative._input import Columns, ObjectArray, qrels_columns, row_name

Value = TypeVar("Value")
Method = TypeVar("Method", bound=Callable[..., Any])


class Memo(dict[Hashable, Any]):
    """Results by key; an object in a key stays alive."""

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the result of ``make``, which is called only for a new ``key``."""
        if key not in self:
            self[key] = make()
        return cast(Value, self[key])


def once(method: Method) -> Method:
    """Decorate a method that is computed once for equal arguments, in the object's own memo."""

    @wraps(method)
    def kept(self: Any, *arguments: Any) -> Any:
        memo = vars(self).setdefault("memo", Memo())
        return memo.once((method.__name__, *arguments), lambda: method(self, *arguments))

    return cast(Method, kept)


class Judgements:
    """The qrels: rows grouped by topic, highest grade first.

    Attributes
    ----------
    topics : list of the Q topic ids as given, in the order of the qrels
    start : (Q + 1,) array; the rows of topic q are ``start[q]:start[q + 1]``
    topic : (J,) topic index of each row
    grade : (J,) grade of each judged document
    grade_counts : dict of grade: number of judgements over all topics
    memo : results that are computed once
    """

    def __init__(
        self,
        topics: list[Any],
        topic: np.ndarray,
        grade: np.ndarray,
        doc_ids: np.ndarray,
        doc: np.ndarray,
        grade_counts: dict[int, int],
    ):
        self.topics = topics
        self.topic_keys = [str(t) for t in topics]
        self.topic = topic  # (J,) ascending
        self.grade = grade  # (J,)
        self.start = np.searchsorted(topic, np.arange(len(topics) + 1))  # (Q + 1,)
        self.grade_counts = grade_counts
        self.has_nonrelevant_elsewhere = False  # in parts of the same qrels that were read before
        self.warned: set[str] = set()  # measures that have warned that nothing is judged non-relevant
        self.memo = Memo()
        self._doc_ids = pd.Index(doc_ids, dtype=object)  # distinct
        self._doc = doc  # (J,) index into doc_ids
        key = topic * len(doc_ids) + doc  # (J,) one number per (topic, document)
        self._row_by_key = np.argsort(key)
        self._keys = key[self._row_by_key]

    @classmethod
    def of(cls, qrels: Any, what: str = "qrels", *, may_be_empty: bool = False) -> Self:
        """Judgements from qrels in any accepted form; ``may_be_empty``: for a part of the topics."""
        if isinstance(qrels, cls):
            return qrels
        columns = qrels_columns(qrels, what)
        if not columns.topics and not may_be_empty:
            raise ValueError(f"{columns.source} has no topic; at least one judgement is required")
        doc, doc_ids = pd.factorize(columns.doc_id)
        keep = _one_row_per_document(columns, columns.topic * len(doc_ids) + doc)  # (J,)
        topic, grade, doc = columns.topic[keep], columns.number[keep].astype(np.int64), doc[keep]
        # Sorted by grade, so that a sum over a topic's rows does not depend on the order of the input.
        order = np.lexsort((-grade, topic))
        counts = dict(zip(*(a.tolist() for a in np.unique(grade, return_counts=True)), strict=True))
        return cls(columns.topics, topic[order], grade[order], doc_ids, doc[order], counts)

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    @property
    def n_judged(self) -> np.ndarray:
        """(Q,) number of judged documents of each topic."""
        return np.diff(self.start)

    @property
    def max_grade(self) -> int:
        """The highest grade of all topics, at least 1."""
        return max([1, *self.grade_counts])

    def part(self, first: int, last: int) -> "Judgements":
        """The topics from ``first`` to before ``last``; ``grade_counts`` remain those of all topics."""
        rows = slice(self.start[first], self.start[last])
        used, doc = np.unique(self._doc[rows], return_inverse=True)
        topic, grade = self.topic[rows] - first, self.grade[rows]
        part = Judgements(self.topics[first:last], topic, grade, self._doc_ids[used], doc, self.grade_counts)
        part.warned, part.has_nonrelevant_elsewhere = self.warned, self.has_nonrelevant_elsewhere
        return part

    def sum_by_topic(self, value: np.ndarray) -> np.ndarray:
        """(J,) -> (Q,): the sum over each topic's judged documents."""
        return np.bincount(self.topic, weights=value, minlength=self.n_topics)

    def rows_of(self, topic: np.ndarray, doc_id: np.ndarray) -> np.ndarray:
        """(n,) topic indices and document ids -> (n,) rows; -1 = not judged."""
        row = np.full(len(doc_id), -1, dtype=np.int64)
        document = self._doc_ids.get_indexer(pd.Index(doc_id, dtype=object))  # (n,) -1 = not judged for any topic
        asked = np.flatnonzero(document >= 0)
        key = topic[asked] * len(self._doc_ids) + document[asked]
        place = np.searchsorted(self._keys[:-1], key)  # before the last key, which is the largest
        judged = self._keys[place] == key if len(asked) else np.zeros(0, dtype=bool)
        row[asked[judged]] = self._row_by_key[place[judged]]
        return row

    def document_ids(self) -> np.ndarray:
        """(J,) the document id of each row."""
        ids: ObjectArray = self._doc_ids.to_numpy()[self._doc]
        return ids

    def __repr__(self) -> str:
        return f"Judgements({counted(self.n_topics, 'topic')}, {counted(len(self.grade), 'judged document')})"

    def __iter__(self) -> Iterator[Qrel]:
        """Rows by topic, as ir_measures takes them; a topic without judged documents has none."""
        rows = zip(self.topic.tolist(), self.document_ids().tolist(), self.grade.tolist(), strict=True)
        return (Qrel(self.topics[topic], document, grade) for topic, document, grade in rows)

    def to_frame(self) -> pd.DataFrame:
        """DataFrame with the columns query_id, doc_id and relevance, by topic, highest grade first."""
        topics = np.fromiter(self.topics, dtype=object, count=self.n_topics)
        columns = {"query_id": topics[self.topic], "doc_id": self.document_ids(), "relevance": self.grade}
        return pd.DataFrame(columns).infer_objects()

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return a dict of dicts, which ir_measures reads fastest; ids are str."""
        documents, grades = self.document_ids().tolist(), self.grade.tolist()
        spans = zip(self.topic_keys, pairwise(self.start.tolist()), strict=True)
        return {topic: dict(zip(documents[a:b], grades[a:b], strict=True)) for topic, (a, b) in spans}


def _one_row_per_document(columns: Columns, key: np.ndarray) -> np.ndarray:
    """Rows to keep: the first of each (N,) key; rows of one key must have one grade."""
    again = pd.Series(key).duplicated().to_numpy()
    if again.any():
        first = pd.Series(columns.number).groupby(key).transform("first").to_numpy()  # (N,) grade of its first row
        for row in np.flatnonzero(columns.number != first):
            grades = f"as {first[row]:.0f} and as {columns.number[row]:.0f}"
            raise ValueError(f"{row_name(columns, int(row))} is judged twice, {grades}; expected one grade")
    return np.flatnonzero(~again)
