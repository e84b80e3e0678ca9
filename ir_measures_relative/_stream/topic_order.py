"""The one order in which all inputs list their topics, or their buckets of topics."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from os.path import commonprefix
from typing import Any

from ir_measures_relative._checks import shown

BUCKET = "bucket"  # the column, or the partition, of buckets
_DIGITS = re.compile(r"([0-9]+)")


def by_text(key: str) -> Any:
    return key


def by_numbers(key: str) -> Any:
    """Text between numbers as text, numbers as numbers: 'q9' comes before 'q10'.

    >>> sorted(["q10", "q9", "10", "9", "q"], key=by_numbers)
    ['9', '10', 'q', 'q9', 'q10']
    """
    words = _DIGITS.split(key)
    words[1::2] = map(int, words[1::2])
    return words, key


class Misplaced(ValueError):
    """Topics lie where they must not, so that parts which were read before may lack rows of them."""


class TopicOrder:
    """Ascending as text, or by the numbers in it; which of the two, the keys show. ``what``: 'topic' or 'bucket'.

    >>> order = TopicOrder("topic")
    >>> order.check(["9", "10", "11"], "qrels")
    >>> order.n_until(["12", "13", "101"], "99")
    {2}
    >>> order.check(["10", "9"], "run 'bm25'")
    Traceback (most recent call last):
    ir_measures_relative._stream.topic_order.Misplaced: run 'bm25': the topic '9' comes after '10'; all ...
    """

    def __init__(self, what: str):
        self.what = what
        self._possible: list[Callable[[str], Any]] = [by_text, by_numbers]

    def check(self, keys: Sequence[str], source: str) -> None:
        """Refuses neighbouring keys, of which no two are equal, that do not ascend."""
        left, odd = [], ("", "")
        for order in self._possible:
            fall = _first_fall(keys, order)
            if fall is None:
                left.append(order)
            else:
                odd = keys[fall], keys[fall + 1]
        if not left:
            raise Misplaced(
                f"{source}: the {self.what} {shown(odd[1], 60)} comes after {shown(odd[0], 60)}; all inputs must list "
                f"their {self.what}s in one order, as text or by the numbers in it, and each in one place: sort them"
                + ("" if self.what == BUCKET else f", or give each a column {BUCKET!r}")
            )
        self._possible = left

    def n_until(self, keys: Sequence[str], last: str) -> set[int]:
        """How many of some ascending keys come no later than ``last``: a number, or two while both orders are possible.

        >>> sorted(TopicOrder("topic").n_until(["1", "2"], "10"))
        [1, 2]
        """
        return {bisect_right(keys, order(last), key=order) for order in self._possible}


def _first_fall(keys: Sequence[str], order: Callable[[str], Any]) -> int | None:
    """Where a key is followed by one that comes before it."""
    ordered = keys if order is by_text or _are_numbered(keys) else list(map(order, keys))
    if ordered == sorted(ordered):
        return None
    return next(place for place, (a, b) in enumerate(pairwise(ordered)) if b < a)


def _are_numbered(keys: Sequence[str]) -> bool:
    """Whether keys differ in digits alone, of which all have as many, so that both orders are the same."""
    start = len(commonprefix(keys))
    return len(set(map(len, keys))) == 1 and (len(keys) == 1 or "".join(key[start:] for key in keys).isdecimal())
