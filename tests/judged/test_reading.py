"""What is read once: every function takes it and says the same as of the data themselves; ir_measures takes it too."""

from __future__ import annotations

import inspect
import tempfile
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import P, nDCG

import ir_measures_relative as imr

QRELS = {"q2": {"a": 2, "b": 0, "c": 1}, "q1": {"a": 1, "z": 0}}
RUNS = {
    "bm25": {"q1": {"a": 2.0, "x": 1.0}, "q2": {"b": 3.0, "a": 2.0, "y": 1.0}},
    "dense": {"q1": {"x": 2.0, "a": 1.0}, "q2": {"c": 3.0, "a": 2.0, "b": 1.0}},
}
GROUPS = {"bm25": "lexical", "dense": "neural"}
TRACK = imr.simulate.track(topics=12)  # for what learns from four groups or more
TEAMS = {name: name for name in TRACK.runs}
LABELS = imr.LabelModel.shares({0: 0.7, 1: 0.2, 2: 0.1})


def experiment(qrels: Any, runs: Any) -> pd.DataFrame:
    pytest.importorskip("pyterrier", reason="PyTerrier is not installed")
    topics = pd.DataFrame({"qid": list(QRELS), "query": "x"})
    if isinstance(qrels, dict):  # PyTerrier takes frames
        names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
        qrels = imr.read_qrels(qrels).to_frame().rename(columns=names)
        runs = {name: imr.read_run(run).to_frame().rename(columns=names) for name, run in runs.items()}
    return imr.Experiment(runs, topics, qrels, ["nDCG@2", "NRG@2"])


def page(qrels: Any, runs: Any) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        text = imr.report(qrels, runs, Path(folder) / "report.html").read_text(encoding="utf-8")
    return pd.DataFrame({"page": [text]})


FUNCTIONS: dict[str, Any] = {
    "Experiment": experiment,
    "compare": lambda q, r: imr.compare(["NRG@10", "nDCG@2"], q, r, groups=GROUPS).to_frame(),
    "credited": lambda q, r: imr.credited(q, r["bm25"], prior=r["dense"], base=nDCG @ 2),
    "impute": lambda q, r: imr.impute(q, r["bm25"], LABELS, nDCG @ 2).to_frame(),
    "iter_runs": lambda q, r: pd.concat(imr.iter_runs(["NRG@10", "nDCG@2"], q, r, topics_per_part=1)),
    "judge_next": lambda q, r: imr.judge_next(q, r, base=nDCG @ 2, labels=LABELS),
    "learn_labels": lambda q, r: imr.learn_labels(q, r, TEAMS).to_frame(),
    "pairs": lambda q, r: imr.pairs(q, r, nDCG @ 2, labels=LABELS),
    "report": page,
    "interval_coverage": lambda q, r: imr.meta.interval_coverage(q, r, TEAMS).to_frame(),
    "judging_replay": lambda q, r: imr.meta.judging_replay(q, r, TEAMS, step=3).to_frame(),
    "reusability": lambda q, r: imr.meta.reusability(q, r, TEAMS, [nDCG @ 5]).to_frame(),
    "calc_runs": lambda q, r: imr.calc_runs(["NRG@10", "nDCG@2", "BootNDCG@2"], q, r),
    "calc_runs with groups": lambda q, r: imr.calc_runs(["NRG(prior='groups')@10"], q, r, groups=GROUPS),
    "select_complementary": imr.select_complementary,
    "med_matrix": imr.med_matrix,
    "med": lambda q, r: imr.med(q, r["bm25"], r["dense"]).to_frame(),
    "prob_better": lambda q, r: imr.prob_better(q, r["bm25"], r["dense"]).to_frame(),
    "boot_ndcg": lambda q, r: imr.boot_ndcg(q, r["bm25"]).to_frame(),
    "expected_random": lambda q, r: imr.expected_random(q, "nDCG@2"),
    "leave_group_out": lambda q, r: pd.concat(imr.meta.leave_group_out(q, r, GROUPS)),
    "pool_depth": lambda q, r: imr.meta.pool_depth(q, r).to_frame(),
    "prior": lambda q, r: pd.DataFrame((imr.NRG(prior=r["bm25"]) @ 2).iter_calc(QRELS, RUNS["dense"])),
    "priors": lambda q, r: pd.DataFrame((imr.NRG(prior=r) @ 2).iter_calc(QRELS, RUNS["dense"])),
    "reference": lambda q, r: pd.DataFrame((imr.MED(reference=r["bm25"]) @ 2).iter_calc(QRELS, RUNS["dense"])),
    "a measure": lambda q, r: pd.DataFrame((imr.NRG(prior=[]) @ 2).iter_calc(q, r["bm25"])),
}

