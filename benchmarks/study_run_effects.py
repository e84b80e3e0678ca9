"""Whose offsets teach how runs differ: those of groups, or those of single runs? Coverage on parts of real tracks.

    python benchmarks/study_run_effects.py ../shared/data/trec-covid-round1 --depth 7 --groups 15 20 28 --seeds 21 22 23
    python benchmarks/study_run_effects.py ../shared/data/trec-covid-round2 --depth 7 --groups 15 20 25 --merge 2

A part is a random set of groups with the judgements that their runs contributed (and those that nobody contributed), or
of bundles of ``--merge`` groups each, whose runs are less alike. Every group of a part is left out in turn, as in
`meta.interval_coverage`; printed is the share of runs whose 95% interval of the mean holds the truth. Three forms:
offsets of groups (a document that several of its runs have counts in each), offsets of runs, and offsets of runs by
restricted maximum likelihood. `pt_docs/learned_labels.rst` has the numbers.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from ir_measures_relative._labels.run_effects import LEAST_SPREAD, EffectDistribution, Offsets, offsets
from scipy.optimize import minimize_scalar

from ir_measures_relative._input import read_groups, run_sources
from ir_measures_relative._judged import JudgedRun, Judgements, Run
from ir_measures_relative._labels import LearnedLabels, PartlyJudged, PooledRuns, base_model, imputed_scores
from ir_measures_relative._labels.training import Fit, TrainingDocuments, fit, told_apart, training_documents

CUTOFF = 10
FORMS = ("groups", "runs", "runs, restricted")


def effects(documents: TrainingDocuments, learned: Fit) -> dict[str, EffectDistribution]:
    """Mean and spread of run effects by each form."""
    level = np.searchsorted(learned.grade, documents.grade, "right") - 1
    of_groups = offsets(
        learned.odds, learned.predictor(documents.feature), learned.grade.astype(float), level,
        documents.discount * documents.weight, documents.group,
    )  # fmt: skip
    of_runs = learned.offsets
    assert of_runs is not None
    n = len(documents.group_name)
    share = 1.0 / np.bincount(documents.run_group)[documents.run_group]
    return {
        "groups": most_likely(of_groups, np.ones(n), n, False),
        "runs": most_likely(of_runs, share, n, False),
        "runs, restricted": most_likely(of_runs, share, n, True),
    }


def most_likely(found: Offsets, weight: np.ndarray, n_groups: int, restricted: bool) -> EffectDistribution:
    def mean_at(spread: float) -> float:
        precision = weight / (spread**2 + found.variance)
        return float((precision * found.offset).sum() / precision.sum())

    def loss(spread: float) -> float:
        variance = spread**2 + found.variance
        value = (weight * (np.log(variance) + (found.offset - mean_at(spread)) ** 2 / variance)).sum()
        return float(value + restricted * np.log((weight / variance).sum())) / 2

    steps = np.geomspace(LEAST_SPREAD, 5.0, 100)
    best = int(np.argmin([loss(spread) for spread in steps]))
    around = steps[max(best - 1, 0)], steps[min(best + 1, len(steps) - 1)]
    close = float(minimize_scalar(loss, bounds=around, method="bounded").x)
    spread = min((LEAST_SPREAD, close), key=loss)
    return EffectDistribution(mean_at(spread), spread, n_groups)


def covered(pool: PooledRuns, runs: dict[str, Run]) -> np.ndarray:
    """(runs with a hidden document, forms) whether the interval of the mean holds the truth."""
    model, rows = base_model(f"nDCG@{CUTOFF}"), []
    for group in range(len(pool.groups)):
        others = pool.without(group, hide=True)
        documents = training_documents(others, None)
        learned = fit(documents, told_apart(documents), True)
        by_form = effects(documents, learned)
        for member in np.flatnonzero(pool.group == group):
            run = JudgedRun(pool.judgements, runs[pool.names[member]])
            part = PartlyJudged.hiding(run, CUTOFF, others.judged)
            if not part.free.any():
                continue
            truth, row = model.score(run).mean(), []
            for form in FORMS:
                changed = replace(learned, effect=by_form[form])
                labels = LearnedLabels(changed, documents, others.found, None, CUTOFF, others.fingerprints)
                low, high = imputed_scores(part, labels.chances(part), model, "all", "nDCG").interval(0.95)
                row.append(low - 1e-9 <= truth <= high + 1e-9)
            rows.append(row)
    return np.array(rows)


def part_of(pool: PooledRuns, chosen: set[str]) -> Judgements:
    """The judgements that some groups contributed, and those that nobody did."""
    own = pool.contributed[:, [group in chosen for group in pool.groups]]
    kept = own.any(axis=1) | ~pool.contributed.any(axis=1)
    ids, judgements = pool.judgements.document_ids(), pool.judgements
    qrels: dict[str, dict[str, int]] = {key: {} for key in judgements.topic_keys}
    for row in np.flatnonzero(kept):
        qrels[judgements.topic_keys[judgements.topic[row]]][ids[row]] = int(judgements.grade[row])
    return Judgements.of(qrels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("track", type=Path, help="a folder with qrels.txt, runs/ and groups.csv")
    parser.add_argument("--depth", type=int, default=CUTOFF)
    parser.add_argument("--groups", type=int, nargs="+", default=[0], help="groups of a part; 0: all")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--merge", type=int, default=1)
    options = parser.parse_args()
    sources = run_sources(options.track / "runs")
    group_of = read_groups(options.track / "groups.csv", sources)
    runs = {name: Run.of(source, name) for name, source in sources.items()}
    judgements = Judgements.of(options.track / "qrels.txt")
    names = sorted(set(group_of.values()))
    print("groups  seed  runs  " + "  ".join(FORMS))
    for seed in options.seeds:
        order = np.random.default_rng(seed).permutation(names)
        home = {name: f"{place // options.merge:03d}" for place, name in enumerate(order)}
        bundled = {run: home[group] for run, group in group_of.items()}
        pool = PooledRuns.of(judgements, runs, bundled, CUTOFF, options.depth)
        for size in options.groups:
            chosen = set(sorted(set(home.values()))[: size or None])
            some = {name: run for name, run in runs.items() if bundled[name] in chosen}
            part = PooledRuns.of(part_of(pool, chosen), some, bundled, CUTOFF, options.depth)
            held = covered(part, some)
            print(f"{len(chosen):6d} {seed:5d} {len(held):5d}  " + "  ".join(f"{x:.3f}" for x in held.mean(axis=0)))


if __name__ == "__main__":
    main()
