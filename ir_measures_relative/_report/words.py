"""The words of a report: what its numbers are called and what they mean, shown on hover and listed under About."""

from __future__ import annotations

import ir_measures

from ir_measures_relative._base import direction
from ir_measures_relative._report.content import Content, adds_up, prior_symbol

_PRIORS = {
    "others": "Prior runs: all other runs.",
    "previous": "Prior runs: the runs listed before it.",
    "groups": "Prior runs: the best run of every other group.",
}
_FREQUENT = "if relevant documents are as frequent as among the judged documents of the topic"
_OF_LABELS = {"imputed", "better"}  # shown with a label model
_OF_GROUPS = "Groups"  # shown with groups
_WAYS = {"larger": "Larger is better.", "smaller": "Smaller is better.", "neither": ""}

# key -> (label, definition). {base}, the run that the reader compares with, is filled in by the page, the rest here.
_WORDS = {
    "Runs": {
        "rank": (
            "Rank",
            "Rank by the mean of {main}. The small numbers are the rank interval: the run has one of these ranks in "
            "{level} of bootstrap samples of the topics.",
        ),
        "tier": (
            "Tier",
            "Runs of one tier are hard to separate. A new tier starts with the first run that is worse than the best "
            "run of the tier above in {sure} of bootstrap samples of the topics.",
        ),
        "interval": (
            "Topic interval",
            "Range of the mean of {main} in {level} of bootstrap samples of the topics: how much the mean depends on "
            "the choice of topics.",
        ),
        "imputed": (
            "Expected",
            "Mean of {main} on these topics that the label model expects once the unjudged documents have labels. Its "
            "label interval contains the mean with a probability of {level}, by the label model.",
        ),
        "difference": (
            "Difference",
            "Mean of {main} minus that of {base}. p: paired t-test over topics, with Holm’s correction for the number "
            "of other runs.",
        ),
        "won": ("Won–lost", "Topics on which the run is better or worse than {base} by {main}."),
        "unjudged": ("Unjudged", "Unjudged documents in the run’s top {cutoff}; they count as not relevant."),
    },
    _OF_GROUPS: {
        "n_runs": ("Runs", "Number of runs of the group."),
        "best_rank": ("Rank", "Rank of the group’s best run among all runs, by {main}."),
        "best_score": ("Best {main}", "Mean of {main} of the group’s best run."),
        "group_mean": ("Mean {main}", "Mean of {main} over all runs of the group."),
        "group_adds": ("Best {adds}", "The best {adds} of any run of the group."),
        "group_alone": (
            "Found alone",
            "Relevant documents, over all topics, that runs of this group and of no other group have in their top "
            "{cutoff}.",
        ),
        "group_unjudged": ("Unjudged", "Share of unjudged documents in the top {cutoff} of the group’s runs."),
    },
    "Topics": {
        "hardness": ("Mean", "Mean over all runs: how hard the topic is."),
        "median": ("Median", "Median over all runs."),
        "best": ("Best", "The best score of any run. If it is low, all runs fail on the topic."),
        "spread": ("Spread", "Highest score minus lowest score: how well the topic separates runs."),
        "relevant": ("Relevant", "Judged documents of the topic with a grade above 0."),
        "judged": ("Judged", "Judged documents of the topic."),
        "share": ("Unjudged", "Share of unjudged documents in the top {cutoff} of all runs on the topic."),
    },
    "Pairs of runs": {
        "gap": ("Difference", "Mean of {main} of the first run minus that of the other run."),
        "p_pair": (
            "p",
            "Paired t-test over topics, with Holm’s correction for all pairs of the page. A pair is significant if p "
            "is below .05.",
        ),
        "p_alone": ("p, this pair alone", "Paired t-test over topics, without correction for the number of pairs."),
        "med": (
            "MED",
            "Maximised effectiveness distance: the largest possible difference between the two runs on a topic by "
            "{main}, whatever grades their unjudged documents have; mean over topics.",
        ),
        "low": (
            "At least",
            "The smallest difference of the means that labels of the unjudged documents allow, provided that no "
            "relevant documents are missing from both runs.",
        ),
        "high": ("At most", "The largest difference of the means that labels of the unjudged documents allow."),
        "settled": (
            "Order",
            "The first run compared with the other one. Settled: no possible labels of the unjudged documents can "
            "reverse or break the order of the two means on these topics. Likely: not settled, but the label model "
            "gives this order a probability of at least {level}. Undecided: neither.",
        ),
        "better": (
            "P(better)",
            "Probability that the first run has the higher mean of {main} on these topics once the unjudged documents "
            "have labels, by the label model. An order is likely if its probability is at least {level}.",
        ),
    },
    "Documents": {
        "place": ("Rank", "Rank of the document in the run."),
        "grade": ("Grade", "Grade given by the assessors; ? means unjudged."),
        "runs": ("Runs", "Runs that have the document in their top {cutoff}."),
        "first": ("Best rank", "Best rank of the document in any run."),
        "p_relevant": ("P(relevant)", "Probability that the unjudged document is relevant, {how}."),
        "effect": (
            "Effect",
            "How much the label of the document matters: the variance that it adds to the differences of the means, "
            "summed over the undecided pairs of runs, relative to the first document.",
        ),
        "pairs": ("Pairs", "Undecided pairs of runs whose difference depends on the document’s label."),
    },
}


Words = dict[str, tuple[str, str]]  # key -> label and definition


def words_block(content: Content, level: float = 0.95) -> dict[str, Words]:
    """Words by subject; the measures are m0, m1, ..."""
    filled = {"main": str(content.main), "cutoff": content.cutoff, "base": "{base}"}
    filled["adds"] = None if content.adds is None else str(content.measures[content.adds])
    filled |= {"level": f"{level:.0%}", "sure": f"{1 - (1 - level) / 2:.1%}"}
    filled["how"] = _FREQUENT if content.labels is None else "by the label model"
    measures = {f"m{place}": (str(measure), about(measure)) for place, measure in enumerate(content.measures)}
    return {"Measures": measures} | {
        title: {
            key: (label.format(**filled), text.format(**filled))
            for key, (label, text) in words.items()
            if content.labels is not None or key not in _OF_LABELS
        }
        for title, words in _WORDS.items()
        if content.groups or title != _OF_GROUPS
    }


def about(measure: ir_measures.Measure) -> str:
    """The measure in a few sentences, with its prior runs, since two measures may differ in nothing else."""
    title = getattr(measure, "PRETTY_NAME", "") or str(measure)
    sentences = [
        f"{title}: {'sum' if adds_up(measure) else 'mean'} over topics.",
        getattr(measure, "SHORT_DESC", "").strip(),
        _PRIORS.get(prior_symbol(measure) or "", ""),
        _WAYS[direction(measure)],
    ]
    return " ".join(filter(None, sentences))
