"""Which documents to judge next."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ir_measures_relative._cli import arguments
from ir_measures_relative._cli.command import Command, Outcome, UsageError
from ir_measures_relative._cli.streams import say

if TYPE_CHECKING:
    from ir_measures_relative._judged import Judgements

_POOL = "pool"  # lines of topic and document, as assessors are given them

_EXAMPLES = """\
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 --n 50 --top 10
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 --labels learned \\
    --groups groups.csv --format pool

--format pool prints lines of topic and document, for assessors

with --judged NEW.txt, judgements made since in the form of TREC qrels, it
says which pairs are decided now; labels are learned from QRELS alone. The
exit code is then 0 if every pair is decided, 3 while some are not, 2 for
bad input. An empty NEW.txt starts the loop
"""
LEFT = 3  # exit code while pairs are undecided
_MOST_NAMED = 20  # decided pairs that are named


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_qrels(parser)
    arguments.add_runs(parser)
    arguments.add_measure(parser)
    parser.add_argument("--n", type=int, default=20, metavar="N", help="number of documents (default 20)")
    parser.add_argument("--number", type=int, dest="n", help=argparse.SUPPRESS)
    parser.add_argument("--judged", metavar="FILE", help="judgements made since, as TREC qrels; see below")
    arguments.add_decisions(parser)
    arguments.add_pairs(parser)
    arguments.add_places(parser)
    arguments.add_output(parser, (*arguments.FORMATS, _POOL))


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative._checks import counted
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable, judge_next, pairs
    from ir_measures_relative._input import run_sources
    from ir_measures_relative._judged import Run

    measure = reading.read_measure(options.measure)
    sources = run_sources(options.runs, names=options.names)
    qrels = reading.read_qrels(options.qrels)
    runs = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}  # read once for all below
    labels = reading.read_labels(options, qrels, runs, options.groups, measure.params.get("cutoff"))
    before = qrels
    if options.judged is not None:
        qrels = _added(qrels, options.judged)
    asked: dict[str, Any] = {
        "labels": labels, "level": options.level, "margin": options.margin, "groups": options.groups,
        "runs_of_interest": reading.runs_of_interest(options, measure, before, runs),
    }  # fmt: skip
    found = judge_next(qrels, runs, options.n, base=measure, **asked)
    if options.judged is not None and len(runs) > 1:
        for line in _progress(pairs(before, runs, measure, **asked), pairs(qrels, runs, measure, **asked)):
            say(line)
    if len(runs) > 1 and not found.n_undecided:
        say("every pair of runs is decided; there is nothing to judge")
    elif found.empty:
        say("no document above the depth of the pool can decide the remaining pairs")
    elif len(runs) > 1:
        say(f"about {counted(round(found.expected_left), 'judgement')} expected to be left")
    is_pool = options.format == _POOL
    if is_pool:
        options.format = "tsv"
    columns = ["query_id", "doc_id"] if is_pool else list(found.columns)
    rows = list(found[columns].itertuples(index=False, name=None))
    table = TextTable(columns, rows, places=options.places, has_header=not is_pool, small=["effect"])
    code = LEFT if options.judged is not None and found.n_undecided else 0
    return Outcome(reading.table_text(table, options), code)


def _added(qrels: Judgements, path: str) -> Judgements:
    """The qrels with the judgements of a file; these must be of the same topics and must not contradict the qrels."""
    from pathlib import Path

    from ir_measures_relative._judged import Judgements

    if not Path(path).read_bytes().strip():
        return qrels
    all_judged = qrels.to_dict()
    keys = {str(topic): topic for topic in all_judged}
    for topic, documents in Judgements.of(Path(path), "judged").to_dict().items():
        if str(topic) not in keys:
            raise UsageError(f"--judged: the qrels have no topic {topic!r}; judge documents of their topics")
        known = all_judged[keys[str(topic)]]
        for document, grade in documents.items():
            if known.setdefault(document, grade) != grade:
                raise UsageError(
                    f"--judged: document {document!r} of topic {topic!r} has grade {grade}, but {known[document]} in "
                    "the qrels; remove one of the two"
                )
    return Judgements.of(all_judged)


def _progress(before: Any, now: Any) -> Iterator[str]:
    """How many pairs are decided, and which of them were not before."""
    from ir_measures_relative._checks import counted

    open_before, open_now = (
        table["decision"] == "undecided" if "decision" in table else table["settled"] == "no" for table in (before, now)
    )
    since = open_before & ~open_now
    yield f"{int((~open_now).sum())} of {counted(len(now), 'pair')} decided, {int(since.sum())} of them since"
    for row in now[since].head(_MOST_NAMED).to_dict("records"):
        word = row.get("decision", "settled")
        ahead = row.get("p_better", 1.0 if row["settled"] == "better" else 0.0) > 0.5
        first, second = (row["a"], row["b"]) if ahead else (row["b"], row["a"])
        equal = word == "tied" or row["settled"] == "equal"
        yield (
            f"decided now: {first} and {second} are tied"
            if equal
            else (f"decided now: {first} is better than {second} ({word})")
        )


JUDGE_NEXT = Command(
    "judge-next",
    "List the unjudged documents whose judgements settle the order of the runs soonest.",
    ("judge-next QRELS RUNS [MEASURE]", "which documents to judge next"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
