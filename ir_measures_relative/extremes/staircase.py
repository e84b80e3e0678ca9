"""AP and ERR: a staircase dynamic programme over (rank in the one list, rank in the other).

Both measures are sums over the ranks of a rising function of C_n, the number of labelled documents in the top n
(``prefix_values.py``).  If document d ranks no lower than e in the favoured list and no higher in the other, moving a label
from e to d lowers no count of the favoured list and raises none of the other.  So for every number of labels some optimum is
a staircase: walking down the favoured list (*columns*), the labelled documents are those whose rank in the other list (*row*)
is at or beyond a threshold that only grows.

A path takes steps right (the next column is decided) and up (the threshold passes a row).  Its state is the column, the row
and the number of *skipped* documents, those decided and left without a label: the documents of the columns passed are
labelled but for the skipped ones, and those of the rows passed likewise, which is all that the two sums ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FreeDocuments:
    """The free documents of one topic: the favoured list's as columns, the other list's as rows."""

    row: np.ndarray  # (C,) row of each column's document; n_rows = the other list lacks it
    n_rows: int
    slot_of_column: np.ndarray  # (C,) where the caller keeps the document
    slot_of_row: np.ndarray  # (n_rows,)

    @classmethod
    def of(cls, rank_y: np.ndarray, rank_z: np.ndarray, free: np.ndarray, depth: int) -> FreeDocuments:
        """From one topic's (D,) ranks; ``depth`` = not retrieved."""
        columns = np.flatnonzero(free & (rank_y < depth))
        columns = columns[np.argsort(rank_y[columns])]
        rows = np.flatnonzero(free & (rank_z < depth))
        rows = rows[np.argsort(rank_z[rows])]
        row_at = np.full(depth + 1, len(rows))
        row_at[rank_z[rows]] = np.arange(len(rows))
        return cls(row_at[rank_z[columns]], len(rows), columns, rows)

    @property
    def shared(self) -> np.ndarray:
        """(C,) whether the other list has the column's document too."""
        return self.row < self.n_rows

    @property
    def only_in_rows(self) -> np.ndarray:
        """(n_rows,) whether only the other list has the row's document."""
        alone = np.ones(self.n_rows, dtype=bool)
        alone[self.row[self.shared]] = False
        return alone


@dataclass(frozen=True)
class Staircases:
    """The best difference of sums for every number of labels, and the way back to the labels themselves."""

    best: np.ndarray  # (F + 1,) for 0..F labelled free documents
    documents: FreeDocuments
    end: np.ndarray  # (F + 1, 3) column, row and skipped at which the best path stops labelling
    came_up: list | None  # per column: packed bits of (rows + 1, skipped + 1), whether the best path came from below

    def labels(self, number: int) -> np.ndarray:
        """Slots of the labelled documents of the best staircase with so many labels."""
        if self.came_up is None:
            raise ValueError("the way back was not kept")
        documents = self.documents
        column, row, skipped = (int(v) for v in self.end[number])
        last_rows = np.arange(row, documents.n_rows)
        picked = list(documents.slot_of_row[last_rows[documents.only_in_rows[last_rows]]])
        while column:
            shape, bits = self.came_up[column]
            up = np.unpackbits(bits, count=shape[0] * shape[1]).reshape(shape)
            row -= int(up[row::-1, skipped].argmin())
            column -= 1
            if documents.row[column] >= row:
                picked.append(documents.slot_of_column[column])
            else:
                skipped -= 1
        return np.array(picked, dtype=np.int64)


