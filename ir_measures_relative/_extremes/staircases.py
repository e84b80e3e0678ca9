"""AP, Q and ERR: a staircase dynamic programme over (rank in the one list, rank in the other).

With falling weights w_n of the ranks (1/n for AP and ERR), a_n = w_n - w_(n+1) and a_K = w_K, summing by parts gives

    SP  = sum_n a_n T(k_n + c_n),  T(c) = c(c+1)/2
    ERR = sum_n a_n (1 - q_n (1 - r)^c_n)

where the top n contain k_n known relevant and c_n labelled documents, q_n is the product of 1 - stop over the known
ones, and r the stop probability of a label. So these measures are sums over the ranks of a rising function of c_n. If
document d ranks no lower than e in Y and no higher in Z, moving a label from e to d lowers no count of Y and raises
none of Z. So for every number of labels some optimum is a staircase: walking down Y (*columns*), the labelled documents
are those whose rank in Z (*row*) is beyond every row skipped so far.

The state of a path is the column, the threshold (one more than the highest row skipped) and the number of skipped
documents. That is enough: the documents of the columns passed, and those of the rows below the threshold, are labelled
but for the skipped ones, and rows below the threshold get no further label, so that their part of the sum is fixed.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from ir_measures_relative._base import QMeasure, divide
from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._input import BoolArray, FloatArray, IntArray

PrefixValues: TypeAlias = Callable[[FloatArray, int], FloatArray]  # known values by rank, labels -> worth of prefixes
# worth of prefixes; divisor of the sums for 0..F labels (NaN: impossible); relevant documents in neither list
Case: TypeAlias = tuple[PrefixValues, FloatArray, IntArray]


def ap_labels(
    pair: SideBySide, relevant: FloatArray, n_known: IntArray, unseen: int, divisor: Callable[[IntArray], FloatArray]
) -> tuple[BoolArray, IntArray]:
    """(Q, D) bool, the relevant free documents of the largest AP(Y) - AP(Z); (Q,) relevant documents in neither list.

    relevant: (Q, D) 1 for the known relevant documents of the lists; n_known: (Q,) all known ones; divisor: relevant
    documents -> divisor of AP. Unseen relevant documents bring a difference nearer to 0, so none or all are best.
    """
    worth = _precisions(1 / np.arange(1.0, pair.depth + 1))

    def cases(row: int, number: IntArray) -> Iterable[Case]:
        for added in sorted({0, unseen}):
            yield worth, divisor(n_known[row] + number + added), np.full_like(number, added)

    return _best_labels(pair, relevant, cases, unseen)


def err_labels(pair: SideBySide, stop: FloatArray, top_stop: float) -> BoolArray:
    """(Q, D) bool: the free documents with the highest grade in the labelling of largest ERR(Y) - ERR(Z).

    All others get grade 0: ERR is linear in each stop probability, so no grade in between is better than both.
    stop: (Q, D) stop probability of the known documents, 0 for free ones; top_stop: of the highest grade.
    """
    steps = _steps(1 / np.arange(1.0, pair.depth + 1))[:, None]

    def worth(stop: FloatArray, n_labels: int) -> FloatArray:
        reading = np.cumprod(1 - stop)[:, None] * (1 - top_stop) ** np.arange(n_labels + 1.0)
        return np.asarray(steps * (1 - reading))

    def cases(row: int, number: IntArray) -> Iterable[Case]:
        yield worth, np.ones(len(number)), np.zeros_like(number)

    return _best_labels(pair, stop, cases)[0]


def q_labels(
    pair: SideBySide, relevant: FloatArray, n_known: IntArray, unseen: int, model: QMeasure
) -> tuple[BoolArray, IntArray]:
    """As ``ap_labels``, for Q.

    For a fixed R, the number of relevant documents, Q is AP with other weights, which fall with the rank: the
    staircase is optimal, and one pass gives every number of labels. From R = depth on the weights stay.
    """
    depth = pair.depth

    def cases(row: int, number: IntArray) -> Iterable[Case]:
        known = int(n_known[row])
        for n_relevant in range(min(known, depth), min(known + int(number[-1]) + unseen, depth) + 1):
            worth = _precisions(model.weights(depth, np.array([n_relevant]))[0])
            fewest = np.maximum(n_relevant - known - number, 0)  # (F + 1,) unseen documents that R then needs
            # from R = depth on more of them only divide by more: the fewest, or all that may exist
            for added in [fewest, np.full_like(fewest, unseen)] if n_relevant == depth else [fewest]:
                total = known + number + added
                possible = (added <= unseen) & (np.minimum(total, depth) == n_relevant)
                yield worth, np.where(possible, total, np.nan), added

    return _best_labels(pair, relevant, cases, unseen)


def _best_labels(
    pair: SideBySide, known: FloatArray, cases: Callable[[int, IntArray], Iterable[Case]], unseen: int = 0
) -> tuple[BoolArray, IntArray]:
    """(Q, D) the labels of the largest ratio in each row, over all numbers of labels and all cases; (Q,) unseen."""
    labels, others = np.zeros(pair.free.shape, dtype=bool), np.zeros(len(pair.free), dtype=np.int64)
    identical = (pair.rank_y == pair.rank_z).all(axis=1)  # (Q,) the lists
    undecided = (pair.free.any(axis=1) | (unseen > 0)) & ~identical
    for row in np.flatnonzero(undecided).tolist():
        best = -np.inf
        for worth, divisor, added in cases(row, np.arange(pair.free[row].sum() + 1)):
            stairs = _staircases(pair, row, known[row], worth)
            ratio = np.where(np.isnan(divisor), -np.inf, divide(stairs.best, divisor))
            number = int(ratio.argmax())
            if ratio[number] > best:
                best, others[row] = ratio[number], added[number]
                labels[row] = False
                labels[row, stairs.labels(number)] = True
    return labels, others


def _precisions(weight: FloatArray) -> PrefixValues:
    """(depth,) weight by rank -> the function of known relevance that gives the worth of each prefix in SP."""

    def worth(relevant: FloatArray, n_labels: int) -> FloatArray:
        count = np.cumsum(relevant)[:, None] + np.arange(n_labels + 1.0)  # (depth, n_labels + 1)
        return np.asarray(_steps(weight)[:, None] * (count * (count + 1) / 2))

    return worth


def _steps(weight: FloatArray) -> FloatArray:
    """(depth,) w_n -> (depth,) a_n."""
    return np.asarray(weight - np.append(weight[1:], 0.0))


def _staircases(pair: SideBySide, row: int, known: FloatArray, worth: PrefixValues) -> "Staircases":
    """The staircases of one row."""
    depth, free, ranks = pair.depth, pair.free[row], (pair.rank_y[row], pair.rank_z[row])
    slots, sums = [], []
    for rank in ranks:
        listed = np.flatnonzero(free & (rank < depth))
        listed = listed[np.argsort(rank[listed])]
        in_order = np.zeros(depth + 1)
        in_order[rank] = known  # entry ``depth`` collects the documents that this list lacks
        # the count changes at free documents only, so the ranks between them are one step of the staircase
        running = np.vstack([np.zeros(len(listed) + 1), worth(in_order[:depth], len(listed)).cumsum(axis=0)])
        bounds = np.concatenate([[0], rank[listed], [depth]])
        slots.append(listed)
        sums.append(running[bounds[1:]] - running[bounds[:-1]])
    row_at = np.full(depth + 1, len(slots[1]))
    row_at[ranks[1][slots[1]]] = np.arange(len(slots[1]))
    return Staircases(slots[0], slots[1], row_at[ranks[1][slots[0]]], *sums)


class Staircases:
    """The best sum_x gain[x, labels in columns <= x] - sum_y cost[y, labels in rows <= y], by number of labels.

    columns, rows: (C,), (R,) slots of the free documents of Y and of Z in rank order; row: (C,) row of each column's
    document, R = Z lacks it; gain: (C + 1, C + 1), its first row for the ranks above the first column; cost:
    (R + 1, R + 1) likewise. ``best``: (F + 1,) for 0..F labelled documents. O(columns * rows * shared documents).

    ``value[t, s]`` is the best sum of the columns passed minus the rows below threshold t, with s documents skipped.
    """

    def __init__(self, columns: IntArray, rows: IntArray, row: IntArray, gain: FloatArray, cost: FloatArray):
        self.columns, self.rows, self.row, self.gain, self.cost = columns, rows, row, gain, cost
        self.only_in_rows = ~np.isin(np.arange(len(rows)), row)  # (R,)
        n_free = len(columns) + int(self.only_in_rows.sum())
        self.best = np.full(n_free + 1, -np.inf)
        # (F + 1, 4) column, threshold, skipped where labelling by columns stops; first row labelled alone
        self.end = np.zeros((n_free + 1, 4), dtype=np.int64)
        self.raised_from: list[IntArray] = []  # per column: (skipped,) threshold before its skip, -1 = below already
        self.later = gain[:0:-1].cumsum(axis=0)[::-1]  # (C, C + 1) gain of the columns x.. by labels
        self.value = np.full((len(rows) + 1, int((row < len(rows)).sum()) + 1), -np.inf)
        self.value[0, 0] = gain[0, 0] - cost[0, 0]
        self.passed = np.zeros(len(rows) + 1, dtype=np.int64)  # (R + 1,) documents of the columns passed, by rows below
        self.width = 1  # 1 + the most documents that can have been skipped so far
        self.toll = self._toll()
        for column, place in enumerate(row.tolist()):
            if place < len(rows):
                self._decide(column, place)
            else:
                self._label(column)
        self._label_rows()

    def labels(self, number: int) -> IntArray:
        """Slots of the labelled documents of the best staircase with so many labels."""
        column, threshold, skipped, first = self.end[number].tolist()
        picked = self.rows[first:][self.only_in_rows[first:]].tolist()
        while column:
            column -= 1
            if self.row[column] >= threshold:
                picked.append(self.columns[column])
                continue
            skipped -= 1
            before = self.raised_from[column][skipped]
            if self.row[column] == threshold - 1 and before >= 0:
                threshold = before
        return np.array(picked, dtype=np.int64)

    def _toll(self) -> FloatArray:
        """(R + 1, w) cost of the rows below each threshold if they are passed now, by documents skipped."""
        count = np.maximum(self.passed[1:, None] - np.arange(self.width), 0)  # (R, w) labels in rows <= y
        passed = self.cost[np.arange(1, len(self.passed))[:, None], count].cumsum(axis=0)
        return np.vstack([np.zeros(self.width), passed])

    def _decide(self, column: int, row: int) -> None:
        """The document is in both lists: label it, or skip it and all rows up to its own."""
        w, above, skipped = self.width, row + 1, np.arange(self.width)
        value, toll = self.value, self.toll
        at_row = value[:above, :w] + toll[:above]
        raised_from = at_row.argmax(axis=0)
        raised = at_row[raised_from, skipped] - toll[above]
        raised_from[raised <= value[above, :w]] = -1
        self.raised_from.append(raised_from)
        value[above, :w] = np.maximum(value[above, :w], raised)
        value[above:, 1 : w + 1] = value[above:, :w] + self.gain[column + 1, column - skipped]
        value[above:, 0] = -np.inf
        value[:above, :w] += self.gain[column + 1, column + 1 - skipped]
        self.passed[above:] += 1
        self.width += 1
        self.toll = self._toll()

    def _label(self, column: int) -> None:
        """The document is in Y alone: label no document from it on, and pass all rows, or label it."""
        skipped = np.arange(self.width)
        reached = self.value[:, : self.width] + self.toll
        threshold = reached.argmax(axis=0)
        value = reached[threshold, skipped] - self.toll[-1] + self.later[column, column - skipped]
        self._offer(column, column - skipped, value, threshold, skipped, len(self.rows))
        self.raised_from.append(np.zeros(0, dtype=np.int64))  # never asked
        self.value[:, : self.width] += self.gain[column + 1, column + 1 - skipped]

    def _label_rows(self) -> None:
        """Label what only Z has, from some row on: of use where every difference is negative."""
        column, skipped = len(self.columns), np.arange(self.width)
        reached = self.value[:, : self.width] + self.toll
        after = np.zeros(len(self.passed))  # cost of rows y.. with all of their documents labelled, by labels below
        for y in range(len(self.rows), -1, -1):
            more = int(self.only_in_rows[y:].sum())
            possible = skipped[skipped <= self.passed[y]]
            if more or y == len(self.rows):
                threshold = reached[: y + 1, possible].argmax(axis=0)
                value = reached[threshold, possible] - self.toll[y, possible] - after[self.passed[y] - possible]
                self._offer(column, column - possible + more, value, threshold, possible, y)
            after[:-1] = self.cost[y, 1:] + after[1:]

    def _offer(
        self, column: int, number: IntArray, value: FloatArray, threshold: IntArray, skipped: IntArray, row: int
    ) -> None:
        """Keep the paths that are the best for their number of labels; each has another number."""
        better = value > self.best[number]
        self.best[number[better]] = value[better]
        ends = np.stack(np.broadcast_arrays(column, threshold, skipped, row), axis=1)
        self.end[number[better]] = ends[better]
