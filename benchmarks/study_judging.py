"""Are decisions right as often as they say, and how many judgements do they need? Replayed on real judgements.

    python benchmarks/study_judging.py FOLDER --study groups|field --depth 7 --out study.json
    python benchmarks/study_judging.py --picture curve.png study.json ...

FOLDER has runs/, qrels.txt and groups.csv. Groups are left out of the pool: the judgements of documents that only they
have in their top ``depth`` are hidden, and labels are learned from the other groups and the judgements that are left.
Hidden documents are then judged, that is their judgements shown, until a pair's chance reaches .95. Three studies:

calibration  each group left out in turn, its runs against those of other groups where the true difference is below
             .08: the chance that the better one is better, and whether it is
pairs        of each group's runs every second one, and an undecided pair of it, chosen at random, at a time
field        a third of the groups left out; all undecided pairs of the 20 best runs (by expected score) at once

Orders of judging:

judge_next     the documents of the largest effect, asked anew after every 2 judgements (field: 10)
rank           the lists of interest by rank, then by topic: the two runs of the pair (field: the 20 runs)
pool           the same for all runs left out, as a pool of them would be judged
move to front  the pool's lists of (run, topic) in a queue; the next document of the first list is judged; a list whose
               document was relevant stays in front, else it goes to the back (Cormack, Palmer, Clarke, SIGIR 1998)
random         the pool in random order, with a fixed seed

A document that nobody ever judged has no truth: it counts as non-relevant in truth and estimate.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import ir_measures_relative as imr
from ir_measures_relative._base import UserModel
from ir_measures_relative._input import read_groups
from ir_measures_relative._judged import JudgedRun
from ir_measures_relative._labels import (
    LabelledSide,
    LabelMoments,
    LearnedLabels,
    PairChances,
    PartlyJudged,
    PooledRuns,
    base_model,
    learned_from,
)

CUTOFF, LEVEL, CLOSE = 10, 0.95, 0.08
ORDERS = ("judge_next", "rank", "pool", "move to front", "random")
TITLES = {"rank": "rank order, the two lists", "pool": "rank order, the group's pool"}
BEST, DRAWS = 20, 2  # of the field
BATCH = {"pairs": 2, "field": 10}  # judgements between two looks at the chances


@dataclass
class Collection:
    """All runs, joined once."""

    pool: PooledRuns
    runs: list[JudgedRun]
    groups: list[str]
    model: UserModel
    truth: Any  # (M,) means with all judgements

    @classmethod
    def read(cls, folder: Path, depth: int) -> Collection:
        qrels, runs = imr.read_qrels(folder / "qrels.txt"), imr.read_runs(str(folder / "runs"))
        group_of = read_groups(str(folder / "groups.csv"), runs)
        pool = PooledRuns.of(qrels, runs, group_of, CUTOFF, depth)
        model = base_model(f"nDCG@{CUTOFF}")
        joined = [JudgedRun(qrels, runs[name]) for name in pool.names]
        truth = np.array([model.score(run).mean() for run in joined])
        return cls(pool, joined, [group_of[name] for name in pool.names], model, truth)

    def without(self, groups: list[str]) -> LeftOut:
        left = self.pool
        for group in groups:
            left = left.without(left.groups.index(group), hide=True)
        own = [place for place, group in enumerate(self.groups) if group in groups]
        labels = learned_from(left, warn=False)
        lists = [self.runs[place] for place in own]
        return LeftOut(self.runs, self.groups, own, labels, left.judged, self.model, self.truth, lists)


@dataclass
class LeftOut:
    """Runs some of whose groups are left out of the pool, with what is hidden then."""

    runs: list[JudgedRun]
    groups: list[str]
    own: list[int]  # places of the runs left out
    labels: LearnedLabels
    judged: Any  # (J,) False = hidden
    model: UserModel
    truth: Any  # (M,)
    pool: list[JudgedRun] = field(default_factory=list)  # all runs left out

    def only(self, places: list[int]) -> LeftOut:
        """Some of the runs."""
        own = [places.index(place) for place in self.own if place in places]
        runs, groups = ([of[p] for p in places] for of in (self.runs, self.groups))
        return replace(self, runs=runs, groups=groups, own=own, truth=self.truth[places])

    def sides(self, judged: Any, before: list[LabelledSide] | None = None) -> list[LabelledSide]:
        """What is known with these judgements; of a run without a hidden document nothing changes."""
        if before is None:
            parts = [PartlyJudged.hiding(run, CUTOFF, judged) for run in self.runs]
            return LabelledSide.all_of(parts, self.labels, self.model, self.groups, [None] * len(parts))
        sides = []
        for side, group in zip(before, self.groups, strict=True):
            part = side.part._replace(judged=judged)
            if side.part.free.any():
                part = PartlyJudged.hiding(side.part.run, CUTOFF, judged)
                chances = self.labels.chances(part, group)
                reached = np.cumsum(chances.probability[:, :, :0:-1], axis=2)[:, :, ::-1]
                gain = self.model.gain(part.run.judgements.grade) * judged
                start = np.append(0, np.cumsum(part.free.sum(axis=1)))
                side = replace(side, reached=reached, start=start, known=self.model.total(part.known(gain)))
            sides.append(replace(side, part=part))
        return sides


def verdict(chances: PairChances) -> tuple[int, float]:
    """1: a is better, -1: b is, 0: neither; and the chance of that."""
    found = {1: chances.above, -1: chances.below, 0: 1 - chances.above - chances.below}
    best = max(found, key=lambda sign: found[sign])
    return best, found[best]


def replay(case: LeftOut, undecided: list[tuple[int, int]], order: str, batch: int) -> dict[str, Any]:
    """Judgements until each pair is settled, the chance stated then, and whether the verdict is right."""
    judged, sides = case.judged.copy(), case.sides(case.judged)
    here = np.unique(np.concatenate([_hidden(run, judged)[2] for run in case.runs]))  # judgements that matter
    queue, left, spent = _queue(case, order), set(undecided), 0
    settled: list[tuple[int, float, bool]] = []
    while True:
        moments = LabelMoments(sides, case.model)
        effect = np.zeros(len(moments.key))
        for a, b in sorted(left):
            found = moments.pair(a, b)
            says, chance = verdict(moments.chances(a, b, found, 0.0, False))
            if chance >= LEVEL:
                left.discard((a, b))
                difference = case.truth[a] - case.truth[b]
                truth = int(np.sign(difference)) if abs(difference) > 1e-9 else 0
                settled.append((spent, chance, says == truth))
            else:
                np.add.at(effect, found.document, found.effect)
        if not left:
            return {"spent": [s for s, _, _ in settled], "says": [c for _, c, _ in settled],
                    "right": [r for _, _, r in settled]}  # fmt: skip
        while True:  # until a judgement matters to these runs
            if order == "judge_next":
                best = np.argsort(-effect, kind="stable")[:batch]
                chosen = _judgements(moments, sides)[best[effect[best] > 0]]
            else:
                chosen = np.array([row for _, row in zip(range(batch), queue, strict=False)])
            spent += len(chosen)
            judged[chosen] = True
            if np.isin(chosen, here).any():
                break
        sides = case.sides(judged, sides)


def _hidden(run: JudgedRun, judged: Any) -> tuple[Any, Any, Any]:
    """Topic, rank and judgement of a run's documents whose judgement is hidden."""
    row = run.top(CUTOFF).row
    topic, rank = np.nonzero((row >= 0) & ~judged[row])
    return topic, rank, row[topic, rank]


