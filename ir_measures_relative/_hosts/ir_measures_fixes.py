"""Measures of ir_measures, computed by ir_measures itself, where its providers need help to give right values."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from subprocess import CalledProcessError
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Measure, Metric

from ir_measures_relative._checks import is_whole, shown
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import Judgements, Run
from ir_measures_relative.measures import RelativeMeasure


def check_measure(measure: Measure) -> None:
    """Refuses measures on which ir_measures would fail with an assertion, and those that need subtopics."""
    if is_diversity(measure):
        raise ValueError(f"{measure} requires subtopic judgements; compute it with ir_measures itself")
    try:
        measure.validate_params()
    except AssertionError as error:
        for name, parameter in measure.SUPPORTED_PARAMS.items():
            if parameter.required and name not in measure.params:
                example = f"as in {measure}@10" if name == "cutoff" else parameter.desc
                raise ValueError(f"{measure} requires {name}, {example}") from None
        raise ValueError(f"{measure}: {error}") from None
    cutoff = measure.params.get("cutoff")
    if cutoff is not None and cutoff < 1:  # trec_eval would end the whole process
        raise ValueError(f"{measure}: cutoff must be an integer of at least 1, got {cutoff}")
    if not isinstance(measure, RelativeMeasure):
        _check_gains(measure)


def _check_gains(measure: Measure) -> None:
    """Refuses gains that pytrec_eval does not read, and negative ones, on which it may end the process."""
    for grade, gain in (measure.params.get("gains") or {}).items():
        if not is_whole(grade) or not is_whole(gain, 0, _HIGHEST):
            raise ValueError(
                f"{shown(measure)}: gains gives grade {shown(grade)} the gain {shown(gain)}; for measures of "
                f"ir_measures both must be integers, and gains from 0 to {_HIGHEST}"
            )


def is_diversity(measure: Measure) -> bool:
    """Whether a measure of ir_measures looks at subtopics."""
    return measure.NAME in {diversity.NAME for diversity in ir_measures.pyndeval.SUPPORTED_MEASURES}


def host_depth(measures: Iterable[Measure]) -> int | None:
    """How far down a run the measures look; None is to the end, and where it is not known."""
    depths = [
        measure.params["cutoff"]
        if measure.NAME in _OF_THE_TOP
        and measure.params.get("cutoff") is not None
        and not measure.params.get("judged_only")
        and not is_defined(measure)
        else None
        for measure in measures
    ]
    known = [depth for depth in depths if depth is not None]
    return max(known, default=0) if len(known) == len(depths) else None


def is_defined(measure: Measure) -> bool:
    """Whether a user made the measure with ``ir_measures.define``."""
    return hasattr(measure, "runtime_impl")


class HostScorer:
    """Scores runs by measures of ir_measures, computed by ir_measures itself.

    Its providers break ties each in its own way, and some take negative scores for documents that were not retrieved;
    so they are shown each ranking in this package's order, as scores that fall from the number of documents to 1. They
    are shown topics as numbers: gdeval takes nothing else, and takes 'PLAIN-2' for 2. A measure that a user defined
    may look at anything, and sees topics and scores as they are.

    It can be sent to a worker, which makes its own evaluators.
    """

    def __init__(self, measures: Iterable[Measure], judgements: Judgements):
        self.measures = list(measures)
        self.judgements = judgements
        provided = [measure for measure in self.measures if not is_defined(measure)]
        if provided and judgements.max_grade > _HIGHEST:
            raise ValueError(
                f"the qrels have the grade {judgements.max_grade}; the programs behind {provided[0]} take grades up to "
                f"{_HIGHEST}"
            )
        self._depth = host_depth(self.measures)

    def scores(self, run: Run) -> FloatArray:
        """(Q, number of measures); a topic that ir_measures gives no value for has the measure's default."""
        values = np.empty((self.judgements.n_topics, len(self.measures)))
        values[:] = [measure.DEFAULT for measure in self.measures]
        column = {measure: place for place, measure in enumerate(self.measures)}
        topic = {key: place for place, key in enumerate(self.judgements.topic_keys)}
        for metric in self._by_provider(run):
            values[int(metric.query_id) - 1, column[metric.measure]] = metric.value
        for metric in self._by_user(run):
            if metric.query_id in topic:
                values[topic[metric.query_id], column[metric.measure]] = metric.value
        return values

    def __getstate__(self) -> dict[str, Any]:
        """Without evaluators, some of which are objects of C."""
        return {name: self.__dict__[name] for name in ("measures", "judgements", "_depth")}

    @cached_property
    def _evaluators(self) -> list[Any]:
        """Of the providers of ir_measures; topic number n is the n-th of the qrels."""
        calls = _in_calls([measure for measure in self.measures if not is_defined(measure)])
        qrels = {str(n): grades for n, grades in enumerate(self.judgements.to_dict().values(), start=1)}
        return [ir_measures.evaluator(call, _shown(qrels, call)) for call in calls]

    @cached_property
    def _defined(self) -> list[Any]:
        defined = [measure for measure in self.measures if is_defined(measure)]
        return [ir_measures.evaluator(defined, self.judgements.to_dict())] if defined else []

    def _by_provider(self, run: Run) -> list[Metric]:
        try:
            documents = self._in_order(run) if self._evaluators else {}
            return [metric for evaluator in self._evaluators for metric in evaluator.iter_calc(documents)]
        except CalledProcessError:
            raise ValueError(
                "ERR and nDCG with dcg='exp-log2' are computed by gdeval, which cannot read these judgements or runs; "
                "it takes grades up to 4, and document ids without white space"
            ) from None
        except AssertionError as error:
            raise ValueError(f"ir_measures cannot compute {shown(self.measures, 200)}: {error}") from None

    def _by_user(self, run: Run) -> list[Metric]:
        if not self._defined:
            return []
        documents = run.to_dict()
        return [metric for evaluator in self._defined for metric in evaluator.iter_calc(documents)]

    def _in_order(self, run: Run) -> dict[str, dict[str, float]]:
        """Topic number -> document -> score: the number of documents shown for the first, 1 for the last."""
        shown: dict[str, dict[str, float]] = {}
        for number, topic in enumerate(self.judgements.topic_keys, start=1):
            ranking = run.ranking(topic)[: self._depth]
            if ranking:
                shown[str(number)] = dict(zip(ranking, map(float, range(len(ranking), 0, -1)), strict=True))
        return shown


