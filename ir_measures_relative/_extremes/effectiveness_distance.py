"""MED as functions (papers: see ``measures/med.py``): two runs with the labels that prove it; all pairs of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import SDCG, AveragePrecision, UserModel, canonical_base, mean_over_topics, user_model
from ir_measures_relative._checks import EQUAL, choice, counted, flag, whole
from ir_measures_relative._extremes.labellings import BASES, Labelling, Question, largest_and_smallest, signed_ends
from ir_measures_relative._extremes.side_by_side import run_with_others
from ir_measures_relative._input import FloatArray, ObjectArray
from ir_measures_relative._judged import (
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    Runs,
    RunsLike,
    read_runs,
    warn_of_mismatches,
    warn_of_other_topics,
)

JUDGED = ("qrels", "none")
NORMS = ("R", "min", "k")
_MOST_UNSEEN = 10**7  # without a cutoff; nDCG adds up as many discounts


@dataclass(frozen=True)
class MedSettings:
    """Settings of MED, checked once; the fields are MED's parameters in canonical form."""

    base: str  # text without cutoff
    cutoff: int | None = None
    judged: str = "qrels"
    max_rel: int | None = None
    unseen: int = 0
    norm: str = "R"
    residual: bool = True

    @classmethod
    def of(cls, base: Any, **options: Any) -> MedSettings:
        """Settings from a caller's arguments: ``base`` with its cutoff, and the other fields."""
        settings = cls(*canonical_base(base, BASES), **options)
        if settings.needs_cutoff and settings.cutoff is None:
            raise ValueError(f"base={base} requires a cutoff, as in {base}@10")
        return settings

    def __post_init__(self) -> None:
        choice(self.judged, "judged", JUDGED)
        choice(self.norm, "norm", NORMS)
        flag(self.residual, "residual")
        whole(self.unseen, "unseen", 0)
        if self.max_rel is not None:
            whole(self.max_rel, "max_rel", 1)
        own, highest = self._max_rel_of_base, self.max_rel or self._max_rel_of_base or 0
        self.model().label_grades(highest)  # rejects more grades than can be tried
        if own is not None and highest > own:
            raise ValueError(f"max_rel={highest} is above the highest of base={self.base}")
        most = self.cutoff or _MOST_UNSEEN
        if self.unseen > most:
            limit = f"{most}, the cutoff" if self.cutoff else str(most)
            raise ValueError(f"unseen must be at most {limit}, got {self.unseen}")

    @property
    def _max_rel_of_base(self) -> int | None:
        """SDCG divides by its own highest grade, which no label may exceed."""
        model = self.model()
        return model.max_rel if isinstance(model, SDCG) else None

    @property
    def needs_qrels(self) -> bool:
        """True if the highest grade of a free document is that of the qrels."""
        return not (self.max_rel or self._max_rel_of_base or self.model().binary)

    @property
    def needs_cutoff(self) -> bool:
        model = self.model()
        return model.needs_cutoff or (isinstance(model, AveragePrecision) and self.norm == "k")

    def model(self, max_rel: int | None = None) -> UserModel:
        """The ordinary measure underneath, cut at K."""
        return user_model(self.base, self.cutoff, max_rel)

    def question(self, judgements: Judgements, where: str = "med") -> Question:
        """The question for these judgements; ``where`` begins error sentences."""
        max_rel = self.max_rel or self._max_rel_of_base or judgements.max_grade
        model, judged = self.model(max_rel), self.judged == "qrels"
        if judged:
            model.check(judgements, where)
        return Question(model, judgements, max_rel, self.unseen, self.norm, self.residual, judged)


def verdict_of(below: float, above: float) -> str:
    """'better', 'worse' or 'equal' if true of every difference from ``below`` to ``above``; else 'undecided'."""
    if below > EQUAL:
        return "better"
    if above < -EQUAL:
        return "worse"
    return "equal" if above <= EQUAL and below >= -EQUAL else "undecided"


