"""iter_runs over more topics than memory should hold: rows a second, peak memory, and the values of calc_runs.

    python benchmarks/bench_parts.py [topics] [--rst]

3 runs of 1,000,000 topics x 10 documents in sorted Parquet files, with 4 judged documents a topic; a tenth of the
topics in parts of several sizes and with nDCG, which is ir_measures' own and takes longer than all the rest; 1,000 runs
in a part of 1,000 topics; one run at MS MARCO's size from Arrow and from pandas. Each is a process of its own. Needs
pyarrow, Linux, which says how much a process held at most, and 6 GB of memory, nearly all of it for calc_runs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from bench_memory import ENVIRONMENT
from pyarrow import compute, parquet
from timing import numbers, show, where

DEPTH, JUDGED, N_RUNS = 10, 4, 3
AT_ONCE = 10_000  # topics that are made together
START = """
import time
import numpy as np
import ir_measures_relative as imr
def megabytes():
    return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) / 1e3
sums, n_topics = 0.0, 0
def see(table):  # a sum per run and measure in which every topic has its own weight
    global sums, n_topics
    values = table['value'].to_numpy().reshape(len(runs), -1, len(measures))
    weights = 1 + np.sin(np.arange(n_topics, n_topics + values.shape[1]))
    sums, n_topics = sums + np.einsum('rtm,t->rm', values, weights), n_topics + values.shape[1]
measures, qrels, runs = {measures!r}, {qrels!r}, {runs!r}
before, start = megabytes(), time.process_time()
"""
IN_PARTS = """
for table in imr.iter_runs(measures, qrels, runs, topics_per_part={part}):
    see(table)
"""
WHOLE = "see(imr.calc_runs(measures, qrels, runs, progress=False))\n"
END = "print(time.process_time() - start, before, megabytes(), *sums.ravel())\n"
FORMS = """
import time
import ir_measures_relative as imr
from pyarrow import parquet
table, qrels = parquet.read_table({runs!r}), parquet.read_table({qrels!r})
forms = dict(pandas=(table.to_pandas(), qrels.to_pandas()), arrow=(table, qrels))
forms['arrow, documents as a dictionary'] = (
    table.set_column(1, 'doc_id', table['doc_id'].dictionary_encode()), qrels)
taken = {{name: [] for name in forms}}
for _ in range(3):
    for name, (run, judged) in forms.items():
        start = time.process_time()
        imr.calc_runs([imr.NRG(prior='none')@10], judged, dict(run=run), progress=False)
        taken[name].append(time.process_time() - start)
for name, seconds in taken.items():
    print(name, *seconds, sep='|')
"""


def write(path: Path, topics: int, depth: int, value: str, seed: int) -> Path:
    """A run, or qrels, sorted by topic."""
    stream = np.random.default_rng(seed)
    kind = pyarrow.schema([("query_id", pyarrow.string()), ("doc_id", pyarrow.string()), (value, pyarrow.float64())])
    with parquet.ParquetWriter(path, kind) as writer:
        for first in range(0, topics, AT_ONCE):
            n = min(AT_ONCE, topics - first)
            topic = np.repeat(np.arange(first, first + n), depth)
            place = stream.permuted(np.tile(np.arange(2 * depth), (n, 1)), axis=1)[:, :depth].ravel()  # no two alike
            number = stream.integers(0, 3, len(topic)) if value == "relevance" else stream.random(len(topic))
            columns = {
                "query_id": compute.utf8_lpad(_texts(topic), 9, "0"),
                "doc_id": compute.binary_join_element_wise("D", _texts((topic * 7919 + place * 2741) % 8_841_823), ""),
                value: number.astype(np.float64),
            }
            writer.write_table(pyarrow.table(columns, schema=kind))
    return path


def _texts(numbers: Any) -> Any:
    return compute.cast(pyarrow.array(numbers), pyarrow.string())


def run(way: str, measures: tuple[str, ...], qrels: str, runs: dict[str, str]) -> tuple[float, float, list[float]]:
    """Seconds, megabytes above the start, and a weighted sum of the values of every run and measure."""
    code = START.format(measures=measures, qrels=qrels, runs=runs) + way + END
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds, before, peak, *sums = map(float, done.stdout.split())
    return seconds, peak - before, sums


def many_topics(folder: Path, topics: int, parts: tuple[int, ...], measures: tuple[str, ...]) -> None:
    """iter_runs in parts of several sizes, and calc_runs; sums of all values are compared."""
    folder.mkdir()
    qrels = str(write(folder / "qrels.parquet", topics, JUDGED, "relevance", 0))
    runs = {f"run{n}": str(write(folder / f"run{n}.parquet", topics, DEPTH, "score", n + 1)) for n in range(N_RUNS)}
    ways = {f"iter_runs, parts of {part:,} topics": IN_PARTS.format(part=part) for part in parts}
    rows, result, seen = topics * (N_RUNS * DEPTH + JUDGED), [], []
    for name, way in {**ways, "calc_runs": WHOLE}.items():
        seconds, memory, sums = run(way, measures, qrels, runs)
        result.append((name, f"{seconds:.0f}", f"{rows / seconds:,.0f}", f"{memory:,.0f}"))
        seen.append(sums)
    title = f"{N_RUNS} runs of {topics:,} topics x {DEPTH} documents, {rows:,} rows, {' and '.join(measures)}"
    show(title, ("", "seconds", "rows a second", "MB above the start"), result)
    same = all(len(sums) == N_RUNS * len(measures) and np.allclose(sums, seen[-1], rtol=1e-10) for sums in seen)
    values = f"{topics * N_RUNS * len(measures):,} values"
    print(f"\nWeighted sums of the {values} {'agree within 1e-10' if same else 'DO NOT AGREE'}.")


def many_runs(folder: Path, n_runs: int = 1_000, topics: int = 1_000) -> None:
    (folder / "many").mkdir()
    qrels = str(write(folder / "few.parquet", topics, 20, "relevance", 0))
    runs = {f"run{n}": str(write(folder / "many" / f"{n}", topics, DEPTH, "score", n + 1)) for n in range(n_runs)}
    seconds, memory, _ = run(IN_PARTS.format(part=topics), ("nDCG@10", "NRG@10"), qrels, runs)
    title = f"{n_runs:,} runs in a part of {topics:,} topics x {DEPTH} documents, each against the others"
    show(title, ("", "seconds", "GB above the start"), [("iter_runs", f"{seconds:.0f}", f"{memory / 1000:.2f}")])


def forms(folder: Path, topics: int = 6980) -> None:
    path = str(write(folder / "deep.parquet", topics, 1000, "score", 1))
    qrels = str(write(folder / "judged.parquet", topics, 2, "relevance", 0))
    code = FORMS.format(runs=path, qrels=qrels)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    rows: list[tuple[Any, ...]] = []
    for line in done.stdout.splitlines():
        name, *seconds = line.split("|")
        rows.append((name, *(f"{float(s):.2f}" for s in sorted(map(float, seconds)))))
    show(f"NRG@10 of a run of {topics:,} topics x 1,000 documents", ("", "least", "median", "most"), rows)


def main(topics: int) -> None:
    print(where())
    with tempfile.TemporaryDirectory() as folder:
        many_topics(Path(folder, "all"), topics, (10_000,), ("NRG@10",))
        many_topics(Path(folder, "tenth"), topics // 10, (1_000, 10_000), ("nDCG@10", "NRG@10"))
        many_runs(Path(folder))
        forms(Path(folder))


if __name__ == "__main__":
    main(*numbers(1_000_000))
