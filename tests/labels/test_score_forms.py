"""The forms of a score distribution agree; the grid's bracket holds; each pass over the states is exact."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from support.boot_cases import Case
from support.boot_twin import check_against_twin, only
from support.labellings import discounts, labellings, listed_outcomes

from ir_measures_relative._labels import label_draws
from ir_measures_relative._labels.bootstrapped import REACH, TopicScores
from ir_measures_relative._labels.label_draws import LabelDraws, likeliest_by_family, primitive_roots
from ir_measures_relative._labels.outcomes import merged

QUANTILES = (0.0, 0.01, 0.05, 0.3, 0.5, 0.77, 0.95, 0.99, 1.0)


def enumerated(labels: LabelDraws) -> list[tuple[float, float, tuple]]:
    """(score, probability, labels) of every sequence of targets, one at a time."""
    found = []
    for targets in itertools.product(range(len(labels.gain)), repeat=labels.n):
        left = labels.supply.copy()
        score, chance, given_levels = 0.0, 1.0, []
        for weight, target in zip(labels.weight, targets, strict=True):
            chance *= labels.probability[target]
            level = target
            while level > 0 and left[level] == 0:
                level -= 1
            left[level] -= 1
            score += weight * labels.gain[level]
            given_levels.append(level)
        if chance > 0:
            found.append((score, chance, tuple(given_levels)))
    return found


@settings(max_examples=60)
@given(labellings())
def test_passes_over_the_states_agree_with_enumeration(labels: LabelDraws) -> None:
    every = enumerated(labels)
    score, chance = np.array([e[0] for e in every]), np.array([e[1] for e in every])
    assert chance.sum() == pytest.approx(1)
    mean = (score * chance).sum()
    different: dict[tuple, float] = {}
    for _, probability, levels in every:
        different[levels] = different.get(levels, 0.0) + probability
    best = max(different.values())
    tied = [labels.weight @ labels.gain[list(levels)] for levels, p in different.items() if p > best * (1 - 1e-9)]
    for draws in (labels, labels.chain):
        assert draws.moments == pytest.approx((mean, (chance * (score - mean) ** 2).sum()), abs=1e-12)
        assert draws.extremes == pytest.approx((score.min(), score.max()), abs=1e-12)
        assert np.abs(score - draws.likely).min() < 1e-12  # a score that is possible
        assert draws.likeliest == pytest.approx(min(tied), abs=1e-9)
    listed, expected = listed_outcomes(labels), merged(score, chance)
    assert listed.support == pytest.approx(expected[0], abs=1e-12)
    assert listed.probability == pytest.approx(expected[1], abs=1e-12)


@settings(max_examples=60)
@given(labellings())
def test_counts_at_or_above_a_level_follow_the_formula(labels: LabelDraws) -> None:
    """T_t(r) = min over s >= r of (M_t(s) + c_r + ... + c_{s-1}), M(top + 1) = 0 (SPEC, exact method)."""
    levels = len(labels.gain)
    rng = np.random.default_rng(1)
    for _ in range(10):
        targets = rng.integers(0, levels, labels.n)
        left, given_levels = labels.supply.copy(), []
        for target in targets:
            level = target
            while level > 0 and left[level] == 0:
                level -= 1
            left[level] -= 1
            given_levels.append(level)
        for t in range(labels.n + 1):
            asked = [(targets[:t] >= s).sum() for s in range(levels)] + [0]
            for r in range(1, levels):
                most = min(asked[s] + labels.supply[r:s].sum() for s in range(r, levels + 1))
                assert sum(level >= r for level in given_levels[:t]) == most


def large(n: int, probability: list[float], supply: list[int], gain: list[float]) -> LabelDraws:
    return LabelDraws(discounts(list(range(1, n + 1))), np.array(gain), np.array(probability), np.array(supply))


LARGE = {
    "free": large(12, [0.5, 0.3, 0.2], [12, 12, 12], [0, 1, 2]),
    "one level runs out": large(12, [0.5, 0.3, 0.2], [12, 12, 2], [0, 1, 2]),
    "all levels run out": large(12, [0.2, 0.3, 0.5], [12, 3, 4], [0, 1, 3]),
    "not monotone": large(12, [0.2, 0.4, 0.4], [12, 5, 3], [0, 5, 2]),
    "four levels": large(9, [0.4, 0.3, 0.2, 0.1], [9, 9, 9, 2], [0, 1, 3, 7]),
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("cells", [1 << 10, 1 << 14, 1 << 17])
def test_the_grid_brackets_every_quantile(name: str, cells: int) -> None:
    labels = LARGE[name]
    whole = listed_outcomes(labels, 0.05)
    found = labels.on_grid(0.05, cells)
    assert found.form == "bracket" and found.ends == pytest.approx(whole.ends, abs=1e-12)
    assert found.width < 2 * (labels.n + cells / label_draws.STORED_CELLS) * np.ptp(whole.support) / cells
    for q in np.linspace(0, 1, 101):
        low, high = found.quantile_range(q)
        assert low - 1e-12 <= whole.quantile(q) <= high + 1e-12
        assert low <= found.quantile(q) <= high


def test_rare_ends_are_left_out_only_where_they_cannot_be_seen() -> None:
    labels = large(60, [0.9, 0.05, 0.05], [60, 40, 30], [0, 1, 2])
    assert not labels.free and labels.chain.free
    exact, settled = labels.moments[0], labels.chain.moments[0]
    assert exact == pytest.approx(settled, abs=1e-12) and exact <= settled + 1e-15
    common = large(60, [0.5, 0.25, 0.25], [60, 20, 15], [0, 1, 2])
    assert common.chain.n_states == common.n_states


@pytest.mark.parametrize("probability", [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]])
def test_argmax_by_families_of_ranks_is_that_of_the_list(probability: list[float]) -> None:
    labels = large(9, probability, [9, 9, 9], [0, 1, 2])
    assert likeliest_by_family(labels, np.arange(1, 10)) == pytest.approx(listed_outcomes(labels).argmax, abs=1e-12)


def test_primitive_roots() -> None:
    numbers, roots = (2, 3, 4, 8, 9, 12, 16, 36, 64, 1000, 1024), [2, 3, 2, 2, 3, 12, 2, 6, 2, 10, 2]
    assert primitive_roots(1024)[list(numbers)].tolist() == roots


# ------------------------------------------------------------------------ which form a topic's scores take


def topic(labels: LabelDraws) -> TopicScores:
    best = float((labels.weight * labels.gain.max()).sum())
    return TopicScores("q", 0.0, best, labels, np.arange(1, labels.n + 1))


@pytest.mark.parametrize(
    ("n", "supply", "form"),
    [
        (5, [99, 99, 99], "exact"),
        (10, [99, 99, 99], "exact"),
        (18, [99, 2, 2], "exact"),
        (18, [99, 99, 99], "bracket"),
        (60, [99, 99, 99], "bracket"),
        (60, [99, 4, 2], "bracket"),
        (60, [99, 20, 9], "band"),
        (60, [99, 1, 0], "exact"),
    ],
)
def test_each_size_has_its_form(n: int, supply: list[int], form: str) -> None:
    scores = topic(large(n, [0.6, 0.2, 0.2], supply, [0, 1, 2]))
    assert scores.form == scores.outcomes.form == form and scores.exact is (form == "exact")
    assert scores.width <= {"exact": 0.0, "bracket": 1e-3, "band": 0.02}[form] * scores.upper
    ladder = [scores.lower, *(scores.quantile(q) for q in QUANTILES), scores.upper]
    assert ladder == sorted(ladder)
    assert scores.lower <= scores.mode <= scores.upper and scores.lower <= scores.argmax <= scores.upper
    assert scores.probability.sum() == pytest.approx(1, abs=1e-9)
    mean = (scores.support * scores.probability).sum()
    assert mean == pytest.approx(scores.mean, abs=1e-9 + scores.support_error)
    for q in QUANTILES:
        low, high = scores.quantile_range(q)
        assert low <= scores.quantile(q) <= high


def test_nothing_large_is_kept() -> None:
    """A hundred thousand scores would be megabytes for each topic of each run."""
    scores = topic(large(10, [0.6, 0.2, 0.2], [99, 99, 99], [0, 1, 2]))
    assert scores.exact and scores.quantile(0.9) and scores.mode and scores.support.size > 35_000
    assert len(pickle.dumps(scores)) < 20_000
    for n, supply in ((60, [99, 99, 99]), (60, [99, 20, 9])):
        other = topic(large(n, [0.6, 0.2, 0.2], supply, [0, 1, 2]))
        assert other.quantile(0.5) and len(pickle.dumps(other)) < 1_000_000


def test_a_thousand_unjudged_documents() -> None:
    """Three levels that all run out: mean and standard deviation are exact, quantiles have a narrow band."""
    labels = large(700, [0.5, 0.2, 0.3], [700, 150, 100], [0, 1, 2])
    first = topic(labels)
    assert first.form == "band" and 0 < first.width < 0.03 * first.std * 10
    assert first.standard_error == 0 and first.lower < first.mode < first.upper and first.std > 0
    again = topic(large(700, [0.5, 0.2, 0.3], [700, 150, 100], [0, 1, 2]))
    assert (first.mean, first.quantile(0.9), first.mode) == (again.mean, again.quantile(0.9), again.mode)
    assert abs(first.support @ first.probability - first.mean) < 5 * first.std / np.sqrt(20_000)  # false alarm: 6e-7
    assert first.outcomes.mean == first.mean and first.outcomes.std == pytest.approx(first.std)
    assert "band of" in repr(first)


def test_more_states_than_a_pass_may_cost() -> None:
    """Four levels that all run out at K = 1000: the mean is that of the sample, and says so."""
    labels = large(900, [0.2, 0.2, 0.2, 0.2, 0.2], [900, 160, 150, 140, 130], [0, 1, 2, 3, 4])
    assert labels.chain.work > REACH
    scores = topic(labels)
    assert scores.form == "band" and scores.width < 0.03 * scores.upper
    assert scores.standard_error == pytest.approx(scores.std / np.sqrt(20_000))
    low, high = scores.quantile_range(0.5)
    assert low <= scores.quantile(0.5) <= high and low <= scores.mean <= high
    assert scores.lower <= scores.mode <= scores.upper and scores.lower <= scores.argmax <= scores.upper


GRADES = {f"d{i}": i % 26 for i in range(50)}  # two documents of nearly every grade from 0 to 25


def test_many_levels_with_few_documents_are_listed() -> None:
    case = Case(["d1", "u", "v", "w"], GRADES, 10, "pool+run", "linear")
    labels = only(case)._draws
    assert labels is not None and labels.chain.work > 1000 * REACH
    check_against_twin(case)
