"""What a report is made from: the runs joined with the judgements once, and what the measures say of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
from ir_measures import Judged, Measure, SumAgg, nDCG

from ir_measures_relative._base import direction, parse_measure
from ir_measures_relative._experiment import Request, listed
from ir_measures_relative._input import FloatArray, IntArray, read_groups, run_sources
from ir_measures_relative._judged import JudgedRun, Judgements, Runs
from ir_measures_relative.measures import NRG, RelativeMeasure, UniqueRel

MOST_RANKS = 100  # of a ranking that the page shows, whatever the cutoff of the first measure is
CELLS = 20_000  # runs x topics whose rankings a page can hold and still open at once
LEAST_TOPICS = 20  # whose rankings are kept, however many runs there are
MOST_TOPICS = 200  # whose rankings are kept, however few runs there are: more than a map can show


@dataclass(frozen=True)
class Evidence:
    """M runs over Q topics, and V measures of them; the first measure is what the page sorts and compares by."""

    judgements: Judgements
    runs: dict[str, JudgedRun]
    groups: dict[str, str]  # run -> group; empty where there are none
    measures: list[Measure]
    scores: FloatArray  # (M, Q, V)
    joined: Runs

    @property
    def main(self) -> Measure:
        """The measure that the page sorts and compares by."""
        return self.measures[0]

    @property
    def main_scores(self) -> FloatArray:
        """(M, Q)"""
        return self.scores[:, :, 0]

    @property
    def sign(self) -> int:
        """1 where larger values of the main measure are better, -1 where smaller ones are."""
        return -1 if direction(self.main) == "smaller" else 1

    @property
    def cutoff(self) -> int:
        """How many ranks of every list the page shows."""
        return min(int(self.main.params.get("cutoff") or 10), MOST_RANKS)

    @property
    def adds(self) -> int | None:
        """The measure of what a run adds: to the other groups if there are groups, else to all other runs."""
        symbols = [prior_symbol(measure) for measure in self.measures]
        return next((symbols.index(symbol) for symbol in ("groups", "others") if symbol in symbols), None)

    @cached_property
    def best_first(self) -> IntArray:
        """(M,) runs by the mean of the main measure; of equally good ones the one given first."""
        totals = np.array([fsum(scores) for scores in self.main_scores])  # without rounding, whatever the order
        return np.argsort(-self.sign * totals, kind="stable")

    @cached_property
    def kept_topics(self) -> IntArray:
        """Topics whose rankings the page holds: all, or those over which the runs differ most, in qrels order."""
        n_runs, n_topics = self.main_scores.shape
        most = min(MOST_TOPICS, max(LEAST_TOPICS, CELLS // max(n_runs, 1)))
        if n_topics <= most:
            return np.arange(n_topics)
        spread = self.main_scores.std(axis=0)  # (Q,)
        return np.sort(np.argsort(-spread, kind="stable")[:most])


def gather(qrels: Any, runs: Any, measures: Iterable[Measure | str] | None = None, groups: Any = None) -> Evidence:
    """Reads and joins everything once."""
    sources = run_sources(runs)
    known = None if groups is None else read_groups(groups, sources)
    asked = default_measures(known) if measures is None else [parse_measure(measure) for measure in listed(measures)]
    if not asked:
        raise ValueError("report: there is no measure; at least one is needed, such as 'nDCG@10'")
    request = Request.of(dict.fromkeys(asked), sources, groups=known, depth=None)  # whole: the footer has their hashes
    joined = request.read(qrels, sources)
    if not joined.judgements.n_topics:
        raise ValueError("report: the qrels have no topic; at least one is needed")
    shown, scores = list(request.measures), request.scores(joined)
    return Evidence(joined.judgements, dict(joined.joined), dict(known or {}), shown, scores, joined)


def default_measures(groups: dict[str, str] | None) -> list[Measure]:
    """What a page shows if nothing is asked for; what a run adds to other groups only where there are two or more."""
    by_group = [NRG(prior="groups") @ 10] if groups and len(set(groups.values())) > 1 else []
    return [nDCG @ 10, NRG @ 10, *by_group, UniqueRel @ 10, Judged @ 10]


def prior_symbol(measure: Measure) -> str | None:
    """Which runs of the experiment are the prior runs of a measure: 'others', 'previous', 'groups', or none."""
    return measure.symbol if isinstance(measure, RelativeMeasure) else None


def adds_up(measure: Measure) -> bool:
    """Whether ir_measures adds up the values of topics, as it does for counts, where others have a mean."""
    return isinstance(measure.aggregator(), SumAgg)
