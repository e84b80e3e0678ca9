"""Warnings about qrels and runs that look like a mistake, the same for every function."""

from collections.abc import Iterable, Mapping

from ir_measures_relative._checks import shown, warn
from ir_measures_relative._judged.joined_runs import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

LOOKED_AT = 10  # documents of a topic, for one that is judged
ALL_RELEVANT = "every unjudged document counts as relevant"


def other_topics(run: Run, judgements: Judgements) -> str | None:
    """Describe a run that has none of the qrels' topics, such as '001' for '1'; None for other runs."""
    if not judgements.n_topics or any(topic in run.topic_index for topic in judgements.topic_keys):
        return None
    has = "it has no documents"
    if run.topic_keys:
        has = f"its first is {run.topic_keys[0]!r:.60}, that of the qrels is {judgements.topic_keys[0]!r:.60}"
    return f"has no topic in common with the qrels ({has})"


def warn_of_mismatches(runs: Mapping[str, Run], judgements: Judgements, kind: str = "run") -> None:
    """Warn of runs that do not match the qrels: other topics, most topics missing, other document ids."""
    filled = {name: run for name, run in runs.items() if len(run.doc_id)}  # one without documents may be intended
    for name, run in filled.items():
        warn_of_absent_topics(run, judgements, _named(kind, name))
    common = {name: run for name, run in filled.items() if other_topics(run, judgements) is None}
    warn_of_gaps(common, judgements, kind)
    unmatched = [name for name, run in common.items() if not has_judged_document(run, judgements)]
    warn_of_other_documents(unmatched, judgements, kind)


def warn_of_other_topics(run: Run, judgements: Judgements, what: str = "run") -> None:
    """Warn of one run that does not match the qrels."""
    warn_of_mismatches({"": run}, judgements, what)


def warn_of_absent_topics(run: Run, judgements: Judgements, what: str = "run") -> None:
    """Warn of a run that has none of the topics."""
    if len(run.doc_id) and (problem := other_topics(run, judgements)):
        warn(f"{what} {problem}, so every topic counts as an empty ranking")


def has_judged_document(run: Run, judgements: Judgements) -> bool:
    """Return True if any document of a run is judged; usually one of the first is."""
    joined = JudgedRun(judgements, run)
    return any((joined.top(depth).row >= 0).any() for depth in (LOOKED_AT, None))


def warn_of_gaps(runs: Mapping[str, Run], judgements: Judgements, kind: str = "run") -> None:
    """Warn, in one sentence, of runs that lack most topics."""
    n_topics = judgements.n_topics
    missing = {name: sum(topic not in run.topic_index for topic in judgements.topic_keys) for name, run in runs.items()}
    gaps = [(name, n_missing) for name, n_missing in missing.items() if n_missing > n_topics / 2]
    for name, n_missing in gaps[:1]:
        more = f" ({len(gaps) - 1} more lack most topics)" if len(gaps) > 1 else ""
        lacks = f"lacks {n_missing} of {n_topics} topics"
        warn(f"{_named(kind, name)} {lacks}, each of which counts as an empty ranking{more}")


def warn_of_other_documents(names: Iterable[str], judgements: Judgements, kind: str = "run") -> None:
    """Warn of runs that have no judged document."""
    unmatched = list(names)
    if unmatched and len(judgements.grade):
        more = f" (and {len(unmatched) - 1} more)" if len(unmatched) > 1 else ""
        warn(
            f"{_named(kind, unmatched[0])}{more} has no judged document, so every measure treats all of its documents "
            f"as unjudged; do run and qrels, whose first document is {judgements.document_ids()[0]!r:.60}, use the "
            "same document ids?"
        )


def _named(kind: str, name: str) -> str:
    return f"{kind} {shown(name, 60)}" if name else kind


def warn_without_nonrelevant(judgements: Judgements, what: str, follows: str = ALL_RELEVANT) -> None:
    """Warn, once for each qrels and measure, that nothing is judged non-relevant, as in Vaswani and MS MARCO."""
    kind = what.partition("(")[0].partition("@")[0]  # one warning for all estimates and cutoffs of a measure
    has_nonrelevant = judgements.has_nonrelevant_elsewhere or min(judgements.grade_counts, default=0) <= 0
    if kind not in judgements.warned and not has_nonrelevant:
        judgements.warned.add(kind)
        warn(f"{what}: the qrels have no judged non-relevant document, so {follows}")
