"""Random subsets of topics: drawn with a seed of their own, or given by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_measures_relative._checks import shown, whole
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._score_table import ScoreTable, dimensions

_CELLS = 1 << 22  # how often a topic occurs in a sample: as many numbers as are held at a time


def drawn_order(rng: np.random.Generator, trials: int, population: int) -> IntArray:
    """(trials, population): a random order of 0 .. population - 1 in each row."""
    return np.argsort(rng.random((trials, population)), axis=1)


def sample_size(topics: int | None, table: ScoreTable, most: int) -> int:
    """Topics per subset, by default half of all."""
    half = len(table.topics) // 2
    return half if topics is None else whole(topics, "topics", 1, most)


def is_drawn(topics: Any) -> bool:
    """Whether ``topics`` is a number of topics (or None) rather than the subsets themselves."""
    return topics is None or dimensions(topics) == 0


def given_columns(subsets: Sequence[Sequence[Any]], table: ScoreTable) -> list[list[int]]:
    """Columns of the table for each subset of topic ids that the caller gives."""
    if not len(subsets):
        raise ValueError("topics: at least 1 subset is needed, 0 given")
    index = {str(topic): place for place, topic in enumerate(table.topics)}
    columns = []
    for subset in subsets:
        if dimensions(subset) != 1 or not len(subset):
            raise ValueError(f"topics: {shown(subset, 60)} is not a subset; every subset must be a list of topics")
        unknown = next((topic for topic in subset if str(topic) not in index), None)
        if unknown is not None:
            raise ValueError(f"topics: {unknown!r} is not a topic of the table")
        columns.append([index[str(topic)] for topic in subset])
    return columns


def sample_means(table: ScoreTable, columns: Sequence[Sequence[int]] | IntArray) -> FloatArray:
    """(R, S) mean of each system over each of R lists of columns."""
    weights = np.zeros((len(columns), len(table.topics)))  # (R, T)
    for row, subset in zip(weights, columns, strict=True):
        np.add.at(row, subset, 1 / len(subset))
    return _weighted(table, weights)


def resampled_means(table: ScoreTable, trials: int, seed: int) -> FloatArray:
    """(R, S) mean of each system over as many topics as there are, drawn with replacement."""
    n_topics = len(table.topics)
    means = np.empty((trials, len(table.scores)))
    rng = np.random.default_rng(seed)
    rows = max(_CELLS // n_topics, 1)  # samples at a time: ten thousand of ten thousand topics would take gigabytes
    for first in range(0, trials, rows):
        part = means[first : first + rows]
        part[:] = _weighted(table, _drawn_topics(rng, n_topics, len(part)) / n_topics)
    return means


def resampled_topics(n_topics: int, trials: int, seed: int) -> IntArray:
    """(R, T) how often each topic occurs in a sample of T topics, drawn with replacement."""
    return _drawn_topics(np.random.default_rng(seed), n_topics, trials)


def _drawn_topics(rng: np.random.Generator, n_topics: int, trials: int) -> IntArray:
    return rng.multinomial(n_topics, np.full(n_topics, 1 / n_topics), size=trials)


def _weighted(table: ScoreTable, weights: FloatArray) -> FloatArray:
    """(R, T) weights of the topics -> (R, S) weighted sums of each system's scores."""
    sums: FloatArray = np.einsum("rt,st->rs", weights, table.scores)  # no matrix product: its sums depend on threads
    return sums
