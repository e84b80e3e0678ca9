"""Table 4 of bootstrapped nDCG on other tracks: which grade prior errs least, and in which direction?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from ir_measures import nDCG

import ir_measures_relative as imr
from ir_measures_relative import meta

TRACKS = {"TREC-COVID round 1": "trec-covid-round1", "TREC-COVID round 2": "trec-covid-round2"}
DEPTH = 10
ESTIMATES = {
    "plain (naive lower bound)": imr.NDCGBound(side="lower") @ 10,
    "``prior='pool'``": imr.BootNDCG(prior="pool") @ 10,
    "``prior='run'``": imr.BootNDCG(prior="run") @ 10,
    "``prior='pool+run'``": imr.BootNDCG @ 10,
}
HEAD = ["Runs over", "Estimate", "RMSE lower", "RMSE actual", "RMSE upper"]


def estimates(folder: Path, track: str) -> tuple[dict[str, list[float]], list[float]]:
    """Every estimate of every run and topic with the run's group left out of the pool, and the truth.

    Documents that nobody judged are taken out of the runs first, so that the truth is known.
    """
    place = folder / "data" / TRACKS[track]
    qrels, groups = imr.read_qrels(place / "qrels.txt"), pd.read_csv(place / "groups.csv")
    known = set(zip(*(qrels.to_frame()[column] for column in ("query_id", "doc_id")), strict=True))
    runs = {name: _judged_only(run.to_frame(), known) for name, run in imr.read_runs(place / "runs").items()}
    group_of = dict(zip(groups["run"], groups["group"], strict=True))
    reduced = meta.leave_group_out(qrels, runs, group_of, DEPTH)
    found: dict[str, list[float]] = {name: [] for name in ESTIMATES}
    truth: list[float] = []
    for group, pool in reduced.items():
        own = {name: run for name, run in runs.items() if group_of[name] == group}
        guessed = imr.calc_runs(list(ESTIMATES.values()), pool, own, progress=False)
        actual = imr.calc_runs([nDCG @ 10], qrels, own, progress=False).set_index(["name", "query_id"])["value"]
        for name, measure in ESTIMATES.items():
            part = guessed[guessed["measure"] == str(measure)].set_index(["name", "query_id"])["value"]
            found[name] += part.tolist()
        truth += actual.reindex(part.index).tolist()
    return found, truth


def _judged_only(run: pd.DataFrame, known: set[tuple[str, str]]) -> pd.DataFrame:
    return run[[pair in known for pair in zip(run["query_id"], run["doc_id"], strict=True)]]


def other_data(folder: Path) -> list[list[str]]:
    cells = []
    for track in TRACKS:
        found, truth = estimates(folder, track)
        for name, values in found.items():
            error = meta.estimation_error(np.array(values), np.array(truth))
            cells.append([track, name, f"{error.over:.3f}", f"{error.rmse:.3f}", f"{error.under:.3f}"])
    return cells
