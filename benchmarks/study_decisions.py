"""Are decisions right as often as they say, and how many judgements do they need? Asked of real judgements.

    python benchmarks/study_decisions.py FOLDER out.json [--pairs 2] [--step 2] [--every 1]
    python benchmarks/study_decisions.py --table out.json ...

FOLDER has runs/, qrels.txt (or qrels.txt.gz) and groups.csv. Each group is left out of the pool in turn: the judgements
of documents that only it has in its top ranks are hidden, and labels are learned from the other groups. Two studies:

reliability  every run of the left-out group against every other run: the probability that the better one is better,
             and whether it is, between groups and within the group
replay       `meta.judging_replay`: judgements until undecided pairs are decided

The measure is nDCG@10. Documents that nobody ever judged count as non-relevant in truth and estimate. ``--table``
prints both as they stand in pt_docs/decisions.rst.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import ir_measures_relative as imr
from ir_measures_relative._input import read_groups
from ir_measures_relative._judged import Runs
from ir_measures_relative._labels import JudgingReplay, LeftOutGroup, PairOutcomes, base_model
from ir_measures_relative._labels.judging import ReplaySettings, replayed_pairs
from ir_measures_relative._labels.pooling import label_depth

CUTOFF = 10
BINS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
RESAMPLES = 2000


def study(folder: Path, settings: ReplaySettings, every: int) -> dict[str, Any]:
    """Both studies of one track; ``every``: of the runs of other groups only each n-th."""
    qrels = imr.read_qrels(next(path for path in sorted(folder.glob("qrels.txt*"))))
    read = imr.read_runs(folder / "runs")
    runs = Runs.of(qrels, read, read_groups(str(folder / "groups.csv"), read))
    model, depth = base_model(f"nDCG@{CUTOFF}"), label_depth(runs, CUTOFF, quiet=True)
    truth = {name: float(model.score(runs[name]).mean()) for name in runs}
    said: list[Any] = []
    replays: list[Any] = []
    for case in LeftOutGroup.all(runs, model, depth):
        said += probabilities(case, truth, every)
        replays += replayed_pairs(case, truth, settings)
        print(case.group, len(said), len(replays), flush=True)
    return {
        "track": folder.name, "runs": len(runs), "groups": len(set(runs.group_of.values())), "depth": depth,
        "said": said, "replays": json.loads(json.dumps(replays, default=lambda x: x.item())),
        "settings": settings._asdict(),
    }  # fmt: skip


def probabilities(case: LeftOutGroup, truth: dict[str, float], every: int) -> list[tuple[Any, ...]]:
    """Group, whether within it, probability of the run that is said to be better, and whether it is."""
    own, rows = case.names, []
    others = [name for name in case.runs if name not in own]
    for place, a in enumerate(own):
        for b in [*others[place % every :: every], *(name for name in own if a < name)]:
            pair = PairOutcomes(case.before_judging(a), case.before_judging(b))
            if not pair.n_open:
                continue
            above, below = pair.chances()
            difference = truth[a] - truth[b]
            right = difference > 1e-9 if above >= below else difference < -1e-9
            rows.append((case.group, b in own, round(max(above, below), 6), bool(right)))
    return rows


def reliability_table(rows: list[tuple[Any, ...]]) -> str:
    """Said against right by bins; intervals from a bootstrap over groups. Rows: group, within, probability, right."""
    lines = []
    for within, title in ((False, "between groups"), (True, "within a group")):
        part = [row for row in rows if row[1] == within]
        names, group = np.unique([row[0] for row in part], return_inverse=True)
        said, right = (np.array([row[at] for row in part], dtype=float) for at in (2, 3))
        lines.append(f"{title}: {len(part)} pairs, {len(names)} groups")
        drawn = np.random.default_rng(0).integers(0, len(names), (RESAMPLES, len(names)))
        for low, high in [*zip(BINS, BINS[1:], strict=False), (0.95, 1.0)]:
            here = (said >= low) & ((said < high) | (high == 1.0))
            if not here.any():
                continue
            hits, size = (np.bincount(group[here], weights=w, minlength=len(names)) for w in (right[here], None))
            shares = hits[drawn].sum(axis=1) / np.maximum(size[drawn].sum(axis=1), 1)
            ends = np.quantile(shares, [0.025, 0.975])
            lines.append(
                f"  {low} to {high}: {here.sum()} pairs of {np.sum(size > 0)} groups, said {said[here].mean():.3f}, "
                f"right {right[here].mean():.3f} ({ends[0]:.3f} to {ends[1]:.3f}), by group "
                f"{(hits[size > 0] / size[size > 0]).mean():.3f}"
            )
        sure = said >= 0.95
        wrong = np.bincount(group[sure & (right == 0)], minlength=len(names))
        worst = np.sort(wrong)[::-1][:3].tolist()
        lines.append(
            f"  wrong at .95 or more: {wrong.sum()} of {sure.sum()} pairs, from {np.sum(wrong > 0)} of {len(names)} "
            f"groups; most in one group {worst}"
        )
    return "\n".join(lines)


def replay_table(rows: list[Any], settings: ReplaySettings) -> str:
    found = JudgingReplay.of([tuple(row) for row in rows], settings, CUTOFF)
    spent = found.judgements[:, 0]
    promised = f"expected_left {found.expected.mean():.1f} on average, needed {spent.mean():.1f}; correlation of ranks "
    ranks = [np.argsort(np.argsort(x)) for x in (found.expected, spent)]
    return f"{found.summary().round(3).to_string()}\n{promised}{np.corrcoef(*ranks)[0, 1]:.2f}; " + (
        f"hidden {found.hidden.mean():.1f}, within {int(found.within.sum())}"
    )


def table(paths: list[Path]) -> str:
    said: list[Any] = []
    replays: list[Any] = []
    parts = []
    for path in paths:
        found = json.loads(path.read_text())
        settings = ReplaySettings(**found["settings"])
        own = [(f"{found['track']} {group}", *rest) for group, *rest in found["said"]]
        rows = [(a, b, f"{found['track']} {group}", *rest) for a, b, group, *rest in found["replays"]]
        title = f"{found['track']}: {found['runs']} runs, {found['groups']} groups, depth {found['depth']}"
        parts += [title, reliability_table(own), replay_table(rows, settings)]
        said += own
        replays += rows
    return "\n".join([*parts, "together", reliability_table(said), replay_table(replays, settings)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--step", type=int, default=2)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    if options.table:
        print(table(options.paths))
        return
    folder, out = options.paths
    settings = ReplaySettings(pairs_per_group=options.pairs, step=options.step)
    out.write_text(json.dumps(study(folder, settings, options.every)))


if __name__ == "__main__":
    main()
