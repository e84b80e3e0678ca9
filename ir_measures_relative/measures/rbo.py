"""How similar are two rankings, with more weight on the top ranks?

Rank-biased overlap (Webber, Moffat and Zobel: "A similarity measure for indefinite rankings", TOIS 2010) is the
expected agreement of two rankings for a user who looks one rank further with probability p:

    RBO = (1 - p) * sum over depths d of p^(d - 1) * A_d

A_d, the agreement at depth d, is the overlap of the two top d divided by d. Tied documents follow Corsi and Urbano
("The Treatment of Ties in Rank-Biased Overlap", SIGIR 2024). At depth d inside a tie group that spans the ranks t to b,
a list has shown each document of the group with weight f = (d - t + 1) / (b - t + 1). The overlap is then a bilinear
interpolation in the two weights f between four counts of common documents: with and without the current tie group of
either list.
"""

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ir_measures_relative._base import sum_over_ranks
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, common_codes
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Choice, Number, Reference, RelativeMeasure, register

TIES = ("a", "b", "w")
FORMS = ("ext", "min", "max", "res")


class TiedLists(NamedTuple):
    """One ranking per topic; ranks begin at 1."""

    code: IntArray  # (Q, W) number of the document, -1 past the end of the list
    first: IntArray  # (Q, W) first rank of the document's tie group
    last: IntArray  # (Q, W) last rank of it

    @classmethod
    def of(cls, code: IntArray, tied: BoolArray, width: int) -> "TiedLists":
        """Lists of ``width`` ranks; ``tied``: True for a document that ties with the one above it."""
        missing = width - code.shape[1]
        code = np.pad(code, ((0, 0), (0, missing)), constant_values=-1)
        begins = np.pad(~tied, ((0, 0), (0, missing + 1)), constant_values=True)  # (Q, W + 1)
        rank = np.arange(1, width + 1)
        first = np.maximum.accumulate(np.where(begins[:, :-1], rank, 0), axis=1)
        last = np.minimum.accumulate(np.where(begins[:, 1:], rank, width)[:, ::-1], axis=1)[:, ::-1]
        return cls(code, first, last)

    @property
    def length(self) -> IntArray:
        return np.asarray((self.code >= 0).sum(axis=1))  # (Q,)

    def shown(self, ties: str) -> FloatArray:
        """(Q, W) the weight f at each depth; w: a tie group is shown as a whole; 1 past the end."""
        rank = np.arange(1, self.code.shape[1] + 1)
        weight = (rank - self.first + 1) / (self.last - self.first + 1)
        return np.where((self.code < 0) | (ties == "w"), 1.0, weight)

    def steps(self, ties: str) -> list[tuple[IntArray, FloatArray]]:
        """Without and with the current tie group: (Q, W) depth at which documents begin to count, (Q, W) weight."""
        shown = self.shown(ties)
        return [(self.last + 1, 1 - shown), (self.first, shown)]

    def norm(self, ties: str) -> FloatArray:
        """(Q, W) what the list contributes to the normaliser of A_d: d, the documents shown (w) or squares (b)."""
        rank = np.arange(1.0, self.code.shape[1] + 1)
        if ties == "a":
            return np.broadcast_to(rank, self.code.shape)
        in_list = self.last if ties == "w" else self.first - 1 + self.shown(ties) * (rank - self.first + 1)
        return np.where(self.code < 0, rank, in_list)


def rank_biased_overlap(x: TiedLists, y: TiedLists, p: float, ties: str = "a", form: str = "ext") -> FloatArray:
    """(Q,) rank-biased overlap of two rankings per topic, both of W ranks; equal codes are the same document."""
    if form == "res":
        return rank_biased_overlap(x, y, p, ties, "max") - rank_biased_overlap(x, y, p, ties, "min")
    is_short = (x.length <= y.length)[:, None]
    short, long = TiedLists(*np.where(is_short, x, y)), TiedLists(*np.where(is_short, y, x))
    s, length, depth = short.length, long.length, np.arange(1, long.code.shape[1] + 1)
    column = _columns(short, long)  # (Q, W)
    overlap = _overlap(short, long, column, ties)  # (Q, W)
    norms = short.norm(ties), long.norm(ties)
    norm = (norms[0] + norms[1]) / 2 if ties == "w" else np.sqrt(norms[0] * norms[1])
    at_end = np.pad(overlap / norm, ((0, 0), (1, 0)))[np.arange(len(s)), s]  # (Q,) agreement where the short list ends
    if form != "min":
        overlap += _unseen_overlap(short, long, at_end, ties, form)
    agreement = np.where(depth <= length[:, None], overlap / norm, 0.0)
    seen = (1 - p) * sum_over_ranks(agreement * p ** (depth - 1.0))
    common = (column >= 0).sum(axis=1)  # (Q,)
    return np.asarray(np.clip(seen + _tail(p, s, length, common, at_end, form), 0.0, 1.0))


def _columns(x: TiedLists, y: TiedLists) -> IntArray:
    """(Q, W) where the list y has each document of x, from 0; -1 where it lacks it."""
    column_of_code = np.full(max(x.code.max(initial=-1), y.code.max(initial=-1)) + 2, -1)  # the last serves -1
    column_of_code[y.code] = np.where(y.code >= 0, np.arange(y.code.shape[1]), -1)
    return np.asarray(column_of_code[x.code])


