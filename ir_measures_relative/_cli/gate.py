"""Is a new run worse than an old one? For continuous integration."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ir_measures_relative._cli.arguments import LEARNED, add_decisions, add_output, add_qrels
from ir_measures_relative._cli.command import Command, Outcome, UsageError

if TYPE_CHECKING:
    from ir_measures_relative._experiment import Gate

CODES = {"not worse": 0, "worse": 1, "undecided": 3}  # 2 is bad input

_EXAMPLES = """\
  ir_measures_relative gate qrels.txt main.run branch.run P@10 --tolerance .01
  ir_measures_relative gate qrels.txt main.run branch.run nDCG@10 --json \\
    --labels judge --judge llm.qrels

exit code: 0 not worse, 1 worse by more than the tolerance, 2 bad input,
3 undecided (it says how many judgements would settle it)
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels(parser)
    parser.add_argument("base", help="run file of the old system")
    parser.add_argument("new", help="run file of the new system")
    parser.add_argument("measure", help="such as nDCG@10")
    parser.add_argument(
        "--tolerance", type=float, default=0.0, metavar="LOSS", help="largest loss that is accepted (default 0)"
    )
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
    from ir_measures_relative._labels import BASES

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
    found = gate(qrels, both[0], both[1], measure, tolerance=options.tolerance, labels=labels, level=options.level)
    text = json.dumps(asdict(found)) if options.format == "json" else _sentence(found, measure.NAME in BASES)
    return Outcome(f"{text}\n", CODES[found.verdict])


def _sentence(found: Gate, is_judge_next_measure: bool) -> str:
    from ir_measures_relative._checks import counted

    text = f"{found.verdict}: {found.measure} differs by {found.difference:+.4f} over {counted(found.topics, 'topic')}"
    for run, lacks in (("base", found.base_lacks), ("new", found.new_lacks)):
        text += f" ({counted(lacks, 'topic')} not in the {run} run: empty)" if lacks else ""
    if found.below != found.above:
        text += f", by {found.below:+.4f} to {found.above:+.4f} whatever unjudged documents are"
    text += f"; tolerance {found.tolerance:g}"
    if found.p_not_worse is not None:
        text += f"; not worse with chance {found.p_not_worse:.3f}"
    if found.verdict == "undecided":
        text += f"; {counted(found.unjudged, 'unjudged document')} can matter"
        about = f"; judging {found.judgements} of them settles it if they are as expected"
        text += about if found.p_not_worse is not None else ", and judging all settles it"
        text += " (judge-next says which)" if is_judge_next_measure else ""
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
