"""prob_better without labels against its slow twin: exact, on a grid and sampled; and the properties of its model."""

from __future__ import annotations

import random
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import prob_better as twin
from reference.bounds import gain_of

import ir_measures_relative as imr
from ir_measures_relative._judged.joined_runs import JudgedRun, common_codes
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run
from ir_measures_relative._labels import bootstrapped_pair, outcomes
from ir_measures_relative._labels.bootstrapped_pair import ProbBetter, Signs
from ir_measures_relative._labels.outcomes import Outcomes

pytestmark = pytest.mark.filterwarnings("ignore:.*no judged non-relevant document")
PRIORS = ("pool", "run", "pool+run")


def as_run(ranking: list[str]) -> dict[str, float]:
    return {doc: float(-rank) for rank, doc in enumerate(ranking)}


def compared(topics: list, k: int | None, **params) -> ProbBetter:
    """prob_better over [(ranking of a, ranking of b, qrels)]; an empty ranking is a topic that the run lacks."""
    qrels = {f"q{i}": judged for i, (_, _, judged) in enumerate(topics)}
    run_a = {f"q{i}": as_run(a) for i, (a, _, _) in enumerate(topics) if a}
    run_b = {f"q{i}": as_run(b) for i, (_, b, _) in enumerate(topics) if b}
    return imr.prob_better(qrels, run_a, run_b, k, **params)


def chances(found: ProbBetter) -> tuple[float, float, float]:
    return found.a_better, found.b_better, found.tie


@st.composite
def topic(draw, longest: int = 4) -> tuple[list[str], list[str], dict[str, int]]:
    """Two rankings and qrels over the same few documents; any of them may be empty."""
    docs = [f"d{i}" for i in range(draw(st.integers(0, 7)))]
    judged = draw(st.lists(st.booleans(), min_size=len(docs), max_size=len(docs)))
    highest = draw(st.sampled_from([1, 2, 3]))
    qrels = {doc: draw(st.integers(-1, highest)) for doc, is_judged in zip(docs, judged, strict=True) if is_judged}
    a, b = (list(draw(st.permutations(docs)))[: draw(st.integers(0, longest))] for _ in range(2))
    return a, b, qrels


scarce = st.tuples(  # few relevant documents in the pool for many unjudged ones: levels run out
    st.permutations(["x", "y", "z", "j"]).map(list),
    st.permutations(["x", "y", "z", "w"]).map(list),
    st.fixed_dictionaries({"j": st.integers(0, 2), "o": st.integers(1, 3), "p": st.integers(0, 2)}),
)


@given(
    st.lists(topic(), min_size=1, max_size=2),
    st.sampled_from([None, 1, 2, 3, 50]),
    st.sampled_from(PRIORS),
    st.sampled_from(["log2", "exp-log2"]),
    st.sampled_from([None, {1: 5}, {2: 0}]),
    st.sampled_from(["topic", "collection"]),
)
def test_equals_the_twin(topics, k, prior, dcg, gains, pool):
    found = compared(topics, k, prior=prior, dcg=dcg, gains=gains, pool=pool)
    expected = twin.prob_better(topics, k, lambda grade: gain_of(grade, dcg, gains), prior, pool)
    assert (*chances(found), found.mean_a, found.mean_b) == pytest.approx(expected, abs=1e-11)
    assert found.exact and sum(chances(found)) == pytest.approx(1, abs=1e-12)


@given(scarce, st.sampled_from(PRIORS))
def test_equals_the_twin_when_levels_run_out(one, prior):
    found = compared([one], 4, prior=prior)
    expected = twin.prob_better([one], 4, gain_of, prior)
    assert (*chances(found), found.mean_a, found.mean_b) == pytest.approx(expected, abs=1e-11)
    (row,) = found.topics
    assert (row.a_better, row.b_better, row.tie) == pytest.approx(expected[:3], abs=1e-11)