def _in_calls(measures: list[Measure]) -> list[list[Measure]]:
    """Measures that ir_measures may be asked for together.

    A measure with a gain table is asked for alone: ir_measures 0.4.3 confuses nDCG with and without gains in one call.
    Those to which a grade of -1 means something of its own see other judgements than the rest.
    """
    special = [measure for measure in measures if measure.NAME in _MINUS_ONE_MEANS_SOMETHING]
    alone = [[measure] for measure in measures if "gains" in measure.params]
    together = [measure for measure in measures if "gains" not in measure.params and measure not in special]
    return [call for call in (together, special, *alone) if call]


def _shown(qrels: dict[str, dict[str, int]], call: list[Measure]) -> dict[str, dict[str, int]]:
    """Judgements that pytrec_eval can read: negative grades, on which it may hang or crash, become 0.

    That means the same, judged and without gain, unless a gain table lists the grade.
    """
    listed = call[0].params.get("gains", {})
    lowest = -1 if call[0].NAME in _MINUS_ONE_MEANS_SOMETHING else 0
    return {
        topic: {doc: grade if grade >= lowest or grade in listed else lowest for doc, grade in grades.items()}
        for topic, grades in qrels.items()
    }


# A grade or gain of which trec_eval keeps a table, so that a topic with a higher one may be left out without a word
_HIGHEST = 1_000_000
# Measures that look no further than their cutoff
_OF_THE_TOP = frozenset({"AP", "ERR", "Judged", "P", "R", "RR", "Success", "nDCG"})
# trec_eval takes a document of grade -1 for one that was pooled and not judged
_MINUS_ONE_MEANS_SOMETHING = frozenset({"Bpref", "infAP"})
