"""Measures of ir_measures, computed by ir_measures itself, where its providers need help to be correct."""

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

# A grade or gain of which trec_eval keeps a table, so that a topic with a higher one may be left out without a word
_HIGHEST = 1_000_000
# Measures that look no further than their cutoff
_OF_THE_TOP = frozenset({"AP", "ERR", "Judged", "P", "R", "RR", "Success", "nDCG"})
# trec_eval takes a document of grade -1 for one that was pooled and not judged
_SPECIAL_MINUS_ONE = frozenset({"Bpref", "infAP"})


def check_measure(measure: Measure) -> None:
    """Reject measures on which ir_measures would fail with an assertion, and those that require subtopics."""
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
    if isinstance(measure, RelativeMeasure):
        return
    for grade, gain in (measure.params.get("gains") or {}).items():  # pytrec_eval may end the process on others
        if not is_whole(grade) or not is_whole(gain, 0, _HIGHEST):
            raise ValueError(
                f"{shown(measure)}: gains gives grade {shown(grade)} the gain {shown(gain)}; for measures of "
                f"ir_measures both must be integers, and gains from 0 to {_HIGHEST}"
            )


def is_diversity(measure: Measure) -> bool:
    """True for a measure of ir_measures that looks at subtopics."""
    return measure.NAME in {diversity.NAME for diversity in ir_measures.pyndeval.SUPPORTED_MEASURES}


def is_defined(measure: Measure) -> bool:
    """True for a measure that a user made with ``ir_measures.define``."""
    return hasattr(measure, "runtime_impl")


def host_depth(measures: Iterable[Measure]) -> int | None:
    """Return the deepest rank that the measures look at; None if they may look at the whole run."""
    measures = list(measures)
    if any(m.NAME not in _OF_THE_TOP or m.params.get("judged_only") or is_defined(m) for m in measures):
        return None
    cutoffs: list[Any] = [measure.params.get("cutoff") for measure in measures]
    return None if None in cutoffs else max(cutoffs, default=0)


class HostScorer:
    """Scores runs by measures of ir_measures, computed by ir_measures itself.

    Each of its providers breaks ties in its own way, and some take negative scores for documents that were not
    retrieved. So they see each ranking in this package's order, with scores from the number of documents down to 1, and
    topics as numbers: gdeval reads nothing else, and reads 'PLAIN-2' as 2. A measure that a user defined may look at
    anything, and sees topics and scores as they are.

    A scorer can be sent to a worker, which makes its own evaluators.
    """

    def __init__(self, measures: Iterable[Measure], judgements: Judgements):
        self.measures, self.judgements = list(measures), judgements
        self._defined = [measure for measure in self.measures if is_defined(measure)]
        self._provided = [measure for measure in self.measures if not is_defined(measure)]
        if self._provided and judgements.max_grade > _HIGHEST:
            raise ValueError(
                f"the qrels have the grade {judgements.max_grade}; the programs behind {self._provided[0]} support "
                f"grades up to {_HIGHEST}"
            )
        self._depth = host_depth(self.measures)

    def scores(self, run: Run) -> FloatArray:
        """(Q, number of measures); topics for which ir_measures gives no value have the measure's default."""
        values = np.empty((self.judgements.n_topics, len(self.measures)))
        values[:] = [measure.DEFAULT for measure in self.measures]
        column = {measure: place for place, measure in enumerate(self.measures)}
        topic = {key: place for place, key in enumerate(self.judgements.topic_keys)}
        for metric in self._by_provider(run) if self._provided else ():
            values[int(metric.query_id) - 1, column[metric.measure]] = metric.value
        for metric in self._own_evaluator.iter_calc(run.to_dict()) if self._defined else ():
            if metric.query_id in topic:
                values[topic[metric.query_id], column[metric.measure]] = metric.value
        return values

    @cached_property
    def _own_evaluator(self) -> Any:
        return ir_measures.evaluator(self._defined, self.judgements.to_dict())

    @cached_property
    def _evaluators(self) -> list[Any]:
        """Evaluators of the providers; topic number n is the n-th of the qrels."""
        qrels = {str(n): grades for n, grades in enumerate(self.judgements.to_dict().values(), start=1)}
        return [ir_measures.evaluator(call, _readable(qrels, call)) for call in _in_calls(self._provided)]

    def _by_provider(self, run: Run) -> list[Metric]:
        try:
            documents = self._in_order(run)
            return [metric for evaluator in self._evaluators for metric in evaluator.iter_calc(documents)]
        except CalledProcessError:
            raise ValueError(
                "ERR and nDCG with dcg='exp-log2' are computed by gdeval, which cannot read these judgements or runs; "
                "it supports grades up to 4 and document ids without white space"
            ) from None
        except AssertionError as error:
            raise ValueError(f"ir_measures cannot compute {shown(self.measures, 200)}: {error}") from None

    def _in_order(self, run: Run) -> dict[str, dict[str, float]]:
        """Topic number -> document -> score: the number of documents shown for the first, 1 for the last."""
        documents = {}
        for number, topic in enumerate(self.judgements.topic_keys, start=1):
            if ranking := run.ranking(topic)[: self._depth]:
                documents[str(number)] = dict(zip(ranking, map(float, range(len(ranking), 0, -1)), strict=True))
        return documents


def _in_calls(measures: list[Measure]) -> list[list[Measure]]:
    """Group measures that ir_measures can compute in one call."""
    special = [measure for measure in measures if measure.NAME in _SPECIAL_MINUS_ONE]  # see other judgements
    # ir_measures 0.4.3 confuses nDCG with and without gains in one call
    alone = [[measure] for measure in measures if "gains" in measure.params]
    together = [measure for measure in measures if "gains" not in measure.params and measure not in special]
    return [call for call in (together, special, *alone) if call]


def _readable(qrels: dict[str, dict[str, int]], call: list[Measure]) -> dict[str, dict[str, int]]:
    """Judgements without negative grades, on which pytrec_eval may hang or crash, unless a gain table lists them."""
    listed = call[0].params.get("gains", {})
    lowest = -1 if call[0].NAME in _SPECIAL_MINUS_ONE else 0
    return {
        topic: {doc: grade if grade >= lowest or grade in listed else lowest for doc, grade in grades.items()}
        for topic, grades in qrels.items()
    }
