"""The measures inside pt.Experiment give what ir_measures gives, and PyTerrier finds them by itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, RR, nDCG
from support.pyterrier_versions import needs_new
from support.repository import INSTALLED, REPOSITORY

from ir_measures_relative import NRG, TaSC, UniqueRel, simulate
from ir_measures_relative._hosts import ir_measures as provider_module

pt = pytest.importorskip("pyterrier", reason="needs PyTerrier")

pytestmark = pytest.mark.filterwarnings("ignore:prior run", "ignore:The inplace keyword")  # the latter by PyTerrier
TRACK = simulate.track(topics=12)
NAMES = ["dense_small", "fused", "bm25"]
PRIOR = TRACK.runs["hybrid"]
PYTERRIER_COLUMNS = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
TOPICS = pd.DataFrame({"qid": TRACK.qrels.query_id.unique(), "query": "words"})
QRELS = TRACK.qrels.rename(columns=PYTERRIER_COLUMNS)
MEASURES = [
    nDCG @ 10,
    NRG(prior=PRIOR) @ 10,
    NRG(prior={"dense": PRIOR}, base=RR),
    UniqueRel(prior=[PRIOR]) @ 10,
    TaSC(prior=PRIOR, base=AP),
]


def results(name: str) -> pd.DataFrame:
    """The results of a system as PyTerrier has them."""
    frame = TRACK.runs[name].rename(columns=PYTERRIER_COLUMNS)
    return pt.model.add_ranks(frame).merge(TOPICS, on="qid")


FRAMES = [results(name) for name in NAMES]
TRANSFORMERS = [
    pt.Transformer.from_df(FRAMES[0]),
    pt.apply.generic(lambda topics: topics[["qid"]].merge(FRAMES[1], on="qid")),
    # the middle step changes nothing, and plan='tree' shares the first one with the second system
    pt.Transformer.from_df(FRAMES[2]) >> pt.apply.doc_score(lambda row: row["score"]),
]
EXPECTED = pd.DataFrame(
    [ir_measures.calc_aggregate(MEASURES, TRACK.qrels, TRACK.runs[name]) for name in NAMES], index=NAMES
).rename(columns=str)
PER_TOPIC = pd.Series(
    {
        (name, metric.query_id, str(metric.measure)): metric.value
        for name in NAMES
        for metric in ir_measures.iter_calc(MEASURES, TRACK.qrels, TRACK.runs[name])
    }
)


def experiment(systems: Any, **options: Any) -> pd.DataFrame:
    return pt.Experiment(systems, TOPICS, QRELS, MEASURES, **{"names": NAMES, "verbose": False, **options})


def assert_expected(table: pd.DataFrame) -> None:
    assert table["name"].tolist() == NAMES
    for measure in EXPECTED.columns:
        assert table[measure].tolist() == pytest.approx(EXPECTED[measure].tolist(), abs=1e-12), measure


def test_the_measures_tell_the_systems_apart() -> None:
    """Else the other tests here would not see an exchange."""
    assert (EXPECTED.nunique() == len(NAMES)).all()


@pytest.mark.parametrize("systems", [FRAMES, TRANSFORMERS], ids=["frames", "transformers"])
class TestExperiment:
    def test_means(self, systems: list[Any]) -> None:
        assert_expected(experiment(systems))

    def test_names_are_optional(self, systems: list[Any]) -> None:
        table = experiment(systems, names=None)
        assert_expected(table.assign(name=NAMES))

    def test_per_topic(self, systems: list[Any]) -> None:
        table = experiment(systems, perquery=True)
        found = table.set_index(["name", "qid", "measure"])["value"]
        found = found.rename(index=str, level="measure")
        assert len(found) == len(PER_TOPIC) == len(NAMES) * len(TOPICS) * len(MEASURES)
        for key, value in PER_TOPIC.items():
            assert found[key] == pytest.approx(value, abs=1e-12), key

    @pytest.mark.parametrize(
        "options",
        [
            {"batch_size": 1},
            {"batch_size": 5},
            pytest.param({"plan": "tree"}, marks=needs_new),
            {"filter_by_qrels": True},
        ],
        ids=str,
    )
    def test_ways_to_run(self, systems: list[Any], options: dict[str, Any]) -> None:
        assert_expected(experiment(systems, **options))

    def test_baseline_and_correction(self, systems: list[Any]) -> None:
        table = experiment(systems, baseline=0, correction="holm")
        assert_expected(table)
        for measure in EXPECTED.columns:
            differences = {
                name: [PER_TOPIC[name, topic, measure] - PER_TOPIC[NAMES[0], topic, measure] for topic in TOPICS["qid"]]
                for name in NAMES[1:]
            }
            better = [sum(value > 0 for value in values) for values in differences.values()]
            assert table[f"{measure} +"].tolist()[1:] == better, measure
            assert table[f"{measure} p-value corrected"].notna().sum() == 2

    def test_a_topic_that_only_the_qrels_have(self, systems: list[Any]) -> None:
        """Our values come from the qrels' topics: one without results is an empty ranking."""
        more = pd.concat([QRELS, pd.DataFrame({"qid": ["extra"], "docno": ["d"], "label": [1]})])
        table = pt.Experiment(systems, TOPICS, more, MEASURES, names=NAMES, filter_by_topics=False, verbose=False)
        share = len(TOPICS) / (len(TOPICS) + 1)
        for measure in EXPECTED.columns:
            assert table[measure].tolist() == pytest.approx((EXPECTED[measure] * share).tolist(), abs=1e-12), measure


