"""How high is nDCG likely to be, given unjudged documents?

Bootstrapped nDCG (Fröbe, Gienapp, Potthast and Hagen, ECIR 2023). Algorithm 1 of the paper labels the unjudged
documents of the top K one by one, here in rank order. Each draws a target grade from a prior (grade shares in the
topic's judgements, among the judged documents of the top K, or the mean of both) and takes a document of that grade
out of the pool outside the top K; if none is left, one of the next lower grade that is left; else grade 0. The ideal
DCG of the pool never changes, so every score

    (DCG of the judged documents + sum over unjudged documents of gain(label) / log2(rank + 1)) / ideal DCG

compares with ordinary nDCG. The paper samples 1,000 labellings; here the distribution is computed exactly if that is
feasible, and otherwise sampled with a fixed seed and a stated error (see `_labels/bootstrapped.py`).

Labels are drawn by *grade*, scores are made of *gains*; with a gain table that is not monotone the naive upper bound
uses the highest gain left, so that it bounds every labelling.

The default estimate is the paper's, the mode of a histogram. On TREC-COVID the mean is closer: prefer it.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from ir_measures_relative._checks import WrongKind, warn
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun, warn_without_nonrelevant
from ir_measures_relative._labels import DCGS, POOLS, PRIORS, BootSettings, TopicScores, topic_scores
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Choice, GainTable, Parameter, RelativeMeasure, register


class Estimate(Parameter):
    """Which number of a distribution: mean, std, mode, argmax, lower, upper, median or a percentile such as q95."""

    kind = "'mode', 'mean', 'std', 'median', 'argmax', 'lower', 'upper', or a percentile from 'q0' to 'q100'"
    words: tuple[str, ...] = ("mode", "mean", "std", "argmax", "lower", "upper")

    def canonical(self, where: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self._refused(where, value, WrongKind)
        if value in self.words:
            return str(value)
        value = "q50" if value == "median" else value
        if not re.fullmatch(r"q[0-9]+(\.[0-9]+)?", value) or Decimal(value[1:]) > 100:
            raise self._refused(where, value)
        return f"q{Decimal(value[1:]).normalize():f}"


def estimates(topics: Iterable[Any], estimate: str) -> FloatArray:
    """(Q,) one number of each topic's distribution; ``estimate`` in canonical form."""
    if estimate.startswith("q"):
        level = float(Decimal(estimate[1:]) / 100)
        return np.array([scores.quantile(level) for scores in topics], dtype=np.float64)
    return np.array([getattr(scores, estimate) for scores in topics], dtype=np.float64)


class _BootNDCG(RelativeMeasure):
    """Bootstrapped nDCG: an estimate of nDCG that gives unjudged documents the grades they are likely to have.

    ``estimate``: 'mode' (the paper's), 'mean', 'std', 'median', percentiles like 'q95', 'argmax' (the most likely
    single score), 'lower' and 'upper' (naive bounds: unjudged = 0 / the highest gain left in the pool). The mean over
    topics of a percentile is not the percentile of the mean over topics, which `boot_ndcg` returns.

    If every document is judged, it is exactly nDCG. For up to about 10 unjudged documents with three grades (fewer with
    more grades), it is exact. For up to about a hundred, it is computed on a grid of scores, with an error of at most
    about 1e-4. Beyond that, it is sampled with a fixed seed, and a warning states the error.

    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}}
    >>> run = {'q1': {'a': 3., 'x': 2., 'c': 1.}}
    >>> (imr.BootNDCG @ 3).calc_aggregate(qrels, run)
    1.0
    >>> for estimate in ('lower', 'mean', 'mode', 'upper'):
    ...     print(estimate, round((imr.BootNDCG(estimate=estimate) @ 3).calc_aggregate(qrels, run), 4))
    lower 0.6131
    mean 0.8066
    mode 1.0
    upper 1.0
    """

    NAME = "BootNDCG"
    PRETTY_NAME = "Bootstrapped nDCG"
    SHORT_DESC = "An estimate of nDCG from its distribution over the likely grades of unjudged documents."
    SUPPORTED_PARAMS = {
        "prior": Choice(*PRIORS, default="pool+run", desc="source of the grade shares: judgements, top K, or both"),
        "estimate": Estimate("mode", desc="statistic of the distribution"),
        "dcg": Choice(*DCGS, desc="gain of a grade: itself, or 2^grade - 1"),
        "gains": GainTable(desc="gain of each grade, as in nDCG; grade 0 must have gain 0"),
        "pool": Choice(*POOLS, desc="judgements that the pool's grade shares are computed from: the topic's, or all"),
    }
    CITATIONS = ("bootndcg",)

    @property
    def DIRECTION(self) -> str:  # type: ignore[override]
        return "neither" if self["estimate"] == "std" else "larger"

    @property
    def needs_all_topics(self) -> str | None:
        return "pool='topic'" if self["pool"] == "collection" else None

    def topic_scores(self, run: JudgedRun) -> list[TopicScores]:
        """The distribution of every topic, computed once for all estimates of a run."""
        settings = BootSettings(*(self[name] for name in ("cutoff", "prior", "dcg", "gains", "pool")))
        return run.memo.once(repr(settings), lambda: topic_scores(run, settings))

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        warn_without_nonrelevant(run.judgements, str(self))
        topics = self.topic_scores(run)
        if self["estimate"] not in ("lower", "upper"):
            self._warn_of_samples(topics)
        return estimates(topics, self["estimate"])

    def _warn_of_samples(self, topics: list[TopicScores]) -> None:
        if self["estimate"] in ("mean", "std"):
            off = {scores.query_id: scores.standard_error for scores in topics if scores.standard_error}
            known = "has a standard error of at most"
        else:
            off = {scores.query_id: scores.width for scores in topics if scores.form == "band"}
            known = "is, with probability 1 - 1e-6, within a band that boot_ndcg states and that is no wider than"
        if off:
            warn(
                f"{self}: {len(off)} of {len(topics)} topics, such as {next(iter(off))!r:.60}, have too many unjudged "
                f"documents and grades for an exact value; it comes from 20,000 drawn labellings and {known} "
                f"{max(off.values()):.2g}",
            )


BootNDCG = register(_BootNDCG())
