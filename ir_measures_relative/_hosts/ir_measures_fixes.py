"""Measures of ir_measures, computed by ir_measures itself, where its providers need help to give right values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from subprocess import CalledProcessError

import ir_measures
from ir_measures import Measure, Metric


def check_measure(measure: Measure) -> None:
    """A sentence where ir_measures would stop with an assertion, or compute without the subtopics that it needs."""
    if is_diversity(measure):
        raise ValueError(f"{measure} needs subtopic judgements; compute it with ir_measures itself")
    try:
        measure.validate_params()
    except AssertionError as error:
        for name, parameter in measure.SUPPORTED_PARAMS.items():
            if parameter.required and name not in measure.params:
                example = f"as in {measure}@10" if name == "cutoff" else parameter.desc
                raise ValueError(f"{measure} needs {name}, {example}") from None
        raise ValueError(f"{measure}: {error}") from None
    cutoff = measure.params.get("cutoff")
    if cutoff is not None and cutoff < 1:  # trec_eval would end the whole process
        raise ValueError(f"{measure}: cutoff={cutoff} is not accepted; accepted is a whole number from 1")


def is_diversity(measure: Measure) -> bool:
    """Whether a measure of ir_measures looks at subtopics."""
    return measure.NAME in {diversity.NAME for diversity in ir_measures.pyndeval.SUPPORTED_MEASURES}


def needs_help(measure: Measure) -> bool:
    """Whether ir_measures alone can give wrong values: gain tables in one call, and what gdeval computes."""
    return "gains" in measure.params or measure.NAME == "ERR" or measure.params.get("dcg") == "exp-log2"


def host_metrics(
    measures: list[Measure], qrels: dict[str, dict[str, int]], runs: Iterable[dict[str, dict[str, float]]]
) -> Iterator[list[Metric]]:
    """The values of each run, by all measures.

    The programs behind ir_measures are shown topics as numbers: gdeval takes nothing else, and takes 'PLAIN-2'
    for 2. Measures that a user defined may look at the topics and see them as they are.
    """
    number: dict[str, str] = {}

    def numbered(rows: dict[str, dict]) -> dict[str, dict]:
        return {number.setdefault(topic, str(len(number) + 1)): documents for topic, documents in rows.items()}

    defined = [measure for measure in measures if hasattr(measure, "runtime_impl")]
    computed = _in_calls([measure for measure in measures if measure not in defined])
    evaluators = [ir_measures.evaluator(call, _not_below_minus_one(numbered(qrels), call)) for call in computed]
    by_user = [ir_measures.evaluator(call, qrels) for call in _in_calls(defined)]
    for run in runs:
        documents = numbered(run)
        topic = {n: t for t, n in number.items()}
        try:
            metrics = [metric for evaluator in evaluators for metric in evaluator.iter_calc(documents)]
        except CalledProcessError:
            raise ValueError(
                "ERR and nDCG with dcg='exp-log2' are computed by gdeval, which cannot read these judgements or runs; "
                "it takes grades up to 4, and document ids without white space"
            ) from None
        named = (metric._replace(query_id=topic[metric.query_id]) for metric in metrics)
        yield [*named, *(metric for evaluator in by_user for metric in evaluator.iter_calc(run))]


def _in_calls(measures: list[Measure]) -> list[list[Measure]]:
    """Measures that ir_measures may be asked for together.

    A measure with a gain table is asked for alone: ir_measures 0.4.3 confuses nDCG with and without gains in one call.
    """
    together = [measure for measure in measures if "gains" not in measure.params]
    alone = [[measure] for measure in measures if "gains" in measure.params]
    return [call for call in (together, *alone) if call]


def _not_below_minus_one(qrels: dict[str, dict[str, int]], call: list[Measure]) -> dict[str, dict[str, int]]:
    """Judgements that pytrec_eval can read: a grade below -1, such as -2 for spam, ends its process, or hangs it.

    -1 means the same, judged and without gain, but for a grade that a gain table lists.
    """
    listed = call[0].params.get("gains", {})
    return {
        topic: {doc: grade if grade >= -1 or grade in listed else -1 for doc, grade in grades.items()}
        for topic, grades in qrels.items()
    }
