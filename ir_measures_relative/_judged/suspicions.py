"""What looks like a mistake in qrels and runs although it can be computed: one sentence each, for every function."""

from __future__ import annotations

from collections.abc import Mapping

from ir_measures_relative._checks import warn
from ir_measures_relative._judged.judged_run import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

_LOOKED_AT = 10  # documents of a topic, for one that is judged
ALL_RELEVANT = "every unjudged document counts as relevant, and a random order of the judged documents is perfect"


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


def has_judged_document(run: Run, judgements: Judgements) -> bool:
    """Whether any of the first documents of a run is judged."""
    return bool((JudgedRun(judgements, run).top(_LOOKED_AT).row >= 0).any())


def warn_of_gaps(runs: Mapping[str, Run], judgements: Judgements) -> None:
    """Warns, in one sentence, of runs that lack most topics."""
    lacking = {name: sum(topic not in run.topic_index for topic in judgements.topic_keys) for name, run in runs.items()}
    most = [name for name, number in lacking.items() if number > judgements.n_topics / 2]
    if most:
        more = f" ({len(most) - 1} more lack most topics)" if most[1:] else ""
        warn(
            f"run {most[0]!r} lacks {lacking[most[0]]} of {judgements.n_topics} topics, each of which counts as an "
            f"empty ranking{more}"
        )


def warn_of_other_documents(judgements: Judgements) -> None:
    """Warns that no run has a judged document."""
    if len(judgements.grade):
        warn(
            f"no run has a judged document in its top {_LOOKED_AT}; do runs and qrels, in which the first is "
            f"{judgements.document_ids()[0]!r:.60}, name documents alike?"
        )


def warn_without_nonrelevant(judgements: Judgements, what: str, follows: str = ALL_RELEVANT) -> None:
    """Warns, once for each qrels, that nothing is judged non-relevant, as in Vaswani and MS MARCO.

    ``what``: the measure or function that learns from the judged documents what unjudged or random ones are like;
    ``follows``: what becomes of them.
    """
    if judgements.warned or not judgements.grade_counts or min(judgements.grade_counts) <= 0:
        return
    judgements.warned = True
    warn(f"{what}: the qrels have no judged non-relevant document, so {follows}")
