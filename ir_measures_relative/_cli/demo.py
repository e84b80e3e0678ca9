"""The main job on an embedded track: what does each system add to the others, and how sure are the scores?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_measures_relative._cli.command import Command, Outcome

if TYPE_CHECKING:
    import pandas as pd


def demo_text(seed: int = 0, folder: str | Path = "demo-figures", page: str | Path = "demo-report.html") -> str:
    """A leaderboard of a simulated track; figures are written to ``folder`` and a report to ``page``."""
    from ir_measures import Judged, nDCG

    from ir_measures_relative import simulate
    from ir_measures_relative._base import direction
    from ir_measures_relative._experiment import FORMATS, TextTable, calc_runs
    from ir_measures_relative._labels import boot_ndcg
    from ir_measures_relative._report import report
    from ir_measures_relative.measures import NRG, UL, RareP, UniqueRel

    measures = [nDCG @ 10, Judged @ 10, NRG @ 10, UniqueRel @ 10, RareP @ 10, UL @ 10]
    track = simulate.track(seed=seed)
    table = calc_runs([*measures, NRG(prior="previous") @ 10], track.qrels, track.runs)
    scores = {name: boot_ndcg(track.qrels, run, cutoff=10) for name, run in track.runs.items()}
    means = table.groupby(["name", "measure"])["value"].mean().unstack()
    means = means[[str(measure) for measure in measures]].sort_values("nDCG@10", ascending=False)
    size = f"{track.qrels.query_id.nunique()} topics, {len(track.runs)} systems"
    rows = []
    for name, ndcg, *values in means.itertuples():
        low, high = scores[name].interval(0.95)
        rows.append([name, track.groups[name], ndcg, f"{low:.3f} - {high:.3f}", *values])
    header = ["system", "family", "nDCG@10", "95% interval", *means.columns[1:]]
    better = {str(measure): direction(measure) for measure in measures}
    best, adds = means.index[0], means["NRG@10"].idxmax()
    lines = [
        f"A simulated track: {size}, judged from some of them; best nDCG@10 first.\n",
        FORMATS["markdown"](TextTable(header, rows, better, places=3)) + _READING,
        f"\n{best} has the highest nDCG@10, but {adds} adds most to the other systems.",
        _figures(table, folder, track.groups, scores),
    ]
    made = report(track.qrels, track.runs, page, groups=track.groups, title="A simulated track")
    return "\n".join([*lines, f"Report:  {made.resolve()} (open it in a browser)\n"])


_READING = """
95% interval  of the mean nDCG@10, if unjudged documents are like the judged ones (BootNDCG); nDCG@10 itself counts
              them 0, so it may lie below
Judged@10     the share of the top 10 that is judged: unjudged documents count 0 in all other columns
NRG@10        the gain that is left when the user has seen all other systems
UniqueRel@10  relevant documents that no other system has in its top 10
RareP@10      precision that counts a relevant document more, the fewer systems find it
UL@10         nDCG@10 of a topic between a random order (0) and the best one (1) of its judged documents; random orders
              have a mean below 0"""


def _figures(table: pd.DataFrame, folder: str | Path, groups: dict[str, str], scores: dict[str, Any]) -> str:
    """A line about the figures that were written, or why there are none."""
    from ir_measures_relative._cli.demo_figures import write_demo_figures

    try:
        paths = write_demo_figures(table, folder, groups, scores)
    except ImportError as missing:
        return f"No figures: {missing}"
    return f"Figures: {', '.join(str(path) for path in paths)}"


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the simulated track")
    parser.add_argument("--figures", default="demo-figures", metavar="FOLDER", help="where figures go")
    parser.add_argument("--report", default="demo-report.html", metavar="FILE", help="where the page goes")


def _run(options: argparse.Namespace) -> Outcome:
    return Outcome(demo_text(options.seed, options.figures, options.report))


DEMO = Command(
    "demo",
    "Evaluate the systems of a simulated track.",
    ("demo", "the main job on a simulated track"),
    "",
    _add_arguments,
    _run,
)
