"""Queries by how far systems score above a random ranking."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import real, whole
from ir_measures_relative.meta._score_table import LabelledScores, require, score_levels


@dataclass(frozen=True, repr=False, eq=False)
class QueryTypes:
    """Queries by the difference between their score and that of a random ranking."""

    uninformative: list[Any]  #: the n queries with the smallest difference, smallest first
    informative: list[Any]  #: the queries between the two, by increasing difference
    ideal: list[Any]  #: the n queries with the largest difference, largest first
    actual: pd.Series  #: scores of all queries
    expected: pd.Series  #: scores of a random ranking for all queries
    middle: float  #: score that separates hard queries from easy ones

    @property
    def hard(self) -> list[Any]:
        """Uninformative queries on which systems and a random ranking score low: both below ``middle``."""
        return [q for q in self.uninformative if max(self.actual[q], self.expected[q]) < self.middle]

    @property
    def easy(self) -> list[Any]:
        """Uninformative queries on which systems and a random ranking score high: neither below ``middle``."""
        return [q for q in self.uninformative if min(self.actual[q], self.expected[q]) >= self.middle]

    def to_frame(self) -> pd.DataFrame:
        """One row per query by rising difference: query_id, actual, expected, difference, type."""
        parts = {name: getattr(self, name) for name in ("uninformative", "informative", "ideal")}
        ids = [*self.uninformative, *self.informative, *reversed(self.ideal)]
        actual, expected = self.actual[ids].to_numpy(), self.expected[ids].to_numpy()
        frame = pd.DataFrame({"query_id": ids, "actual": actual, "expected": expected, "difference": actual - expected})
        return frame.assign(type=[name for name, queries in parts.items() for _ in queries])

    def __repr__(self) -> str:
        return (
            f"QueryTypes({len(self.uninformative)} uninformative, {len(self.informative)} informative, "
            f"{len(self.ideal)} ideal; {len(self.hard)} hard, {len(self.easy)} easy)"
        )


def query_types(actual: Any, expected: Any, n: int, *, middle: float = 0.5) -> QueryTypes:
    """Find the queries that distinguish a good ranking from a random one, and those that do not.

    *Uninformative* are the n smallest and *ideal* the n largest values of actual - expected, ties by id; *informative*
    are those between (Karmaker and Feng, Joint upper and lower bound normalization for IR evaluation, sections 3.3 and
    4.4).

    Parameters
    ----------
    actual : DataFrame, array, dict, Series or list
        One score per query (a DataFrame has query_id and a column of numbers), or a systems x topics table, whose
        column means are used, as in the paper.
    expected : DataFrame, dict, Series or list
        Expected score of a random ranking for each query, as ``expected_random`` returns it.
    n : int
        Size of the two sets; 2 n must not exceed the number of queries.
    middle : float
        Uninformative queries with both scores below it are *hard*, with neither below it *easy*. The paper describes
        both kinds without a number.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> types = meta.query_types({"q1": 0.9, "q2": 0.4, "q3": 0.6}, {"q1": 0.1, "q2": 0.4, "q3": 0.3}, n=1)
    >>> types.uninformative, types.informative, types.ideal
    (['q2'], ['q3'], ['q1'])
    """
    scores = LabelledScores.of(actual, "topic", "actual")
    require(len(scores.values), 2, "topic", "actual")
    chance = LabelledScores.of(expected, "topic", "expected").like(scores, "topic", "expected", "actual")
    n, middle = whole(n, "n", 1, len(scores.values) // 2), real(middle, "middle", 0.0)
    difference = LabelledScores(scores.labels, scores.values - chance.values).canonical()
    level = score_levels(difference.values)  # (Q,)
    ideal = np.argsort(-level, kind="stable")[:n]  # ties stay by id
    rising = np.argsort(level, kind="stable")
    rest = rising[~np.isin(rising, ideal)]  # a tie at the border is in one set only
    low, between, high = ([difference.labels[place] for place in part] for part in (rest[:n], rest[n:], ideal))
    index = pd.Index(scores.labels, dtype=object)
    return QueryTypes(low, between, high, pd.Series(scores.values, index), pd.Series(chance.values, index), middle)
