"""The mean of effects that differ between studies: DerSimonian and Laird's random-effects model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import FloatArray


class RandomEffects(NamedTuple):
    """The mean over studies, its standard error, and how much the studies differ."""

    mean: float
    std_error: float
    tau2: float  # variance of the true effects between studies
    i2: float  # share of the variation between the estimates that is not sampling error


def random_effects(effect: FloatArray, variance: FloatArray) -> RandomEffects:
    """Combine (k,) effects with their (k,) sampling variances, all above 0.

    >>> round(random_effects(np.array([0.1, 0.3]), np.array([0.01, 0.01])).tau2, 6)
    0.01
    """
    weight = 1 / variance
    fixed = (weight * effect).sum() / weight.sum()
    heterogeneity = float((weight * (effect - fixed) ** 2).sum())  # Cochran's Q
    freedom = len(effect) - 1
    scale = weight.sum() - (weight**2).sum() / weight.sum()
    tau2 = max(0.0, float((heterogeneity - freedom) / scale))
    weight = 1 / (variance + tau2)
    return RandomEffects(
        mean=float((weight * effect).sum() / weight.sum()),
        std_error=float(np.sqrt(1 / weight.sum())),
        tau2=tau2,
        i2=max(0.0, 1 - freedom / heterogeneity) if heterogeneity else 0.0,
    )
