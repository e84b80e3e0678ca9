"""The commands that write a page: report, and demo, a tour on a simulated track."""

import argparse
import os
from pathlib import Path
from typing import Any

import pandas as pd
from ir_measures import calc_aggregate, nDCG

from ir_measures_relative import simulate
from ir_measures_relative._checks import heard_warnings
from ir_measures_relative._cli import reading
from ir_measures_relative._cli.arguments import Outcome
from ir_measures_relative._cli.streams import say
from ir_measures_relative._experiment import FORMATS, TextTable, compare
from ir_measures_relative._input import run_sources
from ir_measures_relative._labels import impute, learn_labels
from ir_measures_relative._report import checked_path, is_stream, read_text_file, report, write_report

PREVIOUS = "NRG(prior='previous')@10"
N_SYSTEMS = 24  # so that there are enough groups to learn labels from
_HEADER = ["system", "nDCG@10", "Judged@10", "label interval", "once judged", "NRG@10"]
_STAR = "                (* unlike the pooled systems, so it may miss that score)\n"
_LEGEND = f"""
nDCG@10         unjudged documents count as non-relevant
Judged@10       share of the top 10 that is judged
label interval  95% interval of the nDCG@10 that the system would have if its
                group had been pooled; labels are learned from the pooled ones
{_STAR}once judged     nDCG@10 once the system's own top 10 is judged
NRG@10          gain left for a user who has already seen the other systems
"""


def write_page(options: argparse.Namespace) -> Outcome:
    sources = ((options.texts, ("doc_id", "text")), (options.queries, ("query_id", "query")))
    measures = list(reading.read_measures(options.measures)) if options.measures else None
    place = checked_path(options.page)  # before anything that takes time
    texts = [read_text_file(path, columns) for path, columns in sources if path is not None]
    qrels = options.qrels if os.path.isfile(options.qrels) else reading.read_qrels(options.qrels)
    content = write_report(
        qrels, run_sources(options.runs, names=options.names), place, measures, options.groups, options.labels,
        options.baseline, texts, options.title, options.command, depth=options.depth, check_labels=options.check_labels,
    )  # fmt: skip
    n_runs, n_topics = content.main_scores.shape
    summary = f"{options.page}: {n_runs} runs, {n_topics} topics"
    if is_stream(place):  # such as /dev/stdout, which has the page itself
        say(summary)
        return Outcome("")
    return Outcome(f"{summary}, {place.stat().st_size / 1e6:.1f} MB; open it in a browser\n")


def demonstrate(options: argparse.Namespace) -> Outcome:
    """Print the leaderboard of a simulated track; write figures and a report."""
    track = simulate.track(seed=options.seed, n_systems=N_SYSTEMS)
    scores = compare(["nDCG@10", "Judged@10", "NRG@10", PREVIOUS], track.qrels, track.runs, sort="nDCG@10")
    means = scores.to_frame().drop(columns=PREVIOUS)
    pooled = {name: track.runs[name] for name in track.pooled}
    labels = learn_labels(track.qrels, pooled, track.groups)
    with heard_warnings():  # the table marks the systems that are unlike the others
        imputed = {n: impute(track.qrels, run, labels, group=track.groups[n]) for n, run in track.runs.items()}
    rows, n_covered = [], 0
    for name, ndcg, judged, nrg in means.itertuples():
        interval, later = "", ""
        if name not in pooled:
            (low, high), once_judged = imputed[name].interval(0.95), _once_judged(track, name)
            n_covered += low <= once_judged <= high
            interval = f"{low:.3f} - {high:.3f}{' ' if imputed[name].calibrated else '*'}"
            later = f"{once_judged:.3f}"
        rows.append((name, f"{ndcg:.3f}", f"{judged:.3f}", interval, later, f"{nrg:.3f}"))
    legend = _LEGEND if any("*" in row[3] for row in rows) else _LEGEND.replace(_STAR, "")
    lines = [
        f"A simulated track: {track.qrels.query_id.nunique()} topics, {len(track.runs)} systems, of which",
        f"{len(pooled)} were judged to rank 10. Best nDCG@10 first.\n",
        FORMATS["text"](TextTable(_HEADER, rows)) + legend,
        f"{n_covered} of {len(rows) - len(pooled)} label intervals contain the score once judged.",
        f"{means.index[0]} has the highest nDCG@10; {means['NRG@10'].idxmax()} adds most to the other systems.\n",
    ]
    try:
        paths = write_demo_figures(scores.per_topic, options.figures, track.groups, imputed)
        lines.append(f"Figures: {', '.join(path.name for path in paths)} in {options.figures}")
    except ImportError as missing:
        lines.append(f"No figures: {missing}")
    page = report(track.qrels, track.runs, options.report, groups=track.groups, title="A simulated track")
    return Outcome("\n".join([*lines, f"Report:  {page.resolve()} (open it in a browser)\n"]))


def _once_judged(track: simulate.Track, name: str) -> float:
    """Return the system's nDCG@10 once its top 10 is judged."""
    run = track.runs[name]
    top = run.groupby("query_id", sort=False).head(10)[["query_id", "doc_id"]]
    qrels = pd.concat([track.qrels, track.complete_qrels.merge(top)]).drop_duplicates(["query_id", "doc_id"])
    return float(calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10])


def write_demo_figures(table: pd.DataFrame, folder: str | Path, groups: Any, scores: Any) -> list[Path]:
    """Write scatter.png, chronology.png and intervals.png to a folder, which is created if missing."""
    from ir_measures_relative import plots  # late: matplotlib is optional

    figures = {
        "scatter": plots.scatter(table, "nDCG@10", "NRG@10", groups),
        "chronology": plots.chronology(table, PREVIOUS, "nDCG@10"),
        "intervals": plots.caterpillar(scores, groups),
    }
    return [plots.save(ax, Path(folder) / f"{name}.png") for name, ax in figures.items()]
