"""``med``, ``med_matrix`` and the parameters of MED: scales, verdicts, witnesses, inputs, refusals."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RBP, RR, SDCG, Measure, P, nDCG
from reference import med as slow
from support.med_cases import EVERY, fast, in_one_call, random_topics, run_of, text

from ir_measures_relative._experiment import calc_runs
from ir_measures_relative._extremes import med, med_matrix
from ir_measures_relative._extremes.labellings import BASES as ACCEPTED
from ir_measures_relative._judged.run import Run
from ir_measures_relative.measures.med import MED

B = slow.Base


def test_max_rel_left_out_is_the_highest_grade_of_the_qrels() -> None:
    y, z = run_of(["a", "b"]), run_of(["c", "a"])
    for grade, known in ((1, {"c": 0}), (1, {"c": -1}), (3, {"c": 0, "o": 3})):
        left_out, given_it = (med({"0": known}, y, z, "ERR@2", max_rel=m) for m in (None, grade))
        assert left_out.above[0] == given_it.above[0]
        assert left_out.witness("0", value="above")["b"] == grade


def test_sdcg_has_its_own_max_rel() -> None:
    y, z, known = run_of(["a", "b"]), run_of(["c", "a"]), {"0": {"c": 1}}
    own = med(known, y, z, "SDCG(max_rel=3)@2")
    assert own.above[0] == med(known, y, z, "SDCG(max_rel=3)@2", max_rel=3).above[0]
    assert own.witness("0", value="above") == {"a": 3, "b": 3}
    lower = med(known, y, z, "SDCG(max_rel=3)@2", max_rel=1)
    assert lower.above[0] == pytest.approx(
        slow.extremes(B("SDCG", k=2, max_rel=3), ["a", "b"], ["c", "a"], {"c": 1}, 1)[1]
    )
    for odd in ({"max_rel": 1001}, {"base": "ERR", "max_rel": 1001}, {"base": "SDCG(max_rel=1001)@5"}):
        with pytest.raises(ValueError, match="max_rel=1001 is too high to be a grade of unjudged documents"):
            MED(reference=z, **odd)
    with pytest.raises(ValueError, match="max_rel=4 is above the highest of base=SDCG"):
        MED(base="SDCG(max_rel=3)@2", max_rel=4)


def test_a_known_grade_above_the_highest_of_sdcg_counts_as_the_highest() -> None:
    """As in ir_measures, whose SDCG is at most 1."""
    qrels, run, base = {"0": {"a": 3}}, run_of(["a"]), SDCG(max_rel=1) @ 1
    assert med(qrels, run, run_of(["b"]), base).above[0] == base.calc_aggregate(qrels, run) == 1.0


def test_rbp_without_rel_counts_grade_1() -> None:
    y, z, known = run_of(["a", "b"]), run_of(["c"]), {"0": {"a": 1, "c": 3}}
    assert med(known, y, z, RBP @ 2).above[0] == med(known, y, z, RBP(rel=1) @ 2).above[0]
    assert med(known, y, z, RBP @ 2, residual=False).above[0] == pytest.approx(0.2 * 0.8)


@pytest.mark.parametrize("base", EVERY, ids=text)
def test_judgement_free(base: B) -> None:
    """As if no document were judged."""
    topics = random_topics(base, 25, seed=19)
    empty = [(y, z, {}) for y, z, _ in topics]
    qrels, ignored = in_one_call(base, topics, judged="none")
    _, nothing = in_one_call(base, empty)
    np.testing.assert_array_equal(ignored.med, nothing.med)
    np.testing.assert_array_equal(ignored.above, nothing.above)
    run, reference = run_of(*(t[0] for t in topics)), run_of(*(t[1] for t in topics))
    without = fast(base, None, {q: d for q, d in run.items() if d}, {q: d for q, d in reference.items() if d})
    frame = without.to_frame().set_index("query_id")
    present = [q for q in qrels if run[q] or reference[q]]
    assert set(frame.index) == set(present)
    np.testing.assert_array_equal(frame.med[present], [ignored.med[int(q)] for q in present])


def test_without_qrels_topics_are_those_of_either_run() -> None:
    result = med(None, {"b": {"x": 1.0}, "a": {"x": 1.0}}, {"c": {"y": 1.0}, "a": {"x": 1.0}}, P @ 1)
    assert result.to_frame().values.tolist() == [
        ["b", 1.0, 0.0, 1.0, "undecided"],
        ["a", 0.0, 0.0, 0.0, "equal"],
        ["c", 1.0, -1.0, 0.0, "undecided"],
    ]


def test_frame_and_verdicts() -> None:
    qrels = {1: {"a": 1, "b": 0}, 2: {"a": 1, "b": 0}, "3": {"a": 1}, "4": {"a": 0}, "empty": {}}
    run = run_of([], ["a"], ["b"], ["a"], ["a"])
    reference = run_of([], ["b"], ["a"], ["x"], ["b", "a"])
    frame = med(qrels, run, reference, P @ 1).to_frame()
    assert list(frame.columns) == ["query_id", "med", "below", "above", "verdict"]
    assert frame.query_id.tolist() == [1, 2, "3", "4", "empty"]
    assert frame.verdict.tolist() == ["better", "worse", "undecided", "undecided", "equal"]
    assert frame.below.tolist() == [1.0, -1.0, 0.0, -1.0, 0.0]
    assert frame.above.tolist() == [1.0, -1.0, 1.0, 0.0, 0.0]
    assert frame.med.tolist() == [1.0, 1.0, 1.0, 1.0, 0.0]


def test_witness_names_unseen_documents() -> None:
    qrels, run, reference = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1}}, {"q": {"a": 1}}
    result = med(qrels, run, reference, AP @ 3, unseen=3)
    assert (result.below[0], result.above[0]) == (-1.0, -0.25)
    assert result.witness("q", value="above") == {"(unseen 1)": 1, "(unseen 2)": 1, "(unseen 3)": 1}
    assert result.witness("q", value="below") == {}
    with pytest.raises(ValueError, match="unknown topic 'other'"):
        result.witness("other")
    with pytest.raises(ValueError, match="'med', 'above' or 'below'"):
        result.witness("q", value="largest")


def test_matrix() -> None:
    rng = np.random.default_rng(23)
    runs = {
        name: run_of(*(list(rng.permutation(list("abcdefgh"))[: 3 + i]) for i in range(4))) for name in ("x", "y", "z")
    }
    qrels = {str(q): {"a": 2, "b": 0, "w": 1} for q in range(4)}
    for base in (nDCG @ 4, RBP @ 4, AP @ 4):
        table = med_matrix(qrels, runs, base)
        assert list(table.index) == list(table.columns) == ["x", "y", "z"]
        np.testing.assert_array_equal(table, table.T)
        for a in runs:
            for b in runs:
                assert table.loc[a, b] == pytest.approx(med(qrels, runs[a], runs[b], base).med.mean(), abs=1e-15)
    assert np.diag(med_matrix(qrels, runs)).tolist() == [0.0] * 3
    tail = np.mean([0.8**3, 0.8**4, 0.8**4, 0.8**4])
    assert np.diag(med_matrix(None, runs, RBP @ 4)) == pytest.approx([tail] * 3)
    with pytest.raises(TypeError, match="a list must contain paths, not a dict"):
        med_matrix(qrels, list(runs.values()))


def test_several_runs_at_once() -> None:
    """A reference that is named is looked up among the runs; the run itself is at distance 0 from itself."""
    rng = np.random.default_rng(31)
    runs = {name: run_of(*(list(rng.permutation(list("abcdefgh"))) for _ in range(7))) for name in ("x", "y", "z")}
    qrels = {str(q): {"a": 2, "b": 0, "w": 1} for q in range(7)}
    measures = [MED(reference="y", direction=d) @ 4 for d in ("both", "above", "below")] + [
        MED(reference="y", base=AP @ 4)
    ]
    table = calc_runs(measures, qrels, runs).set_index(["name", "measure"]).value
    for name in runs:
        result = med(qrels, runs[name], runs["y"], nDCG @ 4)
        assert table[name, str(measures[0])].tolist() == result.med.tolist()
        assert table[name, str(measures[1])].tolist() == result.above.tolist()
        assert table[name, str(measures[2])].tolist() == result.below.tolist()
        assert table[name, str(measures[3])].tolist() == med(qrels, runs[name], runs["y"], AP @ 4).med.tolist()
    assert not table["y"].any()


def test_many_unseen_documents() -> None:
    """As many as one likes may exist: the inner end goes to 0, and only the ideal grows with their number."""
    qrels, run, reference = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1}}, {"q": {"a": 1}}
    assert med(qrels, run, reference, AP, unseen=10**6).above[0] == -1 / (10**6 + 1)
    ideal = (1 / np.log2(np.arange(2, 10**5 + 3))).sum()
    assert med(qrels, run, reference, nDCG, unseen=10**5).above[0] == pytest.approx(-1 / ideal, rel=1e-12)
    assert med(qrels, run, reference, nDCG @ 2, unseen=2).above[0] == pytest.approx(-1 / (1 + 1 / np.log2(3)))


def test_frames_and_ids_that_are_numbers() -> None:
    qrels = pd.DataFrame({"query_id": [1, 1], "doc_id": [10, 11], "relevance": [1, 0]})
    run = pd.DataFrame({"query_id": [1, 1], "doc_id": [10, 12], "score": [2, 1]})
    reference = pd.DataFrame({"qid": ["1", "1"], "docno": ["12", "11"], "score": [2, 1]})
    copies = [f.copy() for f in (qrels, run, reference)]
    result = med(qrels, run, reference, P @ 2)
    assert result.to_frame().iloc[0].tolist() == [1, 0.5, 0.5, 0.5, "better"]
    for frame, copy in zip((qrels, run, reference), copies, strict=True):
        pd.testing.assert_frame_equal(frame, copy)


def test_refusals() -> None:
    run = {"q": {"a": 1.0}}
    with pytest.raises(ValueError, match=f"must be one of {', '.join(ACCEPTED)}"):
        MED(base="Bpref")
    with pytest.raises(ValueError, match="judged_only"):
        MED(base=nDCG(judged_only=True))
    for name, value in (
        ("direction", "up"),
        ("judged", "run"),
        ("norm", "K"),
        ("max_rel", 0),
        ("unseen", -1),
        ("unseen", True),
        ("residual", "no"),
        ("max_rel", 1.5),
    ):
        with pytest.raises(ValueError, match=name):
            MED(**{name: value})
    for needs in ({"base": P}, {"base": AP, "norm": "k"}, {"base": "SDCG(max_rel=1)"}):
        with pytest.raises(ValueError, match="requires a cutoff"):
            med({"q": {"a": 1}}, run, run, **needs)
        with pytest.raises(ValueError, match="requires a cutoff"):
            MED(reference=run, **needs).calc_aggregate({"q": {"a": 1}}, run)
    with pytest.raises(ValueError, match="requires reference"):
        (MED @ 10).calc_aggregate({"q": {"a": 1}}, run)
    with pytest.raises(ValueError, match="document 'a' of topic 'q' has the grade 2, above 1, the highest"):
        med({"q": {"a": 2}}, run, run, ERR @ 5, max_rel=1)
    assert med({"q": {"a": 2}}, run, {}, ERR @ 5, max_rel=1, judged="none").above[0] == 0.5
    with pytest.raises(ValueError, match="unseen must be at most 10, the cutoff, got 11"):
        MED(unseen=11) @ 10
    with pytest.raises(ValueError, match="unseen must be at most 10, the cutoff, got 11"):
        med({"q": {"a": 2}}, run, run, unseen=11)
    with pytest.raises(ValueError, match=f"unseen must be at most {10**7}, got {2 * 10**7}"):
        med({"q": {"a": 2}}, run, run, AP, unseen=2 * 10**7)
    for name, value, accepted in (
        ("judged", "run", "'qrels' or 'none'"),
        ("norm", 1, "'R', 'min' or 'k'"),
        ("max_rel", 0, "an integer of at least 1"),
        ("residual", "no", "True or False"),
    ):
        with pytest.raises(ValueError, match=f"{name} must be {accepted}, got {value!r}"):
            med({"q": {"a": 2}}, run, run, **{name: value})  # type: ignore[arg-type]
    twice = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1, 2]})
    with pytest.raises(ValueError, match="reference: document 'a' of topic 'q' occurs twice"):
        med(None, run, twice, RR)
    assert MED.DIRECTION == "neither"


@pytest.mark.parametrize("base", [nDCG @ 10, AP @ 10, P @ 10, RR @ 10], ids=str)
def test_later_judgements_confirm_what_was_certain(shared: Path, base: Measure) -> None:
    """TREC-COVID was judged again: no verdict is overturned, and the ends only move towards each other.

    AP divides by all relevant documents, of which more than K were found outside: its inner ends moved towards 0.
    """
    folder = shared / "data" / "trec-covid"
    run, reference = (Run.of(folder / f"{name}-09-01-2023.run.gz") for name in ("ance", "tas-b"))
    before, after = (
        med(folder / f"qrels.{state}.txt.gz", run, reference, base, max_rel=2, unseen=unseen).to_frame()
        for state, unseen in (("incomplete", 10), ("complete", 0))  # relevant ones were found outside too
    )
    assert after.query_id.tolist() == before.query_id.tolist()
    outer = (before.verdict == "undecided") | (base.NAME != "AP")
    assert (before.below <= after.below + 1e-12)[outer].all() and (after.above <= before.above + 1e-12)[outer].all()
    certain = before.verdict != "undecided"
    assert 10 <= certain.sum() < (after.verdict != "undecided").sum()
    assert after.verdict[certain].tolist() == before.verdict[certain].tolist()
    assert not np.signbit(after.med).any()


def test_a_result_shows_its_verdicts_and_compares_by_identity() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}, "3": {}, "4": {}}
    run, reference = ({topic: {"a": a, "b": b} for topic in qrels} for a, b in ((2.0, 1.0), (1.0, 2.0)))
    one, other = (med(qrels, run, reference, "RR@2") for _ in range(2))
    assert repr(one) == "MedResult(4 topics: 2 undecided, 1 better, 1 worse; the means: undecided)"
    assert one == one and one != other


def test_the_means_over_topics() -> None:
    """The mean of the signed ends, not of the MEDs: here the topics differ in opposite directions."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}, "3": {"a": 1}}
    run, reference = ({topic: {first: 2.0, second: 1.0} for topic in qrels} for first, second in ("ab", "ba"))
    result = med(qrels, run, reference, P @ 1)
    assert result.to_frame().verdict.tolist() == ["better", "worse", "undecided"]
    assert (result.mean_below, result.mean_above, result.mean_med) == (0.0, 1 / 3, 1 / 3)
    assert result.med.mean() == 1.0
    assert result.verdict == "undecided"
    certain = med({**qrels, "3": {"a": 1, "b": 0}}, run, reference, P @ 1)
    assert (certain.mean_below, certain.mean_above, certain.verdict) == (1 / 3, 1 / 3, "better")
    back = med(qrels, reference, run, P @ 1)
    assert (back.mean_below, back.mean_above, back.mean_med) == (-1 / 3, 0.0, 1 / 3)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([B("nDCG", k=4, max_rel=2), B("AP", k=4), B("RBP", k=3), B("Q", k=4)]))
def test_the_ends_of_the_mean_are_attained_and_never_passed(seed: int, base: B) -> None:
    """Every labelling of all topics together, against the mean of the topics' ends."""
    topics = random_topics(base, 3, seed, n_free=2)
    qrels, result = in_one_call(base, topics)
    grades = (0, base.rel) if base.binary else tuple(range(base.max_rel + 1))
    free = [(q, d) for q, t in enumerate(topics) for d in slow.free_documents(base, *t)]
    means = []
    for labelling in product(grades, repeat=len(free)):
        known = [dict(t[2]) for t in topics]
        for (q, d), grade in zip(free, labelling, strict=True):
            known[q][d] = grade
        scored = zip(topics, known, strict=True)
        means.append(sum(slow.score(base, y, k) - slow.score(base, z, k) for (y, z, _), k in scored) / len(topics))
    assert (result.mean_below, result.mean_above) == pytest.approx((min(means), max(means)), abs=1e-12)
    assert result.mean_med == pytest.approx(max(map(abs, means)), abs=1e-12)
    assert len(qrels) == 3
