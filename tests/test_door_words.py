"""Arguments, names and forms of input are understood by every function, and messages show the right call."""

from __future__ import annotations

import gzip
import inspect
import os
import platform
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ir_measures
import pandas as pd
import pytest
from support.doors import FUNCTIONS, GOOD, QRELS, N, Runs, experiment, part, written

import ir_measures_relative as imr
from ir_measures_relative._cli import main


class TestArgumentsInTheWrongPlace:
    """The error says what was found, and shows the right call."""

    FRAME = pd.DataFrame({"qid": ["0"], "docno": ["a"], "label": [1]})
    RUN = pd.DataFrame({"qid": ["0"], "docno": ["a"], "score": [1.0]})

    @pytest.mark.parametrize(
        ("call", "sentence"),
        [
            (lambda s: imr.compare(s.FRAME, GOOD, ["nDCG@3"]), "runs: expected runs, got the measure 'nDCG@3'"),
            (lambda s: imr.compare(s.FRAME, QRELS, GOOD), "measures: expected measures .* got a DataFrame"),
            (lambda s: imr.compare(QRELS, QRELS, GOOD), "measures: expected measures .* got a dict"),
            (lambda s: imr.compare(["nDCG@3"], GOOD, QRELS), "runs: expected runs by name.* got one run"),
            (lambda s: imr.compare(["nDCG@3"], GOOD, GOOD), "qrels: expected qrels, got a dict of runs by name"),
            (lambda s: imr.compare(["nDCG@3"], s.RUN, GOOD), "looks like a run where qrels are expected"),
            (lambda s: imr.compare(["nDCG@3"], QRELS, {"x": s.FRAME}), "looks like qrels where a run is expected"),
            (lambda s: imr.compare(["nDCG@3"], ["nDCG@3"], GOOD), "qrels: expected qrels, got the measure 'nDCG@3'"),
            (lambda s: imr.compare(["nDCG@3"], imr.NRG @ 3, GOOD), "qrels: expected qrels, got the measure NRG@3"),
            (lambda s: imr.compare(["nDCG@3"], QRELS, imr.NRG @ 3), "runs: expected runs, got the measure NRG@3"),
            (lambda s: imr.compare(["nDCG@3"], QRELS, "nDCG@3"), "runs: expected runs, got the measure 'nDCG@3'"),
            (lambda s: imr.pairs(["nDCG@3"], QRELS, GOOD), "expected a measure or its text, got a dict"),
            (lambda s: imr.boot_ndcg("nDCG@3", QRELS), "qrels: expected qrels, got the measure 'nDCG@3'"),
            (lambda s: imr.boot_ndcg(QRELS, GOOD), "run: expected one run, got a dict of runs by name"),
            (lambda s: imr.parse_measure(s.FRAME), "expected a measure or its text, got a DataFrame"),
        ],
    )  # fmt: skip
    def test_sentence(self, call: Callable[[Any], Any], sentence: str) -> None:
        with pytest.raises((TypeError, ValueError), match=sentence) as caught:
            call(self)
        text = str(caught.value)
        assert any(f"; call {right}" in text for right in (
            "compare(measures, qrels, runs)", "boot_ndcg(qrels, run)", "pairs(qrels, runs)", "parse_measure(text)"
        )), text  # fmt: skip
        assert "AP, " not in text  # no list of measures

    def test_a_path_for_a_measure(self, tmp_path: Path) -> None:
        written(tmp_path, QRELS, GOOD)
        with pytest.raises(
            ValueError, match=r"expected a measure, got the file .*; call compare\(measures, qrels, runs\)"
        ):
            imr.compare([str(tmp_path / "qrels.txt")], QRELS, GOOD)

    def test_a_path_without_a_folder_for_a_measure(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        written(tmp_path, QRELS, GOOD)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ValueError, match=r"got the file 'qrels.txt'; call compare\(measures, qrels, runs\)"):
            imr.compare("qrels.txt", "qrels.txt", "runs")

    def test_arguments_of_experiment(self) -> None:
        pytest.importorskip("pyterrier", reason="needs PyTerrier")
        topics = pd.DataFrame({"qid": list(QRELS), "query": "words"})
        right = r"; call Experiment\(retr_systems, topics, qrels, eval_metrics\)"
        with pytest.raises(ValueError, match="It looks like topics" + right):
            imr.Experiment([self.RUN], self.FRAME, topics, ["nDCG@3"])
        with pytest.raises(TypeError, match="must be a list or dict of systems, got a DataFrame" + right):
            imr.Experiment(topics, [self.RUN], self.FRAME, ["nDCG@3"])

    def test_a_frame_is_called_a_frame(self) -> None:
        with pytest.raises(TypeError, match="^labels must be a label model .* got a DataFrame$"):
            imr.impute(QRELS, imr.LabelModel.shares({0: 0.5, 1: 0.5}), self.RUN)

    def test_required_keywords_are_shown(self) -> None:
        with pytest.raises(TypeError, match=r"call compare_collections\(collections, baseline=...\)"):
            imr.compare_collections({"a": (QRELS, GOOD), "b": (QRELS, GOOD)}, baseline="x", measure={"title": "nDCG@3"})


