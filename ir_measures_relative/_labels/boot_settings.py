"""Parameters of bootstrapped nDCG that the measure and the functions have in common."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields
from typing import Any

from ir_measures_relative._base import LARGEST, NDCG, canonical_gains
from ir_measures_relative._checks import choice, whole

PRIORS = ("pool", "run", "pool+run")
DCGS = ("log2", "exp-log2")
POOLS = ("topic", "collection")


@dataclass(frozen=True)
class BootSettings:
    """Parameters of bootstrapped nDCG, checked; printed like the measure.

    >>> BootSettings.checked("boot_ndcg", cutoff=10, dcg="exp-log2")
    BootNDCG(dcg='exp-log2')@10
    >>> BootSettings.checked("boot_ndcg", prior="best")
    Traceback (most recent call last):
    ValueError: boot_ndcg: prior must be 'pool', 'run' or 'pool+run', got 'best'
    """

    cutoff: int | None = None
    prior: str = "pool+run"
    dcg: str = "log2"
    gains: dict[int, float] | None = field(default=None, hash=False)  # compared, but a dict has no hash
    pool: str = "topic"

    @classmethod
    def checked(
        cls,
        where: str,
        cutoff: Any = None,
        prior: Any = "pool+run",
        dcg: Any = "log2",
        gains: Any = None,
        pool: Any = "topic",
    ) -> BootSettings:
        """Check the arguments of a function; ``where`` is its name in error messages."""
        return cls(
            None if cutoff is None else whole(cutoff, f"{where}: cutoff", 1, LARGEST),
            choice(prior, f"{where}: prior", PRIORS),
            choice(dcg, f"{where}: dcg", DCGS),
            gains_of_relevant(gains, where),
            choice(pool, f"{where}: pool", POOLS),
        )

    @property
    def model(self) -> NDCG:
        return NDCG(self.cutoff, self.dcg, self.gains)

    def __repr__(self) -> str:
        changed = [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default]
        text = ", ".join(f"{name}={value!r}" for name, value in changed if name != "cutoff")
        return "BootNDCG" + (f"({text})" if text else "") + (f"@{self.cutoff}" if self.cutoff else "")


def gains_of_relevant(gains: Any, where: str) -> dict[int, float] | None:
    """Return a gain table in canonical form; a grade up to 0 must gain 0, and no gain may be too small to compute with.

    >>> gains_of_relevant({1: 1e-320}, "BootNDCG")
    Traceback (most recent call last):
    ValueError: BootNDCG: gains gives grade 1 the gain 1e-320; a gain above 0 must be at least 2.3e-308
    """
    table: dict[int, float] | None = canonical_gains(gains, where)
    for grade, gain in (table or {}).items():
        if grade <= 0:
            raise ValueError(f"{where}: gains gives grade {grade} the gain {gain}; a grade up to 0 must gain 0")
        if 0 < gain < sys.float_info.min:
            raise ValueError(
                f"{where}: gains gives grade {grade} the gain {gain}; a gain above 0 must be at least 2.3e-308"
            )
    return table