@pytest.mark.filterwarnings("ignore:prob_better")
@given(
    st.lists(st.one_of(topic(3), scarce), min_size=1, max_size=2),
    st.sampled_from([2, 1 << 16]),
)
def test_the_bracket_contains_the_truth_when_nothing_may_be_exact(topics, listed):
    """Topics are sampled, or listed and combined on a grid; 1 in 10^6 examples may fail."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrapped_pair, "LISTED", listed)
        patch.setattr(outcomes, "LISTED", 2)
        found = compared(topics, 3)
    expected = twin.prob_better(topics, 3, gain_of)
    assert (found.mean_a, found.mean_b) == pytest.approx(expected[3:], abs=1e-11)
    for (low, high), truth in zip(found.bracket.values(), expected[:3], strict=True):
        assert low - 1e-12 <= truth <= high + 1e-12
    for (low, high), estimate in zip(found.bracket.values(), chances(found), strict=True):
        assert low - 1e-12 <= estimate <= high + 1e-12
    assert sum(chances(found)) == pytest.approx(1, abs=1e-12)
    for row, one in zip(found.topics, topics, strict=True):
        truth = twin.prob_better([one], 3, gain_of)
        assert abs(row.a_better - truth[0]) <= row.undecided + 1e-12
        assert abs(row.tie - truth[2]) <= row.undecided + 1e-12


def deep(n_grades: int, per_grade: int, depth: int, n_topics: int = 1) -> tuple[dict, dict, dict]:
    """Qrels with so many documents of each grade, and two runs with nearly everything unjudged."""
    source = random.Random(n_grades * per_grade + depth)
    qrels, a, b = {}, {}, {}
    for t in range(n_topics):
        judged = [f"j{g}-{i}" for g in range(n_grades) for i in range(per_grade)]
        qrels[str(t)] = {doc: int(doc[1 : doc.index("-")]) for doc in judged}
        rankings = []
        for own in "ab":
            docs = source.sample(judged, len(judged) // 4) + [f"{own}{i}" for i in range(depth)]
            docs += [f"s{i}" for i in range(depth // 3)]
            source.shuffle(docs)
            rankings.append(docs[:depth])
        a[str(t)], b[str(t)] = map(as_run, rankings)
    return qrels, a, b


@pytest.mark.filterwarnings("ignore:prob_better")
@pytest.mark.parametrize(("n_grades", "per_grade", "depth"), [(3, 100, 1000), (8, 20, 150), (2, 100, 1000)])
def test_deep_cutoffs(n_grades, per_grade, depth):
    """Thousands of labels: sampled, with a standard error below .0036."""
    qrels, a, b = deep(n_grades, per_grade, depth)
    found = imr.prob_better(qrels, a, b, depth)
    assert found.form == "band" and found.topics[0].form == "band"
    assert 0 < found.error <= 0.0036 and found.undecided < 0.04
    means = [imr.boot_ndcg(qrels, run, depth).mean for run in (a, b)]
    assert (found.mean_a, found.mean_b) == pytest.approx(means, abs=1e-12)
    other = imr.prob_better(qrels, b, a, depth)
    assert (other.b_better, other.a_better, other.tie, other.bracket["a_better"]) == (
        *chances(found),
        found.bracket["b_better"],
    )
    assert imr.prob_better(qrels, a, a, depth).tie == 1.0


def test_means_are_those_of_boot_ndcg_at_any_depth():
    """2 grades x 100 judged, K = 1000: .7441 was printed where .6792 was true."""
    qrels, a, b = deep(2, 100, 1000)
    found = imr.prob_better(qrels, a, b, 1000)
    scores = imr.boot_ndcg(qrels, a, 1000)["0"]
    assert found.mean_a == scores.mean and scores.standard_error == 0
    assert found.form == "band" and "standard error 0.00" in repr(found)
    assert found.error == pytest.approx((found.a_better * found.b_better / 20_000) ** 0.5, rel=1e-3)


def test_the_standard_error_of_labelled_runs_is_that_of_their_draws():
    """4,020 labellings are drawn for a pair with many unjudged documents."""
    source = random.Random(4)
    qrels = {str(t): {f"j{i}": source.randint(0, 2) for i in range(9)} for t in range(9)}
    runs = [{t: as_run(source.sample([f"{r}{i}" for i in range(7)], 5) + ["j1"]) for t in qrels} for r in "ab"]
    found = imr.prob_better(qrels, *runs, labels=imr.LabelModel.shares({0: 0.5, 1: 0.3, 2: 0.2}))
    chances = found.a_better, found.b_better, found.tie
    assert found.n_drawn == 4020 and found.form == "band"
    assert found.error == max((p * (1 - p) / 4020) ** 0.5 for p in chances) > 0.004


@pytest.mark.filterwarnings("ignore:prob_better")
def test_a_sampled_topic_has_the_joint_distribution():
    """One label for a document in both runs, supplies that run out: against the twin's own draws; 1 in 10^6 fails."""
    qrels, a, b = deep(3, 6, 30)
    found = imr.prob_better(qrels, a, b, 30)
    assert found.form == "band"
    rankings = [sorted(run["0"], key=run["0"].__getitem__, reverse=True) for run in (a, b)]
    source = random.Random(3)
    above = [twin.drawn_difference(*rankings, qrels["0"], 30, gain_of, source) > 1e-12 for _ in range(4000)]
    assert abs(found.a_better - sum(above) / 4000) < 5.3 * (0.25 / 4000 + 0.25 / 20000) ** 0.5


