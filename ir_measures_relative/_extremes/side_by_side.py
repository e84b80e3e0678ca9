"""Two rankings of each topic side by side: every document of either top K, and where each has it.

In this room the two lists are Y and Z, as in Moffat's paper, and the labels sought are those of the largest
M(Y) - M(Z).
"""

from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Runs, Tops


class SideBySide(NamedTuple):
    """The documents of two lists, one row for each pair of lists of a topic: Q rows for two runs.

    Slots ``0..depth-1`` are the documents of Y in rank order, slots ``depth..2*depth-1`` those of Z; a slot whose
    document is absent, or is among those of Y already, has both ranks ``depth`` and is not free.
    """

    topic: IntArray  # (Q,) topic of each row
    rank_y: IntArray  # (Q, D) rank in Y, from 0; ``depth`` where it is not retrieved
    rank_z: IntArray  # (Q, D) the same in Z
    grade: FloatArray  # (Q, D) known grade, NaN where there is none
    free: BoolArray  # (Q, D) a document without a known grade
    length_y: IntArray  # (Q,) documents in Y, at most K
    length_z: IntArray  # (Q,)

    @property
    def depth(self) -> int:
        """Number of ranks in either list, the longer one's."""
        return int(self.rank_y.shape[1] // 2)

    def swapped(self) -> "SideBySide":
        """Exchange Y and Z."""
        return self._replace(rank_y=self.rank_z, rank_z=self.rank_y, length_y=self.length_z, length_z=self.length_y)

    def in_rank_order(self, value: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(Q, D) a value for each document -> (Q, depth) twice: the values in the order of Y and of Z."""
        ordered = []
        for rank in (self.rank_y, self.rank_z):
            grid = np.zeros((len(rank), self.depth + 1))  # the last rank collects what the list lacks
            np.put_along_axis(grid, rank, value, axis=1)
            ordered.append(grid[:, : self.depth])
        return ordered[0], ordered[1]

    def weight_difference(self, weight: FloatArray) -> FloatArray:
        """(depth,) weight of each rank -> (Q, D): weight in Y minus weight in Z."""
        padded = np.append(weight, 0.0)  # a document that a list lacks weighs nothing there
        return np.asarray(padded[self.rank_y] - padded[self.rank_z])


def side_by_side(code_y: IntArray, code_z: IntArray, grade_y: FloatArray, grade_z: FloatArray) -> SideBySide:
    """Join the list Y of each topic with one or several lists Z.

    ``code``: one small number for each document within its topic, -1 past the end of a list; ``grade``: NaN = unknown.
    Y is (Q, depth), Z (B * Q, depth): all topics of the first run, then of the next.
    """
    n_topics, depth = code_y.shape
    topic = np.tile(np.arange(n_topics), len(code_z) // max(n_topics, 1))  # (B * Q,)
    ranks = np.arange(depth)
    numbers = int(max(code_y.max(initial=-1), code_z.max(initial=-1))) + 1
    rank_in_y = np.full((n_topics, numbers + 1), depth)  # the last entry serves code -1
    np.put_along_axis(rank_in_y, code_y, np.broadcast_to(ranks, code_y.shape), axis=1)
    rank_in_y[:, -1] = depth
    z_in_y = rank_in_y[topic[:, None], code_z]  # (B * Q, depth) where Y has the documents of Z
    y_in_z = np.full((len(code_z), depth + 1), depth)  # the last rank collects what Y lacks
    np.put_along_axis(y_in_z, z_in_y, np.broadcast_to(ranks, z_in_y.shape), axis=1)
    listed_y, listed_z = (code_y >= 0)[topic], (code_z >= 0) & (z_in_y == depth)
    listed = np.hstack([listed_y, listed_z])
    grade = np.where(listed, np.hstack([grade_y[topic], grade_z]), np.nan)
    return SideBySide(
        topic=topic,
        rank_y=np.hstack([np.where(listed_y, ranks, depth), np.full(code_z.shape, depth)]),
        rank_z=np.hstack([y_in_z[:, :depth], np.where(listed_z, ranks, depth)]),
        grade=grade,
        free=listed & np.isnan(grade),
        length_y=listed_y.sum(axis=1),
        length_z=(code_z >= 0).sum(axis=1),
    )


def run_with_others(tops: Tops, y: int, z: IntArray, judged: bool = True) -> SideBySide:
    """Run ``y`` as Y with each of the (B,) runs ``z`` as Z; ``judged=False`` ignores every grade."""
    n_topics, depth = tops.code.shape[1:]
    grade = tops.grade if judged else np.full(tops.grade.shape, np.nan)
    code_z, grade_z = tops.code[z].reshape(len(z) * n_topics, depth), grade[z].reshape(len(z) * n_topics, depth)
    return side_by_side(tops.code[y], code_z, grade[y], grade_z)


def two_runs(run: JudgedRun, reference: JudgedRun, cutoff: int | None, judged: bool = True) -> SideBySide:
    """Two runs over the same judgements, cut at K; ``judged=False`` ignores every grade."""
    tops = Runs(run.judgements, {"run": run, "reference": reference}).top(cutoff)
    return run_with_others(tops, 0, np.array([1]), judged)


def against_nothing(run: JudgedRun, cutoff: int | None) -> SideBySide:
    """One run, cut at K, and an empty list."""
    top = run.top(cutoff)
    code = np.where(top.present, np.arange(top.row.shape[1]), -1)  # (Q, W)
    return side_by_side(code, np.full_like(code, -1), top.grade, np.full_like(top.grade, np.nan))
