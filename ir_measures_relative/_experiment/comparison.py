"""A table of runs and measures to read, sort and print, with marks for significant, settled and likely differences."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from string import ascii_letters
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import direction, parse_measure
from ir_measures_relative._checks import choice, condensed_warnings, counted, did_you_mean, real, share, shown
from ir_measures_relative._experiment.pair_table import kept_depth
from ir_measures_relative._experiment.request import Request, deepest, score_table
from ir_measures_relative._experiment.table_marks import (
    PairedTests,
    adds_up,
    baseline_decisions,
    decided_measures,
    decision_marks,
)
from ir_measures_relative._experiment.table_text import TextTable, aligned, as_html, csv_text, latex, markdown, visible
from ir_measures_relative._input import FloatArray, IntArray, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, RunsLike
from ir_measures_relative._labels import LabelModel


@condensed_warnings()
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
    baseline: str | None = None,
    labels: LabelModel | str | None = None,
    level: float = 0.95,
    n_jobs: int | None = 1,
    progress: bool | None = None,
    depth: int | None = None,
    judge: QrelsLike | None = None,
) -> Comparison:
    """Compute measures for many runs and put the means in one table.

    Parameters
    ----------
    measures, qrels, runs, groups, by, names, n_jobs, progress, depth
        As in ``calc_runs``.
    sort : Measure or str, optional
        Measure that sorts the runs, best first; by default they stay in the order given.
    intervals : float, optional
        A level such as 0.95 adds, for the measure of ``sort`` or else the first, the topic interval of the mean (or of
        the sum, where ir_measures sums), the rank with its interval, and the tier of ``meta.rank_intervals``.
    baseline : str, optional
        A run to compare every other run with. Printed tables then mark values that are significantly better or worse,
        and the decisions of ``pairs`` for nDCG, P, SDCG, RBP, RR, AP and ERR: settled and, with ``labels``, likely.
    labels : LabelModel or str, optional
        With a baseline: as in ``pairs``, for nDCG, P, SDCG and RBP.
    level : float
        With labels: the probability from which a difference is likely.
    judge : QrelsLike, optional
        Another judge's labels, for labels='learned'.

    Returns
    -------
    Comparison
        A table that displays itself in a notebook.

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
    level = share(level, "compare: level")
    if labels is not None and baseline is None:
        raise ValueError("compare: labels= requires baseline=; as a measure, use Imputed(labels=...)")
    request = Request.of(
        measures, sources, groups=groups, by=by, n_jobs=n_jobs, progress=progress, pool_depth=depth,
        judge=None if judge is None else Judgements.of(judge, "judge"),
    )  # fmt: skip
    sort_place = None if sort is None else _place(sort, request.measures, request.texts, "sort")
    interval_level = None if intervals is None else real(intervals, "intervals", 0.0, 1.0)
    if interval_level is not None and not request.measures:
        raise ValueError("intervals= requires at least one measure")
    if baseline is not None:
        baseline, decided = _checked_baseline(baseline, request.names), decided_measures(request, labels)
        depths = [kept_depth(settings, model is not None) for settings, model in decided.values()]
        request = replace(request, depth=deepest([request.depth, *depths]))
    joined = request.read(qrels, sources)
    if interval_level is not None and joined.judgements.n_topics < 2:
        raise ValueError("intervals= requires at least two topics")
    decisions = None if baseline is None else baseline_decisions(request, joined, decided, baseline, level)
    return Comparison(
        request.measures, request.texts, request.names, request.groups and dict(request.groups),
        joined.judgements.topics, request.scores(joined), sort_place, interval_level, baseline, decisions, level,
    )  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Result of `compare`: M runs and V measures over Q topics, as a table of means.

    ``len`` is the number of runs. ``comparison[key]`` is a Series: the row of the run ``key``, or else the column of
    the measure ``key``, in any spelling. Functions of ``plots`` accept a Comparison as a table of scores.

    Attributes
    ----------
    measures, texts, names, topics : list
        The V measures, their titles, the M runs in the order given, and the Q topics as in the qrels.
    groups : dict or None
        Run -> group.
    scores : (M, Q, V) array
        One score per run, topic and measure; ``per_topic`` has them as the table that ``calc_runs`` returns.
    baseline : str or None
        The run that the others are compared with.
    decisions : DataFrame or None
        With a baseline: name, measure, difference, low, high, settled and, with labels, p_better, p_better_topics and
        decision, as ``pairs`` returns them for each run against the baseline.
    """

    measures: Sequence[Measure]
    texts: Sequence[str]
    names: Sequence[str]
    groups: Mapping[str, str] | None
    topics: Sequence[Any]
    scores: FloatArray  # (M, Q, V)
    sort: int | None = None  # place of a measure
    intervals: float | None = None
    baseline: str | None = None
    decisions: pd.DataFrame | None = None
    level: float = 0.95

    @property
    def per_topic(self) -> pd.DataFrame:
        return score_table(self.names, self.topics, self.texts, self.scores)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, key: Measure | str) -> pd.Series:
        frame = self.to_frame()
        if isinstance(key, str) and key in self.names:
            return frame.loc[key]
        try:
            return frame[self.texts[_place(key, self.measures, self.texts, "key")]]
        except (ValueError, TypeError):
            meant = did_you_mean(key, [*self.names, *self.texts])
            raise KeyError(f"unknown run or measure {shown(key)}{meant}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_frame().index)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per run: its group, if known, and the mean of each measure (the sum where ir_measures sums).

        With ``intervals``, the columns low, high, rank, rank_low, rank_high and tier are added.
        """
        columns: dict[str, Any] = {}
        if self.groups is not None:
            columns["group"] = [self.groups[name] for name in self.names]
        columns.update({text: self._summaries[:, place] for place, text in enumerate(self.texts)})
        frame = pd.DataFrame(columns, index=pd.Index(list(self.names), name="name", dtype=object))
        if self.intervals is not None:
            frame = frame.join(self._interval_columns)
        return frame.iloc[self._order]

    def table(self, measure: Measure | str) -> pd.DataFrame:
        """Return the scores of one measure as runs x topics, the form that every function of ``meta`` accepts."""
        place = _place(measure, self.measures, self.texts, "measure")
        return pd.DataFrame(
            self.scores[:, :, place],
            index=pd.Index(list(self.names), name="name", dtype=object),
            columns=pd.Index(list(self.topics), name="query_id", dtype=object),
        )

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the table of means to a CSV file, or return its text; numbers have all digits, marks are columns."""
        text = csv_text(self.text_table(places=-1), guard=False)
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8")
        return None

    def to_markdown(self, **options: Any) -> str:
        """Return a Markdown table with each measure's best value (by its direction) in bold; options: `to_latex`."""
        return markdown(self.text_table(**options))

    def to_html(self, **options: Any) -> str:
        """Return an HTML table with each measure's best value in bold, the second underlined; options: `to_latex`."""
        return as_html(self.text_table(**options))

    def to_latex(self, *, label: str | None = None, **options: Any) -> str:
        r"""Return a LaTeX table (booktabs) with the best value of each measure in bold and the second underlined.

        Parameters
        ----------
        label : str, optional
            Key of the table, for ``\ref``.
        places : int
            Decimal places; -1 shows all.
        baseline : str, optional
            Run to compare values with; by default that of `compare`. Values that are significantly better or worse by a
            paired test over topics are marked + or -.
        marks : {'letters'}, optional
            Give each run a letter, and mark each value with the letters of the significantly worse runs.
        level : float
            Significance level, .05 by default.
        test : {'ttest', 'bootstrap', 'tukey', 'randomized_tukey'}
            As in `meta.discriminative_power`.
        correction : {'holm', 'bonferroni', None}
            Correction for the number of tests in the table, which the legend states; Tukey's tests have their own.
        titles : list or dict, optional
            Titles of the measures; a dict maps measures to titles.
        caption : str, optional
            Text before the legend, in LaTeX.
        """
        return latex(replace(self.text_table(**options), label=label))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        if self.baseline is not None:
            return aligned(self.text_table()).rstrip()
        return str(self.to_frame().rename(index=visible).to_string())

    def text_table(
        self, *, places: int = 4, baseline: str | None = None, marks: str | None = None, level: float = 0.05,
        test: str = "ttest", correction: str | None = "holm", titles: Mapping[Any, str] | Sequence[str] | None = None,
        caption: str | None = None,
    ) -> TextTable:  # fmt: skip
        """The means in the order of the rows, for every format; options as in `to_latex`."""
        frame = self.to_frame()
        counts = [text for text, measure in zip(self.texts, self.measures, strict=True) if adds_up(measure)]
        whole = {text: int for text in counts if (frame[text] % 1 == 0).all()}
        rows = [list(row) for row in frame.astype(whole).itertuples(name=None)]
        header = ["name", *self._retitled(frame.columns, titles)]
        columns = [1 + list(frame.columns).index(text) for text in self.texts]
        better = {header[column]: direction(m) for column, m in zip(columns, self.measures, strict=True)}
        if caption is None:
            sums = f"; sums of {', '.join(sorted(counts))}" if counts else ""
            caption = f"Means over {counted(len(self.topics), 'topic')}{sums}."
        baseline = self.baseline if baseline is None else _checked_baseline(baseline, self.names)
        tests = PairedTests(self.measures, self.scores, level, test, correction)
        if marks is not None:
            choice(marks, "marks", ("letters",))
            marked, legend = tests.letters(self._order)
            header, columns = ["#", *header], [column + 1 for column in columns]
            rows = [[letter, *row] for letter, row in zip(ascii_letters, rows, strict=False)]
        elif baseline is not None:
            decisions = self.decisions if baseline == self.baseline else None
            decided = decision_marks(decisions, self.names, self.texts, self.level)
            marked, legend = tests.against(baseline, self.names, *decided)
        else:
            marked, legend, columns = np.empty((len(self), 0), dtype=object), [], []
        placed = {column: marked[self._order, v].tolist() for v, column in enumerate(columns)}
        return TextTable(header, rows, better, placed, places, caption, legend=legend)

    def _retitled(self, columns: Sequence[str], titles: Mapping[Any, str] | Sequence[str] | None) -> list[str]:
        """Titles of columns; those of measures may be replaced."""
        if titles is not None and not isinstance(titles, Mapping):
            if isinstance(titles, str) or len(titles) != len(self.texts):
                raise ValueError(f"titles must be a list of {counted(len(self.texts), 'title')}, got {shown(titles)}")
            titles = dict(zip(self.texts, titles, strict=True))
        places = {_place(key, self.measures, self.texts, "titles"): title for key, title in (titles or {}).items()}
        title_of = {self.texts[place]: title for place, title in places.items()}
        return [str(title_of.get(column, column)) for column in columns]

    @cached_property
    def _summaries(self) -> FloatArray:
        """(M, V)"""
        values = [summary(measure, self.scores[:, :, v]) for v, measure in enumerate(self.measures)]
        return np.array(values).reshape(len(self.measures), len(self.names)).T

    @property
    def _order(self) -> IntArray:
        """(M,) places of the runs in the rows; equally good ones stay in the order given."""
        if self.sort is None:
            return np.arange(len(self.names))
        values = np.round(self._summaries[:, self.sort], 12)
        return np.argsort(values if direction(self.measures[self.sort]) == "smaller" else -values, kind="stable")

    @property
    def _interval_columns(self) -> pd.DataFrame:
        from ir_measures_relative import meta  # late: a plain comparison does not require it

        assert self.intervals is not None
        place = self.sort or 0
        larger = direction(self.measures[place]) != "smaller"
        ranked = meta.rank_intervals(self.table(self.measures[place]), level=self.intervals, largest_first=larger)
        frame = ranked.to_frame().set_index("system").loc[:, "low":"tier"]
        if adds_up(self.measures[place]):  # the interval of the sum in the table
            frame[["low", "high"]] *= len(self.topics)
        return frame


def _place(wanted: Any, measures: Sequence[Measure], texts: Sequence[str], what: str) -> int:
    """Place of a measure, given by its title or in any spelling."""
    if isinstance(wanted, str) and wanted in texts:
        return list(texts).index(wanted)
    measure = parse_measure(wanted)
    if measure not in measures:
        raise ValueError(f"{what} must be one of the measures {', '.join(texts)}, got {shown(str(wanted))}")
    return list(measures).index(measure)


def _checked_baseline(name: Any, names: Sequence[str]) -> str:
    if name not in names:
        raise ValueError(f"unknown run {shown(name)} as baseline{did_you_mean(name, names)}")
    return str(name)


def summary(measure: Measure, values: FloatArray) -> Any:
    """Mean of a measure over topics, the last axis, or the sum where ir_measures adds up (NumRet)."""
    return values.sum(axis=-1) if adds_up(measure) else values.mean(axis=-1)
