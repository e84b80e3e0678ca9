"""Both ends of the difference for many pairs of runs at once.

The rows of ``SideBySide`` are topics; here the topics of many pairs are stacked, so that 2,000 pairs over 50 topics
take seconds: most of the time of a single pair goes into calls, not into arithmetic.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from ir_measures_relative._extremes.labellings import Question, largest_difference
from ir_measures_relative._extremes.side_by_side import side_by_side
from ir_measures_relative._input import FloatArray, IntArray

ROWS = 4_000  # topics of several pairs that are worked on at a time


def signed_ends(
    code: IntArray, grade: FloatArray, first: IntArray, second: IntArray, question: Question
) -> tuple[FloatArray, FloatArray]:
    """(P, Q) twice: the smallest and the largest M(first) - M(second) over the labels of the free documents.

    code : (M, Q, K) one number for each document of a topic, -1 past the end of a list
    grade : (M, Q, K) NaN = unjudged
    first, second : (P,) runs
    """
    n_topics, depth = code.shape[1:]
    below, above = np.empty((2, len(first), n_topics))
    numbers = int(code.max(initial=-1)) + 1
    size = max(1, ROWS // max(n_topics, 1))  # pairs at a time
    for start in range(0, len(first), size):
        part = slice(start, start + size)
        pairs, rows = len(first[part]), len(first[part]) * n_topics
        offset = np.arange(rows)[:, None] * numbers  # a document has a number of its own in every row
        codes, grades = [], []
        for runs in (first[part], second[part]):
            stacked = code[runs].reshape(rows, depth)
            codes.append(np.where(stacked >= 0, stacked + offset, -1))
            grades.append(grade[runs].reshape(rows, depth))
        both, repeated = side_by_side(*codes, *grades), _Repeated.of(question, pairs)
        above[part] = largest_difference(both, repeated).value.reshape(pairs, n_topics)
        below[part] = 0.0 - largest_difference(both.swapped(), repeated).value.reshape(pairs, n_topics)
    return below, above + 0.0


class _Repeated(Question):
    """The same question for several pairs of runs, whose topics are stacked."""

    @classmethod
    def of(cls, question: Question, pairs: int) -> _Repeated:
        given = {field.name: getattr(question, field.name) for field in fields(question)}
        return cls(**given | {"n_topics": question.n_topics * pairs})

    @property
    def judged(self) -> tuple[IntArray, FloatArray]:
        topic, grade = super().judged
        if self.judgements is None:
            return topic, grade
        n_topics = self.judgements.n_topics
        pairs = self.n_topics // n_topics
        return (topic + n_topics * np.arange(pairs)[:, None]).ravel(), np.tile(grade, pairs)
