"""A pair in words: every combination of settled, likely and significant has its sentences, and they say what holds."""

from __future__ import annotations

import re
from itertools import product
from math import isnan, nan

import pytest

from ir_measures_relative._experiment.pair_sentences import TEXTS, p_written, pair_keys, pair_sentence, percent, written

# (difference, settled): an order that is settled agrees with the scores
SCORES = [
    (0.012, "better"), (-0.012, "worse"), (0.0, "equal"),
    *((difference, settled) for difference in (0.012, -0.012, 0.0) for settled in ("no", None)),
]  # fmt: skip
# probabilities that a is better and that b is
PROBABILITIES = [(None, None), (0.97, 0.03), (0.03, 0.97), (0.6, 0.3), (0.3, 0.6), (0.01, 0.01), (0.97, None)]
TOPICS = [(1, None), (35, nan), (35, 0.0004), (35, 0.032), (35, 0.65)]  # number, and p-value
CASES = list(product(SCORES, PROBABILITIES, TOPICS, (0.0, 0.01)))


def test_every_combination_says_what_holds() -> None:
    for (difference, settled), (better, worse), (n_topics, p_value), margin in CASES:
        said = pair_sentence(
            "A{0}", "B", difference, n_topics, settled=settled, probability=better, probability_worse=worse,
            p_value=p_value, margin=margin,
        )  # fmt: skip
        assert "{" not in said.replace("A{0}", "") and said.endswith(".") and "  " not in said, said
        assert ("A{0} leads B" in said, "B leads A{0}" in said) == (difference > 0, difference < 0), said
        is_settled = settled not in (None, "no")
        assert ("is settled" in said) == is_settled, said
        tested = p_value is not None and not isnan(p_value) and difference != 0
        assert ("is significant" in said) == (tested and p_value < 0.05), said
        assert ("is not significant" in said) == (tested and p_value >= 0.05), said
        is_likely = re.search("likely: |is likely to be|are likely", said) is not None
        if better is None or (is_settled and not (margin and difference)):
            assert not is_likely and "undecided" not in said and "probability" not in said, said
            assert ("not settled" in said) == (settled == "no"), said
            continue
        worse = 1 - better if worse is None else worse
        tied = 1 - better - worse >= 0.95
        assert ("tied" in said) == tied, said
        assert is_likely == (tied or max(better, worse) >= 0.95), said
        assert ("undecided" in said) == (not is_likely), said


def test_the_order_of_the_two_runs_does_not_matter() -> None:
    for (difference, settled), (better, worse), (n_topics, p_value), margin in CASES:
        if better is not None and worse is None:
            worse = 1 - better
        turned = {"better": "worse", "worse": "better"}.get(settled or "", settled)
        known = {"p_value": p_value, "margin": margin}
        one = pair_sentence(
            "a", "b", difference, n_topics, settled=settled, probability=better, probability_worse=worse, **known
        )
        other = pair_sentence(
            "b", "a", -difference, n_topics, settled=turned, probability=worse, probability_worse=better, **known
        )
        assert other == (one if difference else one.replace("a and b have", "b and a have"))


def test_every_text_is_used() -> None:
    used = {
        key
        for (difference, settled), (better, worse), (n_topics, p_value), margin in CASES
        for key in pair_keys(difference, n_topics, settled, better, worse, p_value, 0.95, margin)[:3]
    }
    assert used == set(TEXTS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            {"settled": "better", "p_value": 0.65},
            "a leads b by .012 on these 35 topics. This order is settled: no labels of the unjudged documents can "
            "reverse it. The difference is not significant (p = .65): two equally good runs could well differ this "
            "much on 35 topics.",
        ),
        (
            {"settled": "no", "p_value": 0.0001},
            "a leads b by .012 on these 35 topics. This order is not settled: labels of the unjudged documents could "
            "change it. The difference is significant (p < .001): two equally good runs would rarely differ this much "
            "on 35 topics.",
        ),
        (
            {"settled": "no", "probability": 0.9999, "p_value": 0.032},
            "a leads b by .012 on these 35 topics. This order is not settled, but it is likely: labels of the unjudged "
            "documents could change it, yet a stays ahead with a probability of more than 99%. The difference is "
            "significant (p = .032): two equally good runs would rarely differ this much on 35 topics.",
        ),
        (
            {"settled": "better", "p_value": 0.667, "n_pairs": 1225},
            "a leads b by .012 on these 35 topics. This order is settled: no labels of the unjudged documents can "
            "reverse it. The difference is not significant (p = .67, Holm): among 1,225 pairs, two equally good runs "
            "could well differ this much on 35 topics.",
        ),
        (
            {"settled": "no", "probability": 0.9499},
            "a leads b by .012 on these 35 topics. This order is undecided: labels of the unjudged documents could "
            "change it, and the more likely leader, a, is ahead with a probability of only 94%.",
        ),
        (
            {"settled": "no", "probability": 0.02},
            "a leads b by .012 on these 35 topics. The opposite order is likely: once the unjudged documents have "
            "labels, b is ahead with a probability of 98%.",
        ),
        (
            {"settled": "no", "probability": 0.01, "probability_worse": 0.01, "margin": 0.02},
            "a leads b by .012 on these 35 topics. The two are tied: once the unjudged documents have labels, they are "
            "likely to differ by .020 or less (probability 98%).",
        ),
    ],
)
def test_word_for_word(arguments: dict[str, float], said: str) -> None:
    assert pair_sentence("a", "b", 0.012, 35, **arguments) == said


def test_an_unknown_word_is_rejected() -> None:
    with pytest.raises(ValueError, match="settled must be .*, got 'certain'"):
        pair_sentence("a", "b", 0.1, 3, settled="certain")


def test_numbers_are_short_and_never_look_too_good() -> None:
    assert [written(value) for value in (0.0124, 0.0001, 1.5)] == [".012", "less than .001", "1.500"]
    chances = [percent(value) for value in (0.9499, 0.9999, 0.004, 0.0, None)]
    assert chances == ["94%", "more than 99%", "less than 1%", "0%", ""]
    assert [p_written(value) for value in (0.651, 0.0321, 0.0001, nan)] == ["= .65", "= .032", "< .001", ""]
