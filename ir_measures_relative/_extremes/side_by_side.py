"""Two rankings of each topic side by side: every document of either top K, and where each has it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ir_measures_relative._judged import JudgedRun, Top, common_codes


@dataclass(frozen=True)
class SideBySide:
    """The documents of two lists, one row per topic.

    Slots ``0..depth-1`` hold the first list's documents in rank order, slots ``depth..2*depth-1`` the second
    list's; a slot whose document is absent, or stands already among the first list's, has both ranks
    ``depth`` and is not free.
    """

    rank_y: np.ndarray  # (Q, D) int64: rank in the first list, from 0; ``depth`` where it is not retrieved
    rank_z: np.ndarray  # (Q, D) int64: the same in the second list
    grade: np.ndarray  # (Q, D) float64: known grade, NaN where there is none
    free: np.ndarray  # (Q, D) bool: a document without a known grade
    length_y: np.ndarray  # (Q,) documents in the first list, at most K
    length_z: np.ndarray  # (Q,)

    @property
    def depth(self) -> int:
        """Number of ranks in either list, the longer one's."""
        return self.rank_y.shape[1] // 2

    @property
    def identical(self) -> np.ndarray:
        """(Q,) whether the two lists are the same documents in the same order."""
        return (self.rank_y == self.rank_z).all(axis=1)

    def swapped(self) -> SideBySide:
        """The same documents with the other list favoured."""
        return replace(self, rank_y=self.rank_z, rank_z=self.rank_y, length_y=self.length_z, length_z=self.length_y)

    def topics(self, rows: slice) -> SideBySide:
        """Some of the topics."""
        return SideBySide(
            self.rank_y[rows],
            self.rank_z[rows],
            self.grade[rows],
            self.free[rows],
            self.length_y[rows],
            self.length_z[rows],
        )

    def in_rank_order(self, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(Q, D) a value for each document -> (Q, depth) twice: the values in the order of either list."""
        ordered = []
        for rank in (self.rank_y, self.rank_z):
            grid = np.zeros((len(rank), self.depth + 1))  # the last rank collects what the list lacks
            np.put_along_axis(grid, rank, value, axis=1)
            ordered.append(grid[:, : self.depth])
        return ordered[0], ordered[1]

    def weight_difference(self, weight: np.ndarray) -> np.ndarray:
        """(depth,) weight of each rank -> (Q, D): weight in the first list minus weight in the second."""
        padded = np.append(weight, 0.0)  # a document that a list lacks weighs nothing there
        return padded[self.rank_y] - padded[self.rank_z]


def side_by_side(code_y: np.ndarray, code_z: np.ndarray, grade_y: np.ndarray, grade_z: np.ndarray) -> SideBySide:
    """Join two lists of document codes.

    ``code``: (Q, depth) int64, one small number for each document of each topic, -1 past the end of the list;
    ``grade``: (Q, depth) float64, NaN = unknown.
    """
    n_topics, depth = code_y.shape
    at_z = _rank_of(code_z, code_y)  # (Q, depth): where the second list has the first's documents
    here_y, here_z = code_y >= 0, (code_z >= 0) & (_rank_of(code_y, code_z) == depth)
    ranks = np.arange(depth)
    here = np.hstack([here_y, here_z])
    grade = np.where(here, np.hstack([grade_y, grade_z]), np.nan)
    return SideBySide(
        rank_y=np.hstack([np.where(here_y, ranks, depth), np.full((n_topics, depth), depth)]),
        rank_z=np.hstack([at_z, np.where(here_z, ranks, depth)]),
        grade=grade,
        free=here & np.isnan(grade),
        length_y=(code_y >= 0).sum(axis=1),
        length_z=(code_z >= 0).sum(axis=1),
    )


def _rank_of(ranking: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(Q, depth) rank that each wanted document has in the other ranking, ``depth`` if none."""
    depth = ranking.shape[1]
    highest = max(ranking.max(initial=-1), wanted.max(initial=-1))
    rank = np.full(int(highest) + 2, depth)  # the last entry serves code -1
    rank[ranking] = np.arange(depth)
    rank[-1] = depth
    return rank[wanted]


def two_runs(run: JudgedRun, reference: JudgedRun, cutoff: int | None, judged: bool = True) -> SideBySide:
    """Two runs over the same judgements, cut at K; ``judged=False`` forgets every grade."""
    top_y, top_z = run.top(cutoff), reference.top(cutoff)
    depth = max(top_y.row.shape[1], top_z.row.shape[1])
    code_y, code_z = common_codes(run, reference, cutoff)
    grade_y, grade_z = (_padded(top.grade, depth, np.nan) for top in (top_y, top_z))
    if not judged:
        grade_y, grade_z = np.full_like(grade_y, np.nan), np.full_like(grade_z, np.nan)
    return side_by_side(_padded(code_y, depth, -1), _padded(code_z, depth, -1), grade_y, grade_z)


def against_nothing(top: Top) -> SideBySide:
    """The top of one run beside an empty list."""
    code = np.where(top.present, np.arange(top.row.shape[1]), -1)  # (Q, W)
    return side_by_side(code, np.full_like(code, -1), top.grade, np.full_like(top.grade, np.nan))


def _padded(array: np.ndarray, width: int, fill: float) -> np.ndarray:
    """(Q, W) -> (Q, width)."""
    return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=fill)
