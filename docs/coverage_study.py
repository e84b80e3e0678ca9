"""Count how often label intervals contain the truth on five real tracks, and write the tables of that page.

``make coverage-study``, or ``python docs/coverage_study.py TRACK ...`` for some of the tracks, which are then only
printed; ``small`` among them adds small pools, made from a few groups of a large track, and ``methods`` compares all
ways to score unjudged documents on two tracks. Requires the reference data (a folder ``shared`` next to the repository,
or the one that ``IR_MEASURES_RELATIVE_SHARED`` names) and takes about 15 minutes of processor time.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import nDCG
from reproduce import REPOSITORY, shared_folder
from reproductions.rows import list_table

import ir_measures_relative as imr

TABLES = REPOSITORY / "ir_measures_relative" / "pt_docs" / "studies"
TRACKS = {
    "trec-covid-round1": "TREC-COVID round 1",
    "trec-covid-round2": "TREC-COVID round 2",
    "trec-dl-2019": "TREC DL 2019",
    "trec-dl-2021": "TREC DL 2021",
    "trec-8": "TREC-8",
}
ALL = "All five"
SMALL = "small"
SMALL_POOLS = {"trec-8": 10, "trec-covid-round1": 7, "trec-covid-round2": 7}  # track: depth of the pools made from it
SMALL_SIZES = (9, 14)  # groups of a small pool
SMALL_SEEDS = range(4)
METHODS = "methods"
METHOD_TRACKS = ("trec-covid-round2", "trec-dl-2021")
METHOD_ROWS = {  # method: how it treats unjudged documents
    "plain nDCG": "non-relevant",
    "condensed lists": "removed",
    "`boot_ndcg`, mean": "like judged documents",
    "`learn_labels`, `impute`": "like documents that only one group retrieved",
    "a judge's labels as they are": "graded by the judge",
    "`learn_labels` from the judge only": "graded by the judge, calibrated",
    "`learn_labels` from runs and the judge": "both",
}
COVERAGE_HEAD = ["Track", "Runs, groups", "Counted", ".5", ".8", ".9", ".95", ".99"]
ERROR_HEAD = ["Track", "Depth", "Error, plain nDCG", "Error, learned", "Ratio", "tau, plain", "tau, learned", "Width"]


def qrels_of(folder: Path) -> Path:
    return next(path for path in (folder / "qrels.txt", folder / "qrels.txt.gz") if path.exists())


def coverage_of(folder: Path, estimate: Any = "learned", judge: Path | None = None) -> imr.meta.IntervalCoverage:
    """Leave each group of a track out of its pool."""
    return imr.meta.interval_coverage(qrels_of(folder), folder / "runs", folder / "groups.csv", estimate, judge=judge)


def methods_of(folder: Path, learned: imr.meta.IntervalCoverage) -> dict[str, list[str]]:
    """Error and coverage of each method on a track, by its row in the table."""
    judge = next(folder.glob("judge-umbrela-*"), None)
    names = list(METHOD_ROWS)
    studies = {names[2]: coverage_of(folder, imr.boot_ndcg), names[3]: learned}
    if judge is not None:
        studies |= {names[5]: coverage_of(folder, "judge", judge), names[6]: coverage_of(folder, judge=judge)}
    cells = {name: [share(study.summary()["error"]), covered(study)] for name, study in studies.items()}
    cells[names[0]] = [share(learned.summary()["error_plain"]), "–"]
    changed = changed_scores(folder, learned.depth, judge)
    errors = np.sqrt(changed.sub(learned.truth.mean(axis=1), axis=0).pow(2).mean())
    print(f"{folder.name}:", {what: round(value, 4) for what, value in errors.items()}, flush=True)
    cells[names[1]] = [share(errors["condensed"]), "–"]
    if judge is not None:
        cells[names[4]] = [share(errors["judge"]), "–"]
    return cells


def changed_scores(folder: Path, depth: int, judge: Path | None) -> pd.DataFrame:
    """Mean nDCG@10 of each run without its group, if its list or the judgements are changed; a row per run.

    ``condensed`` removes the documents that became unjudged, ``judged_only`` removes all unjudged documents, and
    ``judge``, if there is one, grades those that became unjudged in the top 10.
    """
    runs = imr.read_runs(folder / "runs")
    groups = pd.read_csv(folder / "groups.csv", dtype=str).set_index("run")["group"]
    qrels = imr.read_qrels(qrels_of(folder)).to_dict()
    labels = {} if judge is None else imr.read_qrels(judge).to_dict()
    visible = imr.meta.leave_group_out(qrels, runs, groups.to_dict(), depth=depth)
    rows = {}
    for name, run in runs.items():
        kept = imr.read_qrels(visible[groups[name]]).to_dict()
        hidden = {topic: set(grades) - set(kept.get(topic, {})) for topic, grades in qrels.items()}
        lists = {topic: [doc for doc in run.ranking(topic) if doc not in hidden[topic]] for topic in qrels}
        graded = {topic: dict(grades) for topic, grades in kept.items()}
        for topic, documents in hidden.items():
            for doc in documents & set(run.ranking(topic)[:10]) & set(labels.get(topic, {})):
                graded.setdefault(topic, {})[doc] = labels[topic][doc]
        condensed = {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in lists.items()}
        rows[name] = {
            "condensed": mean_score(nDCG @ 10, kept, condensed),
            "judged_only": mean_score(nDCG(judged_only=True) @ 10, kept, run),
        }
        if labels:
            rows[name]["judge"] = mean_score(nDCG @ 10, graded, run)
    return pd.DataFrame.from_dict(rows, orient="index")


def mean_score(measure: Any, qrels: Any, run: Any) -> float:
    return float(imr.compare([measure], qrels, {"run": run}, progress=False).to_frame().iloc[0, 0])


def method_rows(columns: dict[str, dict[str, list[str]]]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of methods; ``columns`` has the cells of each track."""
    head = ["Method", "Unjudged documents are"]
    for track in columns:
        head += [f"{TRACKS[track]}: error", "95% intervals that cover"]
    rows = [
        [name, treated, *(cell for cells in columns.values() for cell in cells.get(name, ["–", "–"]))]
        for name, treated in METHOD_ROWS.items()
    ]
    return head, rows