SLOW = ("judging_replay", "interval_coverage")  # seconds each


@pytest.mark.filterwarnings("ignore:prior run")
@pytest.mark.parametrize(
    "function", [pytest.param(name, marks=pytest.mark.full if name in SLOW else ()) for name in FUNCTIONS]
)
def test_every_function_takes_what_was_read(function: str) -> None:
    learns = function in ("learn_labels", "interval_coverage", "judging_replay", "reusability")
    given = (TRACK.qrels, TRACK.runs) if learns else (QRELS, RUNS)
    once = imr.read_qrels(given[0]), imr.read_runs(given[1])
    expected = FUNCTIONS[function](*given)
    for _ in range(2):  # nothing was used up or changed
        pd.testing.assert_frame_equal(FUNCTIONS[function](*once), expected)


def test_every_public_function_of_qrels_is_tried_here() -> None:
    for module in (imr, imr.meta):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and "qrels" in inspect.signature(value).parameters:
                assert name in FUNCTIONS or name == "read_qrels", name


def test_what_was_read_is_not_read_again() -> None:
    qrels, run = imr.read_qrels(QRELS), imr.read_run(RUNS["bm25"])
    assert imr.read_qrels(qrels) is qrels and imr.read_run(run) is run
    assert imr.read_runs({"bm25": run}) == {"bm25": run}
    assert isinstance(qrels, imr.Judgements) and isinstance(run, imr.Run)


def test_ir_measures_takes_it() -> None:
    qrels, run = imr.read_qrels(QRELS), imr.read_run(RUNS["bm25"])
    measures = [nDCG @ 2, P @ 1, imr.NRG(prior=[]) @ 2]
    expected = ir_measures.calc(measures, QRELS, RUNS["bm25"])
    found = ir_measures.calc(measures, qrels, run)
    assert found.aggregated == expected.aggregated and set(found.per_query) == set(expected.per_query)


def test_as_frames() -> None:
    qrels, run = (
        imr.read_qrels({2: {"a": 0, "b": 1}, 1: {}}),
        imr.read_run({"q": {"a": 1.0, "b": 2.0}, "p": {"c": 0.5}}),
    )
    assert qrels.to_frame().to_dict("list") == {"query_id": [2, 2], "doc_id": ["b", "a"], "relevance": [1, 0]}
    assert run.to_frame().to_dict("list") == {
        "query_id": ["q", "q", "p"],
        "doc_id": ["b", "a", "c"],
        "score": [2.0, 1.0, 0.5],
    }
    assert imr.read_qrels(qrels.to_frame()).to_dict() == {"2": {"b": 1, "a": 0}}
    assert imr.read_run(run.to_frame()).to_dict() == run.to_dict()


@pytest.mark.parametrize(("names", "expected"), [("file", ["a", "b"]), ("tag", ["one", "two"])])
def test_runs_of_a_folder_know_their_files(tmp_path: Path, names: str, expected: list[str]) -> None:
    for file, tag in (("a.run", "one"), ("b.run", "two")):
        (tmp_path / file).write_text(f"q1 Q0 a 1 1.0 {tag}\n")
    runs = imr.read_runs(tmp_path, names=names)
    assert list(runs) == expected
    for groups in ({"a.run": "x", "b.run": "y"}, {"one": "x", "two": "y"}):
        measure = imr.UniqueRel(prior="groups") @ 1
        kept = {name: run for name, run in runs.items() if np.isin(name, expected)}
        assert imr.calc_runs([measure], {"q1": {"a": 1}}, kept, groups=groups)["value"].tolist() == [0.0, 0.0]


def test_errors_name_the_run() -> None:
    with pytest.raises(ValueError, match="run 'bad': document 'a' of topic 'q' has the score NaN"):
        imr.read_runs({"bad": {"q": {"a": float("nan")}}})
    with pytest.raises(ValueError, match="names must be .*, got 'tags'"):
        imr.read_runs(RUNS, names="tags")


def test_datasets_give_their_qrels() -> None:
    """Objects such as those of ir_datasets.load and pt.get_dataset."""

    class OfIrDatasets:
        def qrels_iter(self) -> Any:
            return iter([ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("1", "b", 0)])

    class OfPyTerrier:
        def get_qrels(self) -> Any:
            return pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0]})

    for dataset in (OfIrDatasets(), OfPyTerrier()):
        assert imr.read_qrels(dataset).to_dict() == {"1": {"a": 1, "b": 0}}
        assert imr.compare(["P@1"], dataset, {"x": {"1": {"a": 1.0}}}).to_frame().loc["x", "P@1"] == 1
