"""Where the notebooks' data comes from.

    from example_data import trec_covid, vaswani_runs, pooled_runs, ir_dataset, dataset_qrels

    track = vaswani_runs()             # a Collection: name, qrels, runs, groups, complete_qrels, simulated
    track = trec_covid()
    track = pooled_runs('trec-covid-round2')  # all runs of a track, with the groups that submitted them
    docs = ir_dataset('vaswani')       # a dataset of ir_datasets, or None where it cannot be had
    qrels = dataset_qrels('cranfield') # its judgements as a DataFrame, or None

Each function takes the first of these that is there, and prints which one it was:

1. the folder ``data`` of the folder that IR_MEASURES_RELATIVE_SHARED names, or ``shared/data`` beside the repository:
   ``vaswani_runs/``, ``trec-covid/``, ``trec-covid-round2/``, ``trec-dl-2021/`` and ``ir_datasets/``, a ready
   IR_DATASETS_HOME;
2. what ir_datasets itself has or downloads (documents, queries and judgements, but no runs);
3. a smaller job: a simulated track (``Collection.simulated`` is True), or None.

ir_datasets writes beside its files, so a ready IR_DATASETS_HOME is copied to a temporary folder when this module is
imported, and that folder is removed when Python ends. An IR_DATASETS_HOME that is set already stays as it is.
ir_datasets reads the variable when it is imported itself, and PyTerrier imports it: **import this module first**.

DataFrames have the columns of ir_measures: query_id, doc_id, relevance or score; ids are text.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

import ir_measures_relative as imr
from ir_measures_relative import simulate

SHARED_VARIABLE = "IR_MEASURES_RELATIVE_SHARED"
VASWANI_FAMILIES = {
    "bm25": "lexical",
    "pisa_bm25": "lexical",
    "pisa_dph": "lexical",
    "pisa_qld": "lexical",
    "bm25+rm3": "expansion",
    "lsa": "latent",
    "minilm": "dense",
    "rrf": "fusion",
}
TREC_COVID_FILES = {
    "ANCE": "ance-09-01-2023",
    "ColBERT": "colbert-ranking-26-12-2022",
    "TAS-B": "tas-b-09-01-2023",
    "1st@TREC": "BBGhelani2",
}
POOLED = {  # name in titles, depth of the pool, where its runs are
    "trec-covid-round2": ("TREC-COVID round 2", 7, "https://ir.nist.gov/trec-covid/archive/archive-round2.html"),
    "trec-dl-2021": ("TREC DL 2021, passages", 10, "https://pages.nist.gov/trec-browser"),
}


@dataclass(frozen=True)
class Collection:
    """Judgements and runs of one experiment.

    Attributes
    ----------
    name : str
        What to call it in titles.
    qrels : DataFrame
        query_id, doc_id, relevance.
    runs : dict
        System -> DataFrame of query_id, doc_id, score.
    groups : dict
        System -> family.
    complete_qrels : DataFrame or None
        The same with the judgements that were made afterwards, where there are any.
    simulated : bool
        Whether this is the smaller job that stands in for data that is not here.
    depth : int
        Depth to which runs were pooled for the judgements.
    judges : dict
        Name of another judge -> its labels, as qrels.
    """

    name: str
    qrels: pd.DataFrame
    runs: dict[str, Any]
    groups: dict[str, str] = field(default_factory=dict)
    complete_qrels: pd.DataFrame | None = None
    simulated: bool = False
    depth: int = 10
    judges: dict[str, pd.DataFrame] = field(default_factory=dict)

    def __repr__(self) -> str:
        runs = f"runs {', '.join(self.runs)}" if len(self.runs) < 10 else f"{len(self.runs)} runs"
        groups = f" of {len(set(self.groups.values()))} groups" if len(self.runs) >= 10 else ""
        return f"<{self.name}: {self.qrels['query_id'].nunique()} topics, {runs}{groups}>"


def vaswani_runs(or_simulated: bool = True) -> Collection | None:
    """Vaswani (93 topics, all judgements are 1) with eight ready runs, or a simulated track (or None)."""
    folder = _shared_data("vaswani_runs")
    if folder is None:
        return _simulated("runs over Vaswani") if or_simulated else None
    runs = {name: _read_run(folder / f"{name}.run.gz") for name in VASWANI_FAMILIES}
    return Collection("Vaswani", _read_qrels(folder / "qrels.txt"), runs, dict(VASWANI_FAMILIES))


def trec_covid() -> Collection:
    """TREC-COVID as in the bootstrapped nDCG paper, judged before and after, or a simulated track.

    The best run of the first round, 1st@TREC, has 30 of the 50 topics.
    """
    folder = _shared_data("trec-covid")
    if folder is None:
        print("  (the authors publish the TREC-COVID runs at https://github.com/webis-de/ECIR-23)")
        return _simulated("the TREC-COVID runs")
    runs = {name: _read_run(folder / f"{file}.run.gz") for name, file in TREC_COVID_FILES.items()}
    groups = {name: "TREC" if name == "1st@TREC" else "dense" for name in runs}
    published, complete = (_read_qrels(folder / f"qrels.{which}.txt.gz") for which in ("incomplete", "complete"))
    return Collection("TREC-COVID", published, runs, groups, complete)


def pooled_runs(part: str) -> Collection:
    """A track with its runs and groups, 'trec-covid-round2' or 'trec-dl-2021', or a simulated track.

    The simulated one has eight runs, each of its own group, and all that they returned is judged.
    """
    title, depth, where = POOLED[part]
    folder = _shared_data(part)
    if folder is None:
        print(f"  (needed are {part}/qrels.txt, runs/ and groups.csv with columns run and group; NIST: {where})")
        track = _simulated(f"the runs of {title}")
        groups = {name: name for name in track.runs}
        return Collection(track.name, track.complete_qrels, track.runs, groups, simulated=True)
    groups = pd.read_csv(folder / "groups.csv").set_index("run")["group"].to_dict()
    judges = {path.name.split(".")[0].removeprefix("judge-"): _read_qrels(path) for path in folder.glob("judge-*")}
    runs = imr.read_runs(folder / "runs")
    return Collection(title, _read_qrels(folder / "qrels.txt"), runs, groups, depth=depth, judges=judges)


def ir_dataset(name: str) -> Any:
    """A dataset of ir_datasets whose judgements can be read, or None."""
    import ir_datasets  # here, so that IR_DATASETS_HOME is set

    try:
        dataset = ir_datasets.load(name)
        next(iter(dataset.qrels_iter()))
    except Exception as reason:  # no internet, no licence, a broken download: whatever it is, a smaller job is left
        print(f"{name}: not to be had from ir_datasets ({type(reason).__name__}: {str(reason)[:60]}...)")
        return None
    print(f"{name}: from ir_datasets")
    return dataset


def dataset_qrels(name: str) -> pd.DataFrame | None:
    """Judgements of a dataset of ir_datasets as query_id, doc_id, relevance; None where it cannot be had."""
    dataset = ir_dataset(name)
    if dataset is None:
        return None
    rows = [(qrel.query_id, qrel.doc_id, qrel.relevance) for qrel in dataset.qrels_iter()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


def _shared_data(part: str) -> Path | None:
    """The folder of ready data called `part`; says where it looked."""
    named = os.environ.get(SHARED_VARIABLE)
    shared = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    where = f"the folder that {SHARED_VARIABLE} names" if named else "shared/ beside the repository"
    folder = shared / "data" / part
    found = folder.is_dir()
    print(f"{part}: {'found in' if found else 'not in'} {where}")
    return folder if found else None


def _prepare_ir_datasets() -> None:
    """Sets IR_DATASETS_HOME to a writable copy of the ready data, if there is any."""
    if "IR_DATASETS_HOME" in os.environ:
        return
    ready = _shared_data("ir_datasets")
    if ready is None:
        return
    if "ir_datasets" in sys.modules:
        print("  ... which ir_datasets does not see: it was imported before example_data; restart in the other order")
    home = Path(tempfile.mkdtemp(prefix="ir_datasets_"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for file in ready.rglob("*"):
        if file.is_file():
            target = home / file.relative_to(ready)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)  # contents only: the originals may be read-only
    os.environ["IR_DATASETS_HOME"] = str(home)


def _simulated(instead_of: str) -> Collection:
    track = simulate.track(seed=0)
    print(f"  instead of {instead_of}: {track}, simulated")
    return Collection("a simulated track", track.qrels, track.runs, track.groups, track.complete_qrels, simulated=True)


def _read_run(path: Path) -> pd.DataFrame:
    return _read(path, ["query_id", "q0", "doc_id", "rank", "score", "tag"])[["query_id", "doc_id", "score"]]


def _read_qrels(path: Path) -> pd.DataFrame:
    return _read(path, ["query_id", "iteration", "doc_id", "relevance"])[["query_id", "doc_id", "relevance"]]


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    return pd.read_csv(path, sep=r"\s+", header=None, names=columns, dtype={"query_id": str, "doc_id": str})


_prepare_ir_datasets()
