"""What a report embeds: the numbers are those of the functions that it is made with, and missing pieces degrade."""

from __future__ import annotations

import hashlib
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.report_pages import ends, footer_of, made

import ir_measures_relative as imr
from ir_measures_relative._report import content as content_module

TRACK = imr.simulate.track(seed=1, topics=6, depth=20, pool_depth=4)
RUNS = {name: TRACK.runs[name] for name in ("bm25", "dense_small", "dense_large", "hybrid")}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made(tmp_path_factory.mktemp("page"), TRACK.qrels, RUNS, groups=TRACK.groups)


def test_values_and_means_are_those_of_calc_runs(data: dict[str, Any]) -> None:
    names = [measure["name"] for measure in data["measures"]]
    assert names == ["nDCG@10", "NRG@10", "NRG(prior='groups')@10", "UniqueRel@10", "Judged@10"]
    table = imr.calc_runs(names, TRACK.qrels, RUNS, groups=TRACK.groups)
    for m, name in enumerate(names):
        asked = table[table["measure"] == name].pivot(index="name", columns="query_id", values="value")
        asked = asked.loc[data["runs"]["name"], data["topics"]["name"]]
        np.testing.assert_allclose(np.array(data["values"][m]) / data["scale"], asked, atol=0.51e-4)
        np.testing.assert_allclose(data["means"][m], asked.mean(axis=1), atol=0.51e-6)


def test_measures_say_what_they_compare_with(data: dict[str, Any]) -> None:
    said = [data["words"][f"m{place}"][1] for place in range(5)]
    prior = [text.partition("Prior runs: ")[2].partition(".")[0] for text in said]
    assert prior == ["", "all other runs", "the best run of every other group", "all other runs", ""]
    assert all(text.endswith("Larger is better.") and "mean over topics" in text for text in said)
    assert data["adds"] == 2


def test_rankings_are_the_top_of_the_runs(data: dict[str, Any]) -> None:
    lists = data["lists"]
    grades = {(row.query_id, row.doc_id): row.relevance for row in TRACK.qrels.itertuples()}
    assert lists["topics"] == list(range(6)) and data["cutoff"] == 10
    for place, topic in enumerate(data["topics"]["name"]):
        for run, name in enumerate(data["runs"]["name"]):
            frame = RUNS[name].query("query_id == @topic").sort_values("score", ascending=False)
            shown = [lists["docs"][place][code] for code in lists["rank"][place][run]]
            assert shown == frame["doc_id"].tolist()[:10]
            unjudged = [doc for doc in shown if (topic, doc) not in grades]
            assert data["unjudged"][run][place] == len(unjudged)
        assert lists["grade"][place] == [grades.get((topic, doc)) for doc in lists["docs"][place]]
        relevant = {doc for (of, doc), grade in grades.items() if of == topic and grade > 0}
        assert data["topics"]["relevant"][place] == len(relevant)
        tops = [[lists["docs"][place][code] for code in codes] for codes in lists["rank"][place]]
        for doc, runs, best in zip(lists["docs"][place], *lists["found"][place], strict=True):
            assert runs == sum(doc in top for top in tops)
            assert best == min(top.index(doc) + 1 for top in tops if doc in top)
        number, named = lists["missed"][place]
        assert number == len(relevant - set(lists["docs"][place]))
        assert {doc for doc, _ in named} <= relevant - set(lists["docs"][place])


