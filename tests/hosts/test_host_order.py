"""Through every door the measures of ir_measures see a run in trec_eval's order: values are those of a slow count.

ir_measures' own Judged and RR@k break ties by ascending id, cwl-eval by the order of rows, and Compat takes a negative
score for less than a document that was not retrieved.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import ERR, RBP, RR, SDCG, Compat, Judged, Measure, P, R, Success, nDCG
from reference import host_measures, ordinary
from support.fuzzing import examples
from support.hard_scores import DOCUMENTS, SCORES

import ir_measures_relative as imr
from ir_measures_relative._cli import main
from ir_measures_relative._judged import Judgements, Run

Slow = Callable[[list[str], dict[str, int]], float]
# Measures of several providers, and what a slow count says of a ranking
COUNTS: dict[Measure, Slow] = {
    Judged @ 10: lambda ranking, grades: host_measures.judged(ranking, grades, 10),
    RR @ 10: lambda ranking, grades: ordinary.rr(ranking, grades, 10),
    Compat: host_measures.compatibility,
    P @ 3: lambda ranking, grades: ordinary.precision(ranking, grades, 3),
    nDCG @ 10: lambda ranking, grades: ordinary.ndcg(ranking, grades, 10),
}
# The same measure of this package, without prior runs
BASES: dict[Measure, Measure] = {
    RR @ 10: imr.NRG(base="RR") @ 10,
    R @ 5: imr.NRG(base="R") @ 5,
    Success @ 5: imr.TaSC(base="Success") @ 5,
}
try:
    import cwl  # noqa: F401

    BASES |= {RBP(p=0.5, rel=1): imr.NRG(base=RBP(p=0.5)), SDCG(max_rel=3) @ 5: imr.NRG(base=SDCG(max_rel=3)) @ 5}
except ImportError:
    pass
OURS = {host: measure(prior=[]) for host, measure in BASES.items()}
EXPONENTIAL = nDCG(dcg="exp-log2") @ 10
GDEVAL: dict[Measure, Measure] = {}  # it prints 5 decimal places
if shutil.which("perl") is not None:
    GDEVAL = {ERR @ 10: imr.TaSC(base="ERR", prior=[]) @ 10, EXPONENTIAL: imr.NRG(base=EXPONENTIAL, prior=[])}

scored = st.dictionaries(st.sampled_from(DOCUMENTS), st.one_of(st.sampled_from(SCORES), st.floats(allow_nan=False)))
graded = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3), min_size=1)


def check(qrels: dict[str, dict[str, int]], runs: dict[str, Any]) -> pd.DataFrame:
    """Every cell is that of the slow count, and our base measures are the host's; the means, runs x measures."""
    found = imr.compare([*COUNTS, *OURS, *OURS.values(), *GDEVAL, *GDEVAL.values()], qrels, runs)
    for name, run in runs.items():
        rankings = {topic: ordinary.ranked(scores) for topic, scores in run.items()}
        for measure, slow in COUNTS.items():
            for topic, value in found.table(measure).loc[name].items():
                assert abs(value - slow(rankings.get(topic, []), qrels[topic])) < 1e-12, (name, topic, measure)
    for same, places in ((OURS, 1e-12), (GDEVAL, 6e-6)):
        for host, ours in same.items():
            assert (found.table(host) - found.table(ours)).abs().max(axis=None) < places, host
    return found.to_frame()


@examples(100)
@given(st.dictionaries(st.sampled_from("pqr"), graded, min_size=1), st.dictionaries(st.sampled_from("pqr"), scored))
def test_random_runs(qrels: dict, run: dict) -> None:
    if set(qrels) & {topic for topic in run if run[topic]}:
        check(qrels, {"x": {topic: scores for topic, scores in run.items() if scores}})


@pytest.mark.parametrize(
    "track",
    [
        pytest.param("trec-covid-round1", marks=pytest.mark.full),
        pytest.param("trec-covid-round2", marks=pytest.mark.full),
        "trec-dl-2021",
    ],
)
def test_real_runs(track: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every twentieth run of a track, and those whose values ir_measures alone gets most wrong."""
    folder = shared / "data" / track
    wrong = {"crowd1", "Technion-RRF", "mpiid5_run2", "ielab-rbp-baseline", "p_tct1", "bl_bcai_p_trad"}
    files = sorted((folder / "runs").iterdir())
    files = [file for place, file in enumerate(files) if place % 20 == 0 or file.name.removesuffix(".run.gz") in wrong]
    runs = {file.name.removesuffix(".run.gz"): Run.of(file).to_dict() for file in files}
    qrels = Judgements.of(folder / "qrels.txt").to_dict()
    means = check(qrels, runs)
    direct = {name: ir_measures.calc_aggregate([Judged @ 10, RR @ 10, Compat], qrels, runs[name]) for name in runs}
    wrong_by = means[["Judged@10", "RR@10", "Compat"]] - pd.DataFrame(direct).T.rename(columns=str)
    assert wrong_by.abs().max().max() > 0.05  # else this data could not show the difference

    for file in files:
        (tmp_path / file.name).symlink_to(file)
    texts = [str(measure) for measure in COUNTS]
    assert main(["compare", str(folder / "qrels.txt"), str(tmp_path), *texts, "-o", "jsonl"]) == 0
    for line in capsys.readouterr().out.splitlines():
        row = json.loads(line)
        assert {text: row[text] for text in texts} == means.loc[row["name"], texts].to_dict()
    first = files[0]
    assert main([str(folder / "qrels.txt"), str(first), *texts, "-o", "jsonl"]) == 0
    values = {row["measure"]: row["value"] for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert values == means.loc[first.name.removesuffix(".run.gz"), texts].to_dict()


def test_experiment_sees_the_same_order(shared: Path) -> None:
    pytest.importorskip("pyterrier", reason="PyTerrier is not installed")
    folder = shared / "data" / "trec-dl-2021"
    qrels = Judgements.of(folder / "qrels.txt").to_dict()
    runs = {name: Run.of(folder / "runs" / f"{name}.run.gz").to_dict() for name in ("p_tct1", "bl_bcai_p_trad")}
    expected = imr.compare(list(COUNTS), qrels, runs).to_frame()

    def rows(values: dict[str, dict[str, Any]], column: str) -> pd.DataFrame:
        found = [(topic, document, value) for topic, of in values.items() for document, value in of.items()]
        return pd.DataFrame(found, columns=["qid", "docno", column])

    topics = pd.DataFrame({"qid": list(qrels), "query": "x"})
    systems = {name: rows(run, "score") for name, run in runs.items()}
    found = imr.Experiment(systems, topics, rows(qrels, "label"), list(COUNTS)).set_index("name")
    pd.testing.assert_frame_equal(found, expected, check_index_type=False, rtol=0, atol=1e-12)
