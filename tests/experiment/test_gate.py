"""``gate`` against every labelling of the unjudged documents."""

from __future__ import annotations

import random
from itertools import product

import pytest
from reference import med
from support.small_collections import run_of

import ir_measures_relative as imr
from ir_measures_relative._experiment import gate

BASES = {
    "nDCG@3": med.Base("nDCG", 3),
    "P@2": med.Base("P", 2),
    "P(rel=2)@2": med.Base("P", 2, rel=2),
    "SDCG(max_rel=2)@3": med.Base("SDCG", 3, max_rel=2),
    "RBP(p=0.7)@3": med.Base("RBP", 3, p=0.7),
    "RR@3": med.Base("RR", 3),
    "AP@3": med.Base("AP", 3),
    "Q(beta=1)@3": med.Base("Q", 3),
}
COUNTED = ("nDCG", "P", "SDCG", "RBP")


def labels_that_matter(base: med.Base, new: list[str], old: list[str], known: dict[str, int]) -> int:
    """Free documents whose label changes the difference, whatever the others are."""
    free = med.free_documents(base, new, old, known)
    grades = (0, base.rel) if base.binary else (0, 1, 2)
    difference = {}
    for labels in product(grades, repeat=len(free)):
        full = {**known, **dict(zip(free, labels, strict=True))}
        difference[labels] = med.score(base, new, full) - med.score(base, old, full)
    others = {i: [(at, (*at[:i], g, *at[i + 1 :])) for at in difference for g in grades] for i in range(len(free))}
    return sum(any(abs(difference[x] - difference[y]) > 1e-12 for x, y in changed) for changed in others.values())


@pytest.mark.parametrize("measure", BASES)
def test_every_labelling(measure: str) -> None:
    base = BASES[measure]
    for seed in range(40):
        chosen = random.Random(seed)
        lists = [[chosen.sample("abcdef", chosen.randint(1, 4)) for _ in "12"] for _ in "xy"]
        # a document of grade 2 in each topic, so that the highest grade of the qrels is always the same
        qrels = {
            q: {"z": 2} | {d: chosen.randint(0, 2) for d in "abcdef" if chosen.random() < 0.5} for q in ("q1", "q2")
        }
        margin = chosen.choice([0.0, 0.11])
        old, new = lists
        found = gate(qrels, run_of(*old), run_of(*new), measure, margin=margin)
        ends = [med.extremes(base, n, o, k, max_rel=2) for n, o, k in zip(new, old, qrels.values(), strict=True)]
        low, high = (sum(end) / 2 for end in zip(*ends, strict=True))
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
        far = margin + 1e-12
        open_verdict = "not worse" if low >= -far else "undecided"
        assert found.verdict == ("better" if low > far else "worse" if high < -far else open_verdict)
        assert found.status == {"worse": "fail", "undecided": "warn"}.get(found.verdict, "pass")
        matter = sum(labels_that_matter(base, n, o, k) for n, o, k in zip(new, old, qrels.values(), strict=True))
        assert found.unjudged >= matter
        if base.name not in COUNTED:
            assert found.expected_left is None  # the effect of a single label is not known
        elif found.verdict == "undecided":
            assert found.expected_left <= found.unjudged, seed
        else:
            assert found.expected_left == 0


def test_an_undecided_gate_expects_judgements() -> None:
    """An undecided verdict needs at least one judgement, with a margin as without."""
    undecided = 0
    for seed in range(40):
        chosen = random.Random(seed)
        old, new = [[chosen.sample("abcdef", chosen.randint(1, 4)) for _ in "12"] for _ in "xy"]
        qrels = {q: {"z": 2} | {d: chosen.randint(0, 2) for d in "abc" if chosen.random() < 0.5} for q in ("q1", "q2")}
        found = gate(qrels, run_of(*old), run_of(*new), "P@2", margin=chosen.choice([0.0, 0.11]))
        if found.verdict == "undecided":
            undecided += 1
            assert 1 <= found.expected_left <= found.unjudged, seed
    assert undecided > 10


def test_with_a_margin_judging_ends_once_the_new_run_is_not_worse() -> None:
    """The new run has .5; the old one has more than .7 only if both of its documents are relevant."""
    qrels, old, new = {"q1": {"x": 1, "y": 0}}, run_of("uv"), run_of("xy")
    found = gate(qrels, old, new, "P@2", margin=0.2)
    assert (found.verdict, found.low, found.high) == ("undecided", -0.5, 0.5)
    # half of the judged documents are relevant: the first one decides with a probability of 1/2; mean of 40 labellings
    assert found.expected_left == pytest.approx(1.5, abs=0.25)
    assert gate(qrels, old, new, "P@2").expected_left == 2


def test_a_document_of_both_lists_counts_once() -> None:
    qrels = {"q1": {"x": 1, "y": 0}, "q2": {"x": 1, "y": 0}}
    found = gate(qrels, run_of("xu", "ux"), run_of("ux", "yx"), "AP@5")
    assert found.verdict == "undecided" and found.unjudged == 2


def test_a_document_at_the_same_rank_of_both_lists_changes_the_ideal() -> None:
    qrels = {"q1": {"x": 1, "y": 0}, "q2": {"x": 1, "y": 0}}
    found = gate(qrels, run_of("xys", "yxs"), run_of("yxs", "xys"), "nDCG@10")
    assert found.verdict == "undecided" and found.unjudged == 2


def test_qrels_without_a_relevant_document() -> None:
    found = gate({"q1": {"y": 0}}, run_of("xu"), run_of("ux"), "nDCG@10")
    assert found.verdict == "undecided" and 0 < found.expected_left <= 2


def test_the_same_run_is_never_worse() -> None:
    """Nor with RBP, whose distance between equal lists is not 0."""
    for measure in BASES:
        found = gate({"q1": {"x": 2}}, run_of("xu"), run_of("xu"), measure)
        assert (found.verdict, found.low, found.high) == ("not worse", 0.0, 0.0)


def test_labels_may_be_higher_than_every_judged_grade() -> None:
    labels = imr.LabelModel.shares({0: 0.5, 3: 0.5})
    found = gate({"q1": {"x": 1, "y": 0}}, run_of("u"), run_of("x"), "nDCG@1", labels=labels, margin=0.5)
    assert found.low == pytest.approx(1 / 3 - 1) and found.verdict == "undecided"