def _judgements(moments: LabelMoments, sides: list[LabelledSide]) -> Any:
    """(D,) the hidden judgement of each free document."""
    rows = np.full(len(moments.key), -1)
    for side, run in zip(sides, moments.runs, strict=True):
        topic, rank = np.nonzero(side.part.free)
        order = np.lexsort((side.code[topic, rank], topic))
        rows[run.document] = side.part.run.top(CUTOFF).row[topic[order], rank[order]]
    return rows


def _queue(case: LeftOut, order: str) -> Iterator[int]:
    """Hidden judgements in the order in which they are judged, each once; then those of the pair, if any is left."""
    cells: list[tuple[int, int, int, int]] = []  # rank, topic, list, judgement
    lists = case.runs if order == "rank" else case.pool + case.runs
    for place, run in enumerate(lists):
        for topic, rank, row in zip(*(of.tolist() for of in _hidden(run, case.judged)), strict=True):
            cells.append((rank, topic, place, row))
    cells.sort()
    if order == "move to front":
        return _move_to_front(cells, case.runs[0].judgements.grade)
    rows = list(dict.fromkeys(row for *_, row in cells))
    return iter(np.random.default_rng(0).permutation(rows).tolist() if order == "random" else rows)


def _move_to_front(cells: list[tuple[int, int, int, int]], grade: Any) -> Iterator[int]:
    lists: dict[tuple[int, int], deque[int]] = {}
    for _, topic, place, row in cells:
        lists.setdefault((place, topic), deque()).append(row)
    queue, seen = deque(lists.values()), set[int]()
    while queue:
        if not queue[0]:
            queue.popleft()
        elif (row := queue[0].popleft()) not in seen:
            seen.add(row)
            yield row
            if grade[row] <= 0:
                queue.rotate(-1)


