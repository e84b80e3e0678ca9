"""The ordinary measures that relative measures are built on: gain of a grade, chance of seeing a rank, normaliser.

A relative measure revalues documents and keeps the rest of an ordinary measure. So an ordinary measure is split
here into the *gain* of each judged document, the raw *total* of gains in rank order, and a *normalizer*:
``score = total(gain of the ranked documents) / normalizer(gain of the judged documents)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar

import ir_measures
import numpy as np

from ir_measures_relative._base.text import parse_measure
from ir_measures_relative._judged import JudgedRun, Judgements, best_values

LARGEST = 2**53  # of all numbers given as parameters: what a float64 counts exactly, and far from overflow
_LONGEST_IDEAL = 10**7  # largest K for an ideal of K top-grade documents, whose K discounts are summed
_HIGHEST_LABEL = 1000  # grade of an unjudged document, where every grade up to max_rel is tried


@dataclass(frozen=True)
class UserModel:
    """An ordinary measure as a value: equal models score alike. The fields are named as ir_measures' parameters."""

    name: ClassVar[str] = ""  # in ir_measures
    needs_cutoff: ClassVar[bool] = False
    binary: ClassVar[bool] = True  # a document is relevant or not
    linear: ClassVar[bool] = True  # the raw score is a weighted sum of the values

    cutoff: int | None = None
    rel: int = field(default=1, kw_only=True)

    def gain(self, grade: np.ndarray) -> np.ndarray:
        """Gain of each grade, any shape; unjudged (NaN) documents gain 0. Binary measures: 1 if grade >= rel."""
        return (np.asarray(grade) >= self.rel).astype(np.float64)

    def seen(self, depth: int) -> np.ndarray:
        """(depth,) chance that a user sees each rank."""
        return np.ones(depth)

    def total(self, value: np.ndarray) -> np.ndarray:
        """(Q, W) values of the ranked documents -> (Q,) raw score."""
        return sum_over_ranks(value * self.seen(value.shape[1]))

    def normalizer(self, value: np.ndarray, judgements: Judgements) -> np.ndarray:
        """(J,) values of the judged documents -> (Q,) what the raw score is divided by."""
        return np.ones(judgements.n_topics)

    def score(self, run: JudgedRun) -> np.ndarray:
        """(Q,) the ordinary measure."""
        gain = self.gain(run.judgements.grade)
        return divide(self.total(run.top(self.cutoff).values(gain)), self.normalizer(gain, run.judgements))


@dataclass(frozen=True)
class NDCG(UserModel):
    """Normalised discounted cumulative gain: linear or exponential gain, or a table of gains."""

    name = "nDCG"
    binary = False

    dcg: str = "log2"
    gains: dict | None = field(default=None, hash=False)  # compared, but a dict has no hash

    def gain(self, grade: np.ndarray) -> np.ndarray:
        grade = np.asarray(grade, dtype=np.float64)
        label = np.fmax(grade, 0.0)  # NaN, unjudged, gains nothing, whatever the table says of grade 0
        for listed, gain in (self.gains or {}).items():
            label = np.where(grade == listed, float(gain), label)
        if self.dcg == "log2":
            return label
        if label.size and label.max() > 500:
            raise ValueError(f"grade {label.max():.0f} is too high for dcg='exp-log2' (2^grade); the highest is 500")
        return np.exp2(label) - 1.0

    def seen(self, depth: int) -> np.ndarray:
        return 1.0 / np.log2(np.arange(depth) + 2.0)

    def normalizer(self, value: np.ndarray, judgements: Judgements) -> np.ndarray:
        return self.total(best_values(value, judgements, self.cutoff))

    def seen_in_all(self) -> float:
        """DCG of K documents of gain 1."""
        if (self.cutoff or 0) > _LONGEST_IDEAL:
            raise ValueError(f"cutoff={self.cutoff} is too large for an ideal of K documents; accepted is up to 10^7")
        return float(self.seen(self.cutoff or 0).sum())


@dataclass(frozen=True)
class SDCG(NDCG):
    """DCG over that of K documents of the top gain; as in cwl-eval, a grade above max_rel counts as max_rel."""

    name = "SDCG"
    needs_cutoff = True

    max_rel: int = 1

    def gain(self, grade: np.ndarray) -> np.ndarray:
        return np.minimum(super().gain(grade), self.max_rel)

    def normalizer(self, value: np.ndarray, judgements: Judgements) -> np.ndarray:
        return np.full(judgements.n_topics, self.max_rel * self.seen_in_all())