@given(st.lists(topic(), min_size=1, max_size=4), st.sampled_from([None, 2, 10]))
def test_exchanged_runs_give_exchanged_answers(topics, k):
    found = compared(topics, k)
    other = compared([(b, a, qrels) for a, b, qrels in topics], k)
    assert (other.b_better, other.a_better, other.tie) == chances(found)
    assert (other.mean_b, other.mean_a, other.undecided) == (found.mean_a, found.mean_b, found.undecided)
    assert other.bracket["a_better"] == found.bracket["b_better"]
    for one, swapped in zip(found.topics, other.topics, strict=True):
        assert (one.a_better, one.mean_a, one.unjudged_a) == (swapped.b_better, swapped.mean_b, swapped.unjudged_b)
        assert (one.b_better, one.tie, one.form) == (swapped.a_better, swapped.tie, swapped.form)


@given(st.lists(topic(), min_size=1, max_size=4), st.sampled_from([None, 2, 10]))
def test_a_run_against_itself_is_a_sure_tie(topics, k):
    found = compared([(a, a, qrels) for a, _, qrels in topics], k)
    assert chances(found) == (0.0, 0.0, 1.0)
    assert found.exact and found.mean_a == found.mean_b


@given(topic(), st.sampled_from(PRIORS))
def test_against_a_judged_run_it_is_bootstrapped_ndcg(one, prior):
    a, b, qrels = one
    b = [doc for doc in b if doc in qrels]
    found = compared([(a, b, qrels)], 3, prior=prior)
    scores = imr.boot_ndcg({"q0": qrels}, {"q0": as_run(a)}, 3, prior=prior)["q0"]
    other = imr.boot_ndcg({"q0": qrels}, {"q0": as_run(b)}, 3, prior=prior)["q0"].mean
    assert found.mean_a == pytest.approx(scores.mean, abs=1e-12)
    above, below = scores.support > other + 1e-12, scores.support < other - 1e-12
    assert found.a_better == pytest.approx(scores.probability[above].sum(), abs=1e-12)
    assert found.b_better == pytest.approx(scores.probability[below].sum(), abs=1e-12)


def test_one_label_per_document():
    """Two runs that differ in the place of one unjudged document: the one that has it higher is never worse."""
    found = compared([(["x", "j", "n"], ["j", "n", "x"], {"j": 0, "n": 0, "r": 1})], 3, prior="pool")
    assert chances(found) == pytest.approx((1 / 3, 0, 2 / 3))


def test_the_label_of_a_shared_document_must_be_left_for_both():
    """r is in b's top, so b's supply lacks it: the document in both tops cannot take its grade."""
    shared = compared([(["x", "n"], ["r", "x"], {"n": 0, "r": 1})], 2, prior="pool")
    assert chances(shared) == (0.0, 1.0, 0.0)
    alone = compared([(["x", "n"], ["r", "n"], {"n": 0, "r": 1})], 2, prior="pool")
    assert chances(alone) == (0.0, 0.5, 0.5)


@pytest.mark.parametrize("by_id", [False, True])
def test_documents_of_two_runs_as_numbers(by_id):
    """The same number for the same document of a topic, and for no other one; in the order of ids if asked for."""
    judgements = Judgements.of({"1": {"b": 1}, "2": {"b": 0}, "3": {}})
    rankings = {"1": ["d", "b", "a", "z"], "2": ["b"]}, {"1": ["c", "d"], "2": ["b", "a"]}
    one, other = (JudgedRun(judgements, Run.of({q: as_run(docs) for q, docs in run.items()})) for run in rankings)
    codes = common_codes(one, other, 3, by_id)
    assert [code.shape for code in codes] == [(3, 3), (3, 2)]
    number = {}
    for run, code in zip(rankings, codes, strict=True):
        for row, q in enumerate("123"):
            docs = run.get(q, [])[: code.shape[1]]
            assert code[row, len(docs) :].tolist() == [-1] * (code.shape[1] - len(docs))
            for doc, found in zip(docs, code[row].tolist(), strict=False):
                assert number.setdefault((q, doc), found) == found
    assert sorted(number.values()) == list(range(6))
    assert (sorted(number, key=number.__getitem__) == sorted(number)) is by_id


