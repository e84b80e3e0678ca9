"""Scores and ranks without a group's own judgements, and the grades of what a pool lacks."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, P, nDCG
from reference import meta as slow

from ir_measures_relative import NRG, calc_runs, meta

documents = st.sampled_from(["d1", "d2", "d3", "d10", "d9"])
topics = st.sampled_from(["q1", "q2"])
one_run = st.dictionaries(topics, st.dictionaries(documents, st.integers(0, 2).map(float), min_size=1), max_size=2)
qrels_dict = st.dictionaries(topics, st.dictionaries(documents, st.integers(-1, 2), min_size=1), min_size=1)


def precision_at_3(qrels, run):
    return np.mean([sum(docs.get(d, 0) > 0 for d in slow.ranking(run.get(q, {}), 3)) / 3 for q, docs in qrels.items()])


@given(qrels_dict, st.lists(st.tuples(one_run, st.sampled_from("ABC")), min_size=1, max_size=4), st.integers(1, 3))
@pytest.mark.filterwarnings("ignore:run .* has no topic in common")
def test_reusability_is_its_slow_twin(qrels, entries, depth):
    runs = {f"r{i}": run for i, (run, _) in enumerate(entries)}
    groups = {f"r{i}": group for i, (_, group) in enumerate(entries)}
    frame = meta.reusability(qrels, runs, groups, P @ 3, depth=depth).to_frame()
    expected = slow.reusability(precision_at_3, qrels, runs, groups, depth)
    assert frame["run"].tolist() == list(runs) and frame["group"].tolist() == list(groups.values())
    for row in frame.itertuples():
        assert (row.score, row.score_without, row.rank, row.rank_without) == pytest.approx(expected[row.run])
        assert row.drop == pytest.approx(row.score - row.score_without) and row.fall == row.rank_without - row.rank


def track(seed=0):
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(40)]
    qrels = {q: {d: int(rng.integers(0, 3)) for d in docs} for q in ("q1", "q2", "q3")}
    runs = {
        f"r{n}": {q: {d: rng.random() for d in rng.choice(docs, 20, replace=False)} for q in qrels} for n in range(6)
    }
    return qrels, runs, {name: f"g{int(name[1]) // 2}" for name in runs}


def test_scores_are_those_of_ir_measures_on_the_judgements_that_remain():
    qrels, runs, groups = track()
    result = meta.reusability(qrels, runs, groups, ["nDCG@10", AP], depth=5)
    pools = meta.leave_group_out(qrels, runs, groups, depth=5)
    for row in result.to_frame().itertuples():
        measure = ir_measures.parse_measure(row.measure)
        assert row.score == pytest.approx(ir_measures.calc_aggregate([measure], qrels, runs[row.run])[measure])
        left = ir_measures.calc_aggregate([measure], pools[row.group], runs[row.run])[measure]
        assert row.score_without == pytest.approx(left)
    assert list(result.tau) == ["nDCG@10", "AP"]
    part = result.to_frame().query("measure == 'AP'")
    assert result.tau["AP"] == pytest.approx(slow.kendall_tau_b(part["score"].tolist(), part["score_without"].tolist()))
    assert repr(result).startswith("Reusability(6 runs of 3 groups, depth 5; tau nDCG@10 ")
    assert result.to_frame()["drop"].abs().max() > 0.01


def test_a_function_scores_what_needs_the_other_runs():
    qrels, runs, groups = track(1)
    asked = []

    def score(judgements, read):
        asked.append(len(judgements))
        return calc_runs([nDCG @ 5, NRG @ 5], judgements, read, progress=False)

    frame = meta.reusability(qrels, runs, groups, score, depth=5).to_frame()
    assert asked[0] == 120 and len(asked) == 4 and max(asked[1:]) < 120
    assert frame["measure"].unique().tolist() == ["nDCG@5", "NRG@5"]
    plain = meta.reusability(qrels, runs, groups, nDCG @ 5, depth=5).to_frame()
    pd.testing.assert_frame_equal(frame[frame["measure"] == "nDCG@5"].reset_index(drop=True), plain)


def test_a_group_that_others_repeat_is_not_missed():
    qrels, runs, groups = track(2)
    twins = runs | {f"{name}-copy": run for name, run in runs.items()}
    result = meta.reusability(qrels, twins, groups | {f"{name}-copy": "copies" for name in runs}, "P@5", depth=5)
    assert (result.to_frame()["drop"] == 0).all() and (result.to_frame()["fall"] == 0).all()
    assert result.tau["P@5"] == 1


def test_qrels_without_a_topic_are_refused():
    with pytest.raises(ValueError, match="has no topic; at least one"):
        meta.reusability({}, {"a": {"q": {"d": 1.0}}}, {"a": "A"}, "P@5")


def test_a_topic_that_loses_all_its_judgements_counts_zero():
    qrels = {"q1": {"d": 1}, "q2": {"e": 1}}
    runs = {"a": {"q1": {"d": 1.0}, "q2": {"e": 1.0}}, "b": {"q2": {"e": 1.0}}}
    frame = meta.reusability(qrels, runs, {"a": "A", "b": "B"}, "P@1").to_frame()
    assert frame[["score", "score_without"]].to_numpy().tolist() == [[1, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("measures", "depth", "sentence"),
    [
        ([], 10, "measures: requires at least one measure"),
        (3, 10, "measures: cannot read an int"),
        ("nDCG@10", 0, "depth must be an integer of at least 1, got 0"),
        (lambda qrels, runs: 3, 10, "measures: the function must return a DataFrame"),
    ],
)
def test_bad_input_of_reusability_is_one_sentence(measures, depth, sentence):
    with pytest.raises((ValueError, TypeError)) as error:
        meta.reusability(*track(), measures, depth=depth)
    assert str(error.value).startswith(sentence)


# label shares


@given(qrels_dict, st.lists(st.tuples(one_run, st.sampled_from("ABC")), min_size=1, max_size=4), st.integers(1, 3))
@pytest.mark.filterwarnings("ignore:without group", "ignore:run .* has no topic in common")
def test_label_shares_are_those_of_the_slow_twin(qrels, entries, depth):
    runs = {f"r{i}": run for i, (run, _) in enumerate(entries)}
    groups = {f"r{i}": group for i, (_, group) in enumerate(entries)}
    by_group = slow.label_shares(qrels, runs, groups, depth)
    pools = meta.leave_group_out(qrels, runs, groups, depth)
    if not any(lost for _, lost in by_group.values()):
        with pytest.raises(ValueError, match="incomplete lacks no document of complete"):
            meta.label_shares(pools, qrels)
        return
    result = meta.label_shares(pools, qrels)
    for grade, pool, unjudged in result.to_frame().itertuples(index=False):
        for found, place in ((pool, 0), (unjudged, 1)):
            shares = [parts[place].get(grade, 0) for parts in by_group.values() if parts[place]]
            assert found == pytest.approx(np.mean(shares) if shares else 0)


def test_label_shares_of_one_pool():
    complete = {"q": {"a": 2, "b": 0, "c": -1, "d": 1}, "p": {"e": 0}}
    result = meta.label_shares({"q": {"a": 2, "b": 0}}, complete)
    assert result.grades == [0, 1, 2]
    assert result.pool.tolist() == [0.5, 0, 0.5] and result.unjudged == pytest.approx([2 / 3, 1 / 3, 0])
    assert repr(result).endswith("; 3 unjudged documents of 1 pools)")
    with pytest.raises(ValueError, match="document 'a' of topic 'q' is not judged alike in complete"):
        meta.label_shares({"q": {"a": 1}}, complete)


def test_label_shares_of_trec_covid_are_those_of_table_3(shared):
    folder = shared / "data" / "trec-covid"
    result = meta.label_shares(folder / "qrels.incomplete.txt.gz", folder / "qrels.complete.txt.gz")
    assert result.pool.round(2).tolist() == [0.63, 0.16, 0.21]
    assert result.unjudged.round(2).tolist() == [0.75, 0.02, 0.23]
