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

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ir_measures_relative._base import QMeasure
from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray

Divisor = Callable[[Array, Array], FloatArray]  # known relevant documents, labels -> what AP divides by
PrefixValues = Callable[[FloatArray, int], FloatArray]  # known values by rank, labels -> worth of each prefix


def ap_divisor(norm: str, cutoff: int | None) -> Divisor:
    """AP divides by the relevant documents ('R', Eq. 8), at most K ('min', Eq. 9), or by K ('k', Eq. 10)."""
    if norm == "k":
        return lambda n_known, n_labels: np.zeros(np.shape(n_known + n_labels)) + (cutoff or 0)
    most = np.inf if norm == "R" or cutoff is None else cutoff
    return lambda n_known, n_labels: np.minimum(n_known + n_labels, most)


def ap_labels(pair: SideBySide, relevant: BoolArray, n_relevant: IntArray, divisor: Divisor) -> BoolArray:
    """(Q, D) bool: the relevant free documents of the largest AP(Y) - AP(Z).

    relevant: (Q, D) the known relevant documents of the lists; n_relevant: (Q,) all known ones, retrieved or not.
    """
    prefix_values = partial(_prefix_precisions, weight=_reciprocal_ranks(pair.depth))
    return _best_labels(pair, relevant.astype(np.float64), prefix_values, lambda row, n: divisor(n_relevant[row], n))


def err_labels(pair: SideBySide, stop: FloatArray, top_stop: float) -> BoolArray:
    """(Q, D) bool: the free documents with the highest grade in the labelling of largest ERR(Y) - ERR(Z).

    All others get grade 0: ERR is linear in each stop probability, so no grade in between is better than both.
    stop: (Q, D) stop probability of the known documents, 0 for free ones; top_stop: of the highest grade.
    """
    prefix_values = partial(_prefix_reciprocal_ranks, label_stop=top_stop)
    return _best_labels(pair, stop, prefix_values, lambda row, n: np.ones(len(n)))


def _best_labels(
    pair: SideBySide, known: FloatArray, prefix_values: PrefixValues, divisor: Callable[[int, IntArray], FloatArray]
) -> BoolArray:
    """The labels of the best number of labels, for each row."""
    labels = np.zeros(pair.free.shape, dtype=bool)
    undecided = pair.free.any(axis=1) & ~pair.identical
    for row in np.flatnonzero(undecided).tolist():
        stairs = _staircases(pair, row, known[row], prefix_values)
        below = divisor(row, np.arange(len(stairs.best)))
        ratio = np.divide(stairs.best, below, out=np.zeros(len(below)), where=below > 0)
        labels[row, stairs.labels(int(ratio.argmax()))] = True
    return labels


def q_labels(
    pair: SideBySide, relevant: BoolArray, n_known: IntArray, unseen: int, model: QMeasure
) -> tuple[BoolArray, IntArray]:
    """(Q, D) bool, the relevant free documents of the largest Q(Y) - Q(Z); (Q,) relevant documents in neither list.

    For a fixed R, the number of relevant documents, Q is AP with other weights, which fall with the rank: the
    staircase is optimal, and one pass gives every number of labels. From R = depth on the weights stay.

    relevant: (Q, D) bool, the known relevant documents of the lists; n_known: (Q,) all known ones; unseen: at most
    so many others may exist.
    """
    labels, others = np.zeros(pair.free.shape, dtype=bool), np.zeros(len(pair.free), dtype=np.int64)
    undecided = (pair.free.any(axis=1) | (unseen > 0)) & ~pair.identical
    for row in np.flatnonzero(undecided).tolist():
        n_free, depth, already = int(pair.free[row].sum()), pair.depth, int(n_known[row])
        biggest = -np.inf
        for n_relevant in range(min(already, depth), min(already + n_free + unseen, depth) + 1):
            weight = model.weights(depth, np.array([n_relevant]))[0]
            prefix_values = partial(_prefix_precisions, weight=weight)
            stairs = _staircases(pair, row, relevant[row].astype(np.float64), prefix_values)
            number = np.arange(n_free + 1)
            fewest = np.maximum(n_relevant - already - number, 0)  # (F + 1,) unseen documents that R then needs
            # from R = depth on more of them only divide by more: the fewest, or all that may exist
            for added in (fewest, np.full_like(fewest, unseen)) if n_relevant == depth else (fewest,):
                total = already + number + added
                possible = (added <= unseen) & ((total == n_relevant) | (total >= depth) & (n_relevant == depth))
                ratio = np.full(n_free + 1, -np.inf)
                np.divide(stairs.best, total, out=ratio, where=possible & (total > 0))
                ratio[possible & (total == 0)] = 0.0
                if ratio.max() > biggest:
                    biggest, best = ratio.max(), int(ratio.argmax())
                    labels[row] = False
                    labels[row, stairs.labels(best)] = True
                    others[row] = added[best]
    return labels, others


