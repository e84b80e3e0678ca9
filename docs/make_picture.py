"""Draws the picture of the README: what the systems of a simulated track score, and what each adds to the others."""

from pathlib import Path

import ir_measures_relative as imr
from ir_measures_relative import plots


def main() -> None:
    track = imr.simulate.track(seed=0)
    table = imr.calc_runs(["nDCG@10", "NRG@10"], track.qrels, track.runs)
    ax = plots.scatter(table, "nDCG@10", "NRG@10", track.groups)
    ax.set_title("bm25 is nearly last by nDCG, and adds most to the others", fontsize="medium", loc="left")
    print(plots.save(ax, Path(__file__).with_name("scatter.png"), dpi=110))


if __name__ == "__main__":
    main()