class Precision(UserModel):
    name = "P"
    needs_cutoff = True

    def total(self, value: np.ndarray) -> np.ndarray:
        return sum_over_ranks(value) / self.cutoff


class Recall(UserModel):
    name = "R"

    def normalizer(self, value: np.ndarray, judgements: Judgements) -> np.ndarray:
        return judgements.sum_by_topic(value)


@dataclass(frozen=True)
class RBP(UserModel):
    """Rank-biased precision."""

    name = "RBP"

    p: float = 0.8

    def seen(self, depth: int) -> np.ndarray:
        return self.p ** np.arange(depth)

    def total(self, value: np.ndarray) -> np.ndarray:
        return (1.0 - self.p) * super().total(value)


class ReciprocalRank(UserModel):
    """With values in [0, 1]: the expected reciprocal rank of the first document that satisfies the user."""

    name = "RR"
    linear = False

    def seen(self, depth: int) -> np.ndarray:
        return 1.0 / np.arange(1, depth + 1)

    def total(self, value: np.ndarray) -> np.ndarray:
        reached = np.cumprod(1.0 - value, axis=1)  # (Q, W) nothing satisfied up to and with this rank
        reached = np.hstack([np.ones((len(value), 1)), reached])[:, : value.shape[1]]
        return sum_over_ranks(value * reached * self.seen(value.shape[1]))


@dataclass(frozen=True)
class ERR(ReciprocalRank):
    """Expected reciprocal rank; the gain is the stop probability (2^grade - 1) / 2^max_rel of grades up to max_rel."""

    name = "ERR"
    binary = False

    max_rel: int = 4

    def gain(self, grade: np.ndarray) -> np.ndarray:
        grade = np.maximum(np.nan_to_num(np.asarray(grade, dtype=np.float64)), 0.0)
        return np.exp2(grade - self.max_rel) - np.exp2(-float(self.max_rel))


class AveragePrecision(UserModel):
    """The raw total is the sum of precisions at relevant documents; AP@K divides by all relevant documents."""

    name = "AP"
    linear = False

    def total(self, value: np.ndarray) -> np.ndarray:
        return sum_of_precisions(value, value)

    def normalizer(self, value: np.ndarray, judgements: Judgements) -> np.ndarray:
        return judgements.sum_by_topic(value > 0)


class Success(UserModel):
    name = "Success"
    needs_cutoff = True
    linear = False

    def total(self, value: np.ndarray) -> np.ndarray:
        return 1.0 - np.prod(1.0 - value, axis=1)


_MODELS: dict[str, type[UserModel]] = {
    model.name: model for model in (NDCG, SDCG, Precision, Recall, RBP, ReciprocalRank, ERR, AveragePrecision, Success)
}


@lru_cache(maxsize=256)
def user_model(base: Any, cutoff: int | None = None, max_rel: int | None = None) -> UserModel:
    """The ordinary measure ``base`` (an ir_measures measure or its text), cut at ``cutoff``.

    ``max_rel`` is the highest grade of ERR; without it gdeval's 4.
    """
    measure = parse_measure(base)
    model = _MODELS[str(measure.NAME)]
    params = {f.name: measure.params[f.name] for f in fields(model) if f.name in measure.params}
    if cutoff is not None:
        params["cutoff"] = cutoff
    if model is ERR and max_rel is not None:
        params["max_rel"] = max_rel
    return model(**params)


def canonical_base(base: Any, accepted: tuple[str, ...]) -> tuple[str, int | None]:
    """Text of a base measure without cutoff, non-default parameters in declared order; and its cutoff.

    Raises
    ------
    ValueError
        for a measure that is not among ``accepted``, for ``judged_only``, and for a parameter out of range.
    """
    measure = parse_measure(base)
    if measure.NAME not in accepted:
        raise ValueError(f"base={measure} is not supported; accepted are {', '.join(accepted)}")
    unknown = [name for name in measure.params if name not in measure.SUPPORTED_PARAMS]
    if unknown:
        raise ValueError(
            f"base={measure.NAME} has no parameter {unknown[0]!r}; it has {', '.join(measure.SUPPORTED_PARAMS)}"
        )
    parts = []
    for name in measure.SUPPORTED_PARAMS:
        if name in measure.params and name != "cutoff":
            value = _canonical_parameter(measure, name, measure.params[name])
            if value is not None:
                parts.append(f"{name}={measure._param_repr(value)}")
    if measure.NAME == "SDCG" and "max_rel" not in measure.params:
        raise ValueError("base=SDCG needs max_rel, the highest grade, as in SDCG(max_rel=3)")
    return f"{measure.NAME}({','.join(parts)})" if parts else measure.NAME, _cutoff(measure)