def _staircases(pair: SideBySide, row: int, known: FloatArray, prefix_values: PrefixValues) -> Staircases:
    """The staircases of one row."""
    depth = pair.depth
    documents = FreeDocuments.of(pair.rank_y[row], pair.rank_z[row], pair.free[row], depth)

    def steps(rank: IntArray, slots: IntArray) -> FloatArray:
        in_order = np.zeros(depth + 1)
        in_order[rank] = known  # entry ``depth`` collects the documents that this list lacks
        return _between_free(prefix_values(in_order[:depth], len(slots)), rank[slots])

    gain = steps(pair.rank_y[row], documents.slot_of_column)
    cost = steps(pair.rank_z[row], documents.slot_of_row)
    return best_staircases(documents, gain, cost)


def _reciprocal_ranks(depth: int) -> FloatArray:
    """(depth,) the weights of AP and ERR."""
    return np.asarray(1 / np.arange(1.0, depth + 1))


def _prefix_precisions(relevant: FloatArray, n_labels: int, weight: FloatArray) -> FloatArray:
    """(depth,) known relevance and weight by rank -> (depth, n_labels + 1) worth of each prefix in SP."""
    known = np.cumsum(relevant)[:, None] + np.arange(n_labels + 1.0)
    return np.asarray(_steps(weight)[:, None] * (known * (known + 1) / 2))


def _prefix_reciprocal_ranks(stop: FloatArray, n_labels: int, label_stop: float) -> FloatArray:
    """(depth,) known stop probabilities by rank -> (depth, n_labels + 1) worth of each prefix in ERR."""
    reading = np.cumprod(1 - stop)[:, None] * (1 - label_stop) ** np.arange(n_labels + 1.0)
    return np.asarray(_steps(_reciprocal_ranks(len(stop)))[:, None] * (1 - reading))


def _steps(weight: FloatArray) -> FloatArray:
    """(depth,) w_n -> (depth,) a_n."""
    return np.asarray(weight - np.append(weight[1:], 0.0))


def _between_free(worth: FloatArray, free_ranks: IntArray) -> FloatArray:
    """(depth, C + 1) -> (C + 1, C + 1): sums over the ranks above the first free document, and from each to the next.

    The count changes at free documents only, so that the ranks between them are one step of the staircase.
    """
    bounds = np.concatenate([[0], free_ranks, [len(worth)]])
    running = np.vstack([np.zeros((1, worth.shape[1])), worth.cumsum(axis=0)])
    return np.asarray(running[bounds[1:]] - running[bounds[:-1]])


