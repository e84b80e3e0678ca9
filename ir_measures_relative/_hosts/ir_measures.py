"""The ir_measures provider: joins the qrels once and each run once for all measures."""

import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures import Metric

from ir_measures_relative._checks import counted, heard_warnings, shown, users_line, warn
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    Run,
    once,
    other_topics,
    warn_of_absent_topics,
    warn_of_other_topics,
)
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures import RelativeMeasure, registry

_warned: set[Hashable] = set()  # an evaluator is made per system and batch, a warning is given once
_FEWEST_TOPICS = 5


class RelativeEvaluator(ir_measures.Evaluator):
    """Scores runs for some measures of this package and one set of qrels."""

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Any):
        # a batch of pt.Experiment may have empty qrels, for which ir_measures itself gives no rows
        self.judgements = Judgements.of(qrels, may_be_empty=True)
        # ir_measures passes a set, whose order differs between processes
        self.measures: list[Any] = sorted(set(measures), key=str)
        self.qrel_qids = list(self.judgements.topics)
        self._priors = {measure: self._judged_priors(measure) for measure in self.measures}

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield a value for every measure and topic of the qrels, topics in qrels order."""
        run = Run.of(run)
        with heard_warnings() as sentences:
            # so few topics may be a batch of pt.Experiment without a judged document
            is_small = self.judgements.n_topics < _FEWEST_TOPICS
            (warn_of_absent_topics if is_small else warn_of_other_topics)(run, self.judgements)
        _warn_once(sentences, run.fingerprint)
        yield from self.metrics(run)

    _iter_calc = iter_calc

    def metrics(self, run: Run) -> Iterator[Metric]:
        """Yield the values of a run whose topics have been checked."""
        judged = JudgedRun(self.judgements, run)
        for measure in self.measures:
            with heard_warnings() as sentences:
                needed = self._priors[measure] if measure.needs == "prior runs" else measure.needed_alone(judged)
                values = measure.score(judged, needed).tolist()
            _warn_once(sentences, users_line())  # an evaluator is made per system and batch: once per call is enough
            for topic, value in zip(self.judgements.topics, values, strict=True):
                yield Metric(query_id=topic, measure=measure, value=value)

    def _judged_priors(self, measure: RelativeMeasure) -> JudgedPriors:
        named = measure.named_runs()
        for part, run in named:
            warn_if_useless(part, run, self.judgements, measure)
        return JudgedPriors(self.judgements, [self._join(run) for _, run in named])

    @once
    def _join(self, run: Run) -> JudgedRun:
        """One join for all measures that share a prior run."""
        return JudgedRun(self.judgements, run)


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
    """Register the provider and the measures with ir_measures; a second call replaces the first."""
    provider = RelativeProvider()  # type: ignore[no-untyped-call]
    ir_measures.providers.registry[provider.NAME] = provider
    pipeline = ir_measures.DefaultPipeline
    pipeline.providers = [p for p in pipeline.providers if getattr(p, "NAME", None) != provider.NAME] + [provider]
    ir_measures.measures.registry.update(registry)
    return provider


def warn_if_useless(
    part: str, run: Run, judgements: Judgements, measure: RelativeMeasure, *, in_parts: bool = False, once: bool = True
) -> None:
    """Warn if a prior run does not match the qrels or has fewer documents than the cutoff; ``once``: per process.

    PyTerrier may pass the qrels batch by batch, so a prior run that had topics of earlier qrels may lack these.
    ``in_parts``: the judgements are a part of the qrels, so a prior run without their topics is warned of only if it
    spells them differently, such as '001' for '1'.
    """
    if not judgements.n_topics:
        return
    named, cutoff = f"{measure.runs_parameter} run {part!r}", measure["cutoff"]
    if problem := other_topics(run, judgements):
        twin = _spelled_differently(run, judgements)
        hint = f"; its {shown(twin[0], 60)} may be their {shown(twin[1], 60)}" if twin else ""
        if twin or not in_parts:
            _warn_once([f"{named} {problem}, so it counts as empty{hint}"], run.fingerprint, "topics", once)
        return
    _warned.add((run.fingerprint, "topics"))  # not the sentence, which differs by batch
    if not in_parts and judgements.n_topics >= _FEWEST_TOPICS:
        with heard_warnings() as sentences:
            warn_of_other_topics(run, judgements, named)
        _warn_once(sentences[:1], run.fingerprint, "mismatch", once)
    if cutoff is not None and run.depth < cutoff:
        depth = counted(run.depth, "document")
        shallow = f"{named} has at most {depth} a topic, fewer than the cutoff {cutoff}"
        _warn_once([shallow], run.fingerprint, cutoff, once)


def _warn_once(sentences: Iterable[str], source: Hashable, kind: Hashable = None, once: bool = True) -> None:
    """Give each warning about a source, or each kind of warning, once per process."""
    for sentence in sentences:
        key = source, kind or sentence
        if not once or key not in _warned:
            _warned.add(key)
            warn(sentence)


def _spelled_differently(run: Run, judgements: Judgements) -> tuple[str, str] | None:
    """A topic of the run and one of the judgements that differ only in leading zeros, case or white space."""
    plain = {_plain(topic): topic for topic in run.topic_keys}
    return next(((plain[_plain(t)], t) for t in judgements.topic_keys if _plain(t) in plain), None)


def _plain(topic: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", topic.strip().casefold()).removesuffix(".0")