def test_pairs_are_those_of_med_and_the_t_test(data: dict[str, Any]) -> None:
    from scipy.stats import ttest_rel

    pairs, names = data["pairs"], data["runs"]["name"]
    table = imr.calc_runs(["nDCG@10"], TRACK.qrels, RUNS).pivot(index="name", columns="query_id", values="value")
    means = table.mean(axis=1)
    assert [names[run] for run in pairs["runs"]] == means.sort_values(ascending=False).index.tolist()
    for place, (i, j) in enumerate(combinations(pairs["runs"], 2)):
        a, b = names[i], names[j]
        single = imr.med(TRACK.qrels, RUNS[a], RUNS[b])
        assert pairs["difference"][place] == pytest.approx(means[a] - means[b], abs=1e-6)
        assert pairs["low"][place] == pytest.approx(single.below.mean(), abs=1e-6)
        assert pairs["high"][place] == pytest.approx(single.above.mean(), abs=1e-6)
        assert pairs["settled"][place] == {"undecided": "no"}.get(single.verdict, single.verdict)
        assert pairs["med"][place] == pytest.approx(single.to_frame()["med"].mean(), abs=1e-4)
        assert pairs["p"][place] == pytest.approx(ttest_rel(table.loc[a], table.loc[b]).pvalue, abs=1e-6)
        assert pairs["low"][place] <= pairs["difference"][place] + 1e-6 <= pairs["high"][place] + 2e-6
        for topic in range(6):
            below, above = ends(pairs["ends"][place], topic)
            assert (below, above) == pytest.approx((single.below[topic], single.above[topic]), abs=1e-4)
            assert (np.sign(below), np.sign(above)) == (np.sign(single.below[topic]), np.sign(single.above[topic]))


def test_rank_intervals_are_those_of_meta(data: dict[str, Any]) -> None:
    table = imr.calc_runs(["nDCG@10"], TRACK.qrels, RUNS)
    asked = imr.meta.rank_intervals(table.pivot(index="name", columns="query_id", values="value")).to_frame()
    asked = asked.set_index("system").loc[data["runs"]["name"]]
    # its draws depend on the order of the systems' names, which the page does not keep
    np.testing.assert_allclose(data["ranks"]["low"], asked["low"], atol=0.02)
    np.testing.assert_allclose(data["ranks"]["high"], asked["high"], atol=0.02)
    assert data["ranks"]["tier"] == asked["tier"].tolist()
    assert all(low <= mean <= high for low, mean, high in zip(
        data["ranks"]["low"], data["means"][0], data["ranks"]["high"], strict=True))  # fmt: skip


def test_the_same_input_gives_the_same_page(tmp_path: Path) -> None:
    first = imr.report(TRACK.qrels, RUNS, tmp_path / "a.html").read_bytes()
    shuffled = {name: run.sample(frac=1, random_state=0) for name, run in RUNS.items()}
    again = imr.report(TRACK.qrels.sample(frac=1, random_state=0).sort_values("query_id", kind="stable"), shuffled,
                       tmp_path / "b.html")  # fmt: skip
    assert again.read_bytes() == first


def test_groups_are_places_best_first(data: dict[str, Any], tmp_path: Path) -> None:
    assert sorted(data["groups"]) == ["dense", "hybrid", "lexical"]
    groups = [data["groups"][place] for place in data["runs"]["group"]]
    assert groups == [TRACK.groups[name] for name in RUNS]
    best = data["pairs"]["runs"][0]
    assert data["runs"]["group"][best] == 0
    assert made(tmp_path, TRACK.qrels, RUNS)["groups"] == []


def test_what_groups_alone_found(data: dict[str, Any]) -> None:
    grades = {(row.query_id, row.doc_id): row.relevance for row in TRACK.qrels.itertuples()}
    found: dict[tuple[str, str], set[str]] = {}
    for name, run in RUNS.items():
        top = run.sort_values(["query_id", "score"], ascending=False).groupby("query_id").head(10)
        for row in top.itertuples():
            if grades.get((row.query_id, row.doc_id), 0) > 0:
                found.setdefault((row.query_id, row.doc_id), set()).add(TRACK.groups[name])
    expected = [sum(of == {group} for of in found.values()) for group in data["groups"]]
    assert data["alone"] == expected and sum(expected) > 0