def covered(study: imr.meta.IntervalCoverage) -> str:
    runs = study.to_frame()[study.evaluated]
    return f"{runs['covers'].sum()} of {len(runs)} runs"


def best_third(studies: list[tuple[str, imr.meta.IntervalCoverage]]) -> str:
    """Coverage of 95% intervals for the best third of the runs of each track."""
    parts = [study.to_frame()[study.evaluated] for _, study in studies]
    best = pd.concat([runs.nlargest(len(runs) // 3, "truth") for runs in parts])
    return f"{best['covers'].sum()} of {len(best)} runs"


def small_pool(folder: Path, depth: int, n_groups: int, seed: int) -> imr.meta.IntervalCoverage:
    """Leave each group out of the pool that some groups of a track would have made; other judgements are dropped."""
    table = pd.read_csv(folder / "groups.csv", dtype=str)
    drawn = np.random.default_rng(seed).choice(sorted(set(table["group"])), n_groups, replace=False)
    groups = dict(table.loc[table["group"].isin(drawn), ["run", "group"]].to_numpy().tolist())
    runs = {name: imr.read_run(folder / "runs" / f"{name}.run.gz") for name in groups}
    pool = {(topic, doc) for run in runs.values() for topic in run.topic_keys for doc in run.ranking(topic)[:depth]}
    qrels: dict[str, dict[str, int]] = {}
    for topic, grades in imr.read_qrels(qrels_of(folder)).to_dict().items():
        qrels[topic] = {doc: grade for doc, grade in grades.items() if (topic, doc) in pool}
    return imr.meta.interval_coverage(qrels, runs, groups, depth=depth)


def small_pools(data: Path) -> list[list[str]]:
    """Rows of the table of small pools: for each number of groups, all pools together."""
    rows = []
    for size in SMALL_SIZES:
        drawn = [(track, depth, seed) for track, depth in SMALL_POOLS.items() for seed in SMALL_SEEDS]
        studies = [(f"{track} {seed}", small_pool(data / track, depth, size, seed)) for track, depth, seed in drawn]
        rows += coverage_rows(f"{len(drawn)} pools of {size} groups", together(studies).by_level())
    return rows


def coverage_rows(name: str, levels: pd.DataFrame) -> list[list[str]]:
    """Two rows of a track: coverage by run and by group, with 95% intervals over groups."""
    counts = f"{levels['runs'][0]}, {levels['groups'][0]}"
    rows = []
    for first, counted, ends in (([name, counts], "by_run", "run"), (["", ""], "by_group", "group")):
        columns = zip(levels[counted], levels[f"{ends}_low"], levels[f"{ends}_high"], strict=True)
        cells = [f"{share(value)} ({share(low)} to {share(high)})" for value, low, high in columns]
        rows.append([*first, counted.replace("_", " "), *cells])
    return rows


def error_row(name: str, depth: str, summary: Any) -> list[str]:
    """Root mean square errors of the runs' means, agreement of orders, and the mean width of 95% intervals."""
    ratio = summary["error"] / summary["error_plain"]
    errors = [share(summary[column], 4) for column in ("error_plain", "error")]
    taus = ["–" if np.isnan(summary[column]) else share(summary[column]) for column in ("tau_plain", "tau")]
    return [name, depth, *errors, f"{ratio:.2f}".lstrip("0"), *taus, share(summary["width"])]


def together(studies: list[tuple[str, imr.meta.IntervalCoverage]]) -> imr.meta.IntervalCoverage:
    """All tracks as one study, in which the mean of a run counts as its only topic."""
    names = [f"{track} {name}" for track, study in studies for name in study.name]
    groups = [f"{track} {group}" for track, study in studies for group in study.group]
    by_topic = ("truth", "plain", "estimate", "topic_low", "topic_high")
    columns = {
        what: np.concatenate([getattr(study, what).mean(axis=1, keepdims=True) for _, study in studies])
        for what in by_topic
    }
    columns |= {what: np.concatenate([getattr(study, what) for _, study in studies]) for what in ("std", "low", "high")}
    hidden = np.concatenate([study.hidden.sum(axis=1, keepdims=True) for _, study in studies])
    return imr.meta.IntervalCoverage(names, groups, **columns, hidden=hidden, depth=0, level=0.95)


def share(value: float, places: int = 3) -> str:
    return f"{value:.{places}f}".removeprefix("0")


def main(names: list[str]) -> None:
    if unknown := set(names) - {*TRACKS, SMALL, METHODS}:
        sys.exit(f"unknown track {', '.join(sorted(unknown))}; expected some of {', '.join([*TRACKS, SMALL, METHODS])}")
    folder = shared_folder()
    if folder is None:
        print("There is no folder 'shared' next to the repository, and IR_MEASURES_RELATIVE_SHARED names none:")
        print("the tables of label intervals need the runs of real tracks and were not changed.")
        return
    wanted = [name for name in TRACKS if not names or name in names]
    studies, coverage, errors = [], [], []
    for name in wanted:
        study = coverage_of(folder / "data" / name)
        print(f"{TRACKS[name]}: {study}", flush=True)
        studies.append((name, study))
        coverage += coverage_rows(TRACKS[name], study.by_level())
        errors.append(error_row(TRACKS[name], f"{study.depth}", study.summary()))
    if len(wanted) > 1:
        name, total = ALL if wanted == list(TRACKS) else "Together", together(studies)
        coverage += coverage_rows(name, total.by_level())
        # the order of runs of different tracks means nothing
        errors.append(error_row(name, "", dict(total.summary()) | {"tau_plain": np.nan, "tau": np.nan}))
    tables = {"coverage": (COVERAGE_HEAD, coverage), "errors": (ERROR_HEAD, errors)} if wanted else {}
    if not names or SMALL in names:
        tables["small_pools"] = (["Pools", *COVERAGE_HEAD[1:]], small_pools(folder / "data"))
    if not names or METHODS in names:
        learned = {name: dict(studies).get(name) or coverage_of(folder / "data" / name) for name in METHOD_TRACKS}
        tables[METHODS] = method_rows(
            {name: methods_of(folder / "data" / name, learned[name]) for name in METHOD_TRACKS}
        )
    if wanted == list(TRACKS):
        print(f"95% intervals of the best third of each track: {best_third(studies)}", end="\n\n")
    for table, (head, rows) in tables.items():
        print(pd.DataFrame(rows, columns=head).to_string(index=False), end="\n\n")
        if table in ("small_pools", METHODS) or wanted == list(TRACKS):
            TABLES.mkdir(exist_ok=True)
            (TABLES / f"{table}.inc").write_text(list_table(head, rows), encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
