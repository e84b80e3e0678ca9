"""The papers' figures on their own data, drawn again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from ir_measures_relative import plots

from . import dl2019, trec8


def nrg(folder: Path, measure: str) -> Axes:
    """Draw a figure of the NRG paper: nDCG@10 and another measure of every run, marked by group."""
    table = dl2019.points(folder).reset_index()
    ax = plots.scatter(table, dl2019.NDCG, measure, dict(zip(table["name"], table["group"], strict=True)))
    ax.set_title("TREC DL 2019, passages: 37 runs", fontsize="medium", loc="left")
    return ax


def rareness(folder: Path) -> Axes:
    """Draw Figure 2 of the rareness paper for TREC-8."""
    curves = trec8.figure_2(folder)
    lines = {f"Rare{kind}@100 and {kind}@100": curves[f"tau, {kind}"] for kind in ("P", "AP")}
    ax = plots.tau_curve(trec8.ALPHAS, lines)
    ax.set_title("TREC-8: 129 runs", fontsize="medium", loc="left")
    return ax


FIGURES: dict[str, Callable[[Path], Axes]] = {
    **{name: partial(nrg, measure=measure) for name, measure in dl2019.FIGURES.items()},
    "rareness_figure_2": rareness,
}


def save(name: str, folder: Path, target: Path) -> Path:
    """Draw a figure into the folder `target`."""
    return plots.save(FIGURES[name](folder), target / f"{name}.png", dpi=110)
