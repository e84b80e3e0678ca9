"""Helpers for the pictures of measures: rankings as columns of boxes, in the colours of the package."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#d0d0d0"


def panels(number: int, ranks: int, width: float = 2.6) -> list:
    """Axes side by side, rank 1 at the top."""
    _, axes = plt.subplots(1, number, figsize=(width * number, 0.34 * ranks + 0.9), layout="constrained")
    for ax in axes:
        ax.set(xlim=(-0.05, 1.55), ylim=(ranks + 0.6, 0.4))
        ax.axis("off")
    return list(axes)


def box(ax, rank: int, text: str, colour: str, *, hatched: bool = False) -> None:
    """Draw a document of a ranking; hatched if it is unjudged."""
    face = "white" if hatched else colour
    style = {"facecolor": face, "edgecolor": GREY if hatched else "white", "hatch": "////" if hatched else None}
    ax.add_patch(Rectangle((0, rank - 0.42), 0.22, 0.84, linewidth=0.8, **style))
    ax.text(0.11, rank, text, ha="center", va="center", color="black" if hatched or colour == GREY else "white")


def bar(ax, rank: int, value: float, colour: str, text: str) -> None:
    """Draw the value of the document at a rank; 1 is the width of the panel."""
    ax.add_patch(Rectangle((0.3, rank - 0.3), 0.85 * value, 0.6, color=colour, linewidth=0))
    ax.text(0.33 + 0.85 * value, rank, text, ha="left", va="center", fontsize=9)