def best_staircases(documents: FreeDocuments, gain: np.ndarray, cost: np.ndarray, way_back: bool = False) -> Staircases:
    """Largest sum_x gain[x, labelled in columns <= x] - sum_y cost[y, labelled in rows <= y] for every number of labels.

    gain: (C + 1, C + 1), its first row for the ranks above the first column; cost: (R + 1, R + 1) likewise.
    O(columns * rows * shared documents).
    """
    n_columns, n_rows, row_of = len(documents.row), documents.n_rows, documents.row
    n_free = n_columns + int(documents.only_in_rows.sum())
    ends = _Ends(n_free)
    later = gain[::-1].cumsum(axis=0)[::-1] - gain  # (C + 1, C + 1): columns after x, no further label
    width = int(documents.shared.sum()) + 1
    passed = np.full((n_rows + 1, width), -np.inf)  # value of (threshold row, skipped)
    toll = np.zeros((n_rows, width))  # cost of passing each row
    toll[:, 0] = cost[1:, 0]
    tolls = np.zeros((n_rows + 1, width))  # and of all rows below the threshold
    tolls[1:] = toll.cumsum(axis=0)
    passed[:, 0] = gain[0, 0] - cost[0, 0] - tolls[:, 0]
    in_rows = np.zeros(n_rows, dtype=np.int64)  # documents of the columns passed in rows 0..y
    came_up: list = [None]
    ends.offer(np.array([0]), passed[-1, :1] + later[0, :1], 0, n_rows, np.array([0]))
    w = 1  # 1 + the most that can be skipped so far
    for x in range(1, n_columns + 1):
        row = row_of[x - 1]
        if row < n_rows:
            w += 1
            in_rows[row:] += 1
            # below the threshold the document is skipped; elsewhere it is labelled, now or when its row is passed
            passed[row + 1 :, 1:w] = passed[row + 1 :, : w - 1]
            passed[row + 1 :, 0] = -np.inf
            toll[row:, 1:w] = toll[row:, : w - 1]
            toll[row:, 0] = cost[np.arange(row, n_rows) + 1, in_rows[row:]]
            np.cumsum(toll[row:, :w], axis=0, out=tolls[row + 1 :, :w])
            tolls[row + 1 :, :w] += tolls[row, :w]
        labelled = x - np.arange(w)
        here = passed[:, :w]
        here += gain[x, labelled] + tolls[:, :w]
        highest = np.maximum.accumulate(here, axis=0)
        if way_back:
            came_up.append((here.shape, np.packbits(highest > here)))
        np.subtract(highest, tolls[:, :w], out=here)
        ends.offer(labelled, here[-1] + later[x, labelled], x, n_rows, x - labelled)
    _label_last_rows(ends, documents, passed[:, :w], in_rows, cost)
    return Staircases(ends.best, documents, ends.end, came_up if way_back else None)


class _Ends:
    """The best place to stop, for every number of labels."""

    def __init__(self, n_free: int) -> None:
        self.best = np.full(n_free + 1, -np.inf)
        self.end = np.zeros((n_free + 1, 3), dtype=np.int64)

    def offer(self, count: np.ndarray, value: np.ndarray, column: int, row: int, skipped: np.ndarray) -> None:
        """Paths that end at one column and row, one for each number of skipped documents."""
        better = value > self.best[count]
        count = count[better]
        self.best[count] = value[better]
        self.end[count, 0], self.end[count, 1], self.end[count, 2] = column, row, skipped[better]


def _label_last_rows(
    ends: _Ends, documents: FreeDocuments, passed: np.ndarray, in_rows: np.ndarray, cost: np.ndarray
) -> None:
    """Let documents that only the other list has be labelled too, from a threshold row on (they help inner ends alone)."""
    n_columns, n_rows = len(documents.row), documents.n_rows
    alone = documents.only_in_rows
    if not alone.any():
        return
    skipped = np.arange(passed.shape[1])
    after = np.zeros(n_rows + 1)  # cost of rows y.. when all of their documents are labelled, by the labels before them
    labelled_before = np.append(0, in_rows)
    extra = 0
    for y in range(n_rows - 1, -1, -1):
        after[:-1] = cost[y + 1, 1:] + after[1:]
        extra += int(alone[y])
        if not extra:
            continue
        before = labelled_before[y] - skipped
        possible = (before >= 0) & np.isfinite(passed[y])
        number = n_columns - skipped[possible] + extra
        value = passed[y, possible] - after[before[possible]]
        ends.offer(number, value, n_columns, y, skipped[possible])
