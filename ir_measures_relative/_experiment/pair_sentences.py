"""A pair of runs in plain words: which one leads, could labels change that, and could other topics?

A paragraph has three parts: the scores, the unjudged documents, the topics. Each part has a key in ``TEXTS``, so that a
report page stores three keys for each of thousands of pairs and every text once.
"""

from math import floor, isnan

from ir_measures_relative._checks import choice

SIGNIFICANT = 0.05  # p-values below it

_FIXED = "This order is settled: no labels of the unjudged documents can reverse it."
_CHANGE = "labels of the unjudged documents could change it"

# Placeholders: leader, other (by the scores as judged; in the order given if these are equal), difference, n, topics;
# ahead, probability (the run that the label model puts ahead, and how probable that is), lead, margin, tie; p, among
# (the number of pairs that the p-value is corrected for).
TEXTS = {
    # the scores
    "leads": "{leader} leads {other} by {difference} on {topics}.",
    "same": "{leader} and {other} have the same score on {topics}.",
    # the unjudged documents
    "settled": _FIXED,
    "settled, likely": _FIXED + " The lead is likely to be more than {margin} (probability {probability}).",
    "settled, tied": _FIXED + " The two are tied even so: they are likely to {tie} (probability {probability}).",
    "settled, undecided": _FIXED + " Whether the lead is more than {margin} is undecided.",
    "open": f"This order is not settled: {_CHANGE}.",
    "likely": f"This order is not settled, but it is likely: {_CHANGE}, "
    "yet {ahead} stays ahead{lead} with a probability of {probability}.",
    "reversed": "The opposite order is likely: once the unjudged documents have labels, {ahead} is ahead{lead} "
    "with a probability of {probability}.",
    "undecided": f"This order is undecided: {_CHANGE}, "
    "and the more likely leader, {ahead}, is ahead{lead} with a probability of only {probability}.",
    "tied": "The two are tied: once the unjudged documents have labels, they are likely to {tie} "
    "(probability {probability}).",
    "same, settled": "This is settled: no labels of the unjudged documents can change it.",
    "same, open": "This is not settled: labels of the unjudged documents could put one of the two ahead.",
    "same, likely": "Labels of the unjudged documents are likely to change this: {ahead} is ahead{lead} "
    "with a probability of {probability}.",
    "same, undecided": "Which of the two is better is undecided: labels of the unjudged documents could put one of "
    "them ahead, but neither outcome is likely.",
    "labels unknown": "",
    # the topics
    "significant": "The difference is significant (p {p}): {among}two equally good runs would rarely differ this much "
    "on {n} topics.",
    "not significant": "The difference is not significant (p {p}): {among}two equally good runs could well differ this "
    "much on {n} topics.",
    "not separated": "The topics show no difference between the two (p {p}).",
    "one topic": "A single topic does not show how the two compare on other topics.",
    "topics unknown": "",
}


def pair_sentence(
    a: str, b: str, difference: float, n_topics: int, *, settled: str | None = None, probability: float | None = None,
    probability_worse: float | None = None, p_value: float | None = None, n_pairs: int = 1, level: float = 0.95,
    margin: float = 0.0,
) -> str:  # fmt: skip
    """Describe a pair of runs in two or three sentences for a reader who knows no statistics.

    ``difference`` : mean of a minus mean of b, unjudged documents counting 0. ``settled``, ``level`` : as in `pairs`;
    None if unknown. ``probability``, ``probability_worse`` : that a, or b, is better by more than ``margin``, by the
    label model; the second is 1 minus the first by default. ``p_value`` : of a paired test over topics, with Holm's
    correction for ``n_pairs`` pairs; None or NaN if it is missing.
    """
    scores, labels, topics, a_is_ahead, shown = pair_keys(
        difference, n_topics, settled, probability, probability_worse, p_value, level, margin
    )
    leader, other = (a, b) if difference >= 0 else (b, a)
    parts = {
        "leader": leader,
        "other": other,
        "difference": written(abs(difference)),
        "n": f"{n_topics:,}",
        "topics": "this topic" if n_topics == 1 else f"these {n_topics:,} topics",
        "ahead": a if a_is_ahead else b,
        "probability": percent(shown),
        "lead": f" by more than {written(margin)}" if margin else "",
        "margin": written(margin),
        "tie": f"differ by {written(margin)} or less" if margin else "have the same score",
        "p": p_written(p_value) + (", Holm" if n_pairs > 1 else ""),
        "among": f"among {n_pairs:,} pairs, " if n_pairs > 1 else "",
    }
    return " ".join(filter(None, (TEXTS[key].format(**parts) for key in (scores, labels, topics))))


def pair_keys(
    difference: float, n_topics: int, settled: str | None, probability: float | None, probability_worse: float | None,
    p_value: float | None, level: float, margin: float,
) -> tuple[str, str, str, bool, float | None]:  # fmt: skip
    """Return the keys of the three texts, and the decision of the label model; arguments as in ``pair_sentence``."""
    if settled is not None:
        choice(settled, "settled", ("better", "worse", "equal", "no"))
    same = abs(difference) < 1e-9
    if p_value is None or isnan(p_value):
        topics = "one topic" if n_topics == 1 else "topics unknown"
    elif same:
        topics = "not separated"
    else:
        topics = "significant" if p_value < SIGNIFICANT else "not significant"
    is_settled = settled not in (None, "no")
    decision, a_is_ahead, shown = _decision(difference, probability, probability_worse, level)
    if is_settled and (decision is None or not margin or same):
        labels = "same, settled" if same else "settled"
    elif is_settled:
        labels = f"settled, {'likely' if decision == 'reversed' else decision}"
    elif decision is None:
        labels = "labels unknown" if settled is None else "same, open" if same else "open"
    else:
        labels = f"same, {decision}" if same and decision != "tied" else decision
    return "same" if same else "leads", labels, topics, a_is_ahead, shown


def _decision(
    difference: float, probability: float | None, probability_worse: float | None, level: float
) -> tuple[str | None, bool, float | None]:
    """The decision of the label model, the run that it puts ahead, and the probability of that (or of a tie)."""
    if probability is None or isnan(probability):
        return None, difference >= 0, None
    worse = 1.0 - probability if probability_worse is None or isnan(probability_worse) else probability_worse
    a_is_ahead = probability > worse or (probability == worse and difference >= 0)
    most, tie = max(probability, worse), 1.0 - probability - worse
    if most >= level:
        agrees = abs(difference) < 1e-9 or a_is_ahead == (difference > 0)
        return "likely" if agrees else "reversed", a_is_ahead, most
    return ("tied", a_is_ahead, tie) if tie >= level else ("undecided", a_is_ahead, most)


def written(value: float) -> str:
    """A score or a difference of scores: three decimal places without the leading zero."""
    return "less than .001" if 0 < value < 0.0005 else f"{value:.3f}".removeprefix("0")


def percent(probability: float | None) -> str:
    """A probability in whole percent, rounded down, so that one below a level never looks as if it reached it."""
    if probability is None:
        return ""
    if 0 < probability < 0.01:
        return "less than 1%"
    return "more than 99%" if 0.99 < probability < 1 else f"{floor(100 * probability + 1e-9)}%"


def p_written(p_value: float | None) -> str:
    """A p-value with its sign: two digits that matter."""
    if p_value is None or isnan(p_value):
        return ""
    return "< .001" if p_value < 0.001 else "= " + f"{p_value:.{2 if p_value >= 0.1 else 3}f}".removeprefix("0")
