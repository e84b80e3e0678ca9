"""``med``, ``med_matrix`` and the parameters of MED: scales, verdicts, witnesses, inputs, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR, RBP, RR, SDCG, P, nDCG
from reference import med as slow
from support.med_cases import EVERY, fast, in_one_call, random_topics, run_of, text

from ir_measures_relative._experiment.calc_runs import calc_runs
from ir_measures_relative._extremes.labellings import BASES as ACCEPTED
from ir_measures_relative._extremes.med import med, med_matrix
from ir_measures_relative._judged.run import Run
from ir_measures_relative.measures.med import MED

B = slow.Base


def test_max_rel_left_out_is_the_highest_grade_of_the_qrels() -> None:
    y, z = run_of(["a", "b"]), run_of(["c", "a"])
    for grade, known in ((1, {"c": 0}), (1, {"c": -1}), (3, {"c": 0, "o": 3})):
        left_out, given_it = (med({"0": known}, y, z, "ERR@2", max_rel=m) for m in (None, grade))
        assert left_out.above[0] == given_it.above[0]
        assert left_out.witness("0", "above")["b"] == grade


def test_sdcg_has_its_own_max_rel() -> None:
    y, z, known = run_of(["a", "b"]), run_of(["c", "a"]), {"0": {"c": 1}}
    own = med(known, y, z, "SDCG(max_rel=3)@2")
    assert own.above[0] == med(known, y, z, "SDCG(max_rel=3)@2", max_rel=3).above[0]
    assert own.witness("0", "above") == {"a": 3, "b": 3}
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
    result = med(qrels, run, reference, AP @ 1, unseen=3)
    assert (result.below[0], result.above[0]) == (-1.0, -0.25)
    assert result.witness("q", "above") == {"(unseen 1)": 1, "(unseen 2)": 1, "(unseen 3)": 1}
    assert result.witness("q", "below") == {}
    with pytest.raises(ValueError, match="no topic 'other'"):
        result.witness("other")
    with pytest.raises(ValueError, match="'med', 'above' or 'below'"):
        result.witness("q", "largest")


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
    with pytest.raises(TypeError, match="a list must hold paths, not a dict"):
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
    assert med(qrels, run, reference, nDCG @ 2, unseen=10**6).above[0] == pytest.approx(-1 / (1 + 1 / np.log2(3)))


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
    with pytest.raises(ValueError, match=f"accepted are {', '.join(ACCEPTED)}"):
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
        with pytest.raises(ValueError, match="needs a cutoff"):
            med({"q": {"a": 1}}, run, run, **needs)
        with pytest.raises(ValueError, match="needs a cutoff"):
            MED(reference=run, **needs).calc_aggregate({"q": {"a": 1}}, run)
    with pytest.raises(ValueError, match="needs reference"):
        (MED @ 10).calc_aggregate({"q": {"a": 1}}, run)
    with pytest.raises(ValueError, match="document 'a' of topic 'q' has the grade 2, above 1, the highest"):
        med({"q": {"a": 2}}, run, run, ERR @ 5, max_rel=1)
    assert med({"q": {"a": 2}}, run, {}, ERR @ 5, max_rel=1, judged="none").above[0] == 0.5
    twice = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1, 2]})
    with pytest.raises(ValueError, match="reference: document 'a' of topic 'q' occurs twice"):
        med(None, run, twice, RR)
    assert MED.DIRECTION == "neither"


@pytest.mark.parametrize("base", [nDCG @ 10, AP @ 10, P @ 10, RR @ 10], ids=str)
def test_later_judgements_confirm_what_was_certain(shared: Path, base: object) -> None:
    """TREC-COVID was judged again: no verdict is overturned, and the ends only move towards each other."""
    folder = shared / "data" / "trec-covid"
    run, reference = (Run.of(folder / f"{name}-09-01-2023.run.gz") for name in ("ance", "tas-b"))
    before, after = (
        med(folder / f"qrels.{state}.txt.gz", run, reference, base, max_rel=2, unseen=unseen).to_frame()
        for state, unseen in (("incomplete", 10_000), ("complete", 0))  # relevant ones were found outside too
    )
    assert after.query_id.tolist() == before.query_id.tolist()
    assert (before.below <= after.below + 1e-12).all() and (after.above <= before.above + 1e-12).all()
    certain = before.verdict != "undecided"
    assert 10 <= certain.sum() < (after.verdict != "undecided").sum()
    assert after.verdict[certain].tolist() == before.verdict[certain].tolist()
    assert not np.signbit(after.med).any()


def test_a_result_shows_its_verdicts_and_compares_by_identity() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}, "3": {}, "4": {}}
    run, reference = ({topic: {"a": a, "b": b} for topic in qrels} for a, b in ((2.0, 1.0), (1.0, 2.0)))
    one, other = (med(qrels, run, reference, "RR@2") for _ in range(2))
    assert repr(one) == "MedResult(4 topics: 2 undecided, 1 better, 1 worse)"
    assert one == one and one != other
    assert repr(med({}, run, reference)) == "MedResult(0 topics)"
