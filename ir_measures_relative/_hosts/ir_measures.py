"""Computes the measures inside ir_measures: qrels once, each run once, every measure a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures import Metric

from ir_measures_relative._checks import warn
from ir_measures_relative._judged import JudgedRun, Judgements, Run, other_topics, warn_of_other_topics
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures import RelativeMeasure, registry

_warned: set[tuple] = set()  # an evaluator is made per system and batch, a warning is given once


class RelativeEvaluator(ir_measures.Evaluator):
    """Scores runs for some measures of this package and one set of qrels."""

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Any):
        self.judgements = Judgements.of(qrels)
        # ir_measures passes a set, whose order differs between processes
        self.measures: list[Any] = sorted(set(measures), key=str)
        self.qrel_qids = list(self.judgements.topics)
        self._joined: dict[int, JudgedRun] = {}
        self._priors = {measure: self._judged_priors(measure) for measure in self.measures}

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """A value for every measure and topic of the qrels, topics in qrels order."""
        judged = JudgedRun(self.judgements, Run.of(run))
        warn_of_other_topics(judged.run, self.judgements)
        for measure in self.measures:
            values = measure.score(judged, self._priors[measure]).tolist()
            for topic, value in zip(self.judgements.topics, values, strict=True):
                yield Metric(query_id=topic, measure=measure, value=value)

    _iter_calc = iter_calc

    def _judged_priors(self, measure: RelativeMeasure) -> JudgedPriors:
        named = measure.named_runs()
        for part, run in named:
            warn_if_useless(part, run, self.judgements, measure)
        return JudgedPriors(self.judgements, [self._join(run) for _, run in named])

    def _join(self, run: Run) -> JudgedRun:
        """One join for all measures that share a prior run."""
        if id(run) not in self._joined:
            self._joined[id(run)] = JudgedRun(self.judgements, run)
        return self._joined[id(run)]


class RelativeProvider(ir_measures.Provider):
    """The measures of ir_measures_relative."""

    NAME = "relative"

    @property
    def SUPPORTED_MEASURES(self) -> list[RelativeMeasure]:  # type: ignore[override]
        return list(registry.values())

    def supports(self, measure: ir_measures.Measure) -> bool:
        if measure.NAME not in registry:
            return False
        measure.validate_params()
        return True

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> RelativeEvaluator:
        return RelativeEvaluator(measures, qrels)


def add_to_ir_measures() -> RelativeProvider:
    """Makes provider and measures known to ir_measures; repeating it replaces the earlier ones and nothing else."""
    provider = RelativeProvider()
    ir_measures.providers.registry[provider.NAME] = provider
    pipeline = ir_measures.DefaultPipeline
    pipeline.providers = [p for p in pipeline.providers if getattr(p, "NAME", None) != provider.NAME] + [provider]
    ir_measures.measures.registry.update(registry)
    return provider


def warn_if_useless(part: str, run: Run, judgements: Judgements, measure: RelativeMeasure) -> None:
    """Warns, once, of a prior run that shows nothing, or shows less than the cutoff asks for."""
    cutoff = measure["cutoff"]
    if not judgements.n_topics:
        return
    if problem := other_topics(run, judgements):
        problem += ", so it shows nothing"
    elif cutoff is not None and run.depth < cutoff:
        problem = f"has at most {run.depth} documents a topic, fewer than the cutoff {cutoff}"
    else:
        return
    if (run.fingerprint, problem) not in _warned:
        _warned.add((run.fingerprint, problem))
        warn(f"{measure.runs_parameter} run {part!r} {problem}")