@dataclass(frozen=True)
class FreeDocuments:
    """The free documents of one topic: those of Y as columns, those of Z as rows."""

    row: IntArray  # (C,) row of each column's document; n_rows = Z lacks it
    n_rows: int
    slot_of_column: IntArray  # (C,) where the caller keeps the document
    slot_of_row: IntArray  # (n_rows,)

    @classmethod
    def of(cls, rank_y: IntArray, rank_z: IntArray, free: BoolArray, depth: int) -> FreeDocuments:
        """From one topic's (D,) ranks; ``depth`` = not retrieved."""
        columns = np.flatnonzero(free & (rank_y < depth))
        columns = columns[np.argsort(rank_y[columns])]
        rows = np.flatnonzero(free & (rank_z < depth))
        rows = rows[np.argsort(rank_z[rows])]
        row_at = np.full(depth + 1, len(rows))
        row_at[rank_z[rows]] = np.arange(len(rows))
        return cls(row_at[rank_z[columns]], len(rows), columns, rows)

    @property
    def shared(self) -> BoolArray:
        """(C,) True if Z has the column's document too."""
        return self.row < self.n_rows

    @property
    def only_in_rows(self) -> BoolArray:
        """(n_rows,) True if only Z has the row's document."""
        alone = np.ones(self.n_rows, dtype=bool)
        alone[self.row[self.shared]] = False
        return alone


@dataclass(frozen=True)
class Staircases:
    """The best difference of sums for every number of labels, and the way back to the labels themselves."""

    best: FloatArray  # (F + 1,) for 0..F labelled free documents
    documents: FreeDocuments
    end: IntArray  # (F + 1, 4) column, threshold, skipped where labelling by columns stops; first row labelled alone
    raised_from: list[IntArray]  # per column: (skipped,) threshold before its document was skipped, -1 = below already

    def labels(self, number: int) -> IntArray:
        """Slots of the labelled documents of the best staircase with so many labels."""
        documents = self.documents
        column, threshold, skipped, row = (int(v) for v in self.end[number])
        rows = np.arange(row, documents.n_rows)
        picked = documents.slot_of_row[rows[documents.only_in_rows[rows]]].tolist()
        while column:
            column -= 1
            if documents.row[column] >= threshold:
                picked.append(documents.slot_of_column[column])
                continue
            skipped -= 1
            before = self.raised_from[column][skipped]
            if documents.row[column] == threshold - 1 and before >= 0:
                threshold = before
        return np.array(picked, dtype=np.int64)


def best_staircases(documents: FreeDocuments, gain: FloatArray, cost: FloatArray) -> Staircases:
    """Largest sum_x gain[x, labels in columns <= x] - sum_y cost[y, labels in rows <= y], by number of labels.

    gain: (C + 1, C + 1), its first row for the ranks above the first column; cost: (R + 1, R + 1) likewise.
    O(columns * rows * shared documents).
    """
    walk = _Walk(documents, gain, cost)
    for row in documents.row:
        if row < documents.n_rows:
            walk.decide(int(row))
        else:
            walk.label()
    walk.stop()
    walk.label_rows()
    return Staircases(walk.best, documents, walk.end, walk.raised_from)


