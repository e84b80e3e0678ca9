"""What grades do judged documents have, and what grades those that a pool lacks?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import Judgements, QrelsLike


@dataclass(frozen=True, repr=False, eq=False)
class LabelShares:
    """Shares of the grades in pools and among the documents that they lack.

    Attributes
    ----------
    grades : the G grades, ascending; negative ones count as 0
    pool, unjudged : (G,) shares in the pool and among what it lacks; of several pools the mean of their shares
    documents : number of documents that the pools lack, all together
    pools : number of pools, and of those the number that lack a document
    """

    grades: list[int]
    pool: FloatArray  # (G,)
    unjudged: FloatArray  # (G,)
    documents: int
    pools: tuple[int, int]

    def to_frame(self) -> pd.DataFrame:
        """One row per grade: grade, pool, unjudged."""
        return pd.DataFrame({"grade": self.grades, "pool": self.pool, "unjudged": self.unjudged})

    def __repr__(self) -> str:
        shares = ", ".join(f"{g}: {p:.2f} and {u:.2f}" for g, p, u in self.to_frame().itertuples(index=False))
        return f"LabelShares({shares}; {self.documents} unjudged documents of {self.pools[0]} pools)"


def label_shares(incomplete: QrelsLike | Mapping[str, QrelsLike], complete: QrelsLike) -> LabelShares:
    """Are the documents that a pool lacks like those that it has?

    Estimates that draw the grades of unjudged documents from the pool trust that they are.

    Parameters
    ----------
    incomplete : judgements in any form, or the dict of group: judgements that ``leave_group_out`` gives
    complete : judgements in any form, which hold those of ``incomplete`` and more

    Returns
    -------
    LabelShares, with ``to_frame()``. A document that only ``complete`` has is unjudged in ``incomplete``. Of several
    pools the shares of each count alike; a pool that lacks no document has no share among unjudged ones.

    >>> qrels = {"q": {"d1": 1, "d2": 0, "d3": 1, "d4": 0}}
    >>> label_shares({"q": {"d1": 1, "d2": 0}}, qrels)
    LabelShares(0: 0.50 and 0.50, 1: 0.50 and 0.50; 2 unjudged documents of 1 pools)

    References
    ----------
    Fröbe, Gienapp, Potthast, Hagen (2023). Bootstrapped nDCG estimation in the presence of unjudged
    documents. ECIR, Table 3.
    """
    pools: list[Any] = [incomplete]
    if isinstance(incomplete, Mapping) and all(isinstance(pool, pd.DataFrame) for pool in incomplete.values()):
        pools = list(incomplete.values())
    full = Judgements.of(complete, "complete").to_dict()
    counts = [_counted(_graded(pool), full) for pool in pools]
    if not any(lacking for _, lacking in counts):
        raise ValueError("incomplete lacks no document of complete; there is nothing to compare")
    grades = sorted({grade for pair in counts for part in pair for grade in part})
    return LabelShares(
        grades,
        _mean_shares([judged for judged, _ in counts], grades),
        _mean_shares([lacking for _, lacking in counts], grades),
        sum(sum(lacking.values()) for _, lacking in counts),
        (len(counts), sum(bool(lacking) for _, lacking in counts)),
    )


def _graded(pool: Any) -> dict[str, dict[str, int]]:
    """Topic -> document -> grade; a pool of several may have lost all its judgements."""
    if isinstance(pool, pd.DataFrame) and pool.empty:
        return {}
    return Judgements.of(pool, "incomplete").to_dict()


def _counted(pool: dict[str, dict[str, int]], full: dict[str, dict[str, int]]) -> tuple[Counter[int], Counter[int]]:
    """How many documents of each grade the pool has, and how many it lacks."""
    for topic, documents in pool.items():
        odd = next((d for d, g in documents.items() if full.get(topic, {}).get(d) != g), None)
        if odd is not None:
            raise ValueError(
                f"incomplete: document {odd!r} of topic {topic!r} is not judged alike in complete, which must hold "
                "every judgement of incomplete"
            )
    judged = Counter(max(0, grade) for documents in pool.values() for grade in documents.values())
    lacking = Counter(
        max(0, grade)
        for topic, documents in full.items()
        for document, grade in documents.items()
        if document not in pool.get(topic, {})
    )
    return judged, lacking


def _mean_shares(counts: list[Counter[int]], grades: list[int]) -> FloatArray:
    """(G,) mean of the shares over what holds documents at all."""
    shares = [[count[grade] / count.total() for grade in grades] for count in counts if count]
    return np.mean(shares, axis=0) if shares else np.zeros(len(grades))