def groups_one_by_one(data: Collection, found: dict[str, Any]) -> Iterator[str]:
    """Calibration rows (chance of a, chance of b, true difference), and replays of single pairs, added to ``found``."""
    rows, replays = found["calibration"], found["pairs"]
    random = np.random.default_rng(0)
    for group in data.pool.groups:
        case = data.without([group])
        moments = LabelMoments(case.sides(case.judged), case.model)
        for a in case.own:
            undecided = []
            near = np.abs(case.truth - case.truth[a]) < CLOSE
            for b in (place for place in np.flatnonzero(near).tolist() if place not in case.own):
                chances = moments.chances(a, b, moments.pair(a, b), 0.0, False)
                rows.append((chances.above, chances.below, float(case.truth[a] - case.truth[b])))
                undecided += [b] if verdict(chances)[1] < LEVEL else []
            for b in random.permutation(undecided)[: a % 2].tolist():
                some = case.only([a, b])
                replays.append({order: replay(some, [(0, 1)], order, BATCH["pairs"]) for order in ORDERS})
        yield group


def fields(data: Collection, found: dict[str, Any]) -> Iterator[str]:
    """Replays of the best runs, where a third of the groups is new."""
    for draw in range(DRAWS):
        groups = np.random.default_rng(draw).permutation(data.pool.groups).tolist()
        case = data.without(groups[: len(groups) // 3])
        moments = LabelMoments(case.sides(case.judged), case.model)
        expected = np.array([moments.pair(place, 0).expected.mean() for place in range(len(case.runs))])
        some = case.only(np.argsort(-expected, kind="stable")[:BEST].tolist())
        moments = LabelMoments(some.sides(some.judged), some.model)
        pairs = [(a, b) for a in range(BEST) for b in range(a + 1, BEST)]
        pairs = [pair for pair in pairs if verdict(moments.chances(*pair, moments.pair(*pair), 0.0, False))[1] < LEVEL]
        found["field"].append({order: replay(some, pairs, order, BATCH["field"]) for order in ORDERS})
        yield f"draw {draw}"


def _calibration_lines(chance: Any) -> list[str]:
    """Of (chance of a, chance of b, true difference)."""
    better, difference = np.maximum(chance[:, 0], chance[:, 1]), chance[:, 2]
    right = np.where(chance[:, 0] >= chance[:, 1], difference > 1e-9, difference < -1e-9)
    lines = [f"calibration: {len(right)} pairs, {right.mean():.3f} right"]
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 1.01)):
        at = (better >= low) & (better < high)
        lines.append(f"  P from {low}: {at.sum()} pairs, says {better[at].mean():.3f}, right {right[at].mean():.3f}")
    return lines


def summary(found: dict[str, Any]) -> str:
    lines = _calibration_lines(np.array(found["calibration"])) if found["calibration"] else []
    for study in (name for name in ("pairs", "field") if found[name]):
        lines.append(
            f"{study}: {len(found[study])} replays, {sum(len(r['rank']['spent']) for r in found[study])} pairs"
        )
        for order in ORDERS:
            last = [max(r[order]["spent"]) for r in found[study]]
            right_, says = (np.concatenate([r[order][key] for r in found[study]]) for key in ("right", "says"))
            ratio = [sum(last) / max(sum(max(r[o]["spent"]) for r in found[study]), 1) for o in ("rank", "pool")]
            lines.append(
                f"  {order}: judgements, mean {np.mean(last):.1f}, median {np.median(last):.0f}; "
                f"of rank {ratio[0]:.2f}, of pool {ratio[1]:.2f}; says {says.mean():.3f}, right {right_.mean():.3f}"
            )
    return "\n".join(lines)


def picture(files: list[Path], out: Path) -> None:
    """Share of pairs settled by the number of judgements."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(files), figsize=(4.6 * len(files), 3.4), sharey=True, layout="constrained")
    for ax, path in zip(np.atleast_1d(axes), files, strict=True):
        found = json.loads(path.read_text())
        for order in ORDERS:
            spent = np.sort([max(r[order]["spent"]) for r in found["pairs"]])
            ax.step(spent, np.arange(1, len(spent) + 1) / len(spent), where="post", label=TITLES.get(order, order))
        ax.set_xlim(0, 150)
        ax.set_xlabel("judgements")
        ax.set_title(f"{found['name']}: {len(spent)} undecided pairs", fontsize=10)
        ax.set_ylim(0, 1.02)
        ax.grid(alpha=0.3)
    np.atleast_1d(axes)[0].set_ylabel("share of pairs settled")
    np.atleast_1d(axes)[-1].legend(frameon=False)
    figure.savefig(out, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--study", choices=("groups", "field"), default="groups")
    parser.add_argument("--depth", type=int, default=7)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    if options.picture:
        return picture(options.paths, options.picture)
    data = Collection.read(options.paths[0], options.depth)
    found: dict[str, Any] = {"name": options.paths[0].name, "calibration": [], "pairs": [], "field": []}
    studies = {"groups": groups_one_by_one, "field": fields}
    for done in studies[options.study](data, found):
        print(done, len(found["calibration"]), len(found["pairs"]), flush=True)
        if options.out:
            options.out.write_text(json.dumps(found))
    print(summary(found))


if __name__ == "__main__":
    main()
