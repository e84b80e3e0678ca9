"""Rareness (Türkmen, Lease, Kutlu, ECIR 2023). Its experiments on other runs; trec8.py has its own."""

from __future__ import annotations

from functools import cache
from math import isqrt
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

import ir_measures_relative as imr
from ir_measures_relative import meta

from .rows import Row, row

# Data, its cutoff; Vaswani's documents are all judged, TREC-COVID's pools are shallow
TRACKS = {"Vaswani": 100, "TREC-COVID round 1": 10, "TREC-COVID round 2": 10}
FOLDERS = {
    "Vaswani": "vaswani_runs",
    "TREC-COVID round 1": "trec-covid-round1",
    "TREC-COVID round 2": "trec-covid-round2",
}
ALPHAS = (0.0, 0.5, 1.0)


def from_paper() -> list[Row]:
    pairs = [1830, 8256, 406, 2016]
    systems = [(1 + isqrt(1 + 8 * count)) // 2 for count in pairs]  # 61, 129, 29, 64
    return [
        row("Table 1", f"Pairs of {', '.join(map(str, systems))} systems", "1830 8256 406 2016",
            [n * (n - 1) / 2 for n in systems]),
        row("Section 4.4", "Half of 45 and of 50 topics", "22 25", [45 // 2, 50 // 2]),
        row("Section 2.1", "Largest P@K of two systems, alpha = 1: 2 (S-1)/S", "1.0", [_alone("additive", "share")],
            "If each document is found by one system only, Eq. 1 gives 1 + (S-1)/S, which is below 2, as stated"),
        row("Section 5.2", "R' of a document that every system finds, stated to be the maximum", "1.0",
            [_everywhere("mixture", "normalized")], "The formula gives 0, and 1 if only one system finds it"),
    ]  # fmt: skip


def _alone(variant: str, rarity: str) -> float:
    measure = imr.RareP(prior=[{"q": {"b": 1.0}}], variant=variant, rarity=rarity) @ 1
    return float(measure.calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}}))


def _everywhere(variant: str, rarity: str) -> float:
    measure = imr.RareP(prior=[{"q": {"a": 1.0}}], variant=variant, rarity=rarity) @ 1
    return float(measure.calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}}))


def measures(track: str) -> dict[str, list[str]]:
    """P and AP: the measure with alpha = 0, .5 and 1."""
    k = TRACKS[track]
    return {kind: [f"{kind}@{k}", f"Rare{kind}(alpha=0.5)@{k}", f"Rare{kind}@{k}"] for kind in ("P", "AP")}


@cache
def scores(folder: Path, track: str) -> dict[str, pd.DataFrame]:
    """measure -> systems x topics."""
    place = folder / "data" / FOLDERS[track]
    runs = str(place / "*.run.gz") if track == "Vaswani" else place / "runs"
    asked = [measure for several in measures(track).values() for measure in several]
    table = imr.calc_runs(asked, place / "qrels.txt", runs, progress=False)
    return {m: t.pivot(index="name", columns="query_id", values="value") for m, t in table.groupby("measure")}


def two_at_a_time(table: pd.DataFrame, level: float = 0.05) -> int:
    """Pairs that Tukey's test on two systems alone tells apart: an unpaired t-test, uncorrected."""
    x = table.to_numpy()  # (S, Q)
    one, other = np.triu_indices(len(x), k=1)
    return int((ttest_ind(x[one], x[other], axis=1).pvalue < level).sum())


def experiment(folder: Path, track: str, kind: str) -> list[list[str]]:
    """Cells of one row per alpha: the paper's Figure 2 and Tables 1 and 2 on another track."""
    found = scores(folder, track)
    names = measures(track)[kind]
    cells = []
    for measure in names:
        table = found[measure]
        power = meta.discriminative_power(table)
        ties = [meta.stability(table, relative=relative).stability for relative in (False, True)]
        tau = meta.kendall_tau(table.mean(axis=1), found[names[0]].mean(axis=1))
        counts = [f"{two_at_a_time(table)}", f"{power.count}"]
        cells.append([track, f"``{measure}``", f"{tau:.3f}", *counts, *(f"{value:.3f}" for value in ties)])
    return cells


HEAD = [
    "Runs over",
    "Measure",
    "tau with alpha = 0",
    "separated pairs, two systems at a time",
    "separated pairs, two-way Tukey",
    "stability, ties below .05",
    "stability, ties below 5%",
]


def other_data(folder: Path, tracks: tuple[str, ...] = tuple(TRACKS)) -> list[list[str]]:
    return [cells for track in tracks for kind in ("P", "AP") for cells in experiment(folder, track, kind)]