def _overlap(short: TiedLists, long: TiedLists, column: IntArray, ties: str) -> FloatArray:
    """(Q, W) common documents of the two top d, tied ones by their weights."""
    topic, rank = np.nonzero(column >= 0)
    overlap = np.zeros(column.shape)
    for (start, weight), (other_start, other_weight) in product(short.steps(ties), long.steps(ties)):
        reached = np.maximum(start[topic, rank], other_start[topic, column[topic, rank]])
        overlap += _counts(topic, reached, column.shape) * weight * other_weight
    return overlap


def _unseen_overlap(short: TiedLists, long: TiedLists, at_end: FloatArray, ties: str, form: str) -> FloatArray:
    """(Q, W) overlap with the documents that the shorter list may have below its end; 0 above it.

    max: they are the first documents that only the longer list has. ext: they agree as much as at the end.
    """
    topic, rank = np.nonzero((long.code >= 0) & (_columns(long, short) < 0))
    (before, _), (until, weight) = (
        (_counts(topic, start[topic, rank], long.code.shape), weight) for start, weight in long.steps(ties)
    )
    below = np.maximum(np.arange(1, long.code.shape[1] + 1) - short.length[:, None], 0)
    if form == "max":
        whole = np.minimum(below, before)
        return whole + (below - whole) * weight
    mean_shown = (before + (until - before) * weight) / np.maximum(until, 1)
    return below * at_end[:, None] * mean_shown


def _tail(p: float, s: IntArray, length: IntArray, common: IntArray, at_end: FloatArray, form: str) -> FloatArray:
    """(Q,) what the depths below both lists add; at_end: agreement at the end of the shorter list."""
    if form == "ext":
        agreement = (common + (length - s) * at_end) / np.maximum(length, 1)
        return np.asarray(np.where(length > 0, agreement, 1.0) * p**length)  # two empty rankings are identical
    if form == "min":
        depth = np.arange(1, length.max(initial=0) + 1)
        in_lists = np.append(0.0, np.cumsum(p ** (depth - 1.0) / depth))[length]
        return np.asarray((1 - p) * common * np.maximum(-np.log1p(-p) / p - in_lists, 0.0))
    full = length + s - common  # (Q,) from this depth on every document may be in both
    depth = np.arange(1, full.max(initial=0) + 1)
    rising = (depth > length[:, None]) & (depth <= full[:, None])
    agreement = np.where(rising, 2 - full[:, None] / depth, 0.0)
    return np.asarray((1 - p) * sum_over_ranks(agreement * p ** (depth - 1.0)) + p**full)


def _counts(topic: IntArray, depth: IntArray, shape: tuple[int, ...]) -> IntArray:
    """(n,) a topic and a depth from 1 for each document -> (Q, W): how many have reached each depth."""
    added = np.zeros((shape[0], shape[1] + 1), dtype=np.int64)  # the last column collects those past the end
    np.add.at(added, (topic, depth - 1), 1)
    return added[:, :-1].cumsum(axis=1)


class _RBO(RelativeMeasure):
    """Rank-biased overlap of a run with a reference run: how similar the two rankings of a topic are.

    Judgements are not used; the topics are those of the qrels. ``p`` is the probability that a user looks one rank
    further: with .9 the first 10 ranks carry 86% of the weight. Both lists are compared to their ends, or cut at K.

    Documents are tied if their scores are equal as float32, as in trec_eval. ``ties='a'`` gives the mean over all
    orders of tied documents. ``'b'`` corrects for the information that ties lose, so that a ranking with ties has an
    overlap of 1 with itself. ``'w'`` treats tied documents as equally good, as in sports. A cutoff inside a tie group
    keeps the documents with the largest ids, as in trec_eval.

    ``form='ext'`` extrapolates the agreement to the documents below the lists, ``'min'`` and ``'max'`` are the bounds
    over all such documents, and ``'res'`` is their difference. If one list is empty, ext is 0; if both are, it is 1.

    >>> import ir_measures_relative as imr
    >>> qrels = {'q': {'a': 1}}
    >>> bm25, dense = {'q': {'a': 3., 'b': 2., 'c': 1.}}, {'q': {'b': 3., 'a': 2., 'd': 1.}}
    >>> round(imr.RBO(reference=bm25).calc_aggregate(qrels, dense), 4)
    0.63
    >>> round(imr.RBO(reference=bm25, form='min').calc_aggregate(qrels, dense), 4)
    0.3117
    >>> imr.RBO(reference=bm25, p=.5).calc_aggregate(qrels, bm25)
    1.0
    """

    NAME = "RBO"
    PRETTY_NAME = "Rank-Biased Overlap"
    SHORT_DESC = (
        "Similarity of a run's ranking to that of a reference run, with more weight on the top ranks; supports ties."
    )
    SUPPORTED_PARAMS = {
        "reference": Reference(ties=True),
        "p": Number(0.0, 1.0, 0.9, desc="chance that a user looks one rank further; above 0 and below 1"),
        "ties": Choice(
            *TIES, desc="ties as uncertain order (a), corrected for lost information (b), or as equality (w)"
        ),
        "form": Choice(*FORMS, desc="extrapolated, lower bound, upper bound, or their difference"),
    }
    DIRECTION = "neither"
    CITATIONS = ("rbo", "rbo-ties")

    def check(self, params: dict[str, Any]) -> None:
        if not 0 < self["p"] < 1:
            raise ValueError(f"RBO: p must be above 0 and below 1, got {self['p']:g}")

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        reference, cutoff = priors.runs[0], self["cutoff"]
        codes = common_codes(run, reference, cutoff)
        width = max(code.shape[1] for code in codes)
        x, y = (TiedLists.of(code, r.tied(cutoff), width) for code, r in zip(codes, (run, reference), strict=True))
        return rank_biased_overlap(x, y, self["p"], self["ties"], self["form"])


RBO = register(_RBO())
