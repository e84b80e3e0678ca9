"""The ordinary measures that relative measures are built on: gain of a grade, chance of seeing a rank, normaliser.

A relative measure revalues documents and keeps the rest of an ordinary measure. So an ordinary measure is split
here into the *gain* of each judged document, the raw *total* of gains in rank order, and a *normalizer*:
``score = total(gain of the ranked documents) / normalizer(gain of the judged documents)``.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from math import fsum
from typing import ClassVar

import numpy as np
import scipy

from ir_measures_relative._checks import LARGEST as LARGEST
from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, best_values

_LONGEST_IDEAL = 10**7  # largest K for an ideal of K top-grade documents, whose K discounts are summed
HIGHEST_LABEL = 1000  # grade of an unjudged document, where every grade up to max_rel is tried; of ERR, 2^-grade
HIGHEST_EXPONENT = 500  # grade whose exponential gain is 2^grade - 1


@dataclass(frozen=True)
class UserModel:
    """An ordinary measure as a value: equal models score alike. The fields are named as ir_measures' parameters."""

    name: ClassVar[str] = ""  # in ir_measures
    needs_cutoff: ClassVar[bool] = False
    binary: ClassVar[bool] = True  # a document is relevant or not
    linear: ClassVar[bool] = True  # the raw score is a weighted sum of the values

    cutoff: int | None = None
    rel: int = field(default=1, kw_only=True)

    def gain(self, grade: Array) -> FloatArray:
        """Gain of each grade, any shape; unjudged (NaN) documents gain 0. Binary measures: 1 if grade >= rel."""
        return (np.asarray(grade) >= self.rel).astype(np.float64)

    def label_grades(self, max_rel: int) -> IntArray:
        """The grades that an unjudged document may have: up to ``max_rel``; binary measures: 0 and rel."""
        if self.binary:
            return np.array([0, self.rel])
        _check_max_rel(max_rel, "to be a grade of unjudged documents")
        return np.arange(max_rel + 1)

    def seen(self, depth: int) -> FloatArray:
        """(depth,) chance that a user sees each rank."""
        return np.ones(depth)

    def parts(self, value: FloatArray) -> FloatArray:
        """(Q, W) values of the ranked documents -> (Q, W) what each rank adds to the raw score."""
        return value * self.seen(value.shape[1])

    def total(self, value: FloatArray) -> FloatArray:
        """(Q, W) values of the ranked documents -> (Q,) raw score."""
        return sum_over_ranks(self.parts(value))

    @property
    def best_total(self) -> float:
        """Divisor of the raw score, where it is the same for all topics."""
        return 1.0

    def normalizer(self, value: FloatArray, judgements: Judgements) -> FloatArray:
        """(J,) values of the judged documents -> (Q,) divisor of the raw score."""
        return np.full(judgements.n_topics, self.best_total)

    def check(self, judgements: Judgements, where: str) -> None:
        """Reject judgements that the measure does not support; ``where`` begins the sentence."""

    def score(self, run: JudgedRun) -> FloatArray:
        """(Q,) score by the ordinary measure."""
        gain = self.gain(run.judgements.grade)
        return divide(self.total(run.top(self.cutoff).values(gain)), self.normalizer(gain, run.judgements))


@dataclass(frozen=True)
class NDCG(UserModel):
    """Normalised discounted cumulative gain: linear or exponential gain, or a table of gains."""

    name = "nDCG"
    binary = False

    dcg: str = "log2"
    gains: dict[int, float] | None = field(default=None, hash=False)  # compared, but a dict has no hash

    def gain(self, grade: Array) -> FloatArray:
        grade = np.asarray(grade, dtype=np.float64)
        label = np.fmax(grade, 0.0)  # NaN, unjudged, gains nothing, whatever the table says of grade 0
        for listed, gain in (self.gains or {}).items():
            label = np.where(grade == listed, float(gain), label)
        if self.dcg == "log2":
            return label
        highest = label.max(initial=0.0)
        if highest > HIGHEST_EXPONENT:
            limit = f"the highest is {HIGHEST_EXPONENT}"
            raise ValueError(f"grade {highest:.0f} is too high for dcg='exp-log2' (2^grade); {limit}")
        return np.exp2(label) - 1.0

    def seen(self, depth: int) -> FloatArray:
        return np.asarray(1.0 / np.log2(np.arange(depth) + 2.0))

    def normalizer(self, value: FloatArray, judgements: Judgements) -> FloatArray:
        return self.total(best_values(value, judgements, self.cutoff))

    def seen_in_all(self) -> float:
        """DCG of K documents of gain 1."""
        if (self.cutoff or 0) > _LONGEST_IDEAL:
            raise ValueError(f"cutoff={self.cutoff} is too large for an ideal of K documents; the largest is 10^7")
        return float(self.seen(self.cutoff or 0).sum())


