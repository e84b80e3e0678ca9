"""Downloads the runs and judgements of TREC-COVID that the notebooks read, and that no notebook can make itself.

    python get_data.py trec-covid            # notebooks 02, 03 and 04: 8 MB
    python get_data.py trec-covid-round2     # notebooks 06 and 07: 136 runs, some 200 MB, of which 8 MB are kept

They go to the folder `data` beside this script, or to the folder that IR_MEASURES_RELATIVE_DATA names:

- ``trec-covid/``: the case study of Fröbe, Gienapp, Potthast and Hagen, "Bootstrapped nDCG Estimation in the Presence
  of Unjudged Documents" (ECIR 2023), as they publish it: judgements before (``qrels.incomplete.txt.gz``) and after
  (``qrels.complete.txt.gz``) gaps were judged, and four runs.
- ``trec-covid-round2/``: all runs that were submitted to round 2, from NIST's archive, each cut at depth 100 in
  trec_eval's order (``runs/``), their teams (``groups.csv``) and the judgements of that round (``qrels.txt``).

Nothing needs a login. (The runs of TREC Deep Learning do, so no notebook uses them.) A download that breaks off goes on
where it was when the script is called again.

The addresses were taken from the repositories webis-de/ECIR-23 and usnistgov/trec-browser, at the commits below. The
converting is tested on small files of the same layout; whether NIST still serves every run there was not tried.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from array import array
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tqdm import tqdm

DATA = Path(os.environ.get("IR_MEASURES_RELATIVE_DATA") or Path(__file__).resolve().parent / "data")
GITHUB = "https://raw.githubusercontent.com"
CASE_STUDY = f"{GITHUB}/webis-de/ECIR-23/4d8cee12c46be32b853cf9f0feef49a7035c3108/src/main/ipynb/beir-evaluation-data"
CASE_STUDY_FILES = {
    "qrels.incomplete.txt.gz": "incomplete-beir-trec-covid.txt",
    "qrels.complete.txt.gz": "complete-annotation-trec-covid.txt",
    "ance-09-01-2023.run.gz": "runs/ance-09-01-2023-run.txt",
    "colbert-ranking-26-12-2022.run.gz": "runs/colbert-ranking-26-12-2022-run.txt",
    "tas-b-09-01-2023.run.gz": "runs/tas-b-09-01-2023-run.txt",
    "BBGhelani2.run.gz": "runs/BBGhelani2-run.txt",
}
BROWSER = f"{GITHUB}/usnistgov/trec-browser/40fea5b27d91c486e7ccc3225ce7db5a831fd8e1/browser/src/docs"
LIST_OF_RUNS = f"{BROWSER}/trec-covid/round2/runs.md"
JUDGEMENTS = "https://ir.nist.gov/trec-covid/data/qrels-rnd2.txt"
DEPTH = 100


def case_study(folder: Path) -> None:
    """The files of the case study, compressed."""
    for name, source in tqdm(CASE_STUDY_FILES.items(), "trec-covid", unit="file"):
        if not (folder / name).exists():
            write(folder / name, download(f"{CASE_STUDY}/{source}"))


def round_2(folder: Path) -> None:
    """Runs, teams and judgements of round 2."""
    (folder / "runs").mkdir(exist_ok=True)
    listed = runs_listed(download(LIST_OF_RUNS).decode())
    for run, (_, address) in tqdm(listed.items(), "trec-covid-round2", unit="run"):
        target = folder / "runs" / f"{run}.run.gz"
        if not target.exists():
            write(target, "\n".join(cut(download(address).decode().splitlines(), DEPTH, address)).encode() + b"\n")
    with open(folder / "groups.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("run", "group"), *((run, team) for run, (team, _) in listed.items())])
    write(folder / "qrels.txt", download(JUDGEMENTS))


NAMES = {"trec-covid": case_study, "trec-covid-round2": round_2}


def runs_listed(page: str) -> dict[str, tuple[str, str]]:
    """Run -> its team and address, from a page of runs of NIST's TREC browser (Markdown, a section for every run)."""
    listed = {}
    for section in re.split(r"^#### ", page, flags=re.MULTILINE)[1:]:
        run, team = (re.search(rf"\*\*{field}:\*\* (\S+)", section) for field in ("Run ID", "Participant"))
        address = re.search(r"\[\*\*`Input`\*\*\]\(([^)]+)\)", section)
        if not (run and team and address):
            sys.exit(f"get_data: {LIST_OF_RUNS} has a run without team or address: {section.splitlines()[0]}")
        listed[run[1]] = team[1], address[1]
    if not listed:
        sys.exit(f"get_data: {LIST_OF_RUNS} lists no runs; has its form changed?")
    return listed


def cut(lines: Iterable[str], depth: int, source: str) -> list[str]:
    """The first `depth` lines of each topic of a run in trec_eval's order: by score in single precision, then by id."""
    topics: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        try:
            topic, q0, doc, _, score, tag = fields
            topics[topic].append((array("f", [float(score)])[0], doc, f"{score} {tag}"))
        except ValueError:
            sys.exit(f"get_data: line {number} of {source} is not 'topic Q0 document rank score tag': {line[:80]}")
    return [
        f"{topic} Q0 {doc} {rank} {rest}"
        for topic, documents in topics.items()
        for rank, (_, doc, rest) in enumerate(sorted(documents, reverse=True)[:depth], 1)
    ]


def download(address: str) -> bytes:
    """What is at an address; ends the script with a sentence where it cannot be had."""
    try:
        with urllib.request.urlopen(urllib.parse.quote(address, safe=":/%"), timeout=60) as answer:
            found: bytes = answer.read()
    except (urllib.error.URLError, OSError) as reason:
        sys.exit(f"get_data: could not download {address} ({getattr(reason, 'reason', reason)}); try again later")
    return gzip.decompress(found) if found[:2] == b"\x1f\x8b" else found


def write(path: Path, content: bytes) -> None:
    """Writes a whole file or none, compressed if its name says so."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    part.replace(path)


def main(names: list[str]) -> None:
    if not names or set(names) - set(NAMES):
        sys.exit(f"usage: python get_data.py {' '.join(f'[{name}]' for name in NAMES)}")
    for name in names:
        if (DATA / name).is_dir():
            print(f"{name}: is there, in {DATA / name}")
            continue
        begun = DATA / f"{name}.part"  # the name is given when all is there, so a notebook never sees half of it
        begun.mkdir(parents=True, exist_ok=True)
        NAMES[name](begun)
        begun.rename(DATA / name)
        print(f"{name}: in {DATA / name}")


if __name__ == "__main__":
    main(sys.argv[1:])