def test_saved_results_are_used_again(tmp_path: Path) -> None:
    assert_expected(experiment(TRANSFORMERS, save_dir=str(tmp_path)))
    assert {path.name for path in tmp_path.glob("*.res.gz")} == {f"{name}.res.gz" for name in NAMES}
    broken = [pt.apply.generic(lambda topics: 1 / 0) for _ in NAMES]  # must not be asked again
    assert_expected(experiment(broken, save_dir=str(tmp_path), save_mode="reuse", validate="ignore"))


def test_evaluate() -> None:
    found = pt.Evaluate(FRAMES[0], QRELS, MEASURES)
    assert {str(measure): value for measure, value in found.items()} == pytest.approx(dict(EXPECTED.loc[NAMES[0]]))


def test_grid_scan() -> None:
    """Tuning for what a system adds to another."""
    forwards, backwards = pt.Transformer.from_df(FRAMES[0]), FRAMES[0].assign(score=-FRAMES[0]["score"])

    class Turn(pt.Transformer):
        sign = 1

        def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
            return forwards(topics) if self.sign == 1 else topics[["qid"]].merge(backwards, on="qid")

    system = Turn()
    table = pt.GridScan(system, {system: {"sign": [-1, 1]}}, TOPICS, QRELS, MEASURES, verbose=False)
    measure = str(MEASURES[1])
    assert table[measure].idxmax() == 1
    assert table[measure][1] == pytest.approx(EXPECTED[measure][NAMES[0]], abs=1e-12)


def test_a_real_index(tmp_path: Path) -> None:
    """BM25 and query likelihood over an index of PISA, each against what BM25 has shown."""
    pisa = pytest.importorskip("pyterrier_pisa", reason="needs pyterrier-pisa")
    texts = ["the quick brown fox", "a fox and a dog", "dogs sleep all day", "the lazy dog", "brown bears, brown fox"]
    index = pisa.PisaIndex(str(tmp_path / "index"), text_field="text", threads=1)
    index.index([{"docno": f"d{number}", "text": text} for number, text in enumerate(texts)])
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["brown fox", "dog"]})
    qrels = pd.DataFrame({"qid": ["1", "1", "2", "2"], "docno": ["d0", "d4", "d1", "d3"], "label": [1, 2, 1, 1]})
    systems = [index.bm25(num_results=2), index.qld(num_results=4)]
    measures = [NRG(prior=systems[0](topics), normalizer="absolute") @ 3, UniqueRel(prior=systems[0](topics)) @ 3]
    table = pt.Experiment(systems, topics, qrels, measures, names=["bm25", "qld"])
    for system, found in zip(systems, table.itertuples(index=False), strict=True):
        expected = ir_measures.calc_aggregate(
            measures,
            qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"}),
            system(topics).rename(columns={"qid": "query_id", "docno": "doc_id"}),
        )
        assert list(found)[1:] == pytest.approx([expected[measure] for measure in measures], abs=1e-12)
    assert table[str(measures[1])].tolist()[0] == 0 < table[str(measures[1])].tolist()[1]