@dataclass(frozen=True)
class SDCG(NDCG):
    """DCG over that of K documents of the top gain; as in cwl-eval, a grade above max_rel counts as max_rel.

    Tan and Clarke's program divides exponential gains by S_K alone; here the top is 1 with them too.
    """

    name = "SDCG"
    needs_cutoff = True

    max_rel: int = 1

    def gain(self, grade: Array) -> FloatArray:
        return super().gain(np.minimum(grade, self.max_rel))

    @property
    def best_total(self) -> float:
        """DCG of K documents of the top gain."""
        return float(self.gain(np.array([self.max_rel]))[0]) * self.seen_in_all()

    normalizer = UserModel.normalizer


class Precision(UserModel):
    name = "P"
    needs_cutoff = True

    @property
    def best_total(self) -> float:
        return self.cutoff or 1


class Recall(UserModel):
    name = "R"

    def normalizer(self, value: FloatArray, judgements: Judgements) -> FloatArray:
        return judgements.sum_by_topic(value)


@dataclass(frozen=True)
class RBP(UserModel):
    """Rank-biased precision."""

    name = "RBP"

    p: float = 0.8

    def seen(self, depth: int) -> FloatArray:
        return np.asarray(self.p ** np.arange(depth), dtype=np.float64)

    @property
    def best_total(self) -> float:
        return 1.0 / (1.0 - self.p)


@dataclass(frozen=True)
class INSQ(UserModel):
    """Inverse squares (Moffat, Scholer and Thomas): seen(i) is proportional to 1/(i + 2T - 1)^2, and seen(1) = 1."""

    name = "INSQ"

    T: float = 1.0

    def seen(self, depth: int) -> FloatArray:
        return np.asarray((2 * self.T / (np.arange(depth) + 2 * self.T)) ** 2, dtype=np.float64)

    @property
    def best_total(self) -> float:
        # the sum of seen over all ranks, by Hurwitz's zeta; 1 + ..., so that a tiny T gives 1 and no 0 * inf
        return 1.0 + (2 * self.T) ** 2 * float(scipy.special.zeta(2.0, 2 * self.T + 1))


class ReciprocalRank(UserModel):
    """With values in [0, 1]: the expected reciprocal rank of the first document that satisfies the user."""

    name = "RR"
    linear = False

    def seen(self, depth: int) -> FloatArray:
        return np.asarray(1.0 / np.arange(1, depth + 1), dtype=np.float64)

    def parts(self, value: FloatArray) -> FloatArray:
        return value * still_reading(value) * self.seen(value.shape[1])


@dataclass(frozen=True)
class ERR(ReciprocalRank):
    """Expected reciprocal rank; the gain is the stop probability (2^grade - 1) / 2^max_rel of grades up to max_rel."""

    name = "ERR"
    binary = False

    max_rel: int = 4

    def __post_init__(self) -> None:
        _check_max_rel(self.max_rel, "for ERR (2^max_rel)")

    def gain(self, grade: Array) -> FloatArray:
        grade = np.maximum(np.nan_to_num(np.asarray(grade, dtype=np.float64)), 0.0)
        return np.asarray(np.exp2(grade - self.max_rel) - np.exp2(-float(self.max_rel)))

    def check(self, judgements: Judgements, where: str) -> None:
        """Reject grades above max_rel: their stop probability would exceed 1."""
        for row in np.flatnonzero(judgements.grade > self.max_rel)[:1]:
            document, topic = judgements.document_ids()[row], judgements.topics[judgements.topic[row]]
            raise ValueError(
                f"{where}: document {document!r} of topic {topic!r} has the grade {judgements.grade[row]}, "
                f"above {self.max_rel}, the highest that ERR accepts here"
            )