def test_an_unknown_measure_gets_a_short_list() -> None:
    for call in (
        lambda: imr.parse_measure("xyzzy"),
        lambda: imr.compare("xyzzy", QRELS, GOOD),
        lambda: imr.NRG(base="xyzzy"),
    ):
        with pytest.raises(ValueError, match="unknown measure 'xyzzy'; measures are nDCG@10, AP and others") as caught:
            call()
        assert "NRG" in str(caught.value) and len(str(caught.value)) < 300


class TestReadableKeys:
    """A model or a run without a name is called by its kind; a run of the experiment by its name there."""

    @pytest.mark.parametrize(
        ("measure", "kind"),
        [
            (lambda: imr.NRG(prior=GOOD["x"]), "run"),
            (lambda: imr.MED(reference=GOOD["x"]), "run"),
            (lambda: imr.Imputed(labels=imr.LabelModel.shares({0: 0.5, 1: 0.5})), "shares"),
            (
                lambda: imr.Imputed(labels=imr.LabelModel.probabilities(
                    pd.DataFrame({"query_id": ["0"], "doc_id": ["u"], "p0": [0.5], "p1": [0.5]})
                )),
                "probabilities",
            ),
        ],
    )  # fmt: skip
    @pytest.mark.filterwarnings("ignore:. of 6 unjudged documents")
    def test_kind(self, measure: Callable[[], Any], kind: str) -> None:
        made = measure() @ 3
        assert re.search(f"='{kind}~[0-9a-f]{{8}}'", str(made))
        assert imr.parse_measure(str(made)) == made and str(imr.parse_measure(str(made))) == str(made)
        assert list(imr.compare([made], QRELS, GOOD).to_frame()) == [str(made)]


class TestNamesOfTrecEval:
    def test_everywhere_that_measures_are(self) -> None:
        pairs = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recip_rank": "RR", "ndcg": "nDCG"}
        for theirs, ours in pairs.items():
            assert imr.parse_measure(theirs) == imr.parse_measure(ours)
        table = imr.compare(["map", "P_10"], QRELS, GOOD).to_frame()
        assert list(table) == ["map", "P_10"]
        assert table.to_numpy().tolist() == imr.compare(["AP", "P@10"], QRELS, GOOD).to_frame().to_numpy().tolist()
        assert imr.NRG(base="ndcg_cut_10") == imr.NRG @ 10
        assert imr.pairs(QRELS, GOOD, "ndcg_cut_3").equals(imr.pairs(QRELS, GOOD, "nDCG@3"))
        with pytest.raises(ValueError, match="unknown measure 'ndcg_cut'"):
            imr.parse_measure("ndcg_cut")  # nine cutoffs


