"""Draws the picture of the README: what the systems of a simulated track score, and what each adds to the others."""

from __future__ import annotations

from pathlib import Path

import ir_measures_relative as imr
from ir_measures_relative import plots


def main(folder: Path = Path(__file__).parent) -> Path:
    track = imr.simulate.track(seed=0)
    table = imr.calc_runs(["nDCG@10", "NRG@10"], track.qrels, track.runs)
    ax = plots.scatter(table, "nDCG@10", "NRG@10", track.groups)
    ax.set_title("bm25 is nearly last by nDCG, and adds most to the others", fontsize="medium", loc="left")
    return plots.save(ax, folder / "scatter.png", dpi=110)


if __name__ == "__main__":
    print(main())
