"""The content of a report: runs joined with the judgements once, the measures and their values, labels and pairs."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from ir_measures import Judged, Measure, nDCG

from ir_measures_relative._base import direction
from ir_measures_relative._experiment import PairTable, Request
from ir_measures_relative._extremes import BASES as MED_BASES
from ir_measures_relative._extremes import MedSettings
from ir_measures_relative._input import FloatArray, IntArray, RunSource, read_groups
from ir_measures_relative._judged import Runs
from ir_measures_relative._labels import BASES, LabelledRun, Labels, base_model, check_labels
from ir_measures_relative.measures import NRG, RelativeMeasure, UniqueRel

MOST_RANKS = 100  # of a ranking that the page shows, whatever the cutoff of the first measure is
CELLS = 20_000  # runs x topics whose rankings a page can contain and still open at once
FEWEST_TOPICS = 20  # whose rankings are included, however many runs there are
MOST_TOPICS = 200  # whose rankings are included, however few runs there are: more than a map can show
PAIR_CELLS = 1_500_000  # pairs x topics that are compared: about half a minute


class Content:
    """M runs over Q topics, and V measures of them; the page sorts and compares by the first measure."""

    def __init__(self, runs: Runs, title_of: dict[Measure, str], scores: FloatArray, labels: Labels | None):
        self.runs, self.judgements, self.labels = runs, runs.judgements, labels
        self.groups: Mapping[str, str] = runs.groups or {}  # run -> group
        self.measures, self.titles = list(title_of), list(title_of.values())
        self.scores = scores  # (M, Q, V)
        self.main, self.main_scores = self.measures[0], scores[:, :, 0]  # (M, Q)
        self.sign = -1 if direction(self.main) == "smaller" else 1  # 1: larger values of the main measure are better
        self.cutoff = shown_ranks(self.main)
        self.tops = runs.top(self.cutoff)  # the rankings that the page shows

    @property
    def adds(self) -> int | None:
        """The measure of what a run adds: to the other groups if there are groups, else to all other runs."""
        symbols = [prior_symbol(measure) for measure in self.measures]
        return next((symbols.index(symbol) for symbol in ("groups", "others") if symbol in symbols), None)

    @cached_property
    def best_first(self) -> IntArray:
        """(M,) runs by the mean of the main measure; of equally good ones the one given first."""
        return np.argsort(-self.sign * np.round(self.main_scores.mean(axis=1), 12), kind="stable")

    @property
    def paired(self) -> IntArray:
        """The runs whose pairs are shown, best first: all, unless their pairs x topics exceed PAIR_CELLS."""
        return self.best_first[: max(2, int(np.sqrt(2 * PAIR_CELLS / self.judgements.n_topics)))]

    @cached_property
    def pairs(self) -> PairTable | None:
        """The pairs of these runs; None if MED has no exact method for the main measure."""
        name, params = type(self.main).NAME, self.main.params
        if name not in MED_BASES or params.get("cutoff") != self.cutoff or params.get("judged_only"):
            return None
        runs = self.runs.select(self.runs.names[place] for place in self.paired)
        return PairTable(runs, MedSettings.of(self.main, residual=False), self.labels)

    @cached_property
    def labelled(self) -> list[LabelledRun]:
        """The runs with labels; empty without a label model."""
        return [] if self.labels is None else [self.labels.of(name, base_model(self.main)) for name in self.runs]

    @cached_property
    def kept_topics(self) -> IntArray:
        """Topics whose rankings the page includes: all, or those on which the runs differ most, in qrels order."""
        n_runs, n_topics = self.main_scores.shape
        most = min(MOST_TOPICS, max(FEWEST_TOPICS, CELLS // max(n_runs, 1)))
        if n_topics <= most:
            return np.arange(n_topics)
        return np.sort(np.argsort(-self.main_scores.std(axis=0), kind="stable")[:most])


def read_content(
    qrels: Any, sources: Mapping[str, RunSource], measures: Iterable[Measure | str] | None, groups: Any, labels: Any,
    depth: int | None,
) -> Content:  # fmt: skip
    """Read and join everything once."""
    group_of = None if groups is None else read_groups(groups, sources)
    if measures is None:  # what a run adds to other groups requires two groups
        by_group = [NRG(prior="groups") @ 10] if group_of and len(set(group_of.values())) > 1 else []
        measures = [nDCG @ 10, NRG @ 10, *by_group, UniqueRel @ 10, Judged @ 10]
    # whole runs: the page has their hashes
    request = Request.of(measures, sources, groups=group_of, depth=None, pool_depth=depth)
    if not request.measures:
        raise ValueError("report: measures must name at least one measure, such as 'nDCG@10'")
    titles = request.texts if isinstance(measures, Mapping) else map(str, request.measures)
    title_of = dict(zip(request.measures, titles, strict=True))
    main, cutoff = request.measures[0], shown_ranks(request.measures[0])
    model = check_labels(labels, "report", cutoff, list(sources), group_of)
    if model is not None and (type(main).NAME not in BASES or main.params.get("cutoff") != cutoff):
        raise ValueError(
            f"report: labels= requires a first measure among {', '.join(BASES)} with a cutoff up to {MOST_RANKS}, "
            f"got {main}"
        )
    runs = request.read(qrels, sources)
    bound = None if model is None else request.labels(model, runs, cutoff)
    return Content(runs, title_of, request.scores(runs, title_of), bound)


def shown_ranks(main: Measure) -> int:
    """Number of ranks that a page with this first measure shows."""
    return min(int(main.params.get("cutoff") or 10), MOST_RANKS)


def prior_symbol(measure: Measure) -> str | None:
    """Which runs of the experiment are the prior runs of a measure: 'others', 'previous', 'groups', or None."""
    return measure.symbol if isinstance(measure, RelativeMeasure) else None


def rounded(values: FloatArray, places: int | None = 4) -> list[Any]:
    """Plain numbers, short in JSON; integers without ``places``, None for NaN and infinity, never -0.0.

    >>> rounded(np.array([1 / 3, -1e-9, np.nan])), rounded(np.array([2.0]), None)
    ([0.3333, 0.0, None], [2])
    """
    return [round(value, places) + 0 if np.isfinite(value) else None for value in values.tolist()]
