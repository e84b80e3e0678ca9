"""Rareness: does a system find relevant documents that few other systems find?

S systems take part (the other systems are the prior runs, plus the evaluated one); S_d of them have document d in
their top K for the topic, the evaluated system always counted:

    share        R(d) = 1 - S_d / S                  normalized   R'(d) = 1 - (S_d - 1) / (S - 1);  S = 1: 1
    additive     rel(d) (1 + alpha R(d))             mixture      rel(d) (1 - alpha + alpha R(d))

RareP is their mean over the top K, RareAP averages RareP at the rank of every relevant document (S_d keeps the outer
K), and Rare puts the same factor on the graded gains of nDCG or RBP, which the paper leaves to later work.

Two slips of the paper, in its own terms. Section 2.1 gives 2 (S-1)/S as the largest P@K of Eq. 1 with alpha = 1; by
Eq. 1 and R(d) <= (S-1)/S it is 1 + alpha (S-1)/S (still below 2). Section 5.2 has R' "maximized when S_d = S"; by its
formula it is largest, 1, at S_d = 1. The counts are per topic: a document is rare *for a topic*.

M. D. Türkmen, M. Lease, M. Kutlu: New Metrics to Encourage Innovation and Diversity in Information Retrieval
Approaches. ECIR 2023.
"""
from __future__ import annotations

import numpy as np


def rareness(found_by: np.ndarray, others: int, rarity: str = "share") -> np.ndarray:
    """R(d) of documents that `found_by` of the `others` other systems have in their top K; any shape."""
    if rarity == "share":
        return 1 - (found_by + 1) / (others + 1)
    return 1 - found_by / max(others, 1)


def worth(rare: np.ndarray, alpha: float | np.ndarray, variant: str = "additive") -> np.ndarray:
    """What a relevant document of that rareness counts: 1 at alpha = 0 (Eq. 1; mixture: Eq. 4)."""
    if variant == "additive":
        return 1 + alpha * rare
    return 1 - alpha * (1 - rare)


def average_precision(relevant: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(Q,) Eq. 3 before its division by N_R: mean value above each relevant rank; both arrays (Q, K) by rank."""
    precision = np.cumsum(value, axis=1) / np.arange(1, value.shape[1] + 1)  # (Q, K)
    return np.where(relevant, precision, 0.0).sum(axis=1)
