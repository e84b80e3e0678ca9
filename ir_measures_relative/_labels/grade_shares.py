"""Grade shares of judged documents, in a pool and among those that the pool lacks."""

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
    pool, unjudged : (G,) shares in the pool and among the documents that it lacks; means over several pools
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
    """Compare the grades of the documents that a pool lacks with the grades of those that it has.

    Estimates that draw the grades of unjudged documents from the pool assume that they are alike.

    Parameters
    ----------
    incomplete : judgements in any form, or the dict of group: judgements that ``leave_group_out`` gives
    complete : judgements in any form, which contain those of ``incomplete`` and more

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
    full = _grades(complete, "complete")
    judged, lacking = [], []
    for pool in map(_grades, pools):
        odd = pool[full.reindex(pool.index) != pool]
        if len(odd):
            topic, document = odd.index[0]
            raise ValueError(
                f"incomplete: document {document!r} of topic {topic!r} is not judged alike in complete, which must "
                "contain every judgement of incomplete"
            )
        judged.append(pool)
        lacking.append(full.drop(pool.index))
    n_documents = sum(map(len, lacking))
    if not n_documents:
        raise ValueError("incomplete lacks no document of complete, so there are no shares to compare")
    # (2, G) mean over the pools that have documents at all
    table = pd.DataFrame([_mean_shares(judged), _mean_shares(lacking)]).fillna(0.0).sort_index(axis=1)
    n_lacking = sum(len(part) > 0 for part in lacking)
    pool_shares, unjudged_shares = table.to_numpy()
    return LabelShares(table.columns.tolist(), pool_shares, unjudged_shares, n_documents, (len(pools), n_lacking))


def _grades(qrels: Any, name: str = "incomplete") -> pd.Series:
    """Grades by topic and document; a pool of several may have lost all its judgements."""
    if isinstance(qrels, pd.DataFrame) and qrels.empty:
        return pd.Series([], index=pd.MultiIndex.from_arrays([[], []]), dtype=np.int64)
    frame = Judgements.of(qrels, name).to_frame().astype({"query_id": str})
    return frame.set_index(["query_id", "doc_id"])["relevance"]


def _mean_shares(parts: list[pd.Series]) -> pd.Series:
    """Mean over the parts with documents of the share of each grade."""
    shares = [part.clip(lower=0).value_counts(normalize=True) for part in parts if len(part)]
    return pd.DataFrame(shares).fillna(0.0).mean()
