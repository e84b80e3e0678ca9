"""Rareness (Türkmen, Lease, Kutlu, ECIR 2023) on its own data: the 129 ad hoc runs of TREC-8."""

from __future__ import annotations

from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ttest_ind

import ir_measures_relative as imr
from ir_measures_relative import meta

from .rows import Row, row
from .sentences import Sentence

K = 100
ALPHAS = tuple(step / 10 for step in range(11))
# Significant pairs at 95% and 99%
TABLE_1 = {
    ("P", 0.0): "3666 2973",
    ("P", 0.5): "3778 3050",
    ("P", 1.0): "3825 3079",
    ("AP", 0.0): "3731 2976",
    ("AP", 0.5): "3915 3209",
    ("AP", 1.0): "4048 3363",
}
TABLE_2 = {
    ("P", 0.0): "0.545",
    ("P", 0.5): "0.628",
    ("P", 1.0): "0.684",
    ("AP", 0.0): "0.580",
    ("AP", 0.5): "0.623",
    ("AP", 1.0): "0.656",
}
SEEDS = 5
SIZES = [2, 4, 8, 16, 32, 64]
TABLE_3 = {"P": "0.970 0.976 0.983 0.987 0.992 0.995", "AP": "0.970 0.984 0.985 0.989 0.993 0.996"}
TABLE_4 = {
    "FBIS3-38782": "0.81",
    "LA020889-0003": "0.62",
    "LA102589-0109": "0.41",
    "LA092189-0061": "0.22",
    "FBIS4-44815": "0.08",
}
CELLS = tuple(TABLE_1)


def measure(kind: str, alpha: float) -> str:
    return f"{kind}@{K}" if alpha == 0 else f"Rare{kind}@{K}" if alpha == 1 else f"Rare{kind}(alpha={alpha:g})@{K}"


@cache
def scores(folder: Path, cells: tuple[tuple[str, float], ...] = CELLS) -> dict[tuple[str, float], pd.DataFrame]:
    """Map (kind, alpha) to a table of systems x topics."""
    place = folder / "data" / "trec-8"
    names = {measure(*cell): cell for cell in cells}
    table = imr.calc_runs(list(names), place / "qrels.txt.gz", place / "runs", progress=False)
    return {names[m]: t.pivot(index="name", columns="query_id", values="value") for m, t in table.groupby("measure")}


def as_read_by_the_program(folder: Path, cell: tuple[str, float]) -> pd.DataFrame:
    """Scores of P and AP with the four digits that trec_eval prints, the others as computed."""
    table = scores(folder)[cell]
    return table.round(4) if cell[1] == 0 else table


def unpaired_p_values(table: pd.DataFrame) -> NDArray[np.float64]:
    """Return the p-value of the two-sample t-test of each pair of systems."""
    x = table.to_numpy()  # (S, Q)
    one, other = np.triu_indices(len(x), k=1)
    return np.asarray(ttest_ind(x[one], x[other], axis=1).pvalue)


def from_data(folder: Path) -> list[Row]:
    """Tables 1 and 4: no random numbers."""
    return [*table_1(folder), table_4(folder)]


def table_1(folder: Path) -> list[Row]:
    rows = []
    for cell, printed in TABLE_1.items():
        p_values = unpaired_p_values(as_read_by_the_program(folder, cell))
        what = f"{measure(*cell)}: pairs at 95%, at 99%"
        rows.append(row("Table 1", what, printed, [(p_values < level).sum() for level in (0.05, 0.01)]))
    return rows


@cache
def rareness_431(folder: Path) -> pd.Series:
    """R(d) of each relevant document of topic 431 that any system has in its whole list of 1,000."""
    table = pd.read_csv(folder / "data" / "trec-8" / "topic431-relevant-retrieved.tsv.gz", sep="\t")
    systems = len(pd.read_csv(folder / "data" / "trec-8" / "groups.csv"))
    return 1 - table.groupby("doc_id")["run"].nunique() / systems


def table_4(folder: Path) -> Row:
    values = rareness_431(folder)[list(TABLE_4)]
    why = "FBIS4-44815 is in 118 of 129 lists; 119 would be .078"
    return row("Table 4", f"R(d) for topic 431: {', '.join(TABLE_4)}", " ".join(TABLE_4.values()), values, why)


def sampled(folder: Path) -> list[Row]:
    """Tables 2 and 3, which are means over random subsets."""
    return [*table_2(folder), *table_3(folder)]


