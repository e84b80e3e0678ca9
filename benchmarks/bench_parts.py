"""iter_runs over more topics than memory should hold: rows a second, peak memory, and the values of calc_runs.

    python benchmarks/bench_parts.py [topics] [--rst]

3 runs of 1,000,000 topics x 10 documents in sorted Parquet files of about 250 MB, with one judged document a topic and
more; then 1,000 runs in a part of 1,000 topics; then one run at MS MARCO's size from Arrow and from pandas. Each is a
process of its own. Needs pyarrow, and Linux, which says how much a process held at most.
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
from pyarrow import parquet
from timing import numbers, show, where

DEPTH, JUDGED, N_RUNS = 10, 4, 3
AT_ONCE = 10_000  # topics that are made together
START = """
import time
import ir_measures_relative as imr
def megabytes():
    return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) / 1e3
measures, qrels, runs = ['nDCG@10', 'NRG@10'], {qrels!r}, {runs!r}
before, start = megabytes(), time.process_time()
"""
IN_PARTS = "table = imr.iter_runs(measures, qrels, runs, topics_per_part={part}, aggregate=True)\n"
WHOLE = """
table = imr.calc_runs(measures, qrels, runs, progress=False).groupby(['name', 'measure'], sort=False)['value']
table = table.agg(['count', 'mean', 'std']).reset_index()
"""
END = """
print(time.process_time() - start, before, megabytes())
table.to_csv({path!r}, float_format='%.12g', index=False)
"""
FORMS = """
import time
import ir_measures_relative as imr
from pyarrow import parquet
table, qrels = parquet.read_table({runs!r}), parquet.read_table({qrels!r})
forms = dict(pandas=(table.to_pandas(), qrels.to_pandas()), arrow=(table, qrels))
forms['arrow, documents as a dictionary'] = (
    table.set_column(1, 'doc_id', table['doc_id'].dictionary_encode().unify_dictionaries()), qrels)
taken = {{name: [] for name in forms}}
for _ in range(5):
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
                "query_id": [f"{t:09}" for t in topic.tolist()],
                "doc_id": [f"D{d}" for d in ((topic * 7919 + place * 2741) % 8_841_823).tolist()],
                value: number.astype(np.float64),
            }
            writer.write_table(pyarrow.table(columns, schema=kind))
    return path


def run(code: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        raise SystemExit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def many_topics(folder: Path, topics: int) -> None:
    qrels = str(write(folder / "qrels.parquet", topics, JUDGED, "relevance", 0))
    runs = {f"run{n}": str(write(folder / f"run{n}.parquet", topics, DEPTH, "score", n + 1)) for n in range(N_RUNS)}
    rows, result = topics * (N_RUNS * DEPTH + JUDGED), []
    ways = {f"iter_runs, parts of {part:,} topics": IN_PARTS.format(part=part) for part in (1_000, 10_000, 100_000)}
    for name, way in {**ways, "calc_runs": WHOLE}.items():
        path = folder / f"{name}.csv"
        code = START.format(qrels=qrels, runs=runs) + way + END.format(path=str(path))
        seconds, before, peak = run(code)
        result.append((name, f"{seconds:.0f}", f"{rows / seconds:,.0f}", f"{peak - before:,.0f}", path.read_text()))
    same = len({row[-1] for row in result}) == 1
    title = f"{N_RUNS} runs of {topics:,} topics x {DEPTH} documents, {rows:,} rows, nDCG@10 and NRG@10"
    show(title, ("", "seconds", "rows a second", "MB at most"), [row[:-1] for row in result])
    print(f"\nMeans and deviations of all are {'the same' if same else 'NOT THE SAME'} to 12 digits.")


def many_runs(folder: Path, n_runs: int = 1_000, topics: int = 1_000) -> None:
    (folder / "many").mkdir()
    qrels = str(write(folder / "few.parquet", topics, 20, "relevance", 0))
    runs = {f"run{n}": str(write(folder / "many" / f"{n}", topics, DEPTH, "score", n + 1)) for n in range(n_runs)}
    code = START.format(qrels=qrels, runs=runs) + IN_PARTS.format(part=topics)
    seconds, _, peak = run(code + END.format(path=str(folder / "many.csv")))
    title = f"{n_runs:,} runs in a part of {topics:,} topics x {DEPTH} documents, each against the others"
    show(title, ("", "seconds", "GB at most"), [("iter_runs", f"{seconds:.0f}", f"{peak / 1000:.2f}")])


def forms(folder: Path, topics: int = 6980) -> None:
    path = str(write(folder / "deep.parquet", topics, 1000, "score", 1))
    qrels = str(write(folder / "judged.parquet", topics, 2, "relevance", 0))
    code = FORMS.format(runs=path, qrels=qrels)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    rows: list[tuple[Any, ...]] = []
    for line in done.stdout.splitlines():
        name, *seconds = line.split("|")
        rows.append((name, *(f"{float(s):.2f}" for s in sorted(map(float, seconds))[::2])))
    show(f"NRG@10 of a run of {topics:,} topics x 1,000 documents", ("", "least", "median", "most"), rows)


def main(topics: int) -> None:
    print(where())
    with tempfile.TemporaryDirectory() as folder:
        many_topics(Path(folder), topics)
        many_runs(Path(folder))
        forms(Path(folder))


if __name__ == "__main__":
    main(*numbers(1_000_000))
