"""Experiment's reports: the order of measures and the marks of the best in every form, and tables that stay whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from ir_measures import RR, Compat, Judged, nDCG
from support.pyterrier_versions import TABLES, needs_new
from support.repository import INSTALLED

import ir_measures_relative as imr
from ir_measures_relative import NRG, simulate

pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")

TRACK = simulate.track(topics=5)
COLUMNS = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
QRELS = TRACK.qrels.rename(columns=COLUMNS)
TOPICS = pd.DataFrame({"qid": QRELS.qid.unique(), "query": "x"})
RESULTS = {name: TRACK.runs[name].rename(columns=COLUMNS) for name in ("bm25", "dense_small", "fused")}
METRICS = ["UniqueRel@10", nDCG @ 10, imr.MED(reference="bm25") @ 10, "P_5", NRG @ 10]
NAMES = ["UniqueRel@10", "nDCG@10", "MED(reference='bm25')@10", "P_5", "NRG@10"]


def report(metrics: list[Any] = METRICS, **options: Any) -> Any:
    return imr.Experiment(RESULTS, TOPICS, QRELS, metrics, **options)


@pytest.mark.parametrize("metrics", [METRICS, METRICS[::-1]], ids=["as given", "reversed"])
def test_the_order_asked_for_in_every_form(metrics: list[Any], tmp_path: Path) -> None:
    names = [str(metric) for metric in metrics]
    assert list(report(metrics))[1:] == names
    assert list(report(metrics, highlight="bold").data)[1:] == names
    assert all(list(values) == names for values in report(metrics, dataframe=False).values())
    for frame in (report(metrics, perquery=True), report(metrics, perquery="both").perquery):
        assert frame.groupby(["name", "qid"]).measure.agg(list).map(lambda found: found == names).all()
        assert list(zip(frame.name, frame.qid, strict=True)) == sorted(zip(frame.name, frame.qid, strict=True))
    assert list(report(metrics, perquery="both").averages)[1:] == names
    for topics in report(metrics, perquery=True, dataframe=False).values():
        assert all(list(values) == names for values in topics.values())
    report(metrics, save_dir=str(tmp_path))
    if not TABLES:
        return
    assert list(pd.read_csv(tmp_path / "aggregated.csv"))[1:] == names
    saved = pd.read_csv(tmp_path / "perquery.csv", dtype={"qid": str})
    assert saved.groupby(["name", "qid"]).measure.agg(list).map(lambda found: found == names).all()


def test_a_family_of_trec_eval_keeps_its_place() -> None:
    columns = list(report(["official", NRG @ 10]))
    assert columns[0] == "name" and columns[-1] == "NRG@10" and len(columns) > 5


@pytest.mark.parametrize("how", ["bold", "color", "colour"])
def test_the_best_is_marked_by_the_direction_of_the_measure(how: str) -> None:
    """MED is a distance: neither end is better. Smaller times are."""
    styled = report([*METRICS, "mrt"], highlight=how, baseline="bm25")
    styled._compute()
    frame = styled.data
    marked = {(frame.index[row], frame.columns[column]) for (row, column), styles in styled.ctx.items() if styles}
    best = {column: {row for row, name in marked if name == column} for column in frame}
    assert best["nDCG@10"] == set(frame.index[frame["nDCG@10"] == frame["nDCG@10"].max()])
    assert best["mrt"] == set(frame.index[frame["mrt"] == frame["mrt"].min()])
    assert best["nDCG@10 -"] == set(frame.index[frame["nDCG@10 -"] == frame["nDCG@10 -"].min()])
    assert best["MED(reference='bm25')@10"] == best["MED(reference='bm25')@10 +"] == best["name"] == set()


def test_marks_are_those_of_pyterrier() -> None:
    ours = report([nDCG @ 10], highlight="color")
    theirs = pt.Experiment(list(RESULTS.values()), TOPICS, QRELS, [nDCG @ 10], names=list(RESULTS), highlight="color")
    ours._compute(), theirs._compute()
    assert ours.ctx == theirs.ctx


def test_measures_of_the_host_see_documents_in_our_order() -> None:
    """Ties by id, descending: ir_measures alone shows Judged the ascending one, and Compat no negative score."""
    qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["b", "z"], "label": [1, 0]})
    tied = pd.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "score": [-1.0] * 3})
    found = imr.Experiment({"tied": tied}, TOPICS.head(1).assign(qid="1"), qrels, [Judged @ 1, RR @ 2, Compat(p=0.5)])
    (row,) = found.to_dict("records")
    assert row["Judged@1"] == 0.0  # c is first
    assert row["RR@2"] == 0.5  # b is second
    falling = {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}  # the same order, which ir_measures alone cannot mistake
    assert row["Compat(p=0.5)"] == Compat(p=0.5).calc_aggregate({"1": {"b": 1, "z": 0}}, falling) > 0


class TestSavedTables:
    @pytest.mark.full
    @needs_new
    def test_a_kill_at_any_time_leaves_them_as_they_were(self, tmp_path: Path) -> None:
        """The process is killed while it retrieves, and between the two calls of pt.Experiment."""
        place = tmp_path / "saved"
        place.mkdir()
        report([nDCG @ 10], save_dir=str(place))
        before = {name: (place / name).read_bytes() for name in ("aggregated.csv", "perquery.csv")}
        code = textwrap.dedent("""
            import os, signal, sys
            import pandas as pd, pyterrier as pt
            import ir_measures_relative as imr
            from ir_measures_relative import simulate
            place, when = sys.argv[1:]
            track = simulate.track(topics=5)
            columns = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
            qrels = track.qrels.rename(columns=columns)
            topics = pd.DataFrame({"qid": qrels.qid.unique(), "query": "x"})
            def die(*_, **__):
                os.kill(os.getpid(), signal.SIGKILL)
            def results(name):
                frame = pt.model.add_ranks(track.runs[name].rename(columns=columns))
                return pt.apply.generic(lambda some: die() if name == when else some.merge(frame, on="qid"))
            if when == "between":
                import ir_measures_relative._experiment.request as request
                request.Request.read = die
            imr.Experiment({"bm25": results("bm25"), "fused": results("fused")}, topics, qrels, ["NRG@10"],
                           save_dir=place, save_mode="overwrite")
        """)
        for when in ("fused", "between"):
            command = [sys.executable, "-c", code, str(place), when]
            done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(INSTALLED)}, capture_output=True)
            assert done.returncode == -signal.SIGKILL, done.stderr
            assert {name: (place / name).read_bytes() for name in before} == before
        assert (place / "bm25.res.gz").exists() or not (place / "fused.res.gz").exists()

    def test_a_saved_run_is_replaced_with_a_warning_or_refused(self, tmp_path: Path) -> None:
        system = {"bm25": pt.apply.generic(lambda topics: pt.model.add_ranks(topics.merge(RESULTS["bm25"], on="qid")))}
        options = {"save_dir": str(tmp_path)}
        imr.Experiment(system, TOPICS, QRELS, [NRG(prior=[]) @ 10], **options)
        with pytest.warns(UserWarning, match="bm25.res.gz', which is replaced; save_mode='reuse'"):
            imr.Experiment(system, TOPICS, QRELS, [NRG(prior=[]) @ 10], **options)
        with pytest.raises(ValueError, match="bm25.res.gz'; save_mode='reuse' reads it"):
            imr.Experiment(system, TOPICS, QRELS, [NRG(prior=[]) @ 10], **options, save_mode="error")
        assert sorted(os.listdir(tmp_path)) == sorted([*TABLES, "bm25.res.gz"])

    def test_a_run_whose_batch_fails_is_not_kept_and_earlier_runs_are(self, tmp_path: Path) -> None:
        """save_mode='reuse' would take the batches before for the whole run."""
        asked: list[str] = []

        def results(name: str, batch: pd.DataFrame) -> pd.DataFrame:
            asked.extend([name] * bool(len(batch)))  # PyTerrier asks about no topic at first
            if asked.count("fused") == 2:
                raise RuntimeError("no connection")
            return pt.model.add_ranks(batch[["qid", "query"]].merge(RESULTS[name], on="qid"))

        def system(name: str) -> Any:
            return pt.apply.generic(lambda batch: results(name, batch))

        with pytest.raises(RuntimeError, match="no connection"):
            imr.Experiment({name: system(name) for name in ("bm25", "fused")}, TOPICS, QRELS, [NRG @ 10],
                           batch_size=2, save_dir=str(tmp_path))  # fmt: skip
        assert os.listdir(tmp_path) == ["bm25.res.gz"]
        assert set(pt.io.read_results(str(tmp_path / "bm25.res.gz")).qid) == set(RESULTS["bm25"].qid)

    def test_a_kill_between_two_batches_leaves_no_run_that_lacks_topics(self, tmp_path: Path) -> None:
        found: list[list[str]] = []

        def results(batch: pd.DataFrame) -> pd.DataFrame:
            if len(batch):  # PyTerrier asks about no topic at first; what is found if the process is killed here:
                found.append(sorted(name for name in os.listdir(tmp_path) if not name.startswith(".")))
            return pt.model.add_ranks(batch[["qid", "query"]].merge(RESULTS["bm25"], on="qid"))

        systems = {name: pt.apply.generic(results) for name in ("a", "b")}
        imr.Experiment(systems, TOPICS, QRELS, [NRG @ 10], batch_size=2, save_dir=str(tmp_path))
        assert len(found) == 6 and found[:4] == [[]] * 4 and found[4:] == [["a.res.gz"]] * 2

    def test_an_interrupt_while_a_run_is_written_leaves_the_old_one(self, tmp_path: Path) -> None:
        systems = {name: pt.Transformer.from_df(pt.model.add_ranks(frame)) for name, frame in RESULTS.items()}
        imr.Experiment(systems, TOPICS, QRELS, [NRG @ 10], save_dir=str(tmp_path))
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        names = iter(systems)

        def cut_short(frame: pd.DataFrame, file: Any) -> None:
            file.write(b"half")
            if next(names) == "fused":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            imr.Experiment(systems, TOPICS, QRELS, [NRG @ 10], save_dir=str(tmp_path), save_mode="overwrite",
                           save_format=(lambda file: file, cut_short))  # fmt: skip
        after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        whole = list(systems)[: list(systems).index("fused")]
        assert after == before | {f"{name}.custom": b"half" for name in whole}

    def test_saved_runs_are_a_folder_for_calc_runs(self, tmp_path: Path) -> None:
        systems = {name: pt.Transformer.from_df(pt.model.add_ranks(frame)) for name, frame in RESULTS.items()}
        imr.Experiment(systems, TOPICS, QRELS, [NRG @ 10], save_dir=str(tmp_path))
        table = imr.calc_runs(["NRG@10"], TRACK.qrels, tmp_path)
        assert sorted(table.name.unique()) == sorted(RESULTS)
