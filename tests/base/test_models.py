"""The ordinary measures that relative measures are built on, against trec_eval, cwl-eval and the slow twin."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RBP, RR, SDCG, P, R, Success, nDCG
from reference import ordinary
from support.small_collections import Qrels, Run, cutoffs, per_topic, qrels_of_topics, run_of, runs

from ir_measures_relative._base.bases import canonical_base, user_model
from ir_measures_relative._base.models import ERR, NDCG, Precision, Recall, ReciprocalRank
from ir_measures_relative._judged.joined_runs import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run as RankedRun

SLOW = {
    "nDCG": ordinary.ndcg,
    "P": ordinary.precision,
    "R": ordinary.recall,
    "RBP": ordinary.rbp,
    "RR": ordinary.rr,
    "AP": ordinary.ap,
    "ERR": ordinary.err,
    "Success": ordinary.success,
    "SDCG": ordinary.sdcg,
}
ANY = "nDCG P R RBP RR AP ERR Success SDCG".split()


def ours(base: str, qrels: Qrels, run: Run, cutoff: int | None = None, max_rel: int | None = None) -> np.ndarray:
    return user_model(base, cutoff, max_rel).score(JudgedRun(Judgements.of(qrels), RankedRun.of(run)))


def theirs(provider: ir_measures.Provider, measure: ir_measures.Measure, qrels: Qrels, run: Run) -> list[float]:
    """What a provider of ir_measures says, 0 for topics that it leaves out."""
    found = {metric.query_id: metric.value for metric in provider.iter_calc([measure], qrels, run)}
    return [found.get(topic, 0.0) for topic in qrels]


def some_not_negative(qrels: Qrels) -> Qrels:
    """A topic whose judgements are all negative can send trec_eval into an endless loop."""
    return {topic: judged if max(judged.values()) >= 0 else {**judged, "d0": 0} for topic, judged in qrels.items()}


@settings(max_examples=40)
@given(qrels_of_topics.map(some_not_negative), runs, st.integers(1, 14), st.integers(1, 3))
def test_trec_eval(qrels: Qrels, run: Run, cutoff: int, rel: int) -> None:
    for measure in [
        nDCG,
        nDCG @ cutoff,
        nDCG(gains={0: 0, 1: 5, 3: 2}) @ cutoff,
        P(rel=rel) @ cutoff,
        R(rel=rel) @ cutoff,
        RR(rel=rel),
        AP(rel=rel),
        AP(rel=rel) @ cutoff,
        Success(rel=rel) @ cutoff,
    ]:
        base, at = canonical_base(measure, tuple(ANY))
        expected = theirs(ir_measures.pytrec_eval, measure, qrels, run)
        assert ours(base, qrels, run, at) == pytest.approx(expected, abs=1e-12), measure


@settings(max_examples=40)
@given(qrels_of_topics.map(some_not_negative), runs, cutoffs)
def test_exponential_gain_is_a_gain_table_of_trec_eval(qrels: Qrels, run: Run, cutoff: int | None) -> None:
    table = nDCG(gains={grade: 2**grade - 1 for grade in range(4)})
    expected = theirs(ir_measures.pytrec_eval, table if cutoff is None else table @ cutoff, qrels, run)
    assert ours("nDCG(dcg='exp-log2')", qrels, run, cutoff) == pytest.approx(expected, abs=1e-12)


def distinct(run: Run) -> Run:
    """The same rankings with distinct scores: the peer breaks ties by the order of the rows."""
    return {
        topic: {document: float(-rank) for rank, document in enumerate(ordinary.ranked(scores))}
        for topic, scores in run.items()
    }


@settings(max_examples=40)
@given(qrels_of_topics, runs, st.sampled_from([0.25, 0.5, 0.8, 0.95]))
def test_rbp_of_cwl_eval(qrels: Qrels, run: Run, p: float) -> None:
    pytest.importorskip("cwl", reason="needs cwl-eval, the peer for RBP")
    expected = theirs(ir_measures.cwl_eval, RBP(p=p, rel=1), qrels, distinct(run))
    assert ours(f"RBP(p={p})", qrels, run) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(qrels_of_topics, runs, st.integers(1, 14), st.integers(1, 4))
def test_sdcg_of_cwl_eval(qrels: Qrels, run: Run, cutoff: int, max_rel: int) -> None:
    """Grades go up to 3: one above max_rel counts as max_rel."""
    pytest.importorskip("cwl", reason="needs cwl-eval, the peer for SDCG")
    expected = theirs(ir_measures.cwl_eval, SDCG(max_rel=max_rel) @ cutoff, qrels, distinct(run))
    assert ours(f"SDCG(max_rel={max_rel})", qrels, run, cutoff) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(qrels_of_topics, runs, cutoffs, st.integers(1, 3), st.sampled_from([0.0, 0.5, 0.8]))
def test_slow_twin(qrels: Qrels, run: Run, cutoff: int | None, rel: int, p: float) -> None:
    for name, options in {
        "nDCG": {"gains": {1: 5, 2: 0.5, -1: 2}},
        "R": {"rel": rel},
        "RBP": {"p": p, "rel": rel},
        "RR": {"rel": rel},
        "AP": {"rel": rel},
        "ERR": {},
    }.items():
        base = f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})"
        expected = per_topic(SLOW[name], qrels, run, cutoff, **options)
        assert ours(base, qrels, run, cutoff) == pytest.approx(expected, abs=1e-12), base
    if cutoff is not None:
        for name, options in {"P": {"rel": rel}, "Success": {"rel": rel}, "SDCG": {"max_rel": rel}}.items():
            base = f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})"
            expected = per_topic(SLOW[name], qrels, run, cutoff, **options)
            assert ours(base, qrels, run, cutoff) == pytest.approx(expected, abs=1e-12), base


@settings(max_examples=40)
@given(qrels_of_topics, runs, cutoffs, st.integers(3, 5))
def test_err_with_another_highest_grade(qrels: Qrels, run: Run, cutoff: int | None, max_rel: int) -> None:
    expected = per_topic(ordinary.err, qrels, run, cutoff, max_rel=max_rel)
    assert ours("ERR", qrels, run, cutoff, max_rel) == pytest.approx(expected, abs=1e-12)


def test_err_of_gdeval_on_a_worked_example() -> None:
    """Grades 4, 0, 2 with stop probabilities 15/16, 0 and 3/16: 15/16 + (1/3) (1/16) (3/16)."""
    score = ours("ERR", {"q1": {"a": 4, "c": 2}}, run_of("abc"))
    assert score == pytest.approx([15 / 16 + 1 / 3 * 1 / 16 * 3 / 16], abs=1e-15)


def test_a_grade_that_2_to_the_power_of_it_overflows_is_refused() -> None:
    with pytest.raises(ValueError, match="grade 1025 is too high for dcg='exp-log2'"):
        ours("nDCG(dcg='exp-log2')", {"q1": {"a": 1025}}, run_of("a"))


def test_ties_are_broken_by_document_id_descending() -> None:
    tied = {"q1": {"d1": 1.0, "d10": 1.0, "d2": 1.0}}  # d2, d10, d1 as strings
    assert [ours("RR", {"q1": {document: 1}}, tied)[0] for document in ("d2", "d10", "d1")] == [1, 1 / 2, 1 / 3]


def test_the_length_of_other_lists_does_not_change_a_bit() -> None:
    qrels = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {f"d{i}": i % 3 for i in range(300)}}
    short, long = run_of("cab"), run_of([f"d{i}" for i in range(500)])["q1"]
    for base in ("nDCG", "R", "RBP", "RR", "AP", "ERR"):
        assert ours(base, qrels, short)[0] == ours(base, qrels, {**short, "q2": long})[0], base


@pytest.mark.parametrize("base", ANY)
def test_empty_ranking_and_topic_without_documents_are_0(base: str) -> None:
    base = "SDCG(max_rel=3)" if base == "SDCG" else base
    qrels: Qrels = {"q1": {"a": 1}, "nothing judged": {}}
    assert ours(base, qrels, {}, 10).tolist() == [0.0, 0.0]
    assert ours(base, qrels, {"nothing judged": {"a": 1.0}}, 10).tolist() == [0.0, 0.0]


def test_a_model_is_a_value() -> None:
    """What is worked out for a model is kept under it: equal ones are one key, others never share one."""
    models = {
        make(): None
        for make in [
            lambda: NDCG(10),
            lambda: NDCG(5),
            lambda: NDCG(10, "exp-log2"),
            lambda: NDCG(10, gains={1: 5}),
            lambda: NDCG(10, gains={1: 6}),
            lambda: Precision(10),
            lambda: Recall(10),
            lambda: Recall(10, rel=2),
            lambda: ReciprocalRank(10),
            lambda: ERR(10),
            lambda: ERR(10, max_rel=2),
        ]
        for _ in range(2)
    }
    assert len(models) == 11


class TestCanonicalBase:
    """The text by which a relative measure keeps its base."""

    @pytest.mark.parametrize(
        ("given", "text", "cutoff"),
        [
            (nDCG @ 10, "nDCG", 10),
            ("NDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')", 5),
            ("nDCG(dcg='log2', gains={2: 2, -1: 0})", "nDCG", None),
            (nDCG(gains={2: 3, 1: 2.0}), "nDCG(gains={1:2,2:3})", None),
            ("MAP(rel=2)", "AP(rel=2)", None),
            (P(rel=1) @ 5, "P", 5),
            ("RBP(rel=2, p=0.5)", "RBP(p=0.5,rel=2)", None),
            (RBP(p=np.float64(0.8)), "RBP", None),
            ("nDCG(judged_only=False)", "nDCG", None),
        ],
    )
    def test_text(self, given: object, text: str, cutoff: int | None) -> None:
        found, at = canonical_base(given, tuple(ANY))
        assert (found.replace(" ", ""), at) == (text, cutoff)
        assert canonical_base(found, tuple(ANY)) == (found, None)  # reading it again changes nothing

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ("Bpref", "base must be one of nDCG, P.*, got Bpref"),
            ("nDCG(judged_only=True)", "judged_only is not supported"),
            ("RBP(p=1.0)", "p must be a number of at least 0 and below 1, got 1.0"),
            ("P(rel=0)@5", "rel must be an integer from 1 to .*, got 0"),
            ("P@0", "cutoff must be an integer from 1 to .*, got 0"),
            ("nDCG(gains={1: -1})", "gives grade 1 the gain -1; gains must be numbers from 0"),
            ("SDCG@10", "base=SDCG requires max_rel"),
            ("nDCG(dcg='ln')", "dcg"),
        ],
    )
    def test_refused(self, given: str, sentence: str) -> None:
        with pytest.raises(ValueError, match="(?s)" + sentence.replace("(", r"\(")):
            canonical_base(given, tuple(ANY))
