"""MED as functions: two runs, with both signed ends and the labels that prove them; all pairs of runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import nDCG

from ir_measures_relative._checks import shown
from ir_measures_relative._extremes.labellings import Labelling
from ir_measures_relative._extremes.side_by_side import two_runs
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import JudgedRun, Judgements, Run, warn_of_other_topics
from ir_measures_relative.measures import MED, largest_and_smallest

EQUAL = 1e-12  # absolute: a difference of two scores that is no larger is rounding


@dataclass(frozen=True, repr=False, eq=False)
class MedResult:
    """MED and both signed ends for every topic; ``witness`` shows labels that attain them.

    Attributes
    ----------
    query_id : topics, in the order of the qrels
    above, below : (Q,) largest and smallest M(run) - M(reference)
    """

    query_id: list
    above: np.ndarray
    below: np.ndarray
    _labels: dict[str, Labelling]
    _documents: np.ndarray  # (Q, D) ids of the slots that the labels speak of
    _top_grade: int  # of relevant documents in neither list

    @property
    def med(self) -> np.ndarray:
        """(Q,) the largest absolute difference M(run) - M(reference)."""
        return np.maximum(self.above, 0.0 - self.below)  # not -0.0

    @property
    def verdict(self) -> list[str]:
        """What holds whatever the labels are: the run is 'better', 'worse', 'equal'; or 'undecided'."""
        cases = [self.below > EQUAL, self.above < -EQUAL, (self.above <= EQUAL) & (self.below >= -EQUAL)]
        return np.select(cases, ["better", "worse", "equal"], "undecided").tolist()

    def to_frame(self) -> pd.DataFrame:
        """One row per topic: query_id, med, below, above, verdict."""
        columns = {"query_id": self.query_id, "med": self.med, "below": self.below, "above": self.above}
        return pd.DataFrame({**columns, "verdict": self.verdict})

    def witness(self, query_id: Any, value: str = "med") -> dict[str, int]:
        """Labels of the free documents of a topic that attain ``value``: 'med', 'above' or 'below'.

        Added to the judgements of the topic they make the base measure give that difference (RBP: but for its
        tail). Relevant documents in neither list, if ``unseen`` allows them and they matter, are named
        '(unseen 1)' and so on.
        """
        if value not in ("med", "above", "below"):
            raise ValueError(f"witness: value={shown(value)} is not accepted; accepted is 'med', 'above' or 'below'")
        topics = [str(topic) for topic in self.query_id]
        if str(query_id) not in topics:
            raise ValueError(f"witness: there is no topic {query_id!r}")
        row = topics.index(str(query_id))
        if value == "med":
            value = "above" if self.above[row] >= -self.below[row] else "below"
        labels = self._labels[value]
        slots = np.flatnonzero(labels.grade[row] >= 0)
        named = dict(zip(self._documents[row, slots].tolist(), labels.grade[row, slots].tolist(), strict=True))
        return named | {f"(unseen {i + 1})": self._top_grade for i in range(int(labels.unseen[row]))}

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{number} {verdict}" for verdict, number in Counter(self.verdict).most_common())
        topics = "1 topic" if len(self.query_id) == 1 else f"{len(self.query_id)} topics"
        return f"MedResult({topics}{': ' if verdicts else ''}{verdicts})"


def med(
    qrels: Any,
    run: Any,
    reference: Any,
    base: Any = nDCG @ 10,
    *,
    judged: str = "qrels",
    max_rel: int | None = None,
    unseen: int = 0,
    norm: str = "R",
    residual: bool = True,
) -> MedResult:
    """How far apart two runs can be, whatever the labels of the unjudged documents are, and which way.

    MED says: the two runs cannot differ by more than this. The signed ends say which way: a positive
    ``below`` means that the run is better than the reference under any labels, a negative ``above`` that it
    is worse.

    Parameters
    ----------
    qrels : judgements in any form; None: nothing is judged, and the topics are those of the two runs
    run, reference : the two runs, in any form
    base : the ordinary measure: nDCG, P, SDCG, RBP, RR, AP or ERR, with its cutoff
    judged : 'none' ignores the judgements
    max_rel : highest grade of a free document; left out: SDCG's own, else the highest grade in the qrels
    unseen : how many relevant documents may exist in neither list. It matters to inner signed ends only (verdicts
        better and worse): with 0 they hold while no such document turns up, with K whatever is judged later
    norm : AP divides by the relevant documents ('R'), at most K of them ('min'), or K ('k')
    residual : RBP: count the unknown documents past the end of the favoured list as relevant

    Returns
    -------
    MedResult
        with ``to_frame()`` (query_id, med, below, above, verdict) and ``witness(query_id, value)``.

    Examples
    --------
    >>> from ir_measures_relative._extremes.med import med
    >>> x3 = {'q': {d: -i for i, d in enumerate('ABCDEFGHJK')}}
    >>> x4 = {'q': {d: -i for i, d in enumerate('ADBECGFJLH')}}
    >>> result = med({'q': {'A': 1, 'E': 0}}, x3, x4)
    >>> result
    MedResult(1 topic: 1 undecided)
    >>> result.to_frame().round(3)
      query_id    med  below  above    verdict
    0        q  0.235 -0.235  0.208  undecided
    >>> [d for d, grade in result.witness('q').items() if grade]
    ['D', 'L']

    References
    ----------
    Moffat: "Computing Maximized Effectiveness Distance for Recall-Based Metrics".
    """
    measure = _measure(base, judged=judged, max_rel=max_rel, unseen=unseen, norm=norm, residual=residual)
    first, second = Run.of(run), Run.of(reference, "reference")
    judgements = _judgements(qrels, first, second)
    warn_of_other_topics(first, judgements)
    warn_of_other_topics(second, judgements, "reference")
    question = measure.question(judgements)
    one, other = JudgedRun(judgements, first), JudgedRun(judgements, second)
    pair = two_runs(one, other, measure["cutoff"], judged == "qrels")
    above, below = largest_and_smallest(pair, question)
    documents = np.full(pair.free.shape, None, dtype=object)
    for start, judged_run in ((0, one), (pair.depth, other)):
        ids = judged_run.documents(measure["cutoff"])
        documents[:, start : start + ids.shape[1]] = ids
    labels = {"above": above, "below": below}
    return MedResult(
        list(judgements.topics), above.value + 0.0, below.value + 0.0, labels, documents, question.top_grade
    )


def med_matrix(
    qrels: Any,
    runs: Any,
    base: Any = nDCG @ 10,
    *,
    judged: str = "qrels",
    max_rel: int | None = None,
    unseen: int = 0,
    norm: str = "R",
    residual: bool = True,
) -> pd.DataFrame:
    """Mean MED over topics of all pairs of runs: how alike systems are as far as a measure can tell.

    Parameters
    ----------
    qrels : judgements in any form; None: nothing is judged, and the topics of a pair are those of its runs
    runs : a dict of name: run, a folder, a glob or a list of TREC run files
    base, judged, max_rel, unseen, norm, residual : as for ``med``

    Returns
    -------
    pandas.DataFrame
        symmetric, names as rows and columns; the diagonal is 0 (RBP with ``residual``: the mean of its tail).

    Examples
    --------
    >>> from ir_measures_relative._extremes.med import med_matrix
    >>> runs = {'a': {'q': {'x': 2, 'y': 1}}, 'b': {'q': {'y': 2, 'x': 1}}}
    >>> med_matrix(None, runs, 'RR@2')
         a    b
    a  0.0  0.5
    b  0.5  0.0

    References
    ----------
    Tan and Clarke: "A family of rank similarity measures based on maximized effectiveness difference",
    TKDE 2015.
    """
    measure = _measure(base, judged=judged, max_rel=max_rel, unseen=unseen, norm=norm, residual=residual)
    read = {name: Run.of(run, f"run {name!r}") for name, run in run_sources(runs).items()}
    known = None if qrels is None else Judgements.of(qrels)
    joined = {} if known is None else {name: JudgedRun(known, run) for name, run in read.items()}
    for name, joint in joined.items():
        warn_of_other_topics(joint.run, joint.judgements, f"run {name!r}")

    def mean(a: str, b: str) -> float:
        judgements = _judgements(known, read[a], read[b])
        one, other = (joined[n] if joined else JudgedRun(judgements, read[n]) for n in (a, b))
        pair = two_runs(one, other, measure["cutoff"], judged == "qrels")
        above, below = largest_and_smallest(pair, measure.question(judgements))
        return float(np.maximum(above.value, 0.0 - below.value).mean()) if judgements.n_topics else 0.0

    names = list(read)
    table = pd.DataFrame(0.0, index=names, columns=names)
    for i, j in [*combinations(range(len(names)), 2), *((i, i) for i in range(len(names)))]:
        table.iloc[i, j] = table.iloc[j, i] = mean(names[i], names[j])
    return table


def _measure(base: Any, **parameters: Any) -> Any:
    """MED without its reference, for its parameters and their checks."""
    measure = MED(base=base, **parameters)
    if measure.needs_cutoff and measure["cutoff"] is None:
        raise ValueError(f"base={base} needs a cutoff, as in {base}@10")
    return measure


def _judgements(qrels: Any, first: Run, second: Run) -> Judgements:
    """The judgements; without qrels, topics of either run and no judged document."""
    if qrels is not None:
        return Judgements.of(qrels)
    return Judgements.of({topic: {} for topic in first.topic_keys + second.topic_keys})
