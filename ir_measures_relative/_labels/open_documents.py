"""Documents of a run whose grade is open, the grades they may have, and the random numbers that draw their labels.

Random numbers are made from the ids of a document and the number of a draw. So a label does not depend on the order of
documents, on the batch or on the other runs, and a document that two runs retrieve has one label for both.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import JudgedRun, Judgements

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the constants of splitmix64 (Steele, Lea and Flood 2014)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SUREST = 1e-12  # a probability nearer to 0 or 1 counts as this, so that its logit is finite


class OpenDocuments(NamedTuple):
    """The n documents of a run's top K whose grade is open, in the order of topics and ranks.

    Usually these are the unjudged documents of the top ``depth``; deeper ones count as non-relevant, as they do for
    pooled runs. In a study of left-out groups they are the documents whose judgement was hidden.
    """

    run: JudgedRun
    visible: BoolArray  # (J,) judgements that count; False = hidden
    mask: BoolArray  # (Q, W) True where the grade of the document at this rank is open

    @classmethod
    def of(cls, run: JudgedRun, cutoff: int | None, depth: int | None = None, visible: BoolArray | None = None) -> Self:
        """The documents of the top ``depth`` (None: K) that are unjudged, or with ``visible``, that are hidden."""
        top = run.top(cutoff)
        mask = top.unjudged if visible is None else (top.row >= 0) & ~np.append(visible, True)[top.row]
        visible = np.ones(len(run.judgements.grade), dtype=bool) if visible is None else visible
        return cls(run, visible, mask & (np.arange(mask.shape[1]) < (depth or np.inf)))

    @property
    def row(self) -> IntArray:
        """(Q, W) visible judgement of each document; -1 = none."""
        row = self.run.top(self.mask.shape[1]).row
        return np.where(np.append(self.visible, False)[row], row, -1)

    @property
    def hidden_row(self) -> IntArray:
        """(n,) hidden judgement of each document; -1 if it is unjudged."""
        return np.asarray(self.run.top(self.mask.shape[1]).row[self.mask])

    @property
    def topic(self) -> IntArray:
        """(n,)"""
        return np.nonzero(self.mask)[0]

    @property
    def rank(self) -> IntArray:
        """(n,) counted from 0"""
        return np.nonzero(self.mask)[1]

    @property
    def key(self) -> Array:
        """(n,) see `ranked_keys`."""
        return ranked_keys(self.run, self.mask.shape[1])[self.mask]

    def doc_ids(self) -> ObjectArray:
        """(n,)"""
        return self.run.documents(self.mask.shape[1])[self.mask]

    def values(self, value: FloatArray) -> FloatArray:
        """(J,) a value for each judgement -> (Q, W): that of each document with a visible judgement, else 0."""
        return np.asarray(np.append(value, 0.0)[self.row])


class GradeLabels(NamedTuple):
    """Grades of the n open documents of a run.

    ``logit P(grade >= c) = logit[c] + u`` with the run's effect u; given u, labels are independent.
    """

    grade: IntArray  # (G + 1,) ascending, the first is 0
    logit: FloatArray  # (n, G) of reaching each grade above 0, if the effect is 0
    effect: FloatArray  # (U,) equally likely effects of the run, ascending; a single 0 without an effect
    calibrated: bool = False

    @classmethod
    def of_probabilities(cls, grade: IntArray, probability: FloatArray) -> Self:
        """Probabilities (n, G + 1) of each grade, without an effect."""
        reached = np.cumsum(probability[:, :0:-1], axis=1)[:, ::-1]  # (n, G)
        return cls(grade, scipy.special.logit(np.clip(reached, _SUREST, 1 - _SUREST)), np.zeros(1))

    def probability(self) -> FloatArray:
        """(U, n, G + 1) of each grade given each effect."""
        reached = scipy.special.expit(self.effect[:, None, None] + self.logit)  # (U, n, G)
        reached = np.where(reached <= 2 * _SUREST, 0.0, np.where(reached >= 1 - 2 * _SUREST, 1.0, reached))
        return -np.diff(reached, axis=2, prepend=1.0, append=0.0)

    def drawn(self, key: Array, place: IntArray) -> Array:
        """(n, S) labels as places among the grades, for documents with keys (n,) and the effect (S,) of each draw."""
        noise = uniforms(key, len(place))
        label = np.zeros(noise.shape, dtype=np.int8)  # logits fall, so that it is the number of grades reached
        for logit in self.logit.T:
            # few different effects are drawn, so probabilities are computed once for each of them
            label += noise < np.take(scipy.special.expit(logit[:, None] + self.effect), place, axis=1)
        return label


def document_keys(topic_keys: Sequence[str], topic: IntArray, doc_id: ObjectArray) -> Array:
    """(n,) a key of 64 bits for each document of a topic; the same in every process."""
    return _mixed(hashed(np.array(topic_keys, dtype=object))[topic] + _GOLDEN) ^ hashed(doc_id)


def ranked_keys(run: JudgedRun, width: int) -> Array:
    """(Q, W) key of each document of a run's top W; 0 past the end of a list."""

    def made() -> Array:
        documents, present = run.documents(width), run.top(width).present
        keys = np.zeros(present.shape, dtype=np.uint64)
        keys[present] = document_keys(run.judgements.topic_keys, np.nonzero(present)[0], documents[present])
        return keys

    return run.memo.once(("document keys", width), made)


def judged_keys(judgements: Judgements) -> Array:
    """(J,) key of each judged document."""
    return document_keys(judgements.topic_keys, judgements.topic, judgements.document_ids())


def hashed(texts: ObjectArray) -> Array:
    """(n,) a key of 64 bits for each text, which may contain lone surrogates."""
    if not "".join(texts).isascii():
        texts = np.array([text.encode("utf-8", "surrogatepass").decode("latin-1") for text in texts], dtype=object)
    return np.asarray(pd.util.hash_array(texts, categorize=False))


def uniforms(key: Array, size: int) -> FloatArray:
    """(n,) keys -> (n, size) numbers between 0 and 1, one for each draw."""
    mixed = _mixed(key[:, None] + np.arange(1, size + 1, dtype=np.uint64) * _GOLDEN)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(number: Array) -> Array:
    number = (number ^ (number >> np.uint64(30))) * _FIRST
    number = (number ^ (number >> np.uint64(27))) * _SECOND
    return np.asarray(number ^ (number >> np.uint64(31)))
