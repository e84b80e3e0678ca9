"""What the numbers of a report are called and mean: shown on hover, and listed at the end of the page."""

from __future__ import annotations

import ir_measures

from ir_measures_relative._base import direction
from ir_measures_relative._labels import LabelModel
from ir_measures_relative._report.evidence import Evidence, adds_up
from ir_measures_relative.measures import RelativeMeasure

_PRIORS = {
    "others": "Prior runs: all others.",
    "previous": "Prior runs: those listed before it.",
    "groups": "Prior runs: the best one of every other group.",
}
_FREQUENT = "if it is relevant as often as the judged documents of its topic"
_OF_LABELS = {"imputed", "better"}  # shown where there is a label model
_WAYS = {"larger": "Larger is better.", "smaller": "Smaller is better.", "neither": ""}

# key -> (label, definition); {main}, {cutoff} and {level} are filled in here, {base} by the page: the run that the
# reader compares with
_WORDS = {
    "Runs": {
        "rank": ("Rank", "Place by the mean of {main}, and where it lies in {level} of bootstrap samples of topics."),
        "tier": (
            "Tier",
            "A tier begins with a run that is worse than the first run of the tier above in {sure} of bootstrap "
            "samples of topics.",
        ),
        "interval": ("Interval", "The mean of {main} lies within it in {level} of bootstrap samples of topics."),
        "imputed": (
            "Imputed",
            "Expected mean of {main} on these topics once the unjudged documents have labels, with its 95% interval, "
            "by the label model.",
        ),
        "difference": ("Difference", "Mean of {main} minus that of {base}."),
        "p": ("p", "Paired t-test over topics against the baseline, Holm’s correction for the number of other runs."),
        "won": ("Won–lost", "Topics on which the run is better or worse than {base} by {main}; the others are ties."),
        "unjudged": ("Unjudged", "Documents of the top {cutoff} without a judgement; they count as not relevant."),
    },
    "Topics": {
        "hardness": ("Mean", "Of all runs: how hard the topic is."),
        "median": ("Median", "Of all runs on this topic."),
        "best": ("Best", "The best value of any run on the topic: where it is low, all runs fail."),
        "spread": ("Spread", "The highest value of the topic minus the lowest: how well it tells runs apart."),
        "relevant": ("Relevant", "Judged documents of the topic with a grade above 0."),
        "judged": ("Judged", "Judged documents of the topic."),
        "share": ("Unjudged", "Share of unjudged documents in the top {cutoff} of all runs on the topic."),
    },
    "Pairs of runs": {
        "gap": ("Difference", "Mean of {main} of the first run minus that of the other one."),
        "p_pair": ("p", "Paired t-test over topics, Holm’s correction for all pairs of the page."),
        "p_alone": ("p, this pair alone", "Paired t-test over topics, not corrected for the number of pairs."),
        "med": (
            "MED",
            "The most by which two runs can differ on a topic by {main}, whatever grades the unjudged documents of "
            "either have; mean over topics.",
        ),
        "below": (
            "At least",
            "The smallest difference of the means, with its sign, that some grades of the unjudged documents allow, as "
            "long as no relevant document turns up that neither run shows (the lower end of MED).",
        ),
        "above": ("At most", "The largest difference of the means that some grades of the unjudged documents allow."),
        "verdict": (
            "Whatever the labels?",
            "Whether the first run is better or worse on these topics whatever grades the unjudged documents of both "
            "have; it is open where both signs are possible.",
        ),
        "better": (
            "P(better)",
            "Chance that the first run has the higher mean of {main} on these topics once the unjudged "
            "documents have labels, by the label model.",
        ),
    },
    "Documents": {
        "place": ("Rank", "Of the document in the run’s list."),
        "grade": ("Grade", "As judged; ? is unjudged."),
        "runs": ("Runs", "Runs that have the document in their top {cutoff}."),
        "first": ("Best rank", "The best rank that a run gives the document."),
        "p_relevant": ("P(relevant)", "Chance that the unjudged document is relevant, {how}."),
        "effect": (
            "Effect",
            "How much the label of the document matters: the variance that it adds to the differences of the means, "
            "summed over the pairs of runs whose order is open; in percent of the first document’s.",
        ),
        "pairs": ("Pairs", "Pairs of runs whose order is open and which rank the document differently."),
    },
}


Words = dict[str, tuple[str, str]]  # key -> label and definition


def words_block(evidence: Evidence, model: LabelModel | None, level: float = 0.95) -> dict[str, Words]:
    """Words by what they are about; the measures are m0, m1, ..."""
    filled = {"main": str(evidence.main), "cutoff": evidence.cutoff, "base": "{base}"}
    filled |= {"level": f"{level:.0%}", "sure": f"{1 - (1 - level) / 2:.1%}"}
    filled["how"] = _FREQUENT if model is None else "by the label model"
    measures = {f"m{place}": (str(measure), about(measure)) for place, measure in enumerate(evidence.measures)}
    return {"Measures": measures} | {
        title: {
            key: (label, text.format(**filled))
            for key, (label, text) in words.items()
            if model is not None or key not in _OF_LABELS
        }
        for title, words in _WORDS.items()
    }


def about(measure: ir_measures.Measure) -> str:
    """The measure in some sentences: also which runs it compares with, since two may differ in nothing else."""
    title = getattr(measure, "PRETTY_NAME", "") or str(measure)
    symbol = measure.symbol if isinstance(measure, RelativeMeasure) else None
    sentences = [
        f"{title}: {'sum' if adds_up(measure) else 'mean'} over topics.",
        getattr(measure, "SHORT_DESC", "").strip(),
        _PRIORS.get(symbol or "", ""),
        _WAYS[direction(measure)],
    ]
    return " ".join(filter(None, sentences))
