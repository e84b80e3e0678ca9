"""Many runs beside each other: means over topics as a table to read, sort and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import direction, parse_measure
from ir_measures_relative._checks import counted, real, shown
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._experiment.run_scores import score_table
from ir_measures_relative._experiment.table_text import TextTable, html_text, latex, latex_text, markdown, visible
from ir_measures_relative._input import FloatArray, IntArray, run_sources
from ir_measures_relative._judged import QrelsLike, Runs, RunsLike
from ir_measures_relative.measures import RelativeMeasure

_INTERVALS = ("low", "high", "rank", "rank_low", "rank_high", "tier")


def compare(
    measures: Any,
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    groups: Any = None,
    by: Measure | str = nDCG @ 10,
    names: str = "file",
    sort: Measure | str | None = None,
    intervals: float | None = None,
    n_jobs: int | None = 1,
    progress: bool | None = None,
    depth: int | None = None,
) -> Comparison:
    """Computes measures for many runs and puts the runs beside each other, as a table to read or to print.

    Parameters
    ----------
    measures, qrels, runs, groups, by, names, n_jobs, progress, depth : as in ``calc_runs``
    sort : the measure that the runs are sorted by, best first; by default they stand in the order given
    intervals : a level such as 0.95 adds, for the measure of ``sort`` or else the first, the interval of the mean (of
        the sum where ir_measures adds up), the rank with its interval, and the tier, as ``meta.rank_intervals``
        computes them

    Returns
    -------
    Comparison, which shows itself in a notebook; ``to_frame``, ``per_topic``, ``table``, ``to_markdown`` and
    ``to_latex``.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1}, 'q2': {'a': 1}}
    >>> runs = {'bm25': {'q1': {'a': 2., 'c': 1.}}, 'dense': {'q1': {'c': 2., 'b': 1.}, 'q2': {'a': 1.}}}
    >>> table = imr.compare(['nDCG@10', 'UniqueRel@10'], qrels, runs, sort='nDCG@10')
    >>> table
            nDCG@10  UniqueRel@10
    name
    dense  0.693426           1.0
    bm25   0.306574           0.5
    >>> print(table.to_markdown(places=2))
    | name  |  nDCG@10 | UniqueRel@10 |
    | ----- | -------: | -----------: |
    | dense | **0.69** |     **1.00** |
    | bm25  |     0.31 |         0.50 |
    """
    sources = run_sources(runs, names=names)
    request = Request.of(measures, sources, groups=groups, by=by, n_jobs=n_jobs, progress=progress, pool_depth=depth)
    wanted = Comparison.wanted(request, sort, intervals)
    return Comparison.of(request, request.read(qrels, sources), *wanted)


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """M runs beside each other: V measures over Q topics.

    Attributes
    ----------
    measures, texts : the V measures, and how they were written
    names : the M runs, in the order given
    groups : run -> group, or None
    topics : the Q topics, as the qrels gave them
    scores : (M, Q, V)
    per_topic : [name, query_id, measure, value], as ``calc_runs`` gives it
    """

    measures: Sequence[Measure]
    texts: Sequence[str]
    names: Sequence[str]
    groups: Mapping[str, str] | None
    topics: Sequence[Any]
    scores: FloatArray  # (M, Q, V)
    sort: int | None = None  # which measure
    intervals: float | None = None

    @classmethod
    def wanted(cls, request: Request, sort: Measure | str | None, intervals: Any) -> tuple[int | None, float | None]:
        """Which measure the runs are sorted by and the level of intervals, checked before anything is read."""
        place = None if sort is None else _place(sort, request.measures, request.texts, "sort")
        level = None if intervals is None else real(intervals, "intervals", 0.0, 1.0)
        if level is not None and not request.measures:
            raise ValueError("intervals: there is no measure whose intervals could be shown")
        return place, level

    @classmethod
    def of(cls, request: Request, runs: Runs, sort: int | None = None, intervals: float | None = None) -> Comparison:
        """What a request asks for, of runs that were read; ``sort`` and ``intervals`` as ``wanted`` gives them."""
        if intervals is not None and runs.judgements.n_topics < 2:
            raise ValueError("intervals: at least two topics are needed, to see how they differ")
        return cls(
            request.measures,
            request.texts,
            request.names,
            request.groups,
            runs.judgements.topics,
            request.scores(runs),
            sort,
            intervals,
        )

    @property
    def per_topic(self) -> pd.DataFrame:
        return score_table(self.names, self.topics, self.texts, self.scores)

    def to_frame(self) -> pd.DataFrame:
        """A row per run: its group where groups are known, and the mean of each measure, or the sum where ir_measures
        adds up; with intervals also low, high, rank, rank_low, rank_high and tier."""
        columns: dict[str, Any] = {}
        if self.groups is not None:
            columns["group"] = [self.groups[name] for name in self.names]
        columns.update({text: self._summaries[:, place] for place, text in enumerate(self.texts)})
        frame = pd.DataFrame(columns, index=pd.Index(list(self.names), name="name", dtype=object))
        if self.intervals is not None:
            frame = frame.join(self._intervals)
        return frame.iloc[self._order]

    def table(self, measure: Measure | str) -> pd.DataFrame:
        """The scores of one measure as runs x topics, which every function of ``meta`` takes.

        Examples
        --------
        >>> import ir_measures_relative as imr
        >>> runs = {'bm25': {'q1': {'a': 2.}}, 'dense': {'q1': {'b': 1.}, 'q2': {'a': 1.}}}
        >>> found = imr.compare(['P@1', 'NRG@10'], {'q1': {'a': 1}, 'q2': {'a': 1}}, runs)
        >>> found.table('P@1')
        query_id   q1   q2
        name
        bm25      1.0  0.0
        dense     0.0  1.0
        """
        place = _place(measure, self.measures, self.texts, "measure")
        return pd.DataFrame(
            self.scores[:, :, place],
            index=pd.Index(list(self.names), name="name", dtype=object),
            columns=pd.Index(list(self.topics), name="query_id", dtype=object),
        )

    def to_markdown(self, *, places: int = 4) -> str:
        """A Markdown table; the best of each measure, by its direction, in bold."""
        return markdown(self.text_table(places=places))

    def to_latex(
        self, *, baseline: str | None = None, places: int = 4, level: float = 0.05, caption: str | None = None
    ) -> str:
        r"""A LaTeX table with the rules of booktabs; the best of each measure in bold, the second underlined.

        Parameters
        ----------
        baseline : a run; values that differ significantly from its own are marked + (better) or - (worse): a paired
            t-test of each run and measure over topics at ``level``, with Holm's correction for the number of tests,
            which the caption states
        places : decimal places; -1 is all
        caption : a text of one's own, in LaTeX, before what the marks mean
        """
        return latex(self.text_table(baseline=baseline, places=places, level=level, caption=caption))

    def _repr_html_(self) -> str:
        return html_text(self.text_table())

    def __repr__(self) -> str:
        frame = self.to_frame()
        frame.index = pd.Index([visible(str(name)) for name in frame.index], name="name", dtype=object)
        return str(frame.to_string())

    def text_table(
        self, *, baseline: str | None = None, places: int = 4, level: float = 0.05, caption: str | None = None
    ) -> TextTable:
        """The means, in the order in which the runs are sorted, for every form of text."""
        frame = self.to_frame()
        rows = [[name, *values] for name, *values in frame.itertuples(name=None)]
        counts = {text for text, measure in zip(self.texts, self.measures, strict=True) if adds_up(measure)}
        for row in rows:
            row[1:] = [_plain(value, column in counts) for column, value in zip(frame.columns, row[1:], strict=True)]
        header = ["name", *map(str, frame.columns)]
        better = {text: direction(measure) for text, measure in zip(self.texts, self.measures, strict=True)}
        marks, sentence = ({}, "") if baseline is None else self._significance(baseline, header, level)
        about = self._about if caption is None else caption
        return TextTable(header, rows, better, marks, places, f"{about} {sentence}".strip())

    @property
    def _about(self) -> str:
        sums = [text for text, measure in zip(self.texts, self.measures, strict=True) if adds_up(measure)]
        return f"Means over {counted(len(self.topics), 'topic')}{'; sums of ' if sums else ''}{', '.join(sums)}."

    @cached_property
    def _summaries(self) -> FloatArray:
        """(M, V)"""
        values = [[summary(m, self.scores[run, :, v]) for v, m in enumerate(self.measures)] for run in self._runs]
        return np.array(values, dtype=np.float64).reshape(len(self.names), len(self.measures))

    @property
    def _runs(self) -> range:
        return range(len(self.names))

    @property
    def _order(self) -> IntArray:
        """(M,) places of the runs; equally good ones stay in the order given."""
        if self.sort is None:
            return np.arange(len(self.names))
        values = self._summaries[:, self.sort]
        return np.argsort(values if direction(self.measures[self.sort]) == "smaller" else -values, kind="stable")

    @property
    def _intervals(self) -> pd.DataFrame:
        from ir_measures_relative import meta  # late: a plain comparison needs nothing of it

        place = self.sort or 0
        table = pd.DataFrame(self.scores[:, :, place], index=list(self.names), columns=list(self.topics))
        larger = direction(self.measures[place]) != "smaller"
        assert self.intervals is not None
        found = meta.rank_intervals(table, level=self.intervals, largest_first=larger)
        frame = found.to_frame().set_index("system")[list(_INTERVALS)]
        if adds_up(self.measures[place]):  # of the sum that is shown
            frame[["low", "high"]] *= len(self.topics)
        return frame

    def _significance(
        self, baseline: str, header: Sequence[str], level: float
    ) -> tuple[dict[tuple[int, int], str], str]:
        """Marks by (row, column), and the sentence that says what they mean."""
        from ir_measures_relative import meta

        if baseline not in self.names:
            raise ValueError(f"baseline={shown(baseline)} is none of the runs; they are {', '.join(self.names):.200}")
        level = real(level, "level", 0.0, 1.0)
        own = list(self.names).index(baseline)
        tested = [
            (run, v)
            for v, measure in enumerate(self.measures)
            for run in self._runs
            if run != own and direction(measure) != "neither" and not adds_up(measure)
        ]
        several = self.scores.shape[1] > 1  # of one topic nothing can be said
        p_values = np.array(
            [meta.paired_t(self.scores[[run, own], :, v]).p_value[0] if several else 1.0 for run, v in tested]
        )
        marks: dict[tuple[int, int], str] = {}
        row_of = {int(run): row for row, run in enumerate(self._order)}
        for (run, v), p_value in zip(tested, meta.corrected(p_values, "holm"), strict=True):
            if p_value < level:
                larger = self._summaries[run, v] > self._summaries[own, v]
                better = larger == (direction(self.measures[v]) == "larger")
                marks[row_of[run], header.index(self.texts[v])] = "+" if better else "-"
        sentence = (
            f"$^{{+}}$ and $^{{-}}$: significantly better and worse than {latex_text(baseline)} (paired t-test, level "
            f"{level:g}, Holm's correction for {len(tested)} tests)."
        )
        if any(isinstance(m, RelativeMeasure) and m.symbol is not None for m in self.measures):
            sentence += " Scores relative to the other runs depend on one another, so that their marks only describe."
        return marks, sentence


def _place(wanted: Measure | str, measures: Sequence[Measure], texts: Sequence[str], what: str) -> int:
    """Which of the measures is wanted, however it is written."""
    measure = parse_measure(wanted)
    if measure not in measures:
        raise ValueError(f"{what}={shown(str(wanted))} is none of the measures; they are {', '.join(texts)}")
    return list(measures).index(measure)


def summary(measure: Measure, values: Sequence[float] | FloatArray) -> float:
    """The mean of a measure over topics, or the sum where ir_measures adds up (NumRet); rounded once."""
    total = fsum(values)
    if adds_up(measure):
        return total
    return total / len(values) if len(values) else float("nan")


def adds_up(measure: Measure) -> bool:
    return isinstance(measure.aggregator(), ir_measures.SumAgg)


def _plain(value: Any, is_count: bool) -> Any:
    """A number of numpy as one of Python; a sum of counts without decimal places."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if is_count and float(value).is_integer() else value
