"""What holds for every measure with any legal parameters: a right input gets the same number everywhere.

Runs over the registry: a new measure is covered by itself and needs only its slow twin in ``tests/slow_twins.py``.
"""

from __future__ import annotations

import gzip
import math
import pickle
import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from support.fuzzing import drawn_from, every_measure, examples
from support.legal_measures import Recipe, recipes, recipes_of, values
from support.slow_twins import TWINS, twin_values
from support.small_collections import DOCUMENTS, TOPICS, Qrels, Run, grades, qrels_of_topics, runs

from ir_measures_relative import calc_runs, parse_measure
from ir_measures_relative._hosts.ir_measures import RelativeEvaluator
from ir_measures_relative.measures import RelativeMeasure, registry
from ir_measures_relative.measures.relative import Parameter, Prior

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # small priors are shallower than K

infinite = st.sampled_from([math.inf, -math.inf, 0.1, 1e300, 5e-324, -0.0, 0.0])
odd_scores = st.dictionaries(st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCUMENTS), infinite))
any_run = st.one_of(runs, runs, odd_scores)


def scores(measures: Any, qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    """(measure, topic) -> value; a case is left out where the qrels hold a grade that the measure refuses."""
    measures = measures if isinstance(measures, list) else [measures]
    try:
        metrics = list(RelativeEvaluator(measures, qrels).iter_calc(run))
    except ValueError as error:
        if "the highest that ERR accepts" in str(error):
            reject()
        raise
    found = {(str(metric.measure), metric.query_id): metric.value for metric in metrics}
    assert len(found) == len(metrics)  # each topic once
    return found


def by_topic(measure: RelativeMeasure, qrels: Any, run: Any) -> dict[str, float]:
    return {topic: value for (_, topic), value in scores(measure, qrels, run).items()}


def test_every_class_of_parameters_has_values() -> None:
    for measure in registry.values():
        for parameter in measure.SUPPORTED_PARAMS.values():
            assert values(parameter) is not None

    class New(Parameter):
        pass

    with pytest.raises(TypeError, match="no values to test a parameter of the class New"):
        values(New())


def test_every_measure_has_a_slow_twin() -> None:
    assert sorted(TWINS) == sorted(registry)


@every_measure
@examples(48)
@given(data=st.data(), qrels=qrels_of_topics, run=any_run)
def test_one_finite_number_for_each_topic_in_qrels_order(
    names: list[str], data: st.DataObject, qrels: Qrels, run: Run
) -> None:
    measure = data.draw(recipes_of(names)).measure()
    found = scores(measure, {**qrels, "nothing judged": {}}, run)
    assert list(found) == [(str(measure), topic) for topic in [*qrels, "nothing judged"]]
    assert all(type(value) is float and math.isfinite(value) for value in found.values())


@every_measure
@examples(48)
@given(data=st.data(), qrels=qrels_of_topics, run=runs)
def test_a_measure_is_a_value(names: list[str], data: st.DataObject, qrels: Qrels, run: Run) -> None:
    """Read back from its text, pickled, or made again in another order: an equal measure that computes the same."""
    recipe = data.draw(recipes_of(names))
    measure = recipe.measure()
    expected = by_topic(measure, qrels, run)
    others = [
        parse_measure(str(measure)),
        pickle.loads(pickle.dumps(measure)),
        eval(str(measure), dict(registry)),
        Recipe(recipe.name, dict(reversed(recipe.given.items()))).measure(),
        registry[recipe.name](**measure.params),
    ]
    for other in others:
        assert other == measure and str(other) == str(measure) and hash(other) == hash(measure)
        assert by_topic(other, qrels, run) == expected


def rows_of(table: dict, row: Any) -> list:
    return [row(topic, document, number) for topic, numbers in table.items() for document, number in numbers.items()]


def forms(table: dict, is_run: bool, folder: Path, seed: int) -> Iterable[Any]:
    """The same run, or qrels, in all forms; rows in another order."""
    shuffled = random.Random(seed).sample
    row = ir_measures.ScoredDoc if is_run else ir_measures.Qrel
    rows = rows_of(table, row)
    rows = shuffled(rows, len(rows))
    yield {topic: dict(shuffled(list(numbers.items()), len(numbers))) for topic, numbers in table.items()}
    ours, pyterrier = ("score", "score") if is_run else ("relevance", "label")
    triples = [tuple(row)[:3] for row in rows]
    yield pd.DataFrame(triples, columns=["query_id", "doc_id", ours])
    yield pd.DataFrame(triples, columns=["qid", "docno", pyterrier], index=range(7, 7 + len(rows)))
    yield pd.DataFrame(triples, columns=["query_id", "doc_id", ours]).convert_dtypes()
    yield rows
    yield (row for row in rows)
    line = "{} Q0 {} 0 {} tag\n" if is_run else "{} 0 {} {}\n"
    text = "".join(line.format(*triple) for triple in triples)
    file = folder / f"{len(list(folder.iterdir()))}.txt"
    file.write_text(text)
    yield file
    packed = file.with_suffix(".gz")
    packed.write_bytes(gzip.compress(text.replace("\n", "\r\n").encode()))
    yield str(packed)


@every_measure
@examples(36)
@given(data=st.data(), qrels=qrels_of_topics, run=any_run, seed=st.integers(0, 99))
def test_the_form_and_the_order_of_the_input_change_no_bit(
    names: list[str], data: st.DataObject, qrels: Qrels, run: Run, seed: int
) -> None:
    def without_spaces(run: Run) -> Run:  # which separate the fields of a file
        return {topic.replace(" ", "_"): documents for topic, documents in run.items()}

    recipe, run = data.draw(recipes_of(names)).with_runs(without_spaces), without_spaces(run)
    measure = recipe.measure()
    expected = by_topic(measure, qrels, run)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for form in forms(run, True, place, seed):
            assert by_topic(measure, qrels, form) == expected, type(form)
        for form in forms(qrels, False, place, seed):
            assert by_topic(measure, form, run) == expected, type(form)
        for number in range(8 if all(recipe.runs) else 0):  # an empty dict may be no runs, an empty frame is a run
            again = recipe.with_runs(lambda prior, number=number: list(forms(prior, True, place, seed))[number])
            if number < 6:
                assert again.measure() == measure
            else:  # the name of a file is part of the measure, its content is the same
                assert by_topic(again.measure(), qrels, run) == expected


@every_measure
@examples(36)
@given(data=st.data(), qrels=qrels_of_topics, run=runs)
def test_through_ir_measures(names: list[str], data: st.DataObject, qrels: Qrels, run: Run) -> None:
    """The host converts its input first, and asks through a pipeline of all providers."""
    measure = data.draw(recipes_of(names)).measure()
    expected = scores([measure], qrels, run)
    frame = pd.DataFrame(rows_of(qrels, ir_measures.Qrel), columns=list(ir_measures.Qrel._fields))
    for form in (qrels, iter(rows_of(qrels, ir_measures.Qrel)), frame):
        metrics = list(ir_measures.iter_calc([measure, ir_measures.P @ 1], form, run))
        ours = {(str(m.measure), m.query_id): m.value for m in metrics if m.measure == measure}
        assert ours == expected


@every_measure
@examples(36)
@given(data=st.data(), qrels=qrels_of_topics, run=any_run)
def test_names_of_topics_and_documents_do_not_matter(
    names: list[str], data: st.DataObject, qrels: Qrels, run: Run
) -> None:
    recipe = data.draw(recipes_of(names))
    # ids in the same order as text, so that ties stay in order
    ids = {document: f"\u00e9{place:02d}\U0001f600" for place, document in enumerate(sorted(DOCUMENTS))}

    def renamed(table: dict) -> dict:
        return {f"{topic}~new": {ids[d]: number for d, number in numbers.items()} for topic, numbers in table.items()}

    expected = {f"{topic}~new": value for topic, value in by_topic(recipe.measure(), qrels, run).items()}
    found = by_topic(recipe.with_runs(renamed).measure(), renamed(qrels), renamed(run))
    if len(recipe.runs) > 2:  # priors are taken in an order that depends on their content: three may round differently
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-13)
    else:
        assert found == expected