class TestEntryPoint:
    """What PyTerrier finds in a fresh process where the package is installed.

    An installed package is, to PyTerrier, its metadata on the path; so metadata with the entry points of pyproject.toml
    are put there, beside the modules.
    """

    def fresh(self, site: Path, code: str) -> subprocess.CompletedProcess[str]:
        text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
        (line,) = re.findall(r"""pyterrier\.modules"\]\n(.*)""", text)
        metadata = site / "ir_measures_relative-0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: ir_measures_relative\nVersion: 0\n")
        (metadata / "entry_points.txt").write_text("[pyterrier.modules]\n" + line.replace('"', "") + "\n")
        path = os.pathsep.join([str(site), str(INSTALLED)])
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": path},
            cwd=site,
        )

    def test_the_measures_are_there_without_an_import(self, tmp_path: Path) -> None:
        done = self.fresh(tmp_path, "import pyterrier as pt; print(pt.relative.NRG @ 10, pt.relative.calc_runs)")
        assert done.stdout.startswith("NRG@10 <function calc_runs"), done.stderr
        assert done.stderr == ""

    def test_they_compute_in_an_experiment(self, tmp_path: Path) -> None:
        code = """
import pandas as pd
import pyterrier as pt
results = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0], "rank": [0], "query": ["x"]})
qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
nothing = results.assign(docno="b")
measure = pt.relative.NRG(prior=nothing) @ 1
print(pt.Experiment([results], results[["qid", "query"]], qrels, [measure])[str(measure)].item())
"""
        done = self.fresh(tmp_path, code)
        assert done.stdout.strip() == "1.0", done.stderr

    def test_import_pyterrier_loads_none_of_the_package(self, tmp_path: Path) -> None:
        code = "import sys, pyterrier as pt; print(pt.relative, *(n for n in sys.modules if n.endswith('_relative')))"
        done = self.fresh(tmp_path, code)
        assert done.stdout == "<module 'pt.relative'> pyterrier_relative\n", done.stderr

    def test_the_entry_point_imports_nothing_else(self, tmp_path: Path) -> None:
        code = (
            "import importlib, sys, types, warnings; before = {*sys.modules}; import pyterrier_relative as r; r.load()"
        )
        done = self.fresh(tmp_path, f"{code}; print({{*sys.modules}} - before)")
        assert done.stdout == "{'pyterrier_relative'}\n", done.stderr

    def test_the_first_use_puts_the_package_in_place(self, tmp_path: Path) -> None:
        code = """
import sys
import pyterrier as pt
print(hasattr(pt.relative, "__wrapped__"), "ir_measures_relative" in sys.modules)
print("NRG" in dir(pt.relative), pt.relative is sys.modules["ir_measures_relative"])
"""
        assert self.fresh(tmp_path, code).stdout == "False False\nTrue True\n"

    @pytest.mark.parametrize(
        ("defect", "reason"),
        [
            ("raise RuntimeError('out of order')", "out of order"),
            pytest.param("raise SystemExit", "SystemExit", marks=pytest.mark.full),
            ("raise SystemExit('no licence')", "no licence"),
            pytest.param("import no_such_module", "No module named 'no_such_module'", marks=pytest.mark.full),
            pytest.param("def", "invalid syntax", marks=pytest.mark.full),
        ],
    )
    def test_pyterrier_survives_a_package_that_fails(self, defect: str, reason: str, tmp_path: Path) -> None:
        package = tmp_path / "ir_measures_relative"
        package.mkdir()
        (package / "__init__.py").write_text(defect)
        shutil.copy(REPOSITORY / "pyterrier_relative.py", tmp_path)
        code = """
import pyterrier as pt
print(pt.Experiment)
try:
    pt.relative.NRG
except ImportError as error:
    print(error)
"""
        done = self.fresh(tmp_path, code)
        assert done.returncode == 0 and done.stdout.startswith("<function Experiment"), done.stderr
        sentence = f"pt.relative is not available: ir_measures_relative cannot be imported ({reason}"
        assert sentence in done.stdout and done.stderr == ""


PART = PRIOR[PRIOR.query_id.isin(TOPICS["qid"][:6])]  # without the last topics


def heard(prior: pd.DataFrame, **how: Any) -> list[str]:
    """What is said of a prior run while PyTerrier evaluates two systems."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        patch.setattr(provider_module, "_warned", set())
        warnings.simplefilter("always")
        pt.Experiment(TRANSFORMERS[:2], TOPICS, QRELS, [NRG(prior={"part": prior}) @ 2], **how)
    return [str(warning.message) for warning in caught if "prior run" in str(warning.message)]


@pytest.mark.parametrize(
    "how",
    [
        {},
        *({"batch_size": n} for n in (1, 3, 6)),
        *(pytest.param({"batch_size": n, "plan": "tree"}, marks=needs_new) for n in (1, 3, 6)),
    ],
    ids=str,
)
def test_a_prior_that_lacks_a_whole_batch_is_not_warned_of(how: dict[str, Any]) -> None:
    assert heard(PART, **how) == []


@pytest.mark.parametrize("how", [{}, {"batch_size": 1}, {"batch_size": 6}])
def test_a_prior_whose_topics_are_written_otherwise_is_warned_of_once(how: dict[str, Any]) -> None:
    (message,) = heard(PART.assign(query_id=PART.query_id.str.upper() + " "), **how)
    assert "'part~" in message and "has no topic in common with the qrels" in message


@pytest.mark.parametrize("how", [{}, {"batch_size": 3}])
def test_a_prior_of_another_collection_is_warned_of_once(how: dict[str, Any]) -> None:
    (message,) = heard(PART.assign(query_id="x" + PART.query_id), **how)
    assert "has no topic in common with the qrels" in message
