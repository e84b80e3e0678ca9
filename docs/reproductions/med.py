"""MED for recall-based measures (Moffat)."""

from __future__ import annotations

from math import log2
from typing import Any

from ir_measures import AP, RR, SDCG, P, nDCG

import ir_measures_relative as imr

from .rows import Row, row

Labels = dict[str, int]
X1, X2, OF_1 = "ABCDE", "BCFDA", {"A": 0, "C": 1, "F": 0}  # Equation 1
X3, X4, OF_6 = "ABCDEFGHJK", "ADBECGFJLH", {"A": 1, "E": 0}  # Equation 6
FREE = "BCDFGHJKL"
S_10 = sum(1 / log2(rank + 1) for rank in range(1, 11))
# k: S_k, W(1), W(2), ...
TABLE_1 = {
    1: "1.000 1.000",
    2: "1.631 0.613 0.387",
    3: "2.131 0.469 0.296 0.235",
    4: "2.562 0.390 0.246 0.195 0.168",
    5: "2.948 0.339 0.214 0.170 0.146 0.131",
    6: "3.305 0.303 0.191 0.151 0.130 0.117 0.108",
}
# d, then wY[d], wZ[d], diff[d], R, numer, denom, numer/denom
TABLE_2 = {
    "positive": [
        ("K", "0.289 0.000 +0.289 2 0.289 1.631 0.177"),
        ("B", "0.631 0.500 +0.131 3 0.420 2.131 0.197"),
        ("C", "0.500 0.387 +0.113 4 0.533 2.562 0.208"),
        ("H", "0.315 0.289 +0.026 5 0.560 2.948 0.190"),
        ("F", "0.356 0.333 +0.023 6 0.582 3.305 0.176"),
    ],
    "negative": [
        ("L", "0.000 0.301 -0.301 2 0.301 1.631 0.185"),
        ("D", "0.431 0.631 -0.200 3 0.501 2.131 0.235"),
        ("G", "0.333 0.356 -0.023 4 0.524 2.562 0.205"),
        ("J", "0.301 0.315 -0.014 5 0.539 2.948 0.183"),
    ],
}
# labels of B C D F G H J K L: R, then |M(X3) - M(X4)| of SDCG, NDCG, SSP and AP
TABLE_3 = {
    "110101010": "6 0.128 0.176 0.155 0.259",
    "001000001": "3 0.110 0.235 0.083 0.278",
    "110111110": "8 0.120 0.138 0.161 0.201",
    "110000010": "4 0.117 0.208 0.113 0.283",
}
BOLD = "0.128 0.235 0.161 0.283"
BASES: dict[str, tuple[Any, dict[str, str]]] = {
    "SDCG": (SDCG(max_rel=1) @ 10, {}),
    "NDCG": (nDCG @ 10, {}),
    "SSP": (AP @ 10, {"norm": "k"}),
    "AP": (AP @ 10, {}),
}


def _run(ranking: str) -> dict[str, dict[str, float]]:
    return {"q": {document: -float(rank) for rank, document in enumerate(ranking)}} if ranking else {}


def _med(labels: Labels, one: str, other: str, base: Any, **options: Any) -> Any:
    return imr.med({"q": labels}, _run(one), _run(other), base=base, max_rel=1, **options)


def _distances(labels: Labels) -> list[float]:
    return [_med(labels, X3, X4, base, **options).med[0] for base, options in BASES.values()]


def _labelled(relevant: str) -> Labels:
    """The judgements of Equation 6 and a label for every free document."""
    return {**OF_6, **{document: int(document in relevant) for document in FREE}}


def from_paper() -> list[Row]:
    return [*_introduction(), *_table_1(), *_table_2(), *_table_3(), *_discussion()]


def _introduction() -> list[Row]:
    """Ranges by signed distances from an empty list."""
    ends = [getattr(_med(OF_1, x, "", P @ 5), end)[0] for x in (X1, X2) for end in ("below", "above")]
    distances = [_med(OF_1, X1, X2, base).med[0] for base in (P @ 5, RR @ 5)]
    return [
        row("Section 1", "Lowest and highest P@5 of X1, of X2", "0.2 0.8 0.2 0.6", ends),
        row("Section 1", "MED of X1 and X2 with P@5, with RR", "0.2 0.5", distances),
    ]


def _table_1() -> list[Row]:
    """A list whose one free document is at rank i, against an empty list: MED is the weight of rank i."""
    found = []
    for k, printed in TABLE_1.items():
        ranking = FREE[:k]
        weights = [
            _med({d: 0 for d in ranking if d != free}, ranking, "", SDCG(max_rel=1) @ k).med[0] for free in ranking
        ]
        found.append(row("Table 1", f"k = {k}: S_k, W(1), W(2), ...", printed, [1 / weights[0], *weights]))
    return found


def _table_2() -> list[Row]:
    """Weights by SDCG with one relevant document, ratios by nDCG with all documents labelled."""
    found = []
    nothing: Labels = {document: 0 for document in X3 + X4}
    for side, steps in TABLE_2.items():
        relevant = ""
        for document, printed in steps:
            relevant += document
            alone = {**nothing, document: 1}
            weights = [S_10 * _med(alone, x, "", SDCG(max_rel=1) @ 10).med[0] for x in (X3, X4)]
            ratio = _med(_labelled(relevant), X3, X4, nDCG @ 10).med[0]
            count = 1 + len(relevant)
            denominator = sum(1 / log2(rank + 1) for rank in range(1, count + 1))
            values = [*weights, weights[0] - weights[1], count, ratio * denominator, denominator, ratio]
            what = f"{side} differences, {document}: wY, wZ, diff, R, numer, denom, numer/denom"
            found.append(row("Table 2", what, printed, values))
    best = _med(OF_6, X3, X4, nDCG @ 10)
    assert {d for d, grade in best.witness("q").items() if grade} == {"L", "D"}  # as section 2 says
    found.append(row("Section 2", "MED of X3 and X4 with NDCG@10, L and D relevant", "0.235", best.med))
    return found


def _table_3() -> list[Row]:
    found = []
    for labels, printed in TABLE_3.items():
        relevant = "".join(document for document, label in zip(FREE, labels, strict=True) if label == "1")
        values = [1 + len(relevant), *_distances(_labelled(relevant))]
        what = f"{', '.join(relevant)} relevant: R; difference by SDCG, NDCG, SSP, AP"
        found.append(row("Table 3", what, printed, values))
    return [*found, row("Table 3", "Bold: MED with SDCG, NDCG, SSP, AP", BOLD, _distances(OF_6))]


def _discussion() -> list[Row]:
    gains = [(2**grade - 1) / 2**4 for grade in range(5)]
    weights = [1 / log2(rank + 1) for rank in range(1, 21)]
    line = gains[4] * weights[0] + gains[3] * sum(weights[1:])
    return [
        row("Equation 12", "Gains of grades 0 to 4", "0.000 0.063 0.188 0.438 0.938", gains),
        row("Figure 2", "Line: one document of grade 4, nineteen of grade 3", "3.58", [line]),
    ]
