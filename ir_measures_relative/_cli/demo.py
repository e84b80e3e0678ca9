"""The main job on a simulated track: what does each system add, and what would a new system have scored?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_measures_relative._cli.command import Command, Outcome

if TYPE_CHECKING:
    import pandas as pd

    from ir_measures_relative._labels import ImputedScores
    from ir_measures_relative.simulate import Track

PREVIOUS = "NRG(prior='previous')@10"
N_SYSTEMS = 24  # so that there are enough groups to learn labels from


def demo_text(seed: int = 0, folder: str | Path = "demo-figures", page: str | Path = "demo-report.html") -> str:
    """Return a leaderboard of a simulated track; figures are written to ``folder`` and a report to ``page``."""
    from ir_measures_relative import simulate
    from ir_measures_relative._experiment import FORMATS, TextTable, calc_runs
    from ir_measures_relative._report import report

    measures = ["nDCG@10", "Judged@10", "NRG@10"]
    track = simulate.track(seed=seed, n_systems=N_SYSTEMS)
    table = calc_runs([*measures, PREVIOUS], track.qrels, track.runs)
    means = table.groupby(["name", "measure"])["value"].mean().unstack()
    means = means[measures].sort_values("nDCG@10", ascending=False)
    scores = _imputed(track)
    new = [name for name in track.runs if name not in track.pooled]
    once_judged = {name: _once_judged(track, name) for name in new}
    rows, covered = [], 0
    for name, ndcg, judged, nrg in means.itertuples():
        interval, later = "", ""
        if name in once_judged:
            low, high = scores[name].interval(0.95)
            covered += low <= once_judged[name] <= high
            interval = f"{low:.3f} - {high:.3f}{' ' if scores[name].calibrated else '*'}"
            later = f"{once_judged[name]:.3f}"
        rows.append((name, f"{ndcg:.3f}", f"{judged:.3f}", interval, later, f"{nrg:.3f}"))
    best, adds = means.index[0], means["NRG@10"].idxmax()
    lines = [
        f"A simulated track: {track.qrels.query_id.nunique()} topics, {len(track.runs)} systems, of which",
        f"{len(track.pooled)} were judged to rank 10. Best nDCG@10 first.\n",
        FORMATS["text"](TextTable(_HEADER, rows)) + _READING,
        f"{covered} of {len(new)} label intervals contain the score once judged.",
        f"{best} has the highest nDCG@10; {adds} adds most to the other systems.\n",
    ]
    try:
        paths = write_demo_figures(table, folder, track.groups, scores)
        lines.append(f"Figures: {', '.join(path.name for path in paths)} in {folder}")
    except ImportError as missing:
        lines.append(f"No figures: {missing}")
    made = report(track.qrels, track.runs, page, groups=track.groups, title="A simulated track")
    return "\n".join([*lines, f"Report:  {made.resolve()} (open it in a browser)\n"])


_HEADER = ["system", "nDCG@10", "Judged@10", "label interval", "once judged", "NRG@10"]
_READING = """
nDCG@10         unjudged documents count 0
Judged@10       share of the top 10 that is judged
label interval  95% interval of the nDCG@10 that the system would have if its
                group had been pooled; labels are learned from the pooled ones
                (* unlike the systems learned from, so the interval may miss)
once judged     nDCG@10 once the system's own top 10 is judged
NRG@10          gain left for a user who has already seen the other systems
"""


def _imputed(track: Track) -> dict[str, ImputedScores]:
    """Scores of all systems, with labels that are learned from the pooled ones."""
    from ir_measures_relative._judged import JudgedRun, Judgements, Run
    from ir_measures_relative._labels import base_model, imputed, learn_labels

    model = learn_labels(track.qrels, {name: track.runs[name] for name in track.pooled}, track.groups)
    base, judgements = base_model("nDCG@10"), Judgements.of(track.qrels)
    joined = {name: JudgedRun(judgements, Run.of(run)) for name, run in track.runs.items()}
    return {name: imputed(run, model, base, "nDCG@10", group=track.groups[name]) for name, run in joined.items()}


def _once_judged(track: Track, name: str) -> float:
    """The system's nDCG@10 once its top 10 is judged."""
    import pandas as pd
    from ir_measures import calc_aggregate, nDCG

    run = track.runs[name]
    top = run.groupby("query_id", sort=False).head(10)[["query_id", "doc_id"]]
    qrels = pd.concat([track.qrels, track.complete_qrels.merge(top)]).drop_duplicates(["query_id", "doc_id"])
    return float(calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10])


def write_demo_figures(table: pd.DataFrame, folder: str | Path, groups: Any = None, scores: Any = None) -> list[Path]:
    """Write scatter.png, chronology.png and, with scores, intervals.png to a folder, which is made if absent."""
    from ir_measures_relative import plots

    chronological, place = PREVIOUS in table["measure"].values, Path(folder)
    added = plots.chronology(table, PREVIOUS if chronological else "NRG@10", "nDCG@10", joined=chronological)
    figures = {"scatter": plots.scatter(table, "nDCG@10", "NRG@10", groups), "chronology": added}
    if scores is not None:
        figures["intervals"] = plots.caterpillar(scores, groups)
    return [plots.save(ax, place / f"{name}.png") for name, ax in figures.items()]


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