@dataclass(frozen=True, repr=False, eq=False)
class MedResult:
    """MED and both signed ends, for each topic and for the mean; ``witness`` shows labels that attain them.

    Attributes
    ----------
    query_id : list
        The topics, in the order of the qrels.
    above, below : (Q,) array
        Largest and smallest M(run) - M(reference).
    """

    query_id: list[Any]
    above: FloatArray
    below: FloatArray
    _labels: dict[str, Labelling]
    _documents: ObjectArray  # (Q, D) ids of the slots that the labels speak of
    _top_grade: int  # of relevant documents in neither list

    @property
    def med(self) -> FloatArray:
        """(Q,) the largest absolute difference M(run) - M(reference)."""
        return np.maximum(self.above, 0.0 - self.below)  # not -0.0

    @property
    def mean_above(self) -> float:
        """The largest difference of the means over topics; topics are labelled independently."""
        return mean_over_topics(self.above)

    @property
    def mean_below(self) -> float:
        """The smallest difference of the means over topics."""
        return mean_over_topics(self.below)

    @property
    def mean_med(self) -> float:
        """The largest absolute difference of the means; at most the mean MED of the topics, as signs may differ."""
        return max(abs(self.mean_below), abs(self.mean_above))

    @property
    def verdict(self) -> str:
        """Verdict on the means: 'better', 'worse' or 'equal' for all labels; else 'undecided'."""
        return verdict_of(self.mean_below, self.mean_above)

    def to_frame(self) -> pd.DataFrame:
        """One row per topic: query_id, med, below, above, and the verdict on that topic."""
        columns = {"query_id": self.query_id, "med": self.med, "below": self.below, "above": self.above}
        verdicts = [verdict_of(*ends) for ends in zip(self.below, self.above, strict=True)]
        return pd.DataFrame({**columns, "verdict": verdicts})

    def witness(self, query_id: Any, *, value: str = "med") -> dict[str, int]:
        """Labels of the unjudged documents of a topic that attain ``value``: 'med', 'above' or 'below'.

        Added to the judgements of the topic, they make the base measure give that difference (for RBP, except for
        its tail). Relevant documents in neither list, if ``unseen`` allows them and they matter, are named
        '(unseen 1)' and so on.
        """
        choice(value, "witness: value", ("med", "above", "below"))
        topics = [str(topic) for topic in self.query_id]
        if str(query_id) not in topics:
            raise ValueError(f"witness: unknown topic {query_id!r}")
        row = topics.index(str(query_id))
        if value == "med":
            value = "above" if self.above[row] >= -self.below[row] else "below"
        labels = self._labels[value]
        free = labels.grade[row] >= 0
        named = dict(zip(self._documents[row, free].tolist(), labels.grade[row, free].tolist(), strict=True))
        return named | {f"(unseen {i + 1})": self._top_grade for i in range(int(labels.unseen[row]))}

    def __repr__(self) -> str:
        numbers = Counter(self.to_frame()["verdict"]).most_common()
        verdicts = ", ".join(f"{number} {verdict}" for verdict, number in numbers)
        of_mean = f"; the means: {self.verdict}" if len(self.query_id) > 1 else ""
        return f"MedResult({counted(len(self.query_id), 'topic')}{': ' if verdicts else ''}{verdicts}{of_mean})"


