"""Small runs that serve each other as priors, and what their tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

import ir_measures_relative as imr
from ir_measures_relative._judged.run import Run

NRG = imr.NRG
QRELS = {"q": {"a": 1, "b": 1, "c": 1}, "p": {"a": 1}}
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "p": {"a": 1.0}}
BM25 = {"q": {"b": 2.0, "x": 1.0}, "p": {"x": 1.0}}
DENSE = {"q": {"c": 2.0, "a": 1.0}, "p": {"a": 1.0}}


def digest(run: Any) -> str:
    return Run.of(run).fingerprint[:8]


def scored(measure: Any, run: Any = None) -> list[bytes]:
    """The bits of the values, so that equal means equal."""
    return [np.float64(metric.value).tobytes() for metric in measure.iter_calc(QRELS, RUN if run is None else run)]
