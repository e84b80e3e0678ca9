"""MED on random topics against brute force over all labels, its witnesses and its identities."""

from __future__ import annotations

import pickle

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RBP, nDCG
from reference import med as slow
from support.med_cases import EVERY, fast, in_one_call, random_topics, run_of, text

from ir_measures_relative._base.text import parse_measure
from ir_measures_relative.measures.med import MED

B = slow.Base


@pytest.mark.parametrize("base", EVERY, ids=text)
def test_both_ends_are_those_of_brute_force(base: B) -> None:
    topics = random_topics(base, 60, seed=1, n_free=7 if base.binary else 4)
    _, result = in_one_call(base, topics)
    brute = np.array([slow.extremes(base, *t, max_rel=base.max_rel) for t in topics])
    np.testing.assert_allclose(result.below, brute[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.above, brute[:, 1], rtol=0, atol=1e-12)
    assert (result.med == np.maximum(result.above, -result.below)).all()


@pytest.mark.parametrize("base", [b for b in EVERY if b.name in ("nDCG", "AP") and b.norm != "k"], ids=text)
@pytest.mark.parametrize("unseen", [1, 3])
def test_unseen_documents(base: B, unseen: int) -> None:
    """They move inner signed ends as brute force over their number and grades says, and never MED."""
    topics = random_topics(base, 40, seed=2 + unseen, n_free=3)
    _, result = in_one_call(base, topics, unseen=unseen)
    _, without = in_one_call(base, topics)
    brute = np.array([slow.extremes(base, *t, max_rel=base.max_rel, unseen=unseen) for t in topics])
    np.testing.assert_allclose(result.below, brute[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.above, brute[:, 1], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(result.med, without.med)
    moved = (result.above != without.above) | (result.below != without.below)
    assert moved.any()
    assert ((without.above < 0) | (without.below > 0))[moved].all()


@pytest.mark.parametrize("base", [b for b in EVERY if b.name == "Q"], ids=text)
@pytest.mark.parametrize("unseen", [1, 3])
def test_unseen_documents_of_q(base: B, unseen: int) -> None:
    """Every number of them counts, since R weighs the ranks; either end can move, and MED with it."""
    topics = random_topics(base, 60, seed=40 + unseen, n_free=3)
    _, result = in_one_call(base, topics, unseen=unseen)
    brute = np.array([slow.extremes(base, *t, unseen=unseen) for t in topics])
    np.testing.assert_allclose(result.below, brute[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.above, brute[:, 1], rtol=0, atol=1e-12)


def test_unseen_documents_can_raise_med_of_q() -> None:
    """One more relevant document makes rank 2 count as in a list of two: unlike nDCG and AP."""
    topics = [(["a"], ["x", "a"], {"a": 1, "x": 0})]
    (_, without), (_, with_one) = (in_one_call(B("Q", k=2, beta=3.0), topics, unseen=u) for u in (0, 1))
    assert without.med[0] == pytest.approx(1 - 4 / 5, abs=1e-15)
    assert with_one.med[0] == pytest.approx((1 - 1 / 2) / 2, abs=1e-15)


def test_q_of_beta_0_is_ap() -> None:
    topics = random_topics(B("AP", k=5), 60, seed=44)
    (_, q), (_, ap) = (in_one_call(base, topics) for base in (B("Q", k=5, beta=0.0), B("AP", k=5)))
    np.testing.assert_allclose(q.above, ap.above, rtol=0, atol=1e-12)
    np.testing.assert_allclose(q.below, ap.below, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "base",
    [B("nDCG", k=4), B("nDCG", k=4, max_rel=1, dcg="exp-log2"), B("P", k=4), B("AP", k=4), B("SDCG", k=4)],
    ids=text,
)
def test_known_grades_above_max_rel(base: B) -> None:
    topics = random_topics(base, 40, seed=5, n_free=5, top=4)
    _, result = in_one_call(base, topics)
    brute = np.array([slow.extremes(base, *t, max_rel=1) for t in topics])
    np.testing.assert_allclose(np.stack([result.below, result.above], axis=1), brute, rtol=0, atol=1e-12)


@pytest.mark.parametrize("base", EVERY, ids=text)
def test_witness_attains_the_value(base: B) -> None:
    topics = random_topics(base, 40, seed=7, n_free=12)
    qrels, result = in_one_call(base, topics, unseen=2)
    for q, (y, z, known) in enumerate(topics):
        for value in ("above", "below", "med"):
            labels = result.witness(str(q), value=value)
            assert {d for d in labels if "unseen" not in d} == set(slow.free_documents(base, y, z, known))
            completed = {**known, **labels}
            difference = slow.score(base, y, completed) - slow.score(base, z, completed)
            attained = abs(difference) if value == "med" else difference
            assert attained == pytest.approx(getattr(result, value)[q], abs=1e-12)


def in_ir_measures(base: B) -> ir_measures.Measure:
    """The base as ir_measures computes it to full precision (gdeval, for exp-log2, prints five digits)."""
    if base.dcg == "exp-log2":
        return nDCG(gains={g: 2**g - 1 for g in range(base.max_rel + 1)}) @ base.k
    if base.name == "RBP":
        return RBP(p=base.p, rel=1)  # of lists that are cut already: no provider cuts RBP with rel
    return ir_measures.parse_measure(text(base))


# ir_measures has no Q-measure, no SDCG of exponential gains, and its ERR has another highest grade
KNOWN_TO_IR_MEASURES = [
    b
    for b in EVERY
    if b.name not in ("ERR", "Q") and b.norm == "R" and 0 not in b.gains and (b.name, b.dcg) != ("SDCG", "exp-log2")
]


@pytest.mark.parametrize("base", KNOWN_TO_IR_MEASURES, ids=text)
def test_witness_attains_the_value_in_ir_measures(base: B) -> None:
    """Re-scored by trec_eval's or cwl_eval's own code, both lists, with the labels added to the qrels."""
    topics = [
        (y, z, {d: max(g, 0) for d, g in known.items()} | {"o": 0})
        for y, z, known in random_topics(base, 40, seed=8, n_free=12)
    ]
    topics = [t for t in topics if t[0] and t[1]]  # ir_measures gives a topic that a run lacks no row
    qrels, result = in_one_call(base, topics)
    for value in ("above", "below"):
        completed = {q: {**known, **result.witness(q, value=value)} for q, known in qrels.items()}
        scores = []
        for side in (0, 1):
            run = run_of(*(t[side][: base.k] for t in topics))
            scores.append({m.query_id: m.value for m in ir_measures.iter_calc([in_ir_measures(base)], completed, run)})
        difference = [scores[0][q] - scores[1][q] for q in qrels]
        np.testing.assert_allclose(difference, getattr(result, value), rtol=0, atol=1e-12)


@pytest.mark.parametrize("base", EVERY, ids=text)
def test_long_lists_with_few_free_documents(base: B) -> None:
    """Brute force again, with the free documents scattered over lists of twenty."""
    rng = np.random.default_rng(29)
    wide = B(**{**vars(base), "k": base.k and 18})
    pool, n_free = [f"d{i}" for i in range(26)], 8 if base.binary else 4
    topics = []
    for _ in range(4):
        y, z = (list(rng.permutation(pool)[:20]) for _ in range(2))
        known = {d: int(rng.integers(0, 3) == 0) for d in rng.permutation(pool)[n_free:]}
        topics.append((y, z, known))
    _, result = in_one_call(wide, topics)
    brute = np.array([slow.extremes(wide, *t, max_rel=base.max_rel) for t in topics])
    np.testing.assert_allclose(np.stack([result.below, result.above], axis=1), brute, rtol=0, atol=1e-12)


@pytest.mark.parametrize("base", EVERY, ids=text)
def test_no_completion_is_farther_apart(base: B) -> None:
    """Beyond the reach of brute force: random labels of many free documents stay inside the ends."""
    rng = np.random.default_rng(11)
    documents = [f"d{i}" for i in range(30)]
    y, z = (list(rng.permutation(documents)[:20]) for _ in range(2))
    known = {d: int(rng.integers(0, 2)) for d in rng.permutation(documents)[:6]}
    wide = B(**{**vars(base), "k": base.k and 20})
    result = fast(wide, {"0": known}, run_of(y), run_of(z))
    free = slow.free_documents(wide, y, z, known)
    grades = [0, base.rel] if base.binary else list(range(base.max_rel + 1))
    for share in rng.random(60):
        labels = {d: int(rng.choice(grades)) if rng.random() < share else 0 for d in free}
        difference = slow.score(wide, y, {**known, **labels}) - slow.score(wide, z, {**known, **labels})
        assert result.below[0] - 1e-12 <= difference <= result.above[0] + 1e-12


rankings = st.lists(st.sampled_from("abcdefg"), max_size=6, unique=True)
grades = st.dictionaries(st.sampled_from("abcdefgxyz"), st.integers(0, 2), max_size=7)


@settings(max_examples=60)
@given(rankings, rankings, grades, st.sampled_from(EVERY))
def test_symmetry_and_identity(y: list, z: list, known: dict, base: B) -> None:
    qrels = {"0": known}
    forth, back = fast(base, qrels, run_of(y), run_of(z)), fast(base, qrels, run_of(z), run_of(y))
    assert forth.med[0] == back.med[0]
    assert forth.above[0] == -back.below[0]
    same = fast(base, qrels, run_of(y), run_of(y))
    assert same.med[0] == same.above[0] == same.below[0] == 0.0
    assert same.verdict == "equal"


@settings(max_examples=60)
@given(rankings, rankings, grades, st.integers(1, 7))
def test_med_of_ap_with_norm_min(y: list, z: list, known: dict, k: int) -> None:
    distances = {
        norm: fast(B("AP", k=k, norm=norm), {"0": known}, run_of(y), run_of(z)).med[0] for norm in ("R", "min", "k")
    }
    assert distances["min"] == pytest.approx(max(distances["R"], distances["k"]), abs=1e-12)


@settings(max_examples=40)
@given(rankings, rankings, grades)
def test_rbp_tail(y: list, z: list, known: dict) -> None:
    """The favoured list goes on with relevant documents alone; identical lists are p^min(K, length) apart."""
    base = B("RBP", k=4, p=0.7)
    result = fast(base, {"0": known}, run_of(y), run_of(z), residual=True)
    low, high = slow.extremes(base, y, z, known, residual=True)
    assert (result.below[0], result.above[0]) == pytest.approx((low, high), abs=1e-12)
    same = fast(base, {"0": known}, run_of(y), run_of(y), residual=True)
    assert same.med[0] == pytest.approx(0.7 ** min(4, len(y)), abs=1e-15)


@pytest.mark.parametrize("base", EVERY, ids=text)
def test_a_topic_does_not_depend_on_the_others(base: B) -> None:
    topics = random_topics(base, 12, seed=13)
    topics.append((["d1", *"abcdefghijk"], list("kjihgfedcba"), {"x": 1}))
    _, together = in_one_call(base, topics)
    for q, topic in enumerate(topics):
        _, alone = in_one_call(base, [topic])
        assert (alone.above[0], alone.below[0]) == (together.above[q], together.below[q])


@pytest.mark.parametrize("base", EVERY, ids=text)
def test_measure_and_function_agree(base: B) -> None:
    topics = random_topics(base, 20, seed=17)
    qrels, result = in_one_call(base, topics, residual=True)
    run, reference = run_of(*(t[0] for t in topics)), run_of(*(t[1] for t in topics))
    options = {} if base.binary else {"max_rel": base.max_rel}
    for direction, values in (("both", result.med), ("above", result.above), ("below", result.below)):
        measure = MED(reference=reference, base=text(base), direction=direction, norm=base.norm, **options)
        again = pickle.loads(pickle.dumps(parse_measure(str(measure))))
        assert again == measure
        for m in (measure, again):
            got = {row.query_id: row.value for row in m.iter_calc(qrels, run)}
            assert list(got) == list(qrels)
            assert list(got.values()) == values.tolist()