@every_measure
@examples(36)
@given(data=st.data(), qrels=qrels_of_topics, run=runs, more=runs)
def test_topics_outside_the_qrels_change_no_bit(
    names: list[str], data: st.DataObject, qrels: Qrels, run: Run, more: Run
) -> None:
    recipe = data.draw(recipes_of(names))
    extra = {f"{topic} more": documents for topic, documents in more.items()}
    expected = by_topic(recipe.measure(), qrels, run)
    assert by_topic(recipe.measure(), qrels, {**extra, **run}) == expected
    longer = by_topic(recipe.with_runs(lambda prior: {**extra, **prior}).measure(), qrels, run)
    assert longer == (pytest.approx(expected, rel=1e-13, abs=1e-13) if len(recipe.runs) > 2 else expected)


def batch_free(recipe: Recipe, qrels: Qrels) -> RelativeMeasure:
    """The measure without what takes something from all the qrels, as documented: max_rel left out, and the pool."""
    measure = recipe.measure()
    if measure.params.get("pool") == "collection":
        measure = measure(pool="topic")
    if "max_rel" in measure.SUPPORTED_PARAMS and measure["max_rel"] is None:
        try:
            measure = measure(max_rel=max([1, *(g for judged in qrels.values() for g in judged.values())]))
        except ValueError:  # a base that has no highest grade, or its own
            pass
    return measure


