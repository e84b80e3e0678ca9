"""MED on random topics against brute force over all labels, its identities, and its refusals."""

from __future__ import annotations

import pickle

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RBP, RR, P, nDCG
from med_cases import fast, run_of, text
from reference import med as slow

from ir_measures_relative.extremes.labellings import BASES as ACCEPTED
from ir_measures_relative.measure_strings import parse_measure
from ir_measures_relative.measures.med import MED
from ir_measures_relative.pairwise_med import med, med_matrix

B = slow.Base
BINARY = [
    B("P", k=5),
    B("RBP", k=5, p=0.7),
    B("RR", k=5),
    B("AP", k=5),
    B("AP", k=5, norm="min"),
    B("AP", k=5, norm="k"),
    B("nDCG", k=5),
    B("P", k=5, rel=2),
    B("AP", k=5, rel=2),
]
WHOLE = [
    B("RBP", p=0.9),
    B("RR"),
    B("AP"),
    B("AP", norm="min"),
    B("nDCG"),
    B("nDCG", max_rel=2),
    B("ERR", max_rel=2),
]
GRADED = [
    B("nDCG", k=4, max_rel=2),
    B("nDCG", k=4, max_rel=3, dcg="exp-log2"),
    B("nDCG", k=4, max_rel=2, gains={1: 5}),
    B("nDCG", k=3, max_rel=2, gains={0: 1, 2: 0.5}),
    B("nDCG", k=4, max_rel=3, gains={1: 0, 2: 4}),
    B("SDCG", k=4, max_rel=2),
    B("ERR", k=4, max_rel=2),
    B("ERR", k=4, max_rel=4),
]
EVERY = BINARY + WHOLE + GRADED


def random_topic(rng: np.random.Generator, base: B, n_free: int, top: int) -> tuple[list, list, dict]:
    """Two lists of different length, at most ``n_free`` free documents in them, some grades in neither."""
    pool = [f"d{i}" for i in range(rng.integers(2, 10))]
    y, z = (list(rng.permutation(pool)[: rng.integers(0, len(pool) + 1)]) for _ in range(2))
    if rng.random() < 0.3:  # nearly the same list
        z = list(y)
        if len(z) > 1:
            i = rng.integers(len(z) - 1)
            z[i], z[i + 1] = z[i + 1], z[i]
    known = {d: int(rng.integers(-1, top + 1)) for d in pool if rng.random() < rng.choice([0.1, 0.5, 0.9])}
    known |= {f"o{i}": int(rng.integers(0, top + 1)) for i in range(rng.integers(0, 4))}
    free = slow.free_documents(base, y, z, known)
    known |= {d: int(rng.integers(0, top + 1)) for d in free[n_free:]}
    return y, z, known


def random_topics(base: B, n_topics: int, seed: int, n_free: int = 5, top: int | None = None) -> list:
    rng = np.random.default_rng(seed)
    if top is None:
        top = 2 if base.binary else base.max_rel
    return [random_topic(rng, base, n_free, top) for _ in range(n_topics)]


def in_one_call(base: B, topics: list, **options: object):  # noqa: ANN201
    """All topics at once, so that a value that leaks from one topic into another shows."""
    qrels = {str(q): known for q, (_, _, known) in enumerate(topics)}
    return qrels, fast(
        base, qrels, run_of(*(t[0] for t in topics)), run_of(*(t[1] for t in topics)), **options
    )


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


@pytest.mark.parametrize(
    "base", [B("nDCG", k=4), B("nDCG", k=4, max_rel=1, dcg="exp-log2"), B("P", k=4), B("AP", k=4)], ids=text
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
            labels = result.witness(str(q), value)
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


@pytest.mark.parametrize(
    "base", [b for b in EVERY if b.name != "ERR" and b.norm == "R" and 0 not in b.gains], ids=text
)
def test_witness_attains_the_value_in_ir_measures(base: B) -> None:
    """Re-scored by trec_eval's or cwl_eval's own code, both lists, with the labels added to the qrels."""
    topics = [
        (y, z, {d: max(g, 0) for d, g in known.items()} | {"o": 0})
        for y, z, known in random_topics(base, 40, seed=8, n_free=12)
    ]
    topics = [t for t in topics if t[0] and t[1]]  # ir_measures gives a topic that a run lacks no row
    qrels, result = in_one_call(base, topics)
    for value in ("above", "below"):
        completed = {q: {**known, **result.witness(q, value)} for q, known in qrels.items()}
        scores = []
        for side in (0, 1):
            run = run_of(*(t[side][: base.k] for t in topics))
            scores.append(
                {m.query_id: m.value for m in ir_measures.iter_calc([in_ir_measures(base)], completed, run)}
            )
        difference = [scores[0][q] - scores[1][q] for q in qrels]
        np.testing.assert_allclose(difference, getattr(result, value), rtol=0, atol=1e-12)


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
    assert same.verdict == ["equal"]


@settings(max_examples=60)
@given(rankings, rankings, grades, st.integers(1, 7))
def test_med_of_ap_with_norm_min(y: list, z: list, known: dict, k: int) -> None:
    distances = {
        norm: fast(B("AP", k=k, norm=norm), {"0": known}, run_of(y), run_of(z)).med[0]
        for norm in ("R", "min", "k")
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
    with pytest.raises(ValueError, match="max_rel=4 is above the highest grade of base=SDCG"):
        MED(base="SDCG(max_rel=3)@2", max_rel=4)


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
        name: run_of(*(list(rng.permutation(list("abcdefgh"))[: 3 + i]) for i in range(4)))
        for name in ("x", "y", "z")
    }
    qrels = {str(q): {"a": 2, "b": 0, "w": 1} for q in range(4)}
    for base in (nDCG @ 4, RBP @ 4, AP @ 4):
        table = med_matrix(qrels, runs, base)
        assert list(table.index) == list(table.columns) == ["x", "y", "z"]
        np.testing.assert_array_equal(table, table.T)
        for a in runs:
            for b in runs:
                assert table.loc[a, b] == pytest.approx(
                    med(qrels, runs[a], runs[b], base).med.mean(), abs=1e-15
                )
    assert np.diag(med_matrix(qrels, runs)).tolist() == [0.0] * 3
    tail = np.mean([0.8**3, 0.8**4, 0.8**4, 0.8**4])
    assert np.diag(med_matrix(None, runs, RBP @ 4)) == pytest.approx([tail] * 3)
    with pytest.raises(TypeError, match="dict of name: run"):
        med_matrix(qrels, list(runs.values()))  # type: ignore[arg-type]


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
    with pytest.raises(ValueError, match="document 'a' of topic 'q' has the grade 2, above max_rel=1"):
        med({"q": {"a": 2}}, run, run, ERR @ 5, max_rel=1)
    assert med({"q": {"a": 2}}, run, {}, ERR @ 5, max_rel=1, judged="none").above[0] == 0.5
    twice = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1, 2]})
    with pytest.raises(ValueError, match="reference: document 'a' of topic 'q' occurs twice"):
        med(None, run, twice, RR)
    assert MED.DIRECTION == "neither"