class _Walk:
    """The dynamic programme, column by column, over C columns, R rows and up to S - 1 skipped documents.

    ``toll[t, s]`` is what the rows below threshold t cost if they are passed now with s documents skipped.
    ``worth[t, s] + offset[s] - toll[t, s]`` is the best sum of the columns passed minus the rows below the
    threshold; kept in these parts, because a path that raises its threshold keeps its worth, and because the
    offset is the same for all t.
    """

    def __init__(self, documents: FreeDocuments, gain: FloatArray, cost: FloatArray) -> None:
        n_columns, n_rows = len(documents.row), documents.n_rows
        self.documents, self.gain, self.cost = documents, gain, cost
        self.later = gain[::-1].cumsum(axis=0)[::-1]  # (C + 1, C + 1): column x and all after it, by number of labels
        self.column = 0
        self.width = 1  # 1 + the most documents that can have been skipped so far
        size = int(documents.shared.sum()) + 1
        self.worth = np.full((n_rows + 1, size), -np.inf)  # (R + 1, S)
        self.worth[0, 0] = gain[0, 0] - cost[0, 0]
        self.offset = np.zeros(size)  # (S,)
        self.in_rows = np.zeros(n_rows, dtype=np.int64)  # (R,) documents of the columns passed in rows 0..y
        self.toll = np.zeros((n_rows + 1, size))  # (R + 1, S)
        self.toll[1:, 0] = cost[1:, 0].cumsum()
        n_free = n_columns + int(documents.only_in_rows.sum())
        self.best = np.full(n_free + 1, -np.inf)  # (F + 1,)
        self.end = np.zeros((n_free + 1, 4), dtype=np.int64)
        self.raised_from: list[IntArray] = []

    def decide(self, row: int) -> None:
        """The next column's document is in both lists: label it, or skip it and all rows up to its own."""
        w, above = self.width, row + 1
        worth, toll = self.worth, self.toll
        raised_from = worth[:above, :w].argmax(axis=0)
        raised = worth[raised_from, np.arange(w)]
        raised_from[raised <= worth[above, :w]] = -1
        self.raised_from.append(raised_from)
        np.maximum(worth[above, :w], raised, out=worth[above, :w])

        # A threshold beyond its row skips the document: s becomes s + 1. From its row on there is one document more
        # and one more is skipped, so that the toll of these rows stays; that of the rows above becomes that of s + 1.
        change = toll[row, 1 : w + 1] - toll[row, :w]  # (w,)
        # The best sum so far, worth + offset - toll, stays too: worth takes up what the other two change by.
        worth[above:, 1 : w + 1] = worth[above:, :w] + (change - self.offset[1 : w + 1] + self.offset[:w])
        worth[above:, 0] = -np.inf
        toll[above:, 1 : w + 1] = toll[above:, :w] + change
        self.in_rows[row:] += 1
        rows = np.arange(above, len(self.in_rows) + 1)
        toll[above:, 0] = toll[row, 0] + self.cost[rows, self.in_rows[row:]].cumsum()
        self.width += 1
        self._pass_column()

    def label(self) -> None:
        """The next column's document is in Y alone: stop labelling here, or label it."""
        self.stop()
        self.raised_from.append(np.zeros(0, dtype=np.int64))  # never asked
        self._pass_column()

    def _pass_column(self) -> None:
        self.column += 1
        skipped = np.arange(self.width)
        self.offset[: self.width] += self.gain[self.column, self.column - skipped]

    def stop(self) -> None:
        """End the paths here: no document of a later column is labelled, and all rows are passed."""
        w, x = self.width, self.column
        threshold = self.worth[:, :w].argmax(axis=0)
        skipped = np.arange(w)
        value = self.worth[threshold, skipped] + self.offset[:w] - self.toll[-1, :w]
        if x < len(self.documents.row):
            value = value + self.later[x + 1, x - skipped]
        self._offer(x - skipped, value, threshold, skipped, self.documents.n_rows)

    def label_rows(self) -> None:
        """Label what only Z has, from some row on: of use where every difference is negative."""
        n_rows, alone = self.documents.n_rows, self.documents.only_in_rows
        if not alone.any():
            return
        w = self.width
        skipped = np.arange(w)
        reached = np.maximum.accumulate(self.worth[:, :w], axis=0) + self.offset[:w] - self.toll[:, :w]
        labelled_below = np.append(0, self.in_rows)
        after = np.zeros(n_rows + 1)  # cost of rows y.. with all of their documents labelled, by the labels below them
        for y in range(n_rows - 1, -1, -1):
            after[:-1] = self.cost[y + 1, 1:] + after[1:]
            more = int(alone[y:].sum())
            possible = skipped[skipped <= labelled_below[y]]
            if more and possible.size:
                value = reached[y, possible] - after[labelled_below[y] - possible]
                threshold = self.worth[: y + 1, possible].argmax(axis=0)
                self._offer(self.column - possible + more, value, threshold, possible, y)

    def _offer(self, number: IntArray, value: FloatArray, threshold: IntArray, skipped: IntArray, row: int) -> None:
        """Paths that end at this column, one for each number skipped; the best by number of labels stay."""
        better = value > self.best[number]
        number = number[better]
        self.best[number] = value[better]
        column, rows = np.full(len(number), self.column), np.full(len(number), row)
        self.end[number] = np.stack([column, threshold[better], skipped[better], rows], axis=1)
