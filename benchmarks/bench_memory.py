"""Import time and peak memory, each in a process of its own.

    python benchmarks/bench_memory.py [topics] [runs] [--rst]

At MS MARCO scale: 8 runs of 6,980 topics x 1,000 documents, read from files. The files take 260 MB each on disk, and
making them takes longer than measuring. Needs Linux, which says how much a process held at most.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from simulated import Collection, write_qrels, write_run
from timing import median, numbers, show, where

# with compiled modules, as an installed package has them, and with this repository
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
IMPORT = """
import time, ir_measures, pandas
start = time.process_time()
import ir_measures_relative
print(1000 * (time.process_time() - start))
"""
START = """
import sys
import ir_measures_relative as imr
from ir_measures_relative._judged.joined_runs import Run
def megabytes():  # not ru_maxrss, which starts with what the parent process holds
    return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) / 1e3
start = megabytes()
"""
ONE_RUN = """
run = Run.of({run!r})
peak = megabytes() - start
held = run.doc_id.nbytes + run.score.nbytes + sum(map(sys.getsizeof, run.doc_id.tolist()))
print(peak, held / 1e6)
"""
MANY_RUNS = """
imr.calc_runs([imr.NRG@10, imr.UniqueRel@10, imr.RareP@10, imr.TaSC@10], {qrels!r}, {folder!r}, progress=False)
print(megabytes())
"""


def fresh(code: str) -> Iterator[float]:
    """The numbers that some code prints in a new process."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return map(float, run.stdout.split())


def main(topics: int, n_runs: int) -> None:
    print(where())
    fresh(IMPORT)
    times = [next(fresh(IMPORT)) for _ in range(7)]
    rows = [("import after ir_measures and pandas", f"{median(times):.0f} ms ({min(times):.0f} to {max(times):.0f})",
             "at most 50 ms")]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "runs").mkdir()
        collection = Collection(topics)
        qrels = str(write_qrels(collection.few_relevant(), Path(folder) / "qrels"))
        paths = [write_run(collection.run(), Path(folder) / "runs" / f"run{number}.txt") for number in range(n_runs)]
        del collection
        peak, held = fresh(START + ONE_RUN.format(run=str(paths[0])))
        rows.append((f"peak of reading a run of {topics} x 1,000, in units of the columns held ({held:.0f} MB)",
                     f"{peak / held:.2f}", "at most 3"))  # fmt: skip
        (peak,) = fresh(START + MANY_RUNS.format(qrels=qrels, folder=str(Path(folder) / "runs")))
        rows.append((f"peak of calc_runs at K = 10, {n_runs} such runs", f"{peak / 1000:.2f} GB", "under 2 GB"))
    show("Import and memory", ("", "measured", "aim"), rows)


if __name__ == "__main__":
    main(*numbers(6980, 8))