class TestDatasets:
    """Ids of ir_datasets are qrels everywhere."""

    @pytest.fixture(autouse=True)
    def _dataset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ir_datasets = pytest.importorskip("ir_datasets", reason="needs ir_datasets")
        rows = [ir_measures.Qrel(t, d, g) for t, docs in QRELS.items() for d, g in docs.items()]
        dataset = SimpleNamespace(has_qrels=lambda: True, qrels_iter=lambda: iter(rows))
        bare = SimpleNamespace(has_qrels=lambda: False)
        monkeypatch.setattr(ir_datasets, "load", lambda name: {"small": dataset, "bare/corpus": bare}[name])

    @pytest.mark.parametrize("door", FUNCTIONS)
    @pytest.mark.parametrize("name", ["small", "irds:small"])
    def test_every_function(self, door: str, name: str) -> None:
        FUNCTIONS[door](name, GOOD)
        with pytest.raises(ValueError, match="'bare/corpus' has no qrels"):
            FUNCTIONS[door]("bare/corpus", GOOD)

    @pytest.mark.parametrize("qrels", ["small", "irds:small", QRELS, imr.read_qrels(QRELS)], ids=type)
    def test_experiment(self, qrels: Any) -> None:
        pytest.importorskip("pyterrier", reason="needs PyTerrier")
        topics = pd.DataFrame({"qid": list(QRELS), "query": "words"})
        runs = {name: imr.read_run(run) for name, run in GOOD.items()}
        expected = experiment(QRELS, GOOD, ["NRG@3", "map"])
        assert imr.Experiment(runs, topics, qrels, ["NRG@3", "map"]).equals(expected)

    def test_read_qrels(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert (
            imr.read_qrels("small").to_dict()
            == imr.read_qrels("irds:small").to_dict()
            == imr.read_qrels(QRELS).to_dict()
        )
        with pytest.raises(ValueError, match="unknown ir_datasets id 'irds:nothing'"):
            imr.read_qrels("irds:nothing")
        with pytest.raises(ValueError, match="qrels file 'nothing' cannot be read: No such file"):
            imr.read_qrels("nothing")
        monkeypatch.chdir(tmp_path)
        os.mkdir("small")  # a folder is no qrels
        assert imr.read_qrels("small").n_topics == N
        Path("small.txt").write_text("q 0 a 1\n")
        assert imr.read_qrels("small.txt").topics == ["q"]


class TestOtherLibraries:
    """ranx, trectools and lazy frames of polars, recognised without importing them."""

    def test_ranx(self) -> None:
        kind = type("Run", (), {"__module__": "ranx.data_structures.run", "to_dict": lambda self: self.data})
        run, qrels = kind(), kind()
        run.data, qrels.data = GOOD["x"], QRELS  # type: ignore[attr-defined]
        expected = imr.compare(["nDCG@3"], QRELS, {"x": GOOD["x"]}).to_frame()
        assert imr.compare(["nDCG@3"], qrels, {"x": run}).to_frame().equals(expected)
        assert imr.NRG(prior={"x": run}) == imr.NRG(prior={"x": GOOD["x"]})
        assert imr.NRG(prior=run) == imr.NRG(prior=GOOD["x"])
        with pytest.raises(TypeError, match="expected runs by name"):
            imr.compare(["nDCG@3"], qrels, run)

    def test_trectools(self) -> None:
        run = pd.DataFrame([(t, "Q0", d, 1, s, "t") for t, docs in GOOD["x"].items() for d, s in docs.items()])
        run.columns = ["query", "q0", "docid", "rank", "score", "system"]
        qrels = pd.DataFrame([(t, 0, d, g) for t, docs in QRELS.items() for d, g in docs.items()])
        qrels.columns = ["query", "q0", "docid", "rel"]
        assert imr.read_run(run).to_dict() == imr.read_run(GOOD["x"]).to_dict()
        assert imr.read_run(SimpleNamespace(run_data=run)).to_dict() == imr.read_run(GOOD["x"]).to_dict()
        assert imr.read_qrels(SimpleNamespace(qrels_data=qrels)).to_dict() == imr.read_qrels(qrels).to_dict()
        assert imr.read_qrels(qrels).to_dict() == imr.read_qrels(QRELS).to_dict()
        with pytest.raises(ValueError, match="has no column 'query_id' or 'qid'"):  # PyTerrier's query is text
            imr.read_run(run.assign(docno="d"))

    def test_lazy_frames(self) -> None:
        polars = pytest.importorskip("polars", reason="needs polars")
        rows = imr.read_run(GOOD["x"]).to_frame().to_dict("list")
        assert imr.read_run(polars.LazyFrame(rows)).to_dict() == imr.read_run(GOOD["x"]).to_dict()
        assert imr.NRG(prior=polars.LazyFrame(rows)) == imr.NRG(prior=GOOD["x"])
        frame = part(QRELS, GOOD)
        lazy = polars.LazyFrame(frame.astype(object).where(frame.notna(), None).to_dict("list"))
        assert imr.calc_part(lazy, "nDCG@3", names=["x", "y"]).equals(imr.calc_part(frame, "nDCG@3", names=["x", "y"]))

    def test_a_rank_without_a_score(self) -> None:
        frame = pd.DataFrame({"qid": ["1"], "docno": ["a"], "rank": [0]})
        with pytest.raises(ValueError, match=r"no column 'score'.* as in frame.assign\(score=-frame\['rank'\]\)"):
            imr.read_run(frame)
        assert imr.read_run(frame.assign(score=-frame["rank"])).ranking("1") == ["a"]


class TestListsOfNames:
    """An item of a list is one name, commas and all; a bare text is split at commas."""

    RUNS: Runs = {"BM25 (k1=0.9, b=0.4)": GOOD["x"], "dense": GOOD["y"]}

    def test_an_item_is_one_name(self) -> None:
        measures = [imr.NRG(prior=["BM25 (k1=0.9, b=0.4)"]) @ 3, imr.MED(reference=["BM25 (k1=0.9, b=0.4)"]) @ 3]
        expected = imr.compare([imr.NRG(prior="x") @ 3, imr.MED(reference="x") @ 3], QRELS, GOOD).to_frame()
        for table in (
            imr.compare(measures, QRELS, self.RUNS).to_frame(),
            experiment(QRELS, self.RUNS, measures).set_index("name"),
        ):
            assert table.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-12)

    def test_a_bare_text_is_split(self) -> None:
        both = imr.compare([imr.NRG(prior="x,y") @ 3], QRELS, GOOD).to_frame()
        assert both.equals(imr.compare([imr.NRG(prior=["y", "x"]) @ 3], QRELS, GOOD).to_frame())
        with pytest.raises(ValueError, match="unknown prior run 'x,y'"):
            imr.compare([imr.NRG(prior=["x,y"]) @ 3], QRELS, GOOD)
        with pytest.raises(ValueError, match=r"must be in a list: \['BM25 \(k1=0.9, b=0.4\)'\]"):
            imr.MED(reference="BM25 (k1=0.9, b=0.4)")