def test_copies_have_the_same_top_of_every_ranking(data: dict[str, Any], tmp_path: Path) -> None:
    assert data["runs"]["copies"] == [None] * 4
    same = RUNS["bm25"].assign(score=RUNS["bm25"]["score"] * 2)
    rank = same.groupby("query_id")["score"].rank(ascending=False)
    below = same[~((same["query_id"] == "3") & (rank == 11))]  # rank 11 of one topic is missing
    differs = same[~((same["query_id"] == "3") & (rank == 10))]
    runs = {"hybrid": RUNS["hybrid"], "bm25": RUNS["bm25"], "copy": below, "other": differs}
    assert made(tmp_path, TRACK.qrels, runs)["runs"]["copies"] == [None, 1, 1, None]


class TestManyTopics:
    def test_rankings_are_kept_where_runs_differ_most(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(content_module, "CELLS", 12)
        monkeypatch.setattr(content_module, "FEWEST_TOPICS", 2)
        data = made(tmp_path, TRACK.qrels, RUNS)
        spread = np.array(data["values"][0]).std(axis=0)
        assert data["lists"]["topics"] == sorted(np.argsort(-spread)[:3].tolist())
        assert len(data["lists"]["docs"]) == 3 and len(data["values"][0][0]) == 6
        assert {len(text) for text in data["pairs"]["ends"]} == {16}  # 12 bytes

    def test_no_more_than_a_map_can_show(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(content_module, "MOST_TOPICS", 2)
        data = made(tmp_path, TRACK.qrels, RUNS)
        assert len(data["lists"]["topics"]) == 2
        assert any("included for 2 of 6 topics" in text for text in footer_of(tmp_path / "page.html"))

    def test_pairs_of_the_best_runs_alone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(content_module, "PAIR_CELLS", 30)
        data = made(tmp_path, TRACK.qrels, RUNS)
        order = sorted(range(4), key=lambda run: -data["means"][0][run])
        assert data["pairs"]["runs"] == order[:3] and len(data["pairs"]["difference"]) == 3


class TestMissingPieces:
    def test_one_run(self, tmp_path: Path) -> None:
        data = made(tmp_path, TRACK.qrels, {"bm25": RUNS["bm25"]}, groups={"bm25": "lexical"})
        assert data["pairs"] is None and data["ranks"]["tier"] == [1]
        assert [measure["name"] for measure in data["measures"]] == ["nDCG@10", "NRG@10", "UniqueRel@10", "Judged@10"]

    def test_one_topic(self, tmp_path: Path) -> None:
        data = made(tmp_path, {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
        assert data["ranks"] is None and data["pairs"]["p"] is None and data["pairs"]["difference"] == [1.0]

    def test_nothing_judged(self, tmp_path: Path) -> None:
        data = made(tmp_path, {"q": {}, "r": {}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 2.0, "a": 1.0}}})
        assert data["means"][0] == [0.0, 0.0] and data["lists"]["grade"] == [[None, None], []]
        assert ends(data["pairs"]["ends"][0], 0)[1] > 0 and data["topics"]["top"] == 1

    def test_no_run_shares_a_topic(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="'x' has no topic in common with the qrels"):
            imr.report({"q": {"a": 1}}, {"x": {"other": {"a": 1.0}}}, tmp_path / "page.html")
        assert not list(tmp_path.iterdir())

    def test_measures_that_med_does_not_know(self, tmp_path: Path) -> None:
        data = made(tmp_path, TRACK.qrels, RUNS, measures=["BootNDCG@10", "UL@10"])
        assert data["pairs"]["low"] is None and data["pairs"]["ends"] is None
        assert min(map(min, data["values"][1])) < 0  # UL below 0: worse than a random order

    def test_a_baseline_to_begin_with(self, tmp_path: Path) -> None:
        assert made(tmp_path, TRACK.qrels, RUNS, baseline="hybrid")["baseline"] == 3

    def test_sums_where_ir_measures_adds_up(self, tmp_path: Path) -> None:
        data = made(tmp_path, TRACK.qrels, RUNS, measures=["nDCG@10", "NumRet"])
        assert data["means"][1] == [120.0] * 4 and "sum over topics" in data["words"]["m1"][1]

    def test_negative_scores_and_ties(self, tmp_path: Path) -> None:
        run = RUNS["bm25"].assign(score=-1.0)
        data = made(tmp_path, TRACK.qrels, {"tied": run, "hybrid": RUNS["hybrid"]})
        shown = [data["lists"]["docs"][0][code] for code in data["lists"]["rank"][0][0]]
        assert shown == sorted(run.query("query_id == '1'")["doc_id"], reverse=True)[:10]

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ({"baseline": "bm52"}, "unknown baseline 'bm52'; did you mean 'bm25'?"),
            ({"measures": []}, "measures must name at least one measure"),
            ({"title": 3}, "title must be text, got 3"),
            ({"check_labels": True}, "check_labels=True requires labels="),
            ({"depth": 0, "labels": "learned"}, "depth"),
            ({"texts": 3}, "texts must be a dict of document: text, .*, got 3"),
            ({"texts": pd.DataFrame({"a": [1]})}, "texts: a DataFrame requires the columns doc_id .*, got a"),
            (
                {"texts": pd.DataFrame([["d", "x", "y"]], columns=["doc_id", "text", "text"])},
                "must have one column 'doc_id' and one column 'text', got several",
            ),
            ({"texts": {RUNS["bm25"]["doc_id"].iloc[0]: b"bytes"}}, "must be a str, got b'bytes'"),
            ({"baseline": ["bm25"]}, "unknown baseline \\['bm25'\\]"),
        ],
    )
    def test_refused(self, arguments: dict[str, Any], sentence: str, tmp_path: Path) -> None:
        with pytest.raises((ValueError, TypeError), match=sentence):
            imr.report(TRACK.qrels, RUNS, tmp_path / "page.html", **arguments)
        assert not list(tmp_path.iterdir())

    def test_no_topic(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="has no topic; at least one"):
            imr.report({}, RUNS, tmp_path / "page.html")


