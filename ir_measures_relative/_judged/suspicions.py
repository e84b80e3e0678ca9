"""What looks like a mistake in qrels and runs although it can be computed: one sentence each, for every function."""

from __future__ import annotations

from ir_measures_relative._checks import warn
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

_ALL_RELEVANT = "every unjudged document counts as relevant, and a random order of the judged documents is perfect"


def other_topics(run: Run, judgements: Judgements) -> str | None:
    """What is wrong with a run that has none of the qrels' topics, such as '001' for '1'; None where nothing is."""
    if not judgements.n_topics or any(topic in run.topic_index for topic in judgements.topic_keys):
        return None
    has = f"its first is {run.topic_keys[0]!r:.60}" if run.topic_keys else "it has no documents"
    return f"has no topic in common with the qrels ({has})"


def warn_of_other_topics(run: Run, judgements: Judgements, what: str = "run") -> None:
    """Warns of a run of other topics, whose scores mean nothing; a run without documents may be intended."""
    problem = other_topics(run, judgements)
    if problem and run.topic_keys:
        warn(f"{what} {problem}, so each of their topics is an empty ranking")


def refuse_other_topics(run: Run, judgements: Judgements, what: str = "run") -> None:
    """Refuses a run of other topics, or of none: in a list of files it is a mistake."""
    problem = other_topics(run, judgements)
    if problem:
        raise ValueError(f"{what} {problem}")


def warn_without_nonrelevant(judgements: Judgements, what: str, follows: str = _ALL_RELEVANT) -> None:
    """Warns, once for each qrels, that nothing is judged non-relevant, as in Vaswani and MS MARCO.

    ``what``: the measure or function that learns from the judged documents what unjudged or random ones are like;
    ``follows``: what becomes of them.
    """
    if judgements.warned or not judgements.grade_counts or min(judgements.grade_counts) <= 0:
        return
    judgements.warned = True
    warn(f"{what}: the qrels have no judged non-relevant document, so {follows}")
