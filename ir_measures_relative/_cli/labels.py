"""Labels of unjudged documents for the commands that decide between runs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ir_measures import Measure

from ir_measures_relative._cli.arguments import read_judge
from ir_measures_relative._cli.command import UsageError
from ir_measures_relative._judged import Judgements
from ir_measures_relative._labels import LEARNED, LabelModel, learn_labels


def add_decisions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--labels", choices=(LEARNED, "judge"),
        help="what unjudged documents are worth: learned from the runs (needs --groups), or from --judge alone",
    )  # fmt: skip
    parser.add_argument("--judge", metavar="FILE", help="another judge's labels as TREC qrels, to learn from")
    parser.add_argument("--level", type=float, default=0.95, metavar="SHARE", help="chance that decides (default .95)")


def add_pairs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--margin", type=float, default=0.0, help="with --labels: a difference too small to matter")
    parser.add_argument("--top", type=int, metavar="N", help="only the N best runs")
    parser.add_argument("--only", action="append", metavar="RUN", help="only these runs; several times")


def read_labels(
    options: argparse.Namespace, qrels: Judgements, runs: Mapping[str, Any], groups: str | None, cutoff: int | None
) -> LabelModel | str | None:
    """The labels that the options ask for; ``runs`` to learn from."""
    judge = read_judge(options.judge)
    if options.labels is None:
        if judge is not None:
            raise UsageError("--judge goes with --labels learned or --labels judge")
        return None
    if options.labels == "judge":
        if judge is None:
            raise UsageError("--labels judge needs --judge FILE")
        return learn_labels(qrels, judge=judge)
    if groups is None:
        raise UsageError("--labels learned needs --groups FILE: runs of one group find the same documents")
    if cutoff is None:
        raise UsageError("--labels learned needs a measure with a cutoff, as in nDCG@10")
    return learn_labels(qrels, runs, groups, cutoff=cutoff, judge=judge)


def runs_of_interest(
    options: argparse.Namespace, measure: Measure, qrels: Judgements, runs: Mapping[str, Any]
) -> list[str] | None:
    """The runs that --top and --only name."""
    if options.top is None:
        return None if options.only is None else list(options.only)
    from ir_measures_relative._experiment import compare

    if options.only is not None:
        raise UsageError("--top and --only: give one of them")
    if options.top < 2:
        raise UsageError(f"--top {options.top} is not accepted; accepted is a whole number from 2")
    table = compare([measure], qrels, runs, sort=measure).to_frame()
    return [str(name) for name in table.index[: options.top]]