def table_2(folder: Path) -> list[Row]:
    """Means over several samples of 1,000 trials; the paper has one such sample."""
    rows = []
    for cell, printed in TABLE_2.items():
        values = stability_by_seed(as_read_by_the_program(folder, cell), relative=False)
        noise = 2 * values.std(ddof=1) * sqrt(1 + 1 / SEEDS)
        rows.append(row("Table 2", f"{measure(*cell)}: stability", printed, [values.mean()], noise=[noise]))
    return rows


def stability_by_seed(table: pd.DataFrame, **options: Any) -> NDArray[np.float64]:
    return np.array([meta.stability(table, seed=seed, **options).stability for seed in range(SEEDS)])


class RelevantRetrieved:
    """Relevant documents in the top K of each run, for scoring any choice of runs quickly.

    RareP and RareAP are linear in 1 + alpha R(d), so that the runs' means are a matrix product.
    """

    def __init__(self, folder: Path) -> None:
        place = folder / "data" / "trec-8"
        runs = imr.read_runs(place / "runs")
        judged = imr.read_qrels(place / "qrels.txt.gz").to_dict()
        relevant = {topic: [d for d, grade in documents.items() if grade >= 1] for topic, documents in judged.items()}
        column = {pair: place for place, pair in enumerate((t, d) for t, several in relevant.items() for d in several)}
        self.systems = list(runs)
        self.retrieved = np.zeros((len(runs), len(column)))  # (S, relevant documents)
        self.weights = {kind: np.zeros((len(runs), len(column))) for kind in ("P", "AP")}
        for system, run in enumerate(runs.values()):
            for topic, several in relevant.items():
                below = 0.0  # sum of 1/rank over this and the later relevant documents
                for rank, document in reversed(list(enumerate(run.ranking(topic)[:K], 1))):
                    if (topic, document) in column:
                        where, below = (system, column[topic, document]), below + 1 / rank
                        self.retrieved[where] = 1
                        self.weights["P"][where] = 1 / K / len(relevant)
                        self.weights["AP"][where] = below / len(several) / len(relevant)

    def score(self, kind: str, systems: list[str], alpha: float = 1.0) -> pd.Series:
        """Return the mean of RareP or RareAP of some systems, as if no other system existed."""
        rows = [self.systems.index(system) for system in systems]
        rareness = 1 - self.retrieved[rows].sum(axis=0) / len(rows)
        return pd.Series(self.weights[kind][rows] @ (1 + alpha * rareness), index=pd.Index(systems))


def table_3(folder: Path, batches: int = 10) -> list[Row]:
    """Ten batches of 100 trials each, so that their spread is known."""
    documents = RelevantRetrieved(folder)
    rows = []
    for kind, printed in TABLE_3.items():
        taus = np.array(
            [
                meta.number_of_systems(
                    lambda chosen, kind=kind: documents.score(kind, chosen),
                    documents.systems,
                    sizes=SIZES,
                    trials=1000 // batches,
                    seed=seed,
                ).tau
                for seed in range(batches)
            ]
        )  # (batches, sizes)
        noise = 2 * sqrt(2) * taus.std(axis=0, ddof=1) / sqrt(batches)
        what = f"{measure(kind, 1.0)}: tau with N = {', '.join(map(str, SIZES))} systems"
        rows.append(row("Table 3", what, printed, taus.mean(axis=0), noise=noise))
    return rows


TESTS = {
    "unpaired t-test for each pair (the paper's)": None,
    "paired t-test, Holm's correction": {"test": "ttest", "correction": "holm"},
    "Tukey's HSD, topics as blocks": {"test": "tukey"},
}
TESTS_HEAD = ["Measure", *(f"{name}: 95%, 99%" for name in TESTS)]


@cache
def significant_pairs(folder: Path, cell: tuple[str, float], test: str) -> tuple[int, int]:
    """Count the pairs that are significant at 95% and at 99%."""
    options = TESTS[test]
    if options is None:
        p_values = unpaired_p_values(as_read_by_the_program(folder, cell))
    else:
        p_values = meta.discriminative_power(scores(folder)[cell], **options).p_value
    return int((p_values < 0.05).sum()), int((p_values < 0.01).sum())


def other_tests(folder: Path) -> list[list[str]]:
    """Table 1 with three tests."""
    rows = []
    for cell in CELLS:
        counts = (significant_pairs(folder, cell, test) for test in TESTS)
        rows.append([f"``{measure(*cell)}``", *(f"{at_95}, {at_99}" for at_95, at_99 in counts)])
    return rows


TIES_HEAD = [
    "Measure",
    "mean score",
    "ties below .05 (the paper's)",
    "ties below .05, scores scaled to the mean of alpha = 0",
    "ties below 5% of the larger score",
    "no ties",
]


