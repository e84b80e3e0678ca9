"""Measure the numbers of the page "Judges and planning", and print them.

    python docs/judges_and_planning.py DATA

DATA contains the folders trec-dl-2021 (runs/, qrels.txt and the qrels of two judges) and trec-8 (runs/, qrels.txt.gz).
Takes some minutes. Every draw comes from one seed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy import stats

import ir_measures_relative as imr
from ir_measures_relative import meta

JUDGES = {"GPT-4": "judge-umbrela-gpt4.qrels.txt", "Llama 3.2": "judge-binary-llama3.2.qrels.txt"}
DRAWS, JUDGED_TOPICS, TRIALS = 500, 100, 400


def scores(qrels: Path, runs: Path) -> np.ndarray:
    """(runs, topics) nDCG@10."""
    return meta.ScoreTable.of(imr.calc_runs(["nDCG@10"], qrels, runs)).scores


def coverage(human: np.ndarray, judge: np.ndarray, n: int) -> list[float]:
    """Share of 95% intervals that contain the truth, and effective topics: of runs, and of pairs.

    The topics of the collection are the population: n human topics and 100 of the judge are drawn with replacement.
    """
    rng, truth = np.random.default_rng(0), human.mean(axis=1)
    i, j = np.triu_indices(len(human), k=1)
    found = []
    for _ in range(DRAWS):
        few, many = rng.integers(0, human.shape[1], n), rng.integers(0, human.shape[1], JUDGED_TOPICS)
        both = human[:, few], np.hstack([judge[:, few], judge[:, many]])
        row = []
        for true, options in ((truth, {}), (truth[i] - truth[j], {"differences": True})):
            result = meta.prediction_powered(*both, **options)
            row += [np.mean((result.low <= true) & (true <= result.high)), np.median(result.effective_topics)]
        alone = meta.prediction_powered(*both, weight=0)
        found.append([*row, np.mean((alone.low <= truth) & (truth <= alone.high))])
    return np.mean(found, axis=0).round(3).tolist()


def predicted_power(table: np.ndarray, n: int, pairs: int = 2000) -> list[tuple[int, float, float]]:
    """(pairs, mean predicted power, mean share of significant resamples) in bins of the predicted power."""
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(len(table), k=1)
    found = []
    for pair in rng.choice(len(i), pairs, replace=False):
        gap = table[i[pair]] - table[j[pair]]
        if gap.std() == 0 or gap.mean() == 0:
            continue
        drawn = gap[rng.integers(0, len(gap), (TRIALS, n))]
        spread = drawn.std(axis=1, ddof=1)
        t = np.divide(drawn.mean(axis=1) * np.sqrt(n), spread, out=np.zeros(TRIALS), where=spread > 0)
        said = meta.power(float(gap.std()), topics=n, difference=float(abs(gap.mean()))).power
        found.append((said, np.mean(np.abs(t) > stats.t.isf(0.025, n - 1))))
    said, seen = np.array(found).T
    place = np.digitize(said, [0.2, 0.4, 0.6, 0.8, 0.9])
    bins = [place == b for b in range(6)]
    return [(int(b.sum()), round(float(said[b].mean()), 3), round(float(seen[b].mean()), 3)) for b in bins]


def pilot(table: np.ndarray, difference: float = 0.05) -> np.ndarray:
    """Topics needed by the spread of one half of the topics over that of the other half: quantiles over 200 splits."""
    rng, ratios = np.random.default_rng(0), []
    for _ in range(200):
        order = rng.permutation(table.shape[1])
        halves = np.array_split(order, 2)
        needed = [meta.topics_needed(table[:, half], difference=difference).topics for half in halves]
        ratios.append(needed[0] / needed[1])
    return np.quantile(ratios, [0.05, 0.5, 0.95]).round(2)


def main(data: Path) -> None:
    folder = data / "trec-dl-2021"
    runs = imr.read_runs(folder / "runs")
    human = scores(folder / "qrels.txt", runs)
    print("judge, human topics: coverage and effective topics of runs, of pairs; coverage without the judge")
    for name, file in JUDGES.items():
        judge = scores(folder / file, runs)
        for n in (10, 20, 30):
            print(name, n, coverage(human, judge, n))
    table = scores(data / "trec-8" / "qrels.txt.gz", data / "trec-8" / "runs")
    print("topics: (pairs, predicted power, share of significant resamples)")
    for n in (10, 25, 50, 100):
        print(n, predicted_power(table, n))
    print("topics needed by one half over the other, 5%, 50%, 95%:", pilot(table))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
