"""Downloads the public runs and judgements that the notebooks read.

    python get_data.py trec-covid            # notebooks 02, 03 and 04: 8 MB
    python get_data.py trec-covid-round2     # notebooks 06 and 07: 136 runs, some 200 MB, of which 8 MB are kept
    python get_data.py trec-8                # notebook 08: 129 runs; an archive of some 100 MB, of which 10 MB are kept
    python get_data.py trec-dl-2019          # notebooks 06 and 08: 37 runs and 24 later systems

They go to the folder `data` next to this script, or to the folder that IR_MEASURES_RELATIVE_DATA names:

- ``trec-covid/``: the case study of Fröbe, Gienapp, Potthast and Hagen, "Bootstrapped nDCG Estimation in the Presence
  of Unjudged Documents" (ECIR 2023), as they publish it: judgements before (``qrels.incomplete.txt.gz``) and after
  (``qrels.complete.txt.gz``) gaps were judged, and four runs.
- ``trec-covid-round2/``: all runs that were submitted to round 2, from NIST's archive, each cut at depth 100 in
  trec_eval's order (``runs/``), their teams (``groups.csv``) and the judgements of that round (``qrels.txt``).
- ``trec-8/``: all ad hoc runs of TREC-8, from the repository isoboroff/trec8-scores, cut at depth 100 (``runs/``),
  their groups and whether they are manual (``groups.csv``), NIST's judgements (``qrels.txt.gz``), and which runs have
  which relevant documents of topic 431 in their whole lists (``topic431-relevant-retrieved.tsv.gz``).
- ``trec-dl-2019/``: all passage runs of TREC DL 2019, from the repository Parry-Parry/sigir25-annotation, with the
  judged topics only (``runs/``), systems of later years on the same topics, cut at depth 100 (``later-runs/``), the
  groups (``groups.csv``) and NIST's judgements (``qrels.txt.gz``).

Nothing needs a login. If a download breaks off, call the script again: files that are complete are kept.

The addresses are constants below. Those of GitHub name a commit. The judgements and rankings of TREC-8 and TREC DL 2019
are compared with the checksums of the data that the notebooks were run on. The conversions are tested on small files of
the same layout; the downloads themselves have not been tried.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
import re
import shutil
import sys
import tarfile
import urllib.error
import urllib.parse
import urllib.request
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
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
ARCHIVES = {
    "trec-8": "https://github.com/isoboroff/trec8-scores/archive/96e8063eb95fefbb13609f905dea970670ec784e.tar.gz",
    "trec-dl-2019": "https://github.com/Parry-Parry/sigir25-annotation/archive/"
    "e30742d3910bbb32da759006c22180e0cefe1922.tar.gz",
}
LISTS = {"trec-8": f"{BROWSER}/trec8/adhoc/runs.md", "trec-dl-2019": f"{BROWSER}/trec28/deep/runs.md"}
QRELS = {
    "trec-8": "https://trec.nist.gov/data/qrels_eng/qrels.trec8.adhoc.parts1-5.tar.gz",
    "trec-dl-2019": "https://trec.nist.gov/data/deep/2019qrels-pass.txt",
}
# SHA-256 of the judgements and of the rankings, see `judgements_checksum` and `rankings_checksum`
CHECKSUMS = {
    "trec-8": (
        "ec2a668f849ef3c9ec4c856b0cc8db267049c08c2fe4779849313061f4baf15b",
        "fa29387ce54f82af45f45ec5a557f5a1492de18096aa9a773f9625cac634b03c",
    ),
    "trec-dl-2019": (
        "b001760e9efb68d1e8c4128448205c92ed4052c2c89524ba43fc8b8d6ccec2c9",
        "cc090430c4657b772a4df4f035d0290a28f0f7ae3c800d08262e75528735289e",
    ),
}
# Files of the archives: the name of a run is what the first group that matches has
TREC_8_RUN = r"/inputs/input\.([\w-]+)$"
DL_2019_RUN = r"/runs/trec-dl-2019/dl-19-official-input\.([\w-]+)\.gz$"
DL_2019_LATER_RUN = (
    r"/runs/trec-dl-2019/"
    r"(?:maik-froebe-([\w-]+)-run\.txt|((?:colbert|tirex)_[\w-]+?)_(?:msmarco)?-passage-trec-dl-2019-judged\.run)$"
)
TOPIC_OF_TABLE_4 = "431"  # of the rareness paper


def case_study(folder: Path) -> None:
    """The files of the case study, compressed."""
    for name, source in tqdm(CASE_STUDY_FILES.items(), "trec-covid", unit="file"):
        if not (folder / name).exists():
            write(folder / name, download(f"{CASE_STUDY}/{source}"))


def round_2(folder: Path) -> None:
    """Runs, teams and judgements of round 2."""
    (folder / "runs").mkdir(exist_ok=True)
    listed = runs_listed(download(LIST_OF_RUNS).decode(), LIST_OF_RUNS)
    for run, fields in tqdm(listed.items(), "trec-covid-round2", unit="run"):
        target, address = folder / "runs" / f"{run}.run.gz", fields["address"]
        if not target.exists():
            write_run(target, cut(download(address).decode().splitlines(), DEPTH, address))
    write_groups(folder, listed, list(listed), ("group",))
    write(folder / "qrels.txt", download(JUDGEMENTS))


def trec_8(folder: Path) -> None:
    """Runs, groups and judgements of the ad hoc task of TREC-8."""
    name = "trec-8"
    qrels = b"".join(
        content for _, content in members(archive(QRELS[name], folder / "qrels.tar.gz"), r"/?(qrels[^/]*)$")
    )
    write_judgements(folder, name, qrels)
    relevant = {doc for topic, _, doc, grade in fields_of(qrels) if topic == TOPIC_OF_TABLE_4 and int(grade) > 0}
    (folder / "runs").mkdir(exist_ok=True)
    table = ["run\tdoc_id"]
    found = members(archive(ARCHIVES[name], folder / "runs.tar.gz"), TREC_8_RUN)
    for run, content in tqdm(found, name, unit="run"):
        lines = content.decode().splitlines()
        write_run(folder / "runs" / f"{run}.run.gz", cut(lines, DEPTH, run))
        retrieved = (line.split()[2] for line in lines if line.split()[:1] == [TOPIC_OF_TABLE_4])
        table += [f"{run}\t{doc}" for doc in retrieved if doc in relevant]
    write(folder / "topic431-relevant-retrieved.tsv.gz", "\n".join(table).encode() + b"\n")
    complete(folder, name, ("group", "type"))


def trec_dl_2019(folder: Path) -> None:
    """Runs, later systems, groups and judgements of the passage task of TREC DL 2019."""
    name = "trec-dl-2019"
    qrels = download(QRELS[name])
    write_judgements(folder, name, qrels)
    judged = {topic for topic, *_ in fields_of(qrels)}
    file = archive(ARCHIVES[name], folder / "runs.tar.gz")
    for part, pattern, depth in (("runs", DL_2019_RUN, 1000), ("later-runs", DL_2019_LATER_RUN, DEPTH)):
        (folder / part).mkdir(exist_ok=True)
        for run, content in tqdm(members(file, pattern), f"{name}: {part}", unit="run"):
            lines = (line for line in content.decode().splitlines() if line.split()[:1] and line.split()[0] in judged)
            write_run(folder / part / f"{run}.run.gz", cut(lines, depth, run))
    complete(folder, name, ("group", "submitted", "type"))


NAMES = {"trec-covid": case_study, "trec-covid-round2": round_2, "trec-8": trec_8, "trec-dl-2019": trec_dl_2019}
FIELDS = {"Run ID": "run", "Participant": "group", "Submission": "submitted", "Type": "type"}


def runs_listed(page: str, source: str) -> dict[str, dict[str, str]]:
    """Map runs to group, address and more, from a page of NIST's TREC browser (Markdown, a section for every run)."""
    listed = {}
    for section in re.split(r"^#### ", page, flags=re.MULTILINE)[1:]:
        found = {name: re.search(rf"\*\*{field}:\*\* (\S+)", section) for field, name in FIELDS.items()}
        found["address"] = re.search(r"\[\*\*`Input`\*\*\]\(([^)]+)\)", section)
        fields = {name: match[1] for name, match in found.items() if match}
        if not {"run", "group", "address"} <= set(fields):
            sys.exit(f"get_data: {source} has a run without team or address: {section.splitlines()[0]}")
        listed[fields["run"]] = fields
    if not listed:
        sys.exit(f"get_data: {source} lists no runs; has its form changed?")
    return listed