@cache
def stabilities(folder: Path, cell: tuple[str, float]) -> tuple[float, ...]:
    """Mean score of all systems, and stability with ties of four kinds."""
    table, base = (as_read_by_the_program(folder, (cell[0], alpha)) for alpha in (cell[1], 0.0))
    mean, target = table.to_numpy().mean(), base.to_numpy().mean()
    samples = [
        stability_by_seed(table, relative=False),
        stability_by_seed(table * (target / mean), relative=False),
        stability_by_seed(table),
        stability_by_seed(table, fuzziness=0.0),
    ]
    return (mean, *(float(values.mean()) for values in samples))


def other_ties(folder: Path) -> list[list[str]]:
    """Table 2 with four kinds of ties."""
    return [[f"``{measure(*cell)}``", *(f"{value:.3f}" for value in stabilities(folder, cell))] for cell in CELLS]


@cache
def figure_2(folder: Path) -> pd.DataFrame:
    """Kendall's tau and tau_AP with the order of alpha = 0: rows are alphas."""
    found = scores(folder, tuple((kind, alpha) for kind in ("P", "AP") for alpha in ALPHAS))
    means = {cell: table.mean(axis=1) for cell, table in found.items()}
    curves = {
        f"{name}, {kind}": [correlation(means[kind, alpha], means[kind, 0.0]) for alpha in ALPHAS]
        for name, correlation in (("tau", meta.kendall_tau), ("tau_AP", meta.tau_ap))
        for kind in ("P", "AP")
    }
    return pd.DataFrame(curves, index=pd.Index(ALPHAS, name="alpha"))


def sentences(folder: Path) -> list[Sentence]:
    """Check each sentence of sections 4.2 to 4.6 about TREC-8."""
    return [*_of_figure_2(folder), *_of_table_1(folder), *_of_table_2(folder), *_of_table_4(folder)]


def _listed(values: object) -> str:
    return ", ".join(f"{value:.3f}".replace("0.", ".", 1) for value in values)  # type: ignore[attr-defined]


def _of_figure_2(folder: Path) -> list[Sentence]:
    curves = figure_2(folder)
    p, ap = curves["tau, P"], curves["tau, AP"]
    shown = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    where, apart = "Section 4.2, Figure 2", (p - ap).abs().max()
    same = "; ".join(f"{kind}: {_listed(curves[f'tau_AP, {kind}'][shown])}, falling" for kind in ("P", "AP"))
    return [
        Sentence(where, "tau = 1 with alpha = 0, and decreases steadily with alpha",
                 f"alpha = 0, .2, ..., 1; P: {_listed(p[shown])}; AP: {_listed(ap[shown])}",
                 bool(np.allclose([p[0.0], ap[0.0]], 1) and (np.diff(p) < 0).all() and (np.diff(ap) < 0).all())),
        Sentence(where, "tau against P and against AP is similar",
                 f"the curves differ by at most {_listed([apart])}", bool(apart < 0.01)),
        Sentence(where, "tau_AP gives similar results", same,
                 bool(all((np.diff(curves[f"tau_AP, {kind}"]) < 0).all() for kind in ("P", "AP")))),
    ]  # fmt: skip


def _of_table_1(folder: Path) -> list[Sentence]:
    found = []
    for test in TESTS:
        for kind in ("P", "AP"):
            counts = [significant_pairs(folder, (kind, alpha), test)[0] for alpha in (0.0, 0.5, 1.0)]
            says = f"Increasing alpha tends to increase discriminative power: {kind}, {test}"
            ours = "pairs at 95%: " + ", ".join(map(str, counts))
            found.append(Sentence("Section 4.3, Table 1", says, ours, counts[0] < counts[1] < counts[2]))
    return found


def _of_table_2(folder: Path) -> list[Sentence]:
    found = []
    for column, ties in enumerate(TIES_HEAD[2:], 1):
        values = {cell: stabilities(folder, cell)[column] for cell in CELLS}
        ours = "; ".join(f"{kind}: {_listed(v for (k, _), v in values.items() if k == kind)}" for kind in ("P", "AP"))
        higher = all(values[kind, alpha] > values[kind, 0.0] for kind, alpha in CELLS if alpha)
        found.append(Sentence("Section 4.4, Table 2", f"Stability is higher in all cases: {ties}", ours, higher))
    return found


def _of_table_4(folder: Path) -> list[Sentence]:
    rareness = rareness_431(folder)
    of_table = rareness[list(TABLE_4)]
    says = "FBIS4-44815 has minimal rarity (of the documents in Table 4)"
    least, least_of_all = _listed([of_table.min()]), _listed([rareness.min()])
    ours = f"R(d) = {least}; the least of all relevant documents of topic 431 is {least_of_all}"
    return [Sentence("Section 4.6", says, ours, of_table.idxmin() == "FBIS4-44815")]