class TestHelp:
    @pytest.mark.parametrize("measure", imr.measures.registry.values(), ids=str)
    def test_parameters_are_shown(self, measure: Any) -> None:
        """By help, by the question mark of IPython, and by completion, which reads the signature."""
        text = pydoc.render_doc(measure, renderer=pydoc.plaintext)
        parameters = inspect.signature(measure).parameters
        assert list(parameters) == list(measure.SUPPORTED_PARAMS)
        for name, info in measure.SUPPORTED_PARAMS.items():
            assert parameters[name].default == info.default
            assert f"{name} : {info.kind}; default {info.default!r}" in text and info.desc in text


class TestSmallerOnes:
    def test_groups_are_matched_exactly_first(self) -> None:
        groups = {" x": "spaced", "x": "plain", "y ": "other"}
        runs = {"x": GOOD["x"], " x": GOOD["x"], "y": GOOD["y"]}
        assert imr.compare(["nDCG@3"], QRELS, runs, groups=groups).groups == {
            " x": "spaced", "x": "plain", "y": "other"
        }  # fmt: skip
        with pytest.raises(ValueError, match="the run 'y' has two groups"):
            imr.compare(["nDCG@3"], QRELS, GOOD, groups={" y": "a", "y ": "b", "x": "c"})

    def test_a_file_that_unpacks_to_far_too_much(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        line = b"0 Q0 a 1 1.0 t\n"
        (tmp_path / "real.gz").write_bytes(gzip.compress(line) + gzip.compress(line.replace(b"a", b"b")) + b"\0\0")
        assert imr.read_run(tmp_path / "real.gz").ranking("0") == ["b", "a"]
        bomb = tmp_path / "bomb.gz"
        bomb.write_bytes(gzip.compress(line + b"# " + b"0" * 20 * 2**20))
        for door in (imr.read_run, imr.read_qrels, lambda path: imr.NRG(prior=path)):
            with pytest.raises(ValueError, match="unpacks to more than .* IR_MEASURES_RELATIVE_LARGE_GZIP=1"):
                door(bomb)
        monkeypatch.setenv("IR_MEASURES_RELATIVE_LARGE_GZIP", "1")
        assert imr.read_run(bomb).ranking("0") == ["a"]

    @pytest.mark.skipif(os.name != "posix", reason="looks for the process")
    def test_the_scratch_folder_of_a_killed_process_is_removed(self, tmp_path: Path) -> None:
        pytest.importorskip("pyterrier", reason="needs PyTerrier")
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        left, used = (tmp_path / f".ir_measures_relative-{platform.node()}-{p}-x" for p in (ended.pid, os.getppid()))
        for folder in (left, used):
            (folder / "runs").mkdir(parents=True)
        topics = pd.DataFrame({"qid": list(QRELS), "query": "words"})
        runs = {name: imr.read_run(run) for name, run in GOOD.items()}
        imr.Experiment(runs, topics, imr.read_qrels(QRELS), ["nDCG@3"], save_dir=str(tmp_path))
        assert not left.exists() and used.exists()


class TestForms:
    """Forms of input that a new user tries first."""

    def test_a_folder_of_prior_runs(self, tmp_path: Path) -> None:
        written(tmp_path, QRELS, GOOD)
        folder = tmp_path / "runs"
        listed = imr.NRG(prior=[folder / "x.run", folder / "y.run"]) @ 3
        for prior in (folder, str(folder), [str(folder)], f"{folder}/*.run"):
            assert imr.NRG(prior=prior) @ 3 == listed
        with pytest.raises(ValueError, match="reference must be one run"):
            imr.MED(reference=folder)

    def test_systems_with_the_columns_of_ir_measures(self) -> None:
        pytest.importorskip("pyterrier", reason="needs PyTerrier")
        frames, qrels = {name: imr.read_run(run).to_frame() for name, run in GOOD.items()}, imr.read_qrels(QRELS)
        assert "doc_id" in frames["x"] and "relevance" in qrels.to_frame()
        topics = pd.DataFrame({"qid": list(QRELS), "query": "words"})
        table = imr.Experiment(frames, topics, qrels.to_frame(), ["P@3", imr.NRG @ 3])
        assert table["P@3"].tolist() == imr.compare("P@3", QRELS, GOOD)["P@3"].tolist()

    @pytest.mark.parametrize("ending", ["csv", "tsv"])
    def test_a_table_that_is_no_trec_file(self, ending: str, tmp_path: Path) -> None:
        imr.read_run(GOOD["x"]).to_frame().to_csv(tmp_path / f"x.{ending}", sep={"csv": ",", "tsv": "\t"}[ending])
        with pytest.raises(ValueError, match="read a table with pandas.read_csv, or store it as Parquet"):
            imr.read_run(tmp_path / f"x.{ending}")

    def test_an_open_file(self, tmp_path: Path) -> None:
        written(tmp_path, QRELS, GOOD)
        with open(tmp_path / "qrels.txt") as file, pytest.raises(TypeError, match="give the path of the file; call"):
            imr.read_qrels(file)


def test_types_in_messages_have_their_article() -> None:
    for data, sentence in ((None, "cannot read None;"), (3, "cannot read an int;"), (b"", "cannot read a bytes;")):
        with pytest.raises(TypeError, match=sentence):
            imr.read_run(data)


class TestWordsOfCommands:
    """A command's messages show its options, not arguments of functions."""

    @pytest.mark.parametrize(
        ("command", "sentence"),
        [
            ("compare qrels.txt runs NRG@3 --prior groups", "prior='groups' requires --groups, a dict"),
            ("pairs qrels.txt runs --only x --only z", "unknown run 'z'; names are x, y"),
            ("pairs qrels.txt runs --only x", "--only must be at least 2 runs, got 1"),
            ("pairs qrels.txt runs --labels learned", "use --judge without runs"),
            ("compare qrels.txt runs nDCG@3 --labels learned", "require --baseline or a measure that uses them"),
        ],
    )
    def test_options(
        self,
        command: str,
        sentence: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture,
    ) -> None:
        written(tmp_path, QRELS, GOOD)
        monkeypatch.chdir(tmp_path)
        assert main(command.split()) == 2
        error = capsys.readouterr().err
        assert sentence in error and "groups=" not in error and "runs_of_interest" not in error
