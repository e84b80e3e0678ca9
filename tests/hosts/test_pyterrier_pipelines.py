"""Pipelines as PyTerrier's users write them: transformers as prior runs, PISA over Vaswani, GridScan."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from ir_measures import nDCG
from support.repository import INSTALLED

import ir_measures_relative as imr
from ir_measures_relative import MED, NRG, UniqueRel, simulate

pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")

TRACK = simulate.track(topics=6)
COLUMNS = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
QRELS = TRACK.qrels.rename(columns=COLUMNS)
TOPICS = pd.DataFrame({"qid": QRELS.qid.unique(), "query": "x"})
RESULTS = {name: TRACK.runs[name].rename(columns=COLUMNS) for name in ("bm25", "dense_small", "fused")}


class Retriever(pt.Transformer):
    """Retrieves what a run of the track holds, counts its calls, and equals others of its name."""

    def __init__(self, name: str):
        self.name, self.calls = name, 0

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        self.calls += len(topics) > 0  # PyTerrier also asks it for nothing, to see its columns
        return topics.merge(RESULTS[self.name], on="qid")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Retriever) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Retriever({self.name}, k=10)"


class TestTransformersAsPriors:
    def expected(self, name: str, prior: str) -> float:
        table = imr.calc_runs([NRG(prior=RESULTS[prior]) @ 10], TRACK.qrels, {name: TRACK.runs[name]})
        return float(table.value.mean())

    @pytest.mark.parametrize("equal", [False, True], ids=["the same object", "an equal one"])
    def test_a_system_of_the_experiment_retrieves_once(self, equal: bool) -> None:
        bm25, fused = Retriever("bm25"), Retriever("fused")
        prior = Retriever("bm25") if equal else bm25
        found = imr.Experiment([bm25, fused], TOPICS, QRELS, [NRG(prior=prior) @ 10])
        assert found.iloc[1, 1] == pytest.approx(self.expected("fused", "bm25"), abs=1e-12)
        assert (bm25.calls, fused.calls, prior.calls) == ((1, 1, 0) if equal else (1, 1, 1))

    def test_a_system_is_called_by_its_name(self) -> None:
        bm25, fused = Retriever("bm25"), Retriever("fused")
        measures = [NRG(prior=bm25) @ 10, MED(reference=bm25) @ 10, UniqueRel(prior=[bm25, fused]) @ 10]
        found = imr.Experiment({"BM25": bm25, "RRF": fused}, TOPICS, QRELS, measures)
        assert list(found)[1:] == ["NRG(prior='BM25')@10", "MED(reference='BM25')@10", "UniqueRel(prior='BM25,RRF')@10"]

    @pytest.mark.parametrize("how", [{}, {"perquery": True}, {"dataframe": False}, {"baseline": 0}], ids=str)
    def test_titles_of_measures(self, how: dict) -> None:
        systems = {"BM25": Retriever("bm25"), "RRF": Retriever("fused")}
        titles = {"added": NRG @ 10, "gain": "ndcg_cut_10", "found": "UniqueRel@10"}
        plain = imr.Experiment(systems, TOPICS, QRELS, [NRG @ 10, "nDCG@10", "UniqueRel@10"], **how)
        found = imr.Experiment(systems, TOPICS, QRELS, titles, **how)
        renamed = dict(zip(["NRG@10", "nDCG@10", "UniqueRel@10"], titles, strict=True))
        if how.get("perquery"):
            assert found.equals(plain.assign(measure=plain["measure"].map(renamed)))
        elif how.get("dataframe", True):
            assert list(found)[1:4] == list(titles)
            assert found.set_axis(plain.columns, axis=1).equals(plain)
        else:
            assert found == {name: dict(zip(titles, row.values(), strict=True)) for name, row in plain.items()}

    def test_another_one_retrieves_once_for_all_measures(self) -> None:
        bm25, dense = Retriever("bm25"), Retriever("dense_small")
        measures = [NRG(prior=bm25) @ 10, UniqueRel(prior=[bm25]) @ 10, MED(reference=bm25) @ 10]
        found = imr.Experiment({"dense": dense}, TOPICS, QRELS, measures)
        assert bm25.calls == 1
        assert found.iloc[0, 1] == pytest.approx(self.expected("dense_small", "bm25"), abs=1e-12)
        assert list(found)[1].startswith("""NRG(prior='"Retriever(bm25, k=10)~""")

    def test_it_is_not_one_of_the_others(self) -> None:
        bm25, dense, fused = (Retriever(name) for name in ("bm25", "dense_small", "fused"))
        alone = imr.Experiment([dense, fused], TOPICS, QRELS, ["NRG@10"])
        beside = imr.Experiment([dense, fused], TOPICS, QRELS, ["NRG@10", NRG(prior=bm25) @ 10])
        assert alone["NRG@10"].tolist() == beside["NRG@10"].tolist()

    def test_together_with_names_of_systems(self) -> None:
        systems = {"BM25 (k1=0.9, b=0.4)": Retriever("bm25"), "castorini/monot5": Retriever("fused")}
        measure = NRG(prior=["BM25 (k1=0.9, b=0.4)", Retriever("dense_small")]) @ 10
        found = imr.Experiment(systems, TOPICS, QRELS, [measure])
        priors = [RESULTS["bm25"], RESULTS["dense_small"]]
        table = imr.calc_runs([NRG(prior=priors) @ 10], TRACK.qrels, {"x": TRACK.runs["fused"]})
        assert found.iloc[1, 1] == pytest.approx(table.value.mean(), abs=1e-12)

    def test_elsewhere_it_is_a_sentence(self) -> None:
        measure = NRG(prior=Retriever("bm25")) @ 10
        with pytest.raises(ValueError, match=r"call it on your topics: prior=bm25\(topics\)"):
            imr.calc_runs([measure], TRACK.qrels, {"fused": TRACK.runs["fused"]})
        with pytest.raises(ValueError, match=r"call it on your topics"):
            measure.calc_aggregate(TRACK.qrels, TRACK.runs["fused"])
        called = NRG(prior=Retriever("bm25")(TOPICS)) @ 10
        assert called.calc_aggregate(TRACK.qrels, TRACK.runs["fused"]) == pytest.approx(self.expected("fused", "bm25"))


def test_grid_scan_takes_the_measures() -> None:
    """pt.GridSearch takes no measure object at all; idxmax of a scan is its answer."""
    bm25 = pt.Transformer.from_df(pt.model.add_ranks(RESULTS["bm25"]))
    cut = pt.apply.generic(lambda results: results[results["rank"] < cut.k])
    cut.k = 10
    measure = NRG(prior=RESULTS["dense_small"]) @ 10
    scan = pt.GridScan(bm25 >> cut, {cut: {"k": [1, 5, 10]}}, TOPICS, QRELS, [measure, nDCG @ 10])
    assert scan.loc[scan[str(measure)].idxmax(), "tran_0_k"] == 10
    by_k = dict(zip(scan["tran_0_k"], scan[str(measure)], strict=True))
    for k, value in by_k.items():
        ranked = pt.model.add_ranks(RESULTS["bm25"])
        expected = measure.calc_aggregate(
            TRACK.qrels, ranked[ranked["rank"] < k].rename(columns={"qid": "query_id", "docno": "doc_id"})
        )
        assert value == pytest.approx(expected, abs=1e-12)


def test_pt_relative_shows_the_public_names() -> None:
    assert dir(pt.relative) == sorted({*imr.__all__, "plots"})


PARTS = ["transformers_as_priors", "names_of_systems_as_priors", "order_and_marks", "saved_runs", "batches"]
PARTS += ["readable_columns", "tuning", "public_names", "the_page"]


@pytest.mark.full
def test_pisa_pipelines_over_vaswani(shared: Path, tmp_path: Path) -> None:
    """Real retrieval, in a process of its own: every part of ``support/pisa_pipelines.py`` gets done."""
    pytest.importorskip("pyterrier_pisa", reason="PISA is not installed")
    shutil.copytree(
        shared / "data" / "ir_datasets" / "vaswani", tmp_path / "home" / "vaswani", copy_function=shutil.copyfile
    )
    script = Path(__file__).parents[1] / "support" / "pisa_pipelines.py"
    page = INSTALLED / "ir_measures_relative" / "pt_docs" / "pyterrier.rst"
    environment = {**os.environ, "IR_DATASETS_HOME": str(tmp_path / "home"), "PYTHONPATH": str(INSTALLED)}
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), str(page)], env=environment, capture_output=True, text=True
    )
    assert [line for line in done.stdout.splitlines() if line in PARTS] == PARTS, done.stderr[-3000:]
