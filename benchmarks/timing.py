"""What all benchmarks share: processor time, ratios with their spread, and tables.

Processor time, since other work on the machine then counts little; all that is compared is called in turn, in one
process, so that each round gives one ratio of each; shown is the median ratio with the least and the most.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from statistics import median
from typing import Any

from ir_measures_relative._experiment import FORMATS, TextTable

Calls = dict[str, Callable[[], Any]]


def seconds(call: Callable[[], Any]) -> float:
    """Processor time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def in_turn(calls: Calls, rounds: int = 5) -> dict[str, list[float]]:
    """Seconds of every call in every round."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            taken[name].append(seconds(call))
    return taken


def ratios(taken: dict[str, list[float]], name: str, unit: str) -> list[float]:
    """How many times as long as ``unit`` a call took, in each round."""
    return [own / other for own, other in zip(taken[name], taken[unit], strict=True)]


def spread(values: list[float]) -> str:
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def compare(title: str, calls: Calls, targets: dict[str, float] | None = None, rounds: int = 5) -> None:
    """Prints the time of each call in units of the first, beside the most that is aimed at."""
    taken = in_turn(calls, rounds)
    unit = next(iter(calls))
    rows = []
    for name, values in taken.items():
        target = (targets or {}).get(name)
        aim = "" if target is None else f"at most {target:g}"
        rows.append((name, f"{median(values):.3f}", "1" if name == unit else spread(ratios(taken, name, unit)), aim))
    show(title, ("", "seconds", "ratio (least to most)", "aim"), rows)


def show(title: str, header: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """A Markdown table; with --rst on the command line one for the documentation."""
    print(f"\n{title}\n")
    if "--rst" in sys.argv:
        print(_rst(tuple(header), [tuple(map(str, row)) for row in rows]))
        return
    print(FORMATS["markdown"](TextTable(list(header), [tuple(map(str, row)) for row in rows])))


def where() -> str:
    """Date, versions and how busy the machine is."""
    packages = ("ir_measures", "pytrec_eval-terrier", "numpy", "pandas")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    day = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    busy = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    return f"{day}; Python {platform.python_version()}, {versions}; {busy}"


def numbers(*default: int) -> list[int]:
    """Numbers on the command line, or the default."""
    given = [int(word) for word in sys.argv[1:] if not word.startswith("-")]
    return given + list(default[len(given) :])


def _rst(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    width = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    rule = "  ".join("=" * w for w in width)
    # a first column that is empty would end the table
    lines = ["  ".join((cell or "\\").ljust(w) for cell, w in zip(row, width, strict=True)).rstrip()
             for row in [header, *rows]]  # fmt: skip
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])
