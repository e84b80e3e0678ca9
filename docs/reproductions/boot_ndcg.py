"""Bootstrapped nDCG (Fröbe, Gienapp, Potthast, Hagen, ECIR 2023)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

import ir_measures_relative as imr
from ir_measures_relative import meta

from .rows import Row, row

# The list as known (None: unjudged), the list in truth, and the printed lower bound, score and upper bound
TABLE_1 = {
    "scaled": ([1, None], [1, 2], "1.00 0.80 0.71"),
    "naive": ([None, 1], [2, 1], "0.63 1.00 0.63"),
    "guaranteed": ([1, None], [1, 2], "0.09 0.80 1.00"),
}
# RMSE on Robust04, ClueWeb09 and ClueWeb12: lower, actual, upper
TABLE_4 = {
    "Naive (L)": (".004 .009 .007", ".058 .076 .113", ".058 .076 .113"),
    "Condensed": (".062 .081 .081", ".068 .087 .092", ".027 .034 .043"),
    "Naive (U)": (".210 .338 .307", ".210 .338 .307", ".002 .000 .001"),
    "Bootstr. P": (".078 .086 .093", ".083 .097 .105", ".027 .046 .048"),
    "Bootstr. R": (".007 .021 .059", ".058 .077 .108", ".058 .075 .091"),
    "Bootstr. P+R": (".037 .046 .058", ".056 .074 .083", ".041 .058 .060"),
}
# Robust04, ClueWeb09, ClueWeb12, mean: tau, then rho
TABLE_5 = {
    "Naive (L)": (".936 .821 .646 .801", ".997 .959 .837 .931"),
    "Condensed": (".924 .610 .786 .773", ".978 .744 .889 .870"),
    "Naive (U)": (".189 -.411 -.097 -.106", "-.268 -.656 -.250 -.391"),
    "Bootstr. P": (".911 .644 .781 .779", ".975 .824 .909 .903"),
    "Bootstr. R": (".943 .721 .764 .810", ".997 .878 .908 .927"),
    "Bootstr. P+R": (".966 .716 .814 .832", ".996 .885 .924 .935"),
}
# U@10; nDCG by default, condensed lists, bootstrap; upper bounds naive and bootstrap; nDCG on the expanded qrels
TABLE_7 = {
    ("ANCE", "25 to 50%"): "35.6% 0.489 0.683 0.660 0.838 0.795 0.650",
    ("ColBERT", "25 to 50%"): "33.3% 0.485 0.641 0.614 0.770 0.741 0.626",
    ("TAS-B", "25 to 50%"): "32.5% 0.597 0.875 0.847 0.902 0.894 0.597",
    ("ANCE", "50% and more"): "65.6% 0.207 0.547 0.385 0.769 0.542 0.357",
    ("ColBERT", "50% and more"): "62.9% 0.337 0.679 0.517 0.881 0.645 0.447",
    ("TAS-B", "50% and more"): "73.8% 0.211 0.584 0.459 0.918 0.623 0.330",
    ("ANCE", "all"): "22.4% 0.652 0.772 0.747 0.853 0.804 0.735",
    ("ColBERT", "all"): "17.2% 0.680 0.770 0.741 0.826 0.789 0.734",
    ("TAS-B", "all"): "41.0% 0.481 0.705 0.633 0.871 0.729 0.555",
    ("1st@TREC", "all"): "0.0% 0.679 0.679 0.679 0.679 0.679 0.679",
}
# The printed differences from the last column: default, condensed, bootstrap, naive upper, bootstrap upper
ERRORS_7 = {
    ("ANCE", "25 to 50%"): "-0.161 +0.033 +0.010 +0.188 +0.145",
    ("ColBERT", "25 to 50%"): "-0.141 +0.015 -0.012 +0.144 +0.115",
    ("TAS-B", "25 to 50%"): "0.000 +0.278 +0.250 +0.305 +0.297",
    ("ANCE", "50% and more"): "-0.150 +0.190 +0.028 +0.412 +0.185",
    ("ColBERT", "50% and more"): "-0.110 +0.232 +0.070 +0.434 +0.198",
    ("TAS-B", "50% and more"): "-0.119 +0.254 +0.129 +0.588 +0.293",
    ("ANCE", "all"): "-0.083 +0.037 +0.012 +0.118 +0.069",
    ("ColBERT", "all"): "-0.054 +0.036 +0.007 +0.092 +0.055",
    ("TAS-B", "all"): "-0.074 +0.150 +0.078 +0.316 +0.174",
}
FILES = {
    "ANCE": "ance-09-01-2023.run.gz",
    "ColBERT": "colbert-ranking-26-12-2022.run.gz",
    "TAS-B": "tas-b-09-01-2023.run.gz",
    "1st@TREC": "BBGhelani2.run.gz",
}
HALF = 0.0005  # a number of three digits is rounded by at most this much
SHARES = {"25 to 50%": (0.25, 0.5), "50% and more": (0.5, 1.01), "all": (0.0, 1.01)}


def from_paper() -> list[Row]:
    return [*_table_1(), *_table_4(), *_table_5(), *_errors_7()]


def _of_list(grades: list[int | None]) -> tuple[dict[str, Any], dict[str, Any]]:
    judged = {f"d{place}": grade for place, grade in enumerate(grades) if grade is not None}
    return {"q": judged}, {"q": {f"d{place}": -float(place) for place in range(len(grades))}}


def _table_1() -> list[Row]:
    names = {"scaled": "RBP-inspired", "naive": "Naïve", "guaranteed": "Guaranteed"}
    found = []
    for method, (known, truth, printed) in TABLE_1.items():
        bounds = [
            (imr.NDCGBound(side=side, method=method, dcg="exp-log2", max_rel=3) @ 2).calc_aggregate(*_of_list(known))
            for side in ("lower", "upper")
        ]
        actual = (imr.NRG(prior=[], base=nDCG(dcg="exp-log2")) @ 2).calc_aggregate(*_of_list(truth))
        what = f"{names[method]}: lower bound, nDCG@2, upper bound"
        found.append(row("Table 1", what, printed, [bounds[0], actual, bounds[1]]))
    return found


def _numbers(text: str) -> list[float]:
    return [float(number.rstrip("%")) for number in text.split()]


def _table_4() -> list[Row]:
    """Over- and underestimates share no topic, so that their mean squares add up."""
    found = []
    for name, (lower, actual, upper) in TABLE_4.items():
        parts = np.array([_numbers(lower), _numbers(upper)])  # (2, collections)
        values = np.hypot(*parts)
        slack = np.hypot(*(parts + HALF)) - values
        what = f"{name}: actual RMSE from its two parts, three collections"
        found.append(row("Table 4", what, actual, values, slack=slack))
    return found


def _table_5() -> list[Row]:
    found = []
    for name, columns in TABLE_5.items():
        values = [np.mean(_numbers(column)[:3]) for column in columns]
        printed = " ".join(column.split()[3] for column in columns)
        what = f"{name}: mean tau and rho of the three collections"
        found.append(row("Table 5", what, printed, values, slack=[HALF, HALF]))
    return found


def _errors_7() -> list[Row]:
    found = []
    for (name, topics), printed in ERRORS_7.items():
        cells = _numbers(TABLE_7[name, topics])
        values = [cell - cells[-1] for cell in cells[1:-1]]
        what = f"{name}, {_unjudged(topics)}: differences from the last column"
        found.append(row("Table 7", what, printed, values, slack=[2 * HALF] * len(values)))
    return found


def from_data(folder: Path) -> list[Row]:
    return [*_collection(folder / "data" / "trec-covid"), *_table_7(folder / "data" / "trec-covid")]


def _collection(folder: Path) -> list[Row]:
    incomplete, complete = (imr.read_qrels(folder / f"qrels.{name}.txt.gz") for name in ("incomplete", "complete"))
    shares = meta.label_shares(incomplete, complete)
    sizes = [len(incomplete.topics), len(incomplete.grade)]
    return [
        row("Section 4.1", "TREC-COVID: topics, judgements", "50 66,336", sizes),
        row("Table 3", "TREC-COVID: shares of grades 0, 1, 2 in the pool", "0.63 0.16 0.21", shares.pool),
        row("Table 3", "TREC-COVID: shares of grades 0, 1, 2 among unjudged documents", "0.75 0.02 0.23",
            shares.unjudged),
    ]  # fmt: skip


@cache
def case_study(folder: Path, name: str, pool: str = "collection") -> pd.DataFrame:
    """Topics of the run x columns of Table 7, in its order.

    The bootstrap so that it fits the printed numbers: the pool's shares are those of all topics together, and a top 10
    without any judged document is labelled 0 throughout.
    """
    run = imr.read_run(folder / FILES[name])
    incomplete, complete = (imr.read_qrels(folder / f"qrels.{kind}.txt.gz") for kind in ("incomplete", "complete"))
    rows = {}
    for topic in imr.boot_ndcg(incomplete, run, cutoff=10, pool=pool):
        guessed = [topic.mode, topic.quantile(0.95)] if topic.n_unjudged < 10 else [0.0, 0.0]
        rows[topic.query_id] = [topic.n_unjudged / 10, topic.lower, 0.0, guessed[0], topic.upper, guessed[1], 0.0]
    columns = ["unjudged", "default", "condensed", "mode", "upper", "q95", "expanded"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    frame = run.to_frame()
    for column, measure, qrels in (
        ("condensed", nDCG(judged_only=True) @ 10, incomplete),
        ("expanded", nDCG @ 10, complete),
    ):
        values = ir_measures.iter_calc([measure], qrels.to_frame(), frame)
        table[column] = pd.Series({metric.query_id: metric.value for metric in values})
    return table[table.index.isin(set(frame["query_id"]))]


def means_of_table_7(folder: Path, name: str, topics: str, pool: str = "collection") -> list[float]:
    """A row of Table 7."""
    table, (low, high) = case_study(folder, name, pool), SHARES[topics]
    unjudged, *others = table[(table.unjudged >= low) & (table.unjudged < high)].mean()
    return [100 * unjudged, *others]


def _table_7(folder: Path) -> list[Row]:
    found = []
    for (name, topics), printed in TABLE_7.items():
        found.append(row("Table 7", f"{name}, {_unjudged(topics)}", printed, means_of_table_7(folder, name, topics)))
    return found


def _unjudged(topics: str) -> str:
    """Describe the topics of a row of Table 7 by their share of unjudged documents."""
    return "all topics" if topics == "all" else f"topics with {topics} unjudged"
