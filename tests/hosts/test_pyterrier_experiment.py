"""Experiment gives what calc_runs gives, in every way in which pt.Experiment can run, and retrieves once."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from typing import Any

import ir_measures
import pandas as pd
import pytest
from ir_measures import ERR, P, nDCG
from support.pyterrier_versions import TABLES, needs_new

import ir_measures_relative as imr
from ir_measures_relative import NRG, UniqueRel, simulate

pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")

TRACK = simulate.track(topics=9)
NAMES = ["bm25", "dense_small", "fused"]
TOPICS = pd.DataFrame({"qid": TRACK.qrels.query_id.unique(), "query": "x"})
QRELS = TRACK.qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
RESULTS = {
    name: TRACK.runs[name]
    .rename(columns={"query_id": "qid", "doc_id": "docno"})
    .assign(rank=lambda frame: frame.groupby("qid").score.rank(ascending=False, method="first").astype(int) - 1)
    for name in NAMES
}
GROUPS = {name: TRACK.groups[name] for name in NAMES}
METRICS = [nDCG @ 10, NRG @ 10, "UniqueRel@10", "P_5", NRG(prior="previous") @ 10, NRG(prior="bm25") @ 10]


class Retriever(pt.Transformer):
    """A real transformer that counts how many topics it was asked for."""

    def __init__(self, name: str, asked: Counter):
        self.name, self.asked = name, asked

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        self.asked[self.name] += len(topics)
        return topics.merge(RESULTS[self.name], on="qid")

    def __repr__(self) -> str:
        return self.name


@pytest.fixture
def asked() -> Counter:
    return Counter()


@pytest.fixture
def systems(asked: Counter) -> dict[str, Any]:
    return {name: Retriever(name, asked) for name in NAMES}


@pytest.fixture(scope="module")
def expected() -> pd.DataFrame:
    """[system, measure] means by calc_runs."""
    measures = ["P@5" if metric == "P_5" else metric for metric in METRICS]
    table = imr.calc_runs(measures, TRACK.qrels, {name: TRACK.runs[name] for name in NAMES})
    return table.groupby(["name", "measure"])["value"].mean().unstack().rename(columns={"P@5": "P_5"})


def same(report: pd.DataFrame, expected: pd.DataFrame) -> None:
    shown = report.set_index("name")[expected.columns].loc[expected.index]
    pd.testing.assert_frame_equal(shown, expected, check_names=False, rtol=0, atol=1e-12)


@pytest.mark.parametrize("metrics", [
    [nDCG @ 10, nDCG(gains={1: 9}) @ 10, nDCG(gains={2: 9}) @ 10],
    pytest.param([ERR @ 5, nDCG(dcg="exp-log2") @ 5], marks=pytest.mark.skipif(
        shutil.which("perl") is None, reason="gdeval is a Perl program")),
], ids=str)  # fmt: skip
def test_measures_that_ir_measures_alone_gets_wrong(metrics: list) -> None:
    """Gain tables are confused in one call; topics such as PLAIN-2 are misread by gdeval."""
    topics, qrels = (frame.assign(qid="PLAIN-" + frame.qid) for frame in (TOPICS, QRELS))
    results = {name: result.assign(qid="PLAIN-" + result.qid) for name, result in RESULTS.items()}
    report = imr.Experiment(results, topics, qrels, [*metrics, "mrt"], batch_size=4).set_index("name")
    table = imr.calc_runs(metrics, qrels, results)
    for metric in metrics:
        alone = table[table.measure == str(metric)].groupby("name").value.mean()
        assert alone.min() > 0
        pd.testing.assert_series_equal(report[str(metric)], alone[report.index], check_names=False)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"batch_size": 4},
        pytest.param({"plan": "tree", "verbose": False}, marks=needs_new),
        pytest.param({"plan": "tree", "batch_size": 2, "verbose": False}, marks=needs_new),
    ],
    ids=str,
)
def test_transformers_retrieve_once(arguments: dict, systems: dict, asked: Counter, expected: pd.DataFrame) -> None:
    same(imr.Experiment(systems, TOPICS, QRELS, METRICS, **arguments), expected)
    assert asked == dict.fromkeys(NAMES, len(TOPICS))


def test_results_and_lists(systems: dict, expected: pd.DataFrame) -> None:
    same(imr.Experiment(RESULTS, TOPICS, QRELS, METRICS), expected)
    same(imr.Experiment(list(systems.values()), TOPICS, QRELS, METRICS, names=NAMES), expected)
    same(imr.Experiment(list(systems.values()), TOPICS, QRELS, METRICS), expected)  # named by str()


def test_one_system_has_no_others() -> None:
    report = imr.Experiment({"bm25": RESULTS["bm25"]}, TOPICS, QRELS, [nDCG @ 10, NRG @ 10])
    assert report["NRG@10"][0] == pytest.approx(report["nDCG@10"][0], abs=1e-12)


def test_groups(systems: dict) -> None:
    measures = [NRG(prior="groups") @ 10]
    report = imr.Experiment(systems, TOPICS, QRELS, measures, groups=GROUPS, by=P @ 5)
    runs = {name: TRACK.runs[name] for name in NAMES}
    table = imr.calc_runs(measures, TRACK.qrels, runs, groups=GROUPS, by=P @ 5)
    same(report, table.groupby(["name", "measure"])["value"].mean().unstack())


def test_baseline_correction_and_rounding_are_those_of_pyterrier(systems: dict) -> None:
    """An explicit prior can be evaluated by pt.Experiment alone, so the two must agree in every column."""
    arguments = {"correction": "holm", "round": {"nDCG@10": 2}, "test": "wilcoxon"}
    metrics = [nDCG @ 10, NRG(prior=TRACK.runs["hybrid"]) @ 10]
    ours = imr.Experiment(systems, TOPICS, QRELS, metrics, baseline="fused", **arguments)
    theirs = pt.Experiment(list(systems.values()), TOPICS, QRELS, metrics, names=NAMES, baseline=2, **arguments)
    pd.testing.assert_frame_equal(ours[theirs.columns], theirs)


def test_perquery_and_both(systems: dict, expected: pd.DataFrame) -> None:
    long = imr.Experiment(systems, TOPICS, QRELS, METRICS, perquery=True)
    same(long.groupby(["name", "measure"])["value"].mean().unstack().reset_index(), expected)
    averages, perquery = imr.Experiment(systems, TOPICS, QRELS, METRICS, perquery="both")
    same(averages, expected)
    assert len(perquery) == len(NAMES) * len(TOPICS) * len(METRICS)


def test_values_of_a_dict_are_plain_floats(systems: dict) -> None:
    report = imr.Experiment(systems, TOPICS, QRELS, METRICS, dataframe=False, perquery=True)
    assert {type(value) for topics in report.values() for values in topics.values() for value in values.values()} == {
        float
    }


def test_dict_and_highlighted_reports_hold_the_time_of_the_retrieval(systems: dict) -> None:
    report = imr.Experiment(systems, TOPICS, QRELS, [NRG @ 10, "mrt"], dataframe=False)
    assert all(report[name]["mrt"] > 0 for name in NAMES)
    styled = imr.Experiment(systems, TOPICS, QRELS, [NRG @ 10, "mrt"], highlight="bold", round=3)
    assert (styled.data["mrt"] > 0).all() and "font-weight: bold" in styled.to_html()


def test_save_and_reuse(systems: dict, asked: Counter, expected: pd.DataFrame, tmp_path) -> None:
    same(imr.Experiment(systems, TOPICS, QRELS, [*METRICS, "mrt"], save_dir=str(tmp_path)), expected)
    files = sorted([*TABLES, "bm25.res.gz", "dense_small.res.gz", "fused.res.gz"])
    assert sorted(os.listdir(tmp_path)) == files
    if TABLES:
        saved = pd.read_csv(tmp_path / "aggregated.csv")
        same(saved, expected)
        assert (saved["mrt"] > 0).all()
        assert set(pd.read_csv(tmp_path / "perquery.csv").measure) == set(expected.columns)
    asked.clear()
    again = imr.Experiment(systems, TOPICS, QRELS, [*METRICS, "mrt"], save_dir=str(tmp_path), save_mode="reuse")
    same(again, expected)
    assert asked == {} or set(asked.values()) == {0}
    assert sorted(os.listdir(tmp_path)) == files


@needs_new
def test_saved_tables_of_other_systems_are_kept(tmp_path) -> None:
    for name in NAMES[:2]:
        imr.Experiment({name: RESULTS[name]}, TOPICS, QRELS, [nDCG @ 10, UniqueRel @ 10], save_dir=str(tmp_path))
    assert sorted(pd.read_csv(tmp_path / "aggregated.csv").name) == sorted(NAMES[:2])
    with pytest.warns(UserWarning, match="Evaluation measures differ") as caught:
        imr.Experiment({"fused": RESULTS["fused"]}, TOPICS, QRELS, [nDCG @ 10], save_dir=str(tmp_path))
    (sentence,) = (str(warning.message) for warning in caught if "differ" in str(warning.message))
    assert f"the existing '{tmp_path / 'aggregated.csv'}'" in sentence  # and not the place where it is written


def test_a_failure_leaves_the_saved_tables_alone(systems: dict, tmp_path) -> None:
    imr.Experiment(systems, TOPICS, QRELS, [nDCG @ 10], save_dir=str(tmp_path))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="unknown prior run 'nobody'"):
        imr.Experiment(systems, TOPICS, QRELS, [NRG(prior="nobody") @ 10], save_dir=str(tmp_path), save_mode="reuse")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"baseline": 99}, AssertionError),
        ({"baseline": 0, "perquery": True}, AssertionError),
        ({"baseline": "nobody"}, (TypeError, ValueError)),  # a name, where systems have none
        ({"nonsense": 1}, TypeError),
        ({"correction": "holm"}, ValueError),
        ({"save_dir": "no-such-folder"}, ValueError),
    ],
    ids=str,
)
def test_what_pyterrier_refuses_is_refused_before_retrieval(
    arguments: dict, error: Any, systems: dict, asked: Counter
) -> None:
    with pytest.raises(error):
        pt.Experiment(list(systems.values()), TOPICS, QRELS, [nDCG @ 10], **arguments)
    asked.clear()
    for some in (systems, list(systems.values())):
        with pytest.raises(error):
            imr.Experiment(some, TOPICS, QRELS, [nDCG @ 10], **arguments)
        assert asked == {}


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        (
            {"topics": "no-file"},
            ValueError,
            "topics: cannot find the file 'no-file'; expected a DataFrame or",
        ),
        ({"qrels": "no-file"}, ValueError, "qrels file 'no-file' cannot be read"),
        ({"topics": ["1"]}, TypeError, "topics: cannot read a list; expected a DataFrame"),
        ({"qrels": 3}, TypeError, "qrels: cannot read an int"),
        ({"retr_systems": {}}, ValueError, "retr_systems: at least one system is required, got none"),
        ({"retr_systems": 3}, TypeError, "retr_systems must be a list or dict of systems, got an int"),
    ],
    ids=str,
)
def test_what_is_no_table(given: dict, error: type, sentence: str, systems: dict, asked: Counter) -> None:
    arguments = {"retr_systems": systems, "topics": TOPICS, "qrels": QRELS, **given}
    with pytest.raises(error, match=sentence):
        imr.Experiment(**arguments, eval_metrics=[NRG @ 10])
    assert asked == {}


def test_topics_and_qrels_that_are_files(systems: dict, expected: pd.DataFrame, tmp_path) -> None:
    """As PyTerrier reads them."""
    TOPICS[["qid", "query"]].to_csv(tmp_path / "topics", sep=" ", header=False, index=False)
    QRELS.assign(zero=0)[["qid", "zero", "docno", "label"]].to_csv(
        tmp_path / "qrels", sep=" ", header=False, index=False
    )
    metrics = [*METRICS, NRG(prior=Retriever("fused", Counter())) @ 10]
    topics = pt.io.read_topics(str(tmp_path / "topics"), format="singleline")
    same(imr.Experiment(systems, topics, str(tmp_path / "qrels"), metrics), expected)


def test_a_baseline_that_is_no_system(systems: dict, asked: Counter) -> None:
    with pytest.raises(ValueError, match="unknown baseline 'nobody'; names are bm25, dense_small, fused"):
        imr.Experiment(systems, TOPICS, QRELS, [nDCG @ 10], baseline="nobody")
    assert asked == {}


@pytest.mark.parametrize(
    ("metrics", "arguments", "sentence"),
    [
        ([imr.RareP], {}, "RareP requires a cutoff, as in RareP@10"),
        ([imr.MED @ 10], {}, "MED@10 requires reference"),
        ([NRG(prior="zz") @ 10], {}, "unknown prior run 'zz'; names are bm25, dense_small, fused"),
        ([NRG(prior="groups") @ 10], {}, "prior='groups' requires groups="),
        ([NRG(prior="groups") @ 10], {"groups": {"bm25": "sparse"}}, "the runs 'dense_small', 'fused' have no group"),
        ([NRG(prior="groups") @ 10], {"groups": GROUPS, "by": "MED@10"}, "by=MED@10 cannot|MED@10 requires reference"),
        ([NRG @ 10], {"by": "nDCGG@10"}, "unknown measure 'nDCGG'"),
        ([P], {}, "P requires cutoff, as in P@10"),
        ([3], {}, "eval_metrics must be measures or their text, got 3"),
    ],
    ids=str,
)
def test_what_cannot_be_computed_is_refused_before_retrieval(
    metrics: list, arguments: dict, sentence: str, systems: dict, asked: Counter
) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        imr.Experiment(systems, TOPICS, QRELS, metrics, **arguments)
    assert asked == {}


@pytest.mark.parametrize(
    ("qrels", "names", "sentence"),
    [
        (QRELS.drop(columns="label"), None, "has no column 'relevance' or 'label'"),
        (QRELS.assign(label=1.5), None, "has the grade 1.5"),
        (pd.concat([QRELS, QRELS.assign(label=QRELS["label"] + 1)]), None, "is judged twice"),
        (QRELS, ["others", "b", "c"], "'others' cannot name a run"),
    ],
    ids=["no grades", "half a grade", "two grades", "a reserved name"],
)
def test_qrels_and_names_are_looked_at_before_retrieval(
    qrels: pd.DataFrame, names: list | None, sentence: str, systems: dict, asked: Counter
) -> None:
    some = systems if names is None else list(systems.values())
    with pytest.raises(ValueError, match=sentence):
        imr.Experiment(some, TOPICS, qrels, [NRG @ 10], names=names)
    assert asked == {}


def test_a_system_of_other_topics_is_scored_as_pyterrier_scores_it() -> None:
    systems = {"bm25": RESULTS["bm25"], "lost": RESULTS["fused"].assign(qid="elsewhere")}
    theirs = pt.Experiment(list(systems.values()), TOPICS, QRELS, [nDCG @ 10], names=list(systems))
    with pytest.warns(UserWarning, match="system 'lost' has no topic in common with the qrels"):
        ours = imr.Experiment(systems, TOPICS, QRELS, [nDCG @ 10, NRG @ 10])
    pd.testing.assert_frame_equal(ours[["name", "nDCG@10"]], theirs)
    assert ours["NRG@10"].iloc[1] == 0


def test_spam_is_shown_to_the_host_as_another_grade_without_gain() -> None:
    """pytrec_eval can end the process on grades below -1."""
    seen = []

    def lowest(qrels: pd.DataFrame, run: pd.DataFrame) -> Any:
        seen.append(int(qrels["relevance"].min()))
        return ((topic, 0.0) for topic in qrels["query_id"].unique())

    spam = QRELS.assign(label=QRELS["label"].where(QRELS["label"] > 0, -2))
    measure = ir_measures.define(lowest, name="lowest", support_cutoff=False)
    report = imr.Experiment(RESULTS, TOPICS, spam, [measure, NRG @ 10])
    assert set(seen) == {-1} and spam["label"].min() == -2
    assert report["NRG@10"].tolist() == imr.Experiment(RESULTS, TOPICS, QRELS, [NRG @ 10])["NRG@10"].tolist()


def test_unknown_measures_get_a_sentence(systems: dict) -> None:
    with pytest.raises(ValueError, match="unknown measure 'Nonsense'"):
        imr.Experiment(systems, TOPICS, QRELS, ["Nonsense@10"])


def test_systems_of_one_name_are_told_apart() -> None:
    both = [RESULTS["bm25"], RESULTS["fused"]]
    report = imr.Experiment(both, TOPICS, QRELS, [NRG @ 10], names=["x", "x"])
    table = imr.calc_runs([NRG @ 10], TRACK.qrels, {name: TRACK.runs[name] for name in ("bm25", "fused")})
    assert report["NRG@10"].tolist() == pytest.approx(table.groupby("name", sort=False)["value"].mean().tolist())


@pytest.mark.parametrize("kind", ["int64", "Int64", "category"])
@pytest.mark.parametrize("batch_size", [None, 3])
def test_topics_that_are_numbers(kind: str, batch_size: int | None) -> None:
    """pt.Experiment takes them where no measure of pytrec_eval is asked for, and so does this."""
    topics, qrels = TOPICS.astype({"qid": kind}), QRELS.astype({"qid": kind})
    systems = {name: pt.Transformer.from_df(result.astype({"qid": kind})) for name, result in RESULTS.items()}
    metrics = [NRG @ 10, imr.UL @ 10]
    report = imr.Experiment(systems, topics, qrels, metrics, batch_size=batch_size)
    table = imr.calc_runs(metrics, TRACK.qrels, {name: TRACK.runs[name] for name in NAMES})
    same(report, table.groupby(["name", "measure"])["value"].mean().unstack())


def test_no_measures_get_a_sentence(systems: dict, asked: Counter) -> None:
    with pytest.raises(TypeError, match="measures: expected measures or their text"):
        imr.Experiment(systems, TOPICS, QRELS, None)  # type: ignore[arg-type]
    assert asked == {}


def test_measures_come_in_the_order_asked_for(systems: dict) -> None:
    """PyTerrier's own order is that of a set; what compares with a baseline stands behind the means."""
    metrics = ["UniqueRel@10", nDCG @ 10, NRG @ 10, "P_5", "mrt"]
    names = ["UniqueRel@10", "nDCG@10", "NRG@10", "P_5", "mrt"]
    report = imr.Experiment(systems, TOPICS, QRELS, metrics)
    assert list(report.columns) == ["name", *names]
    compared = imr.Experiment(systems, TOPICS, QRELS, metrics, baseline=0)
    behind = [f"{name} {sign}" for name in names[:-1] for sign in ("+", "-", "p-value")]
    assert list(compared.columns) == ["name", *names, *behind]
