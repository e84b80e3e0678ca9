"""Is a new run worse than an old one? For continuous integration."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ir_measures_relative._cli.arguments import LEARNED, add_decisions, add_output, add_qrels
from ir_measures_relative._cli.command import Command, Outcome, UsageError

if TYPE_CHECKING:
    from ir_measures_relative._experiment import Gate

CODES = {"better": 0, "not worse": 0, "worse": 1, "undecided": 3}  # 2 is bad input

_EXAMPLES = """\
  ir_measures_relative gate qrels.txt main.run branch.run P@10 --margin .01
  ir_measures_relative gate qrels.txt main.run branch.run nDCG@10 --json \\
    --labels judge --judge llm.qrels

exit code: 0 pass (better, or not worse), 1 fail (worse by more than the
margin), 2 bad input, 3 warn (undecided; it says how many judgements are
expected to be needed)
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels(parser)
    parser.add_argument("base", help="run file of the old system")
    parser.add_argument("new", help="run file of the new system")
    parser.add_argument("measure", help="such as nDCG@10")
    add_decisions(parser)
    parser.add_argument("--runs", help="with --labels learned: folder or glob of the pooled runs to learn from")
    parser.add_argument("--groups", metavar="FILE", help="their groups, a CSV or TSV file")
    add_output(parser, ("text", "json"))


def _run(options: argparse.Namespace) -> Outcome:
    import json
    from dataclasses import asdict

    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import gate
    from ir_measures_relative._input import run_sources
    from ir_measures_relative._judged import Run

    measure = reading.read_measure(options.measure)
    qrels = reading.read_qrels(options.qrels)
    both = [Run.of(path) for path in (options.base, options.new)]
    for path, run in zip((options.base, options.new), both, strict=True):
        if not set(run.topic_keys) & set(qrels.topic_keys):
            raise UsageError(f"the run '{path}' has no document for any topic of the qrels; it cannot be compared")
    if options.labels == LEARNED and options.runs is None:
        raise UsageError("--labels learned requires --runs, the pooled runs to learn from, and --groups")
    pooled = {} if options.runs is None else run_sources(options.runs)
    labels = reading.read_labels(options, qrels, pooled, options.groups, measure.params.get("cutoff"))
    found = gate(qrels, both[0], both[1], measure, margin=options.margin, labels=labels, level=options.level)
    text = json.dumps(asdict(found)) if options.format == "json" else _sentence(found)
    return Outcome(f"{text}\n", CODES[found.verdict])


def _sentence(found: Gate) -> str:
    from ir_measures_relative._checks import counted

    text = f"{found.verdict}: {found.measure} differs by {found.difference:+.4f} over {counted(found.topics, 'topic')}"
    for run, lacks in (("base", found.base_lacks), ("new", found.new_lacks)):
        text += f" (the {run} run lacks {counted(lacks, 'topic')} and scores 0 there)" if lacks else ""
    if found.low != found.high:
        text += f", by {found.low:+.4f} to {found.high:+.4f} over all labels of unjudged documents"
    text += f"; margin {found.margin:g}"
    if found.p_not_worse is not None:
        is_rounded = found.p_not_worse > 0.999 and found.low < -found.margin  # an open question is never certain
        text += f"; probability of not being worse {'>.999' if is_rounded else f'{found.p_not_worse:.3f}'}"
    if found.verdict == "undecided":
        text += f"; {counted(found.unjudged, 'unjudged document')}"
        if found.expected_left is not None:
            text += f", about {found.expected_left:.0f} judgements expected until it is decided (judge-next lists them)"
    return text


GATE = Command(
    "gate",
    "Is a new run worse than an old one? The exit code says so, for continuous integration.",
    ("gate QRELS BASE NEW MEASURE", "is a new run worse than an old one?"),
    _EXAMPLES,
    _add_arguments,
    _run,
    has_verdict=True,
)