@every_measure
@examples(48)
@given(data=st.data(), qrels=qrels_of_topics, run=any_run)
def test_batches_of_topics_change_no_bit(names: list[str], data: st.DataObject, qrels: Qrels, run: Run) -> None:
    measure = batch_free(data.draw(recipes_of(names)), qrels)
    expected = by_topic(measure, qrels, run)
    for topic, judged in qrels.items():
        assert by_topic(measure, {topic: judged}, run) == {topic: expected[topic]}
    backwards = dict(reversed(qrels.items()))
    assert by_topic(measure, backwards, run) == expected


@every_measure
@examples(36)
@given(data=st.data(), qrels=qrels_of_topics, first=runs, second=runs)
def test_one_evaluator_for_many_measures_and_runs(
    names: list[str], data: st.DataObject, qrels: Qrels, first: Run, second: Run
) -> None:
    """Together, again, interleaved and in threads, every measure computes what it computes alone."""
    name = data.draw(st.sampled_from(names))
    measures = [recipe.measure() for recipe in data.draw(st.lists(recipes(name), min_size=2, max_size=4))]
    alone = [{key: value for m in measures for key, value in scores(m, qrels, run).items()} for run in (first, second)]
    evaluator = RelativeEvaluator(measures, qrels)

    def evaluated(metrics: Iterable[ir_measures.Metric]) -> dict:
        return {(str(metric.measure), metric.query_id): metric.value for metric in metrics}

    assert [evaluated(evaluator.iter_calc(run)) for run in (first, second, first)] == [*alone, alone[0]]
    both = list(zip(evaluator.iter_calc(first), evaluator.iter_calc(second), strict=True))
    assert [evaluated(metrics) for metrics in zip(*both, strict=True)] == alone
    fresh = RelativeEvaluator(measures, qrels)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda run: evaluated(fresh.iter_calc(run)), [first, second] * 4)) == alone * 4


@drawn_from([n for n in sorted(registry) if isinstance(registry[n].SUPPORTED_PARAMS.get("prior"), Prior)])
@examples(36)
@given(data=st.data(), qrels=qrels_of_topics, field=st.lists(runs, min_size=2, max_size=4))
def test_runs_of_an_experiment_are_prior_runs_like_any_other(
    names: list[str], data: st.DataObject, qrels: Qrels, field: list[Run]
) -> None:
    recipe = data.draw(recipes_of(names))
    topic = next(iter(qrels))
    named = {f"run{place}": {topic: {"d0": 1.0}, **run} for place, run in enumerate(field)}
    for symbol in ("others", "previous"):
        table = calc_runs([Recipe(recipe.name, {**recipe.given, "prior": symbol}).measure()], qrels, named)
        for place, (own, run) in enumerate(named.items()):
            others = [other for other in list(named)[: place if symbol == "previous" else None] if other != own]
            explicit = Recipe(recipe.name, {**recipe.given, "prior": [named[other] for other in others]}).measure()
            expected = list(by_topic(explicit, qrels, run).values())
            assert table[table["name"] == own]["value"].tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


few_documents = st.sampled_from(DOCUMENTS[:5])
few_qrels = st.dictionaries(st.sampled_from(TOPICS[:2]), st.dictionaries(few_documents, grades), min_size=1)
short_runs = st.dictionaries(
    st.sampled_from(TOPICS[:2]), st.dictionaries(few_documents, st.integers(0, 4).map(float), min_size=1)
)


@pytest.mark.parametrize("name", sorted(registry))  # each: values that are drawn are often 0, and right by chance
@examples(48)
@given(data=st.data(), qrels=few_qrels, run=short_runs)
def test_agrees_with_the_slow_twin(name: str, data: st.DataObject, qrels: Qrels, run: Run) -> None:
    recipe = data.draw(recipes(name))
    cut = recipe.with_runs(
        lambda prior: {t: {d: s for d, s in documents.items() if d in DOCUMENTS[:5]} for t, documents in prior.items()}
    )
    measure = cut.measure()
    found = by_topic(measure, qrels, run)
    assert found == pytest.approx(twin_values(measure, qrels, run, cut.runs), rel=1e-9, abs=1e-9), measure
