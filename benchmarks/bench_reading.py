"""Reading TREC run files, against ir_measures.read_trec_run and against CSV readers, in one process.

    python benchmarks/bench_reading.py [topics] [--rst]

Ours gives topics as codes, documents as texts, and scores; ir_measures gives named tuples; CSV readers give six
columns of text and numbers without a look at what they mean. polars and pyarrow are measured where they are installed.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
from simulated import Collection, write_run
from timing import Calls, in_turn, median, numbers, ratios, show, spread, where

from ir_measures_relative._input.files import read_run_file
from ir_measures_relative._judged.run import Run

ROUNDS = 9  # more than elsewhere: the memory that a call finds makes it fast or slow
HOST = "ir_measures.read_trec_run, as a list"
NAMES = ["topic", "q0", "document", "rank", "score", "tag"]


def csv_readers(path: Path) -> Calls:
    calls: Calls = {"pandas.read_csv": lambda: pd.read_csv(path, sep=" ", header=None, names=NAMES)}
    if find_spec("polars"):
        calls["polars.read_csv"] = _polars(path)
    if find_spec("pyarrow"):
        calls["pyarrow.csv.read_csv"] = _pyarrow(path)
    return calls


def _polars(path: Path) -> Callable[[], Any]:
    import polars

    kinds = {name: polars.Float64 if name == "score" else polars.String for name in NAMES}
    return lambda: polars.read_csv(path, separator=" ", has_header=False, schema=kinds)


def _pyarrow(path: Path) -> Callable[[], Any]:
    import pyarrow
    from pyarrow import csv

    options = {
        "read_options": csv.ReadOptions(column_names=NAMES, use_threads=False),
        "parse_options": csv.ParseOptions(delimiter=" "),
        "convert_options": csv.ConvertOptions(column_types={"topic": pyarrow.string(), "document": pyarrow.string()}),
    }
    return lambda: csv.read_csv(path, **options)


def with_long_fields(path: Path, to: Path) -> Path:
    """The same run with ids like ClueWeb's and scores as Python prints them."""
    lines = [line.split(" ") for line in path.read_text().splitlines()]
    to.write_text("".join(
        f"{topic} {q0} clueweb12-0000wb-00-{document:0>7} {rank} {float(score) / 3!r} {tag}\n"
        for topic, q0, document, rank, score, tag in lines
    ))  # fmt: skip
    return to


def compare_readers(title: str, path: Path, more: Calls) -> None:
    readers = csv_readers(path)
    taken = in_turn({
        HOST: lambda: list(ir_measures.read_trec_run(str(path))),
        "ir_measures.read_trec_run, nothing kept": lambda: sum(1 for _ in ir_measures.read_trec_run(str(path))),
        "ours": lambda: read_run_file(path),
        **more,
        **readers,
    }, ROUNDS)  # fmt: skip
    fastest = min(readers, key=lambda name: median(taken[name]))
    rows = [
        (name, f"{median(values):.3f}", spread(ratios(taken, HOST, name)), spread(ratios(taken, name, fastest)))
        for name, values in taken.items()
    ]
    show(title, ("", "seconds", "times as fast as read_trec_run", f"times as long as {fastest}"), rows)


def main(topics: int) -> None:
    print(where())
    with tempfile.TemporaryDirectory() as folder:
        path = write_run(Collection(topics).run(), Path(folder) / "run.txt")
        commented = Path(folder) / "commented.txt"
        commented.write_text("# a comment\n" + path.read_text())
        packed = Path(folder) / "run.gz"
        packed.write_bytes(gzip.compress(path.read_bytes(), 5))
        size = f"A run file of {topics} topics x 1,000 documents"
        more: Calls = {
            "ours, gzip": lambda: read_run_file(packed),
            "ours, a file with a comment": lambda: read_run_file(commented),
            "ours, as rankings, checked and sorted": lambda: Run.of(path),
        }
        compare_readers(f"{size} (aim of ours: 4 times as fast)", path, more)
        long = with_long_fields(path, Path(folder) / "long.txt")
        compare_readers(f"{size}, ids of 27 letters and scores of 16 or 17 digits", long, {})


if __name__ == "__main__":
    main(*numbers(1000))