def med(
    qrels: QrelsLike | None,
    run: RunLike,
    reference: RunLike,
    base: Measure | str = nDCG @ 10,
    *,
    judged: str = "qrels",
    max_rel: int | None = None,
    unseen: int = 0,
    norm: str = "R",
    residual: bool = True,
) -> MedResult:
    """Bound the difference between two runs over all possible labels of their unjudged documents.

    The runs cannot differ by more than MED. A positive ``below`` means that the run is better than the reference under
    any labels, a negative ``above`` that it is worse.

    Parameters
    ----------
    qrels : QrelsLike or None
        Judgements in any form. None: no judgements; the topics are those of the two runs.
    run, reference : RunLike
        The two runs, in any form.
    base : Measure or str
        The ordinary measure: nDCG, P, SDCG, RBP, RR, AP, ERR or 'Q(beta=1)', with its cutoff.
    judged : {'qrels', 'none'}
        'none' ignores the judgements.
    max_rel : int, optional
        Highest grade of an unjudged document; by default SDCG's own, else the highest grade in the qrels.
    unseen : int
        How many relevant documents may exist in neither list, at most K. This affects the verdicts better and worse of
        nDCG and AP: with 0 they are valid until such a document is found, with K whatever is judged later. For Q, which
        weighs ranks by the number of relevant documents, either end may change.
    norm : {'R', 'min', 'k'}
        AP divides by the number of relevant documents ('R'), at most K of them ('min'), or K ('k').
    residual : bool
        RBP: count unknown documents below the end of the favoured list as relevant.

    Returns
    -------
    MedResult
        For each topic: ``to_frame()`` (query_id, med, below, above, verdict) and ``witness(query_id, value)``; for the
        means over topics: ``mean_below``, ``mean_above``, ``mean_med``, ``verdict``.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> x3 = {'q': {d: -i for i, d in enumerate('ABCDEFGHJK')}}
    >>> x4 = {'q': {d: -i for i, d in enumerate('ADBECGFJLH')}}
    >>> result = imr.med({'q': {'A': 1, 'E': 0}}, x3, x4)
    >>> result
    MedResult(1 topic: 1 undecided)
    >>> result.to_frame().round(3)
      query_id    med  below  above    verdict
    0        q  0.235 -0.235  0.208  undecided
    >>> [d for d, grade in result.witness('q').items() if grade]
    ['D', 'L']
    """
    settings = MedSettings.of(base, judged=judged, max_rel=max_rel, unseen=unseen, norm=norm, residual=residual)
    both = {"run": Run.of(run), "reference": Run.of(reference, "reference")}
    judgements = _judgements(qrels, both.values())
    for name, ranked in both.items():
        warn_of_other_topics(ranked, judgements, name)
    question, tops = settings.question(judgements), Runs.of(judgements, both).top(settings.cutoff)
    above, below = largest_and_smallest(run_with_others(tops, 0, np.array([1]), question.judged), question)
    labels = {"above": above, "below": below}
    documents = np.hstack([*tops.doc_id[tops.document]])  # (Q, D); any document past the end of a list
    return MedResult(list(judgements.topics), above.value, below.value, labels, documents, question.top_grade)


def med_matrix(
    qrels: QrelsLike | None,
    runs: RunsLike,
    base: Measure | str = nDCG @ 10,
    *,
    judged: str = "qrels",
    max_rel: int | None = None,
    unseen: int = 0,
    norm: str = "R",
    residual: bool = True,
) -> pd.DataFrame:
    """Compute the mean MED over topics of all pairs of runs: how similar runs are, as far as a measure can tell.

    Parameters
    ----------
    qrels : QrelsLike or None
        Judgements in any form. None: no judgements; the topics of a pair are those of its runs.
    runs : RunsLike
        Dict of name: run, a folder, a glob or a list of TREC run files.
    base, judged, max_rel, unseen, norm, residual
        As in ``med``.

    Returns
    -------
    pandas.DataFrame
        Symmetric, with the names as rows and columns; the diagonal is 0 (RBP with ``residual``: the mean of its tail).

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> runs = {'a': {'q': {'x': 2, 'y': 1}}, 'b': {'q': {'y': 2, 'x': 1}}}
    >>> imr.med_matrix(None, runs, 'RR@2')
         a    b
    a  0.0  0.5
    b  0.5  0.0
    """
    settings = MedSettings.of(base, judged=judged, max_rel=max_rel, unseen=unseen, norm=norm, residual=residual)
    read = read_runs(runs)
    judgements = _judgements(qrels, read.values())
    warn_of_mismatches(read, judgements)
    joined = Runs.of(judgements, read)
    table = np.zeros((len(joined), len(joined)))
    if judgements.n_topics:
        y, z = np.triu_indices(len(joined))  # with the diagonal, which RBP's tail makes positive
        tops = joined.top(settings.cutoff)
        below, above = signed_ends(tops, y, z, settings.question(judgements))
        distance = np.maximum(above, 0.0 - below)  # (P, Q)
        has_topic = np.stack([joined[name].length > 0 for name in joined]) | (qrels is not None)  # (M, Q)
        evaluated = has_topic[y] | has_topic[z]  # without qrels the topics of a pair are those of its runs
        means = [mean_over_topics(row[topics]) for row, topics in zip(distance, evaluated, strict=True)]
        table[y, z] = table[z, y] = means
    return pd.DataFrame(table, index=list(read), columns=list(read))


def _judgements(qrels: QrelsLike | None, runs: Iterable[Run]) -> Judgements:
    """The judgements; without qrels, the topics of all runs and no judged document."""
    if qrels is not None:
        return Judgements.of(qrels)
    return Judgements.of({topic: {} for run in runs for topic in run.topic_keys}, may_be_empty=True)
