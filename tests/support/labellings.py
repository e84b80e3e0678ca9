"""Random draws of labels: ranks, levels, chances and supplies."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ir_measures_relative._labels.label_draws import LabelDraws
from ir_measures_relative._labels.outcomes import Outcomes


def discounts(ranks: list[int]) -> np.ndarray:
    return 0.3 / np.log2(np.array(ranks) + 1.0)


@st.composite
def labellings(draw: st.DrawFn, monotone: bool = False) -> LabelDraws:
    """Up to 7 documents and 4 levels; supplies from none to plenty."""
    ranks = sorted(draw(st.lists(st.integers(1, 30), unique=True, min_size=1, max_size=7)))
    levels = draw(st.integers(1, 4))
    gain = np.array([0.0, *draw(st.lists(st.sampled_from([1, 2, 3, 7]), min_size=levels - 1, max_size=levels - 1))])
    shares = np.array(draw(st.lists(st.integers(0, 4), min_size=levels, max_size=levels)), float)
    shares[draw(st.integers(0, levels - 1))] += 1
    supply = np.array(draw(st.lists(st.integers(0, 8), min_size=levels, max_size=levels)))
    return LabelDraws(discounts(ranks), np.sort(gain) if monotone else gain, shares / shares.sum(), supply)


def listed_outcomes(labels: LabelDraws, start: float = 0.0) -> Outcomes:
    """Every score of the labels on top of ``start``."""
    listed = labels.listed(most=1 << 21)
    assert listed is not None
    return Outcomes.listed(start + listed.score, listed.chance)
