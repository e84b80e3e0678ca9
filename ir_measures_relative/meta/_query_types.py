"""On which queries do systems do better than chance?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import real, whole
from ir_measures_relative.meta._labelled_scores import LabelledScores
from ir_measures_relative.meta._score_table import label_order


@dataclass(frozen=True, repr=False, eq=False)
class QueryTypes:
    """Queries by how far their score lies above that of a random ranking.

    Attributes
    ----------
    uninformative : the n queries with the smallest difference, smallest first
    informative : the others between the two, by rising difference
    ideal : the n queries with the largest difference, largest first
    actual, expected : the scores of all queries
    middle : the score that parts hard queries from easy ones
    """

    uninformative: list[Any]
    informative: list[Any]
    ideal: list[Any]
    actual: pd.Series
    expected: pd.Series
    middle: float

    @property
    def hard(self) -> list[Any]:
        """Uninformative queries on which systems and chance do poorly: both below ``middle``."""
        return [q for q in self.uninformative if max(self.actual[q], self.expected[q]) < self.middle]

    @property
    def easy(self) -> list[Any]:
        """Uninformative queries on which systems and chance do well: neither below ``middle``."""
        return [q for q in self.uninformative if min(self.actual[q], self.expected[q]) >= self.middle]

    def to_frame(self) -> pd.DataFrame:
        """One row per query by rising difference: query_id, actual, expected, difference, type."""
        ids = [*self.uninformative, *self.informative, *reversed(self.ideal)]
        kinds = np.repeat(
            ["uninformative", "informative", "ideal"],
            [len(self.uninformative), len(self.informative), len(self.ideal)],
        )
        actual, expected = self.actual[ids].to_numpy(), self.expected[ids].to_numpy()
        return pd.DataFrame(
            {
                "query_id": ids,
                "actual": actual,
                "expected": expected,
                "difference": actual - expected,
                "type": kinds.astype(object),
            }
        )

    def __repr__(self) -> str:
        return (
            f"QueryTypes({len(self.uninformative)} uninformative, {len(self.informative)} informative, "
            f"{len(self.ideal)} ideal; {len(self.hard)} hard, {len(self.easy)} easy)"
        )


def query_types(actual: Any, expected: Any, n: int, *, middle: float = 0.5) -> QueryTypes:
    """Which queries tell a good ranking from a random one?

    Parameters
    ----------
    actual : one score per query (dict, Series, list, DataFrame with query_id and a column of numbers), or a
        systems x topics table, whose column means count: the paper takes the mean over its eight methods
    expected : the expected score of a random ranking per query, as ``expected_random`` gives it
    n : how many queries each of the two sets gets; 2 n must not exceed the number of queries
    middle : of the uninformative queries, those whose two scores lie below it are *hard* and those whose two scores do
        not are *easy*; the paper describes both kinds and names no number

    Returns
    -------
    QueryTypes: ``uninformative`` = the n smallest and ``ideal`` = the n largest values of actual - expected,
    ties by id; ``informative`` = those between; ``hard`` and ``easy`` = special cases of uninformative ones.
    ``to_frame()`` has all of them.

    >>> types = query_types({"q1": 0.9, "q2": 0.4, "q3": 0.6}, {"q1": 0.1, "q2": 0.4, "q3": 0.3}, n=1)
    >>> types.uninformative, types.informative, types.ideal
    (['q2'], ['q3'], ['q1'])

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, sections 3.3 and 4.4.
    """
    scores = LabelledScores.of_topics(actual, "actual").need(2, "topic", "actual")
    chance = LabelledScores.of_topics(expected, "expected").like(scores, "topic", "expected", "actual")
    n, middle = whole(n, "n", 1, len(scores.values) // 2), real(middle, "middle", 0.0)
    by_id = label_order(scores.labels)
    labels = [scores.labels[place] for place in by_id]
    level = LabelledScores(labels, (scores.values - chance.values)[by_id], True).levels()  # (Q,)
    rising, falling = np.argsort(level, kind="stable"), np.argsort(-level, kind="stable")  # ties stay by id
    ideal = falling[:n].tolist()
    taken = set(ideal)
    rest = [place for place in rising.tolist() if place not in taken]  # a tie at the border is in one set only

    def named(part: list[int]) -> list[Any]:
        return [labels[place] for place in part]

    index = pd.Index(scores.labels, dtype=object)
    actual_scores, chance_scores = pd.Series(scores.values, index), pd.Series(chance.values, index)
    return QueryTypes(named(rest[:n]), named(rest[n:]), named(ideal), actual_scores, chance_scores, middle)