def archive(address: str, target: Path) -> Path:
    """Download an archive to a file, which is kept until all its runs have been read."""
    if not target.exists():
        part = target.with_name(target.name + ".part")
        try:
            with urllib.request.urlopen(address, timeout=60) as answer, open(part, "wb") as file:
                shutil.copyfileobj(answer, file)
        except (urllib.error.URLError, OSError) as reason:
            sys.exit(f"get_data: could not download {address} ({getattr(reason, 'reason', reason)}); try again later")
        part.replace(target)
    return target


def members(file: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive whose path matches the pattern: the name that it captures, and the content."""
    count = 0
    try:
        with tarfile.open(file) as archived:
            for member in archived:
                match = re.search(pattern, "/" + member.name)
                content = archived.extractfile(member) if match and member.isfile() else None
                if match and content:
                    count += 1
                    yield next(filter(None, match.groups())), plain(content.read())
    except (tarfile.TarError, EOFError, gzip.BadGzipFile) as reason:
        sys.exit(f"get_data: {file} is damaged ({reason}); delete it and try again")
    if not count:
        sys.exit(f"get_data: {file} has no file whose path matches {pattern}; has its form changed?")


def plain(content: bytes) -> bytes:
    """Decompress content if it is compressed."""
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def fields_of(qrels: bytes) -> Iterator[list[str]]:
    return (line.split() for line in qrels.decode().splitlines() if line.strip())


def judgements_checksum(qrels: bytes) -> str:
    """Return the SHA-256 of the sorted lines 'topic document grade'."""
    lines = sorted(f"{topic} {doc} {int(grade)}" for topic, _, doc, grade in fields_of(qrels))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def rankings_checksum(folder: Path) -> str:
    """Return the SHA-256 of all rankings of a folder: documents in order, without their scores."""
    digest = hashlib.sha256()
    for path in sorted(path for part in ("runs", "later-runs") for path in (folder / part).glob("*.run.gz")):
        rankings: dict[str, list[str]] = defaultdict(list)
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            topic, _, doc, *_ = line.split()
            rankings[topic].append(doc)
        digest.update(f"{path.parent.name} {path.name.removesuffix('.run.gz')}\n".encode())
        digest.update("".join(f"{topic} {' '.join(rankings[topic])}\n" for topic in sorted(rankings)).encode())
    return digest.hexdigest()


def write_judgements(folder: Path, name: str, qrels: bytes) -> None:
    check(f"the judgements of {name}", judgements_checksum(qrels), CHECKSUMS[name][0], folder)
    write(folder / "qrels.txt.gz", qrels)


def complete(folder: Path, name: str, columns: tuple[str, ...]) -> None:
    """Check the rankings, write the groups, and delete the archives."""
    check(f"the rankings of {name}", rankings_checksum(folder), CHECKSUMS[name][1], folder)
    listed = runs_listed(download(LISTS[name]).decode(), LISTS[name])
    runs = sorted(path.name.removesuffix(".run.gz") for path in (folder / "runs").iterdir())
    write_groups(folder, listed, runs, columns)
    for file in folder.glob("*.tar.gz"):
        file.unlink()


def check(what: str, found: str, expected: str, folder: Path) -> None:
    if found != expected:
        sys.exit(
            f"get_data: {what} are not those that the notebooks were run on (SHA-256 {found[:12]} instead of "
            f"{expected[:12]}); what was downloaded is in {folder}"
        )


def write_groups(folder: Path, listed: dict[str, dict[str, str]], runs: list[str], columns: tuple[str, ...]) -> None:
    missing = [run for run in runs if not {"run", *columns} <= set(listed.get(run, {}))]
    if missing:
        sys.exit(f"get_data: the list of runs lacks {', '.join(columns)} of {', '.join(missing)}")
    with open(folder / "groups.csv", "w", newline="", encoding="utf-8") as file:
        rows = ([run, *(listed[run][column] for column in columns)] for run in runs)
        csv.writer(file).writerows([("run", *columns), *rows])


def write_run(path: Path, lines: Iterable[str]) -> None:
    write(path, "\n".join(lines).encode() + b"\n")


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
    return plain(found)


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