def test_texts_of_documents_and_topics(tmp_path: Path) -> None:
    qrels, runs = {"1": {"1": 1}}, {"x": {"1": {"1": 2.0, "d": 1.0}}}  # a topic and a document of one name
    documents = pd.DataFrame({"docno": ["1", "other"], "text": ["a  long\ntext " + "x" * 999, "not shown"]})
    queries = pd.DataFrame({"qid": [1], "query": ["what is asked"]})
    data = made(tmp_path, qrels, runs, texts=[documents, queries, {"d": "second", "1": float("nan"), "absent": 5}])
    assert data["topics"]["text"] == ["what is asked"]
    first, second = data["lists"]["text"][0]["0"], data["lists"]["text"][0]["1"]
    assert first.startswith("a long text xxx") and first.endswith("…") and len(first) == 240 and second == "second"


def test_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        lines = [f"{q} Q0 {d} 0 {s} tag\n" for q, d, s in run.itertuples(index=False)]
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    foot = footer_of(imr.report(TRACK.qrels, tmp_path / "runs", tmp_path / "page.html"))
    digest = hashlib.sha256((tmp_path / "runs" / "bm25.run").read_bytes()).hexdigest()
    at = foot.index("bm25")
    assert foot[at : at + 4] == ["bm25", "bm25.run", "SHA-256", digest]
    assert foot[at - 3 : at - 1] == ["qrels", "content"]
    assert f"ir_measures_relative {imr.__version__}" in " ".join(foot)
    assert "@article{tan2015med" in foot[-1] and "bigdeli2024nrg" in foot[-1]
    in_memory = footer_of(imr.report(TRACK.qrels, RUNS, tmp_path / "page.html"))
    assert in_memory[in_memory.index("bm25") + 1] == "content" and foot[at - 1] in in_memory