def many_topics(n: int, seed: int) -> list:
    """Topics whose differences are all distinct, so that their sums cannot be listed; a tie in each is possible."""
    source = random.Random(seed)
    topics = []
    for _ in range(n):
        pool = {f"j{i}": source.choice([0, 0, 0, 0, 1, 2]) for i in range(source.randint(12, 20))} | {"top": 3}
        a = source.sample(sorted(pool), 6) + [f"x{i}" for i in range(4)]
        source.shuffle(a)
        b = list(a)
        i, j = sorted(source.sample([rank for rank, doc in enumerate(a) if doc.startswith("x")], 2))
        b[i], b[j] = b[j], "only b"
        topics.append((a, b, pool))
    return topics


def test_ties_survive_the_grid():
    """Topics that are too many to combine exactly: the chance that all are ties is not lost in rounding."""
    topics = many_topics(9, seed=1)
    found = compared(topics, 10)
    assert not found.exact
    alone = [compared([one], 10) for one in topics]
    assert all(one.exact and 0 < one.tie < 1 for one in alone)
    all_tie = prod(one.tie for one in alone)
    assert found.tie >= all_tie * (1 - 1e-9) and all_tie > 5e-5
    assert found.bracket["tie"][1] == pytest.approx(found.tie + found.undecided)
    assert found.form == "bracket" and found.error == found.undecided < 0.01


parts = st.lists(  # up to four distinct values with integer weights
    st.dictionaries(st.floats(-1, 1).map(lambda value: round(value, 3)), st.integers(1, 5), min_size=1, max_size=4),
    min_size=1,
    max_size=5,
)


@given(parts, st.sampled_from([50, 1000, 1 << 15]), st.booleans())
def test_signs_of_sums(parts, steps, exact):
    """Against every combination: exact if listed, else within the ranges."""
    some = [Outcomes.listed(list(part), [n / sum(part.values()) for n in part.values()]) for part in parts]
    truth = {1: 0.0, -1: 0.0, 0: 0.0}
    for combination in product(*(part.items() for part in parts)):
        total = sum(value for value, _ in combination)
        weight = prod(n / sum(part.values()) for (_, n), part in zip(combination, parts, strict=True))
        truth[int(total > 1e-12) - int(total < -1e-12)] += weight
    all_zero = prod(part.get(0.0, 0) / sum(part.values()) for part in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcomes, "LISTED", 1 << 16 if exact else 0)
        found = Signs.of(Outcomes.mean_of(some, steps), all_zero)
    expected = truth[1], truth[-1], truth[0]
    assert sum(found.chance) == pytest.approx(1, abs=1e-12)
    if exact:
        assert found.chance == pytest.approx(expected, abs=1e-12) and found.undecided == 0
    for estimate, low, high, true in zip(*found, expected, strict=True):
        assert low - 1e-9 <= true <= high + 1e-9 and low - 1e-12 <= estimate <= high + 1e-12


def test_sums_of_samples_are_as_sure_as_a_sample_of_sums():
    """Ten topics, each known from draws: the ranges contain the truth; 200 seeds, one in 10^6 may miss."""
    coin = Outcomes.listed([-1.0, 0.1, 1.2], [0.5, 0.2, 0.3])
    truth = Signs.of(Outcomes.mean_of([coin] * 10)).chance
    missed = 0
    for seed in range(200):
        source = np.random.default_rng(seed)
        drawn = source.multinomial(20_000, coin.probability, 10) / 20_000
        found = Signs.of(Outcomes.mean_of([Outcomes.listed(coin.support, row) for row in drawn])).sampled(20_000)
        missed += int((truth < found.low).sum() + (truth > found.high).sum())
    assert missed == 0 and 0 < found.undecided < 0.04