def _canonical_parameter(measure: ir_measures.Measure, name: str, value: Any) -> Any:
    """The value to print; None where it is the default."""
    where = f"base={measure}"
    if name == "judged_only":
        if value:
            raise ValueError(f"{where}: judged_only is not supported in a base measure")
        return None
    if name == "dcg":
        choices = measure.SUPPORTED_PARAMS["dcg"].choices
        if value not in choices:
            raise ValueError(f"{where}: dcg={value!r}; accepted is {' or '.join(map(repr, choices))}")
        return None if value == "log2" else value
    if name == "gains":
        return canonical_gains(value, where)
    if name == "min_rel":
        if value != 0:
            raise ValueError(f"{where}: min_rel={value!r}; only 0 is supported")
        return None
    if name == "p":
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value < 1:
            raise ValueError(f"{where}: p={value!r}; accepted are numbers from 0 to below 1")
        return None if value == 0.8 else float(value) + 0.0  # -0.0 becomes 0.0
    whole = _whole(measure, name, value)
    return None if name == "rel" and whole == 1 else whole


def _cutoff(measure: ir_measures.Measure) -> int | None:
    cutoff = measure.params.get("cutoff")
    return None if cutoff is None else _whole(measure, "cutoff", cutoff)


def _whole(measure: ir_measures.Measure, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= LARGEST:
        raise ValueError(f"base={measure}: {name}={value!r}; accepted are whole numbers from 1 to 2^53")
    return int(value)


def canonical_gains(gains: Any, where: str) -> dict | None:
    """A gain table with plain numbers and without entries that change nothing; None if nothing is left."""
    if gains is None:
        return None
    if not isinstance(gains, dict):
        raise TypeError(f"{where}: gains must be a dict of grade: gain, not a {type(gains).__name__}")
    table = {}
    for grade, gain in gains.items():
        if isinstance(grade, bool) or not isinstance(grade, (int, np.integer)) or abs(int(grade)) > LARGEST:
            raise ValueError(f"{where}: gains has the grade {grade!r}; grades are whole numbers up to 2^53")
        if isinstance(gain, bool) or not isinstance(gain, (int, float, np.number)) or not 0 <= gain <= LARGEST:
            raise ValueError(f"{where}: gains gives grade {grade} the gain {gain!r}; gains are numbers from 0 to 2^53")
        if gain != max(grade, 0):
            table[int(grade)] = int(gain) if float(gain).is_integer() else float(gain)
    return dict(sorted(table.items())) or None


def label_grades(max_rel: int) -> np.ndarray:
    """(max_rel + 1,) the grades that an unjudged document may have."""
    if max_rel > _HIGHEST_LABEL:
        raise ValueError(
            f"max_rel={max_rel} is too high to be a grade of unjudged documents; accepted is up to {_HIGHEST_LABEL} "
            "(where max_rel is left out it is the highest grade in the qrels)"
        )
    return np.arange(max_rel + 1)


def sum_over_ranks(value: np.ndarray) -> np.ndarray:
    """(Q, W) -> (Q,): added from the top, so that how far other topics' lists reach does not change a bit."""
    return np.cumsum(value, axis=1)[:, -1] if value.shape[1] else np.zeros(len(value))


def sum_of_precisions(relevant: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(Q, W) relevance and values in rank order -> (Q,): the mean value down to each relevant document, added up."""
    precision = np.cumsum(value, axis=1) / np.arange(1, value.shape[1] + 1)  # (Q, W)
    return sum_over_ranks(relevant * precision)


def divide(total: np.ndarray, normalizer: np.ndarray) -> np.ndarray:
    """total / normalizer, and 0 where the normaliser is 0."""
    return np.divide(total, normalizer, out=np.zeros(len(total)), where=normalizer != 0)
