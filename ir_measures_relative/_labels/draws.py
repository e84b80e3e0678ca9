"""Random numbers of labels: one for each document and draw, made from the document's ids and the draw's number.

So a document's label in a draw does not depend on the order of documents, on the batch or on the other runs, and a
document that two runs retrieve has one label for both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ir_measures_relative._input import Array, FloatArray, IntArray, ObjectArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the constants of splitmix64 (Steele, Lea and Flood 2014)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def document_keys(topic_keys: Sequence[str], topic: IntArray, doc_id: ObjectArray) -> Array:
    """(n,) a key of 64 bits for each document of a topic; the same in every process."""
    of_topic = hashed(np.array(list(topic_keys), dtype=object))[topic]
    return _mixed(of_topic + _GOLDEN) ^ hashed(doc_id)


def hashed(texts: ObjectArray) -> Array:
    """(n,) a key of 64 bits for each text."""
    plain = np.array([text.encode("utf-8", "surrogatepass").decode("latin-1") for text in texts], dtype=object)
    keys: Array = pd.util.hash_array(plain, categorize=False) if len(plain) else np.zeros(0, dtype=np.uint64)
    return keys


def uniforms(key: Array, first: int, last: int) -> FloatArray:
    """(n,) keys -> (n, last - first) numbers between 0 and 1, those of the draws from ``first`` to before ``last``."""
    number = np.arange(first + 1, last + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        mixed = _mixed(key[:, None] + number * _GOLDEN)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def drawn_effects(effect: FloatArray, key: int, size: int) -> FloatArray:
    """(U,) equally likely effects of a run -> (size,), each of them equally often; ``key`` tells runs apart."""
    if len(effect) == 1:
        return np.full(size, effect[0])
    rows = -(-size // len(effect))
    numbers = uniforms(np.array([key], dtype=np.uint64), 0, rows * len(effect)).reshape(rows, len(effect))
    return effect[np.argsort(numbers, axis=1)].ravel()[:size]


def _mixed(number: Array) -> Array:
    with np.errstate(over="ignore"):
        number = (number ^ (number >> np.uint64(30))) * _FIRST
        number = (number ^ (number >> np.uint64(27))) * _SECOND
    mixed: Array = number ^ (number >> np.uint64(31))
    return mixed