class AveragePrecision(UserModel):
    """The raw total is the sum of precisions at relevant documents; AP@K divides by all relevant documents."""

    name = "AP"
    linear = False

    def parts(self, value: FloatArray) -> FloatArray:
        return value * mean_down_to(value)

    def normalizer(self, value: FloatArray, judgements: Judgements) -> FloatArray:
        return judgements.sum_by_topic(value > 0)


class Success(UserModel):
    name = "Success"
    needs_cutoff = True
    linear = False

    def parts(self, value: FloatArray) -> FloatArray:
        return value * still_reading(value)


@dataclass(frozen=True)
class QMeasure(UserModel):
    """Sakai's Q-measure of binary labels: (1/R) sum over relevant ranks of (1 + beta) C_i / (i + beta min(i, R)).

    R, the number of relevant documents, weighs the ranks too. beta = 0 is AP, and so is any beta from R = K on.
    """

    name = "Q"
    linear = False

    beta: float = 1.0

    def weights(self, depth: int, n_relevant: IntArray) -> FloatArray:
        """(Q,) relevant documents -> (Q, depth) weight of C_i at each rank; it falls with the rank."""
        rank = np.arange(1, depth + 1)
        in_ideal = np.minimum(rank, n_relevant[:, None])  # (Q, depth) relevant documents of an ideal list
        return np.asarray((1 + self.beta) / (rank + self.beta * in_ideal), dtype=np.float64)

    def total_of(self, value: FloatArray, n_relevant: IntArray) -> FloatArray:
        """(Q, W) values of the ranked documents -> (Q,) raw score among so many relevant documents."""
        return sum_over_ranks(value * value.cumsum(axis=1) * self.weights(value.shape[1], n_relevant))

    def parts(self, value: FloatArray) -> FloatArray:
        raise TypeError("Q weighs ranks by the number of relevant documents; use total_of")

    def score(self, run: JudgedRun) -> FloatArray:
        gain, judgements = self.gain(run.judgements.grade), run.judgements
        n_relevant = judgements.sum_by_topic(gain).astype(np.int64)
        return divide(self.total_of(run.top(self.cutoff).values(gain), n_relevant), n_relevant)


MODELS: dict[str, type[UserModel]] = {
    model.name: model
    for model in (NDCG, SDCG, Precision, Recall, RBP, INSQ, ReciprocalRank, ERR, AveragePrecision, Success, QMeasure)
}


def _check_max_rel(max_rel: int, purpose: str) -> None:
    if max_rel > HIGHEST_LABEL:
        raise ValueError(
            f"max_rel={max_rel} is too high {purpose}; the highest is {HIGHEST_LABEL} "
            "(where max_rel is left out it is the highest grade in the qrels)"
        )


def sum_over_ranks(value: FloatArray) -> FloatArray:
    """(Q, W) -> (Q,) sum; from the top rank down, so that the length of other topics' lists does not change it."""
    return np.cumsum(value, axis=1)[:, -1] if value.shape[1] else np.zeros(len(value))


def mean_down_to(value: FloatArray) -> FloatArray:
    """(Q, W) -> (Q, W): the mean of the values from the top to each rank."""
    return np.cumsum(value, axis=1) / np.arange(1, value.shape[1] + 1)


def still_reading(value: FloatArray) -> FloatArray:
    """(Q, W) chances to be satisfied -> (Q, W) chance to reach each rank unsatisfied."""
    reached = np.cumprod(1.0 - value, axis=1)
    return np.hstack([np.ones((len(value), 1)), reached])[:, : value.shape[1]]


def mean_over_topics(values: Collection[float] | FloatArray) -> float:
    """The mean, 0 without topics; summed without rounding, so that the order of the topics does not matter."""
    return fsum(values) / max(len(values), 1)


def divide(total: FloatArray, normalizer: float | Array) -> FloatArray:
    """total / normalizer, and 0 where the normaliser is 0; any shape."""
    return np.divide(total, normalizer, out=np.zeros(np.shape(total)), where=normalizer != 0)
