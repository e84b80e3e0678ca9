"""Every small case: all overlaps of two short lists, every document in every state, both ends."""

from __future__ import annotations

import numpy as np
import pytest
from reference import med as slow
from support.med_cases import as_frames, every_labelling, fast, patterns, text

B = slow.Base

CASES = [
    # base, lengths of the lists, grades, known grades in neither list, unseen documents, every n-th state
    *(
        (base, lengths, (0, 1), (), 0, 1)
        for base in (B("P", k=4), B("RBP", k=4, p=0.6), B("RR", k=4))
        for lengths in ((3, 3), (2, 4))
    ),
    (B("nDCG", k=4), (4, 4), (0, 1), (), 0, 9),
    (B("nDCG", k=3), (3, 3), (0, 1), (1,), 2, 1),
    (B("nDCG"), (3, 2), (0, 1), (1, 1), 0, 1),
    (B("nDCG", k=2, max_rel=2), (2, 2), (0, 1, 2), (1,), 2, 1),
    (B("nDCG", k=3, max_rel=2, dcg="exp-log2"), (2, 3), (0, 1, 2), (1,), 0, 3),
    (B("nDCG", k=2, max_rel=2, gains={1: 5}), (2, 2), (0, 1, 2), (2,), 0, 1),
    (B("nDCG", k=3, max_rel=2, gains={0: 1, 2: 0.5}), (2, 2), (0, 1, 2), (1,), 2, 1),
    (B("SDCG", k=2, max_rel=2), (2, 2), (0, 1, 2), (), 0, 1),
    (B("AP", k=4), (4, 4), (0, 1), (), 0, 211),
    (B("AP", k=3), (3, 3), (0, 1), (1,), 2, 11),
    (B("AP", k=3, norm="min"), (3, 3), (0, 1), (1, 1), 0, 11),
    (B("AP", k=4, norm="k"), (4, 3), (0, 1), (), 0, 53),
    (B("AP"), (2, 2), (0, 1), (), 0, 1),
    (B("Q", k=4), (4, 4), (0, 1), (), 0, 211),
    (B("Q", k=3, beta=2.0), (3, 3), (0, 1), (1,), 2, 11),
    (B("Q"), (2, 2), (0, 1), (), 2, 1),
    (B("SDCG", k=2, max_rel=2, dcg="exp-log2"), (2, 2), (0, 1, 2), (), 0, 1),
    (B("ERR", k=3, max_rel=1), (3, 3), (0, 1), (), 0, 11),
    (B("ERR", k=2, max_rel=2), (2, 2), (0, 1, 2), (), 0, 3),
]


@pytest.mark.parametrize(
    ("base", "lengths", "grades", "neither", "unseen", "step"),
    [
        pytest.param(*case, id=f"{text(case[0])}-{case[1]}-{i}", marks=[pytest.mark.full] * (case[1] == (4, 4)))
        for i, case in enumerate(CASES)
    ],
)
def test_every_state(base: slow.Base, lengths: tuple, grades: tuple, neither: tuple, unseen: int, step: int) -> None:
    seen = 0
    for number, (y, z) in enumerate(patterns(*lengths)):
        states, low, high = every_labelling(base, y, z, grades, neither, unseen)
        picked = np.arange(number % step, len(states), step)  # another residue for each overlap
        if not picked.size:
            continue
        qrels, run, reference = as_frames(states[picked], y, z, neither)
        result = fast(base, qrels, run, reference, unseen=unseen)
        np.testing.assert_allclose(result.above, high[picked], rtol=0, atol=1e-12, err_msg=f"{y} {z}")
        np.testing.assert_allclose(result.below, low[picked], rtol=0, atol=1e-12, err_msg=f"{y} {z}")
        seen += len(picked)
    assert seen > 30


def test_patterns_are_all_overlaps() -> None:
    """Sums over s shared documents of C(4, s)^2 s! = 209 for two lists of four, none twice."""
    found = [tuple(z) for _, z in patterns(4, 4)]
    assert len(found) == len(set(found)) == 209