def test_sums_on_a_lattice_stay_exact():
    """With K = 1 every topic is -1, 0 or 1: two hundred topics have few sums, and ties are exact."""
    topics = [(["x"], ["y"], {"r": 1, "s": 1, "n": 0, "m": 0})] * 200
    found = compared(topics, 1)
    steps = {0: 1.0}
    for _ in topics:
        after: dict[int, float] = {}
        for total, chance in steps.items():
            for add, p in ((-1, 0.25), (0, 0.5), (1, 0.25)):
                after[total + add] = after.get(total + add, 0.0) + chance * p
        steps = after
    assert found.exact
    assert found.tie == pytest.approx(steps[0], abs=1e-12)
    assert found.a_better == pytest.approx((1 - steps[0]) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "qrels", "k", "expected"),
    [
        ([], [], {"r": 1}, 10, (0, 0, 1)),  # both runs lack the topic
        (["r"], [], {"r": 1}, 10, (1, 0, 0)),
        ([], ["x"], {"r": 1}, 10, (0, 1, 0)),  # no judged document in the top: the pool's shares
        (["x"], ["y"], {}, 10, (0, 0, 1)),  # nothing judged
        (["x"], ["y"], {"n": 0}, 10, (0, 0, 1)),  # nothing relevant
        (["x"], ["r"], {"r": 2}, 10, (0, 0, 1)),  # r is the only pool document; a may have it too
        (["r", "x"], ["x", "r"], {"r": 2}, 10, (1, 0, 0)),  # exhausted: x is 0 for sure
        (["n", "x"], ["n", "y"], {"n": -1, "r": 3}, None, (0.25, 0.25, 0.5)),  # negative: read as 0
    ],
)
def test_edges(a, b, qrels, k, expected):
    found = compared([(a, b, qrels)], k, prior="pool")
    assert chances(found) == pytest.approx(expected, abs=1e-12)
    assert chances(found) == pytest.approx(twin.prob_better([(a, b, qrels)], k, gain_of, "pool")[:3], abs=1e-12)


def test_the_order_of_rows_changes_nothing():
    topics = many_topics(3, seed=3)
    first = compared(topics, 10)
    again = compared([(a, b, dict(reversed(qrels.items()))) for a, b, qrels in topics], 10)
    assert chances(again) == chances(first) and again.topics == first.topics


def test_result():
    found = imr.prob_better({7: {"r": 1, "n": 0}}, {"7": {"x": 1.0}}, {"7": {"n": 1.0}}, cutoff=1, prior="pool")
    assert repr(found) == (
        "ProbBetter(a 0.5000, b 0.0000, tie 0.5000 (exact), expected means 0.5000 and 0.0000, 1 topic)"
    )
    frame = found.to_frame()
    assert list(frame.columns) == [
        "query_id",
        "a_better",
        "b_better",
        "tie",
        "undecided",
        "form",
        "mean_a",
        "mean_b",
        "unjudged_a",
        "unjudged_b",
        "unjudged_shared",
    ]
    assert frame.iloc[0].tolist() == [7, 0.5, 0.0, 0.5, 0.0, "exact", 0.5, 0.0, 1, 0, 0]
    assert found.bracket == {"a_better": (0.5, 0.5), "b_better": (0.0, 0.0), "tie": (0.5, 0.5)}


def test_what_is_refused():
    qrels, run = {"q": {"r": 1}}, {"q": {"x": 1.0}}
    for params, sentence in (
        ({"prior": "best"}, "must be 'pool', 'run' or 'pool.run'"),
        ({"cutoff": 0}, "an integer from 1"),
        ({"gains": {0: 1}}, "grade 0 the gain 1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            imr.prob_better(qrels, run, run, **params)
    with pytest.raises(ValueError, match="qrels has no topic; at least one judgement is required"):
        imr.prob_better({}, run, run)


def test_real_runs(shared):
    """TREC-COVID, ANCE and ColBERT: .5418 +- .0002 when all labellings of all topics were followed on a fine grid."""
    folder = shared / "data" / "trec-covid"
    runs = [folder / name for name in ("ance-09-01-2023.run.gz", "colbert-ranking-26-12-2022.run.gz")]
    found = imr.prob_better(folder / "qrels.incomplete.txt.gz", *runs)
    assert len(found.topics) == 50 and sum(row.form == "exact" for row in found.topics) == 48
    assert abs(found.a_better - 0.5418) < 2 * found.error and 0 < found.error < 0.0036
