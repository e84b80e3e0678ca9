"""The cards of the first view, sentences about pairs, groups, documents to judge, and tables as CSV."""

from __future__ import annotations

from io import StringIO
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from support.browser import Browser
from support.report_pages import data_of
from support.report_track import LABELS, TRACK, VIEWS, said_of

import ir_measures_relative as imr

pytestmark = pytest.mark.full


HOLM_SIGNIFICANT = "The difference is significant"


def test_every_card_is_a_click_away_from_its_view(browser: Browser, labelled: Path) -> None:
    data, runs = data_of(labelled), list(TRACK.runs) + ["bm25_copy"]
    browser.open(labelled)
    adds = {run: data["means"][data["adds"]][place] for place, run in enumerate(runs)}
    groups = {**TRACK.groups, "bm25_copy": "other"}
    best = {
        group: max((run for run in runs if groups[run] == group), key=adds.__getitem__)
        for group in set(groups.values())
    }
    first = sorted(best.values(), key=lambda run: -adds[run])[:3]
    assert [adds[run] for run in browser.texts(".cards section:nth-child(1) p bdi")] == [adds[run] for run in first]
    assert data["measures"][data["adds"]]["name"] in browser.texts(".cards section:nth-child(1) p")[0]
    targets = [["scatter", "run", "run", "run"], ["pairs"] * 4, ["next"] + ["topic"] * 4]
    browser.open(labelled)
    assert [len(browser.texts(f".cards section:nth-child({n}) a")) for n in (1, 2, 3)] == [len(of) for of in targets]
    for card, views in enumerate(targets, start=1):
        for place, view in enumerate(views):
            browser.open(labelled)
            browser.run("document.querySelectorAll(arguments[0])[arguments[1]].id = 'chosen'",
                        f".cards section:nth-child({card}) a", place)  # fmt: skip
            browser.click("#chosen")
            assert browser.fragment["view"] == view
    pairs = data["pairs"]
    p = [HOLM_SIGNIFICANT in text for text in said_of(data)]
    expected = {
        "significant": sum(p),
        "settled": sum(word != "no" for word in pairs["settled"]),
        "likely": sum(w == "no" and max(x, y) >= 0.95 for w, x, y in zip(
            pairs["settled"], pairs["better"], pairs["worse"], strict=True)),
    }  # fmt: skip
    for only, number in expected.items():
        browser.open(labelled)
        assert browser.texts(f"#card-{only}") == [str(number)]
        browser.click(f"#card-{only}")
        assert browser.fragment == {"view": "pairs", "only": only}
        assert browser.texts(".count")[0].startswith(f"{number} of {len(p)} pairs")
        assert len(browser.texts("#pairs tbody tr")) == min(number, 20)
    assert f"{sum(p)} significant over topics" in browser_summary(browser, labelled)


def browser_summary(browser: Browser, page: Path) -> str:
    browser.open(page)
    return browser.texts(".size")[0]


def test_pairs_are_said_as_python_says_them(browser: Browser, labelled: Path) -> None:
    data = data_of(labelled)
    browser.open(labelled)
    shown = browser.run("return allPairs().map(pairWords)")
    assert shown == said_of(data)
    assert browser.run("return allPairs().map((f) => pairWords(pair(f.b, f.a)))") == [
        text.replace(f"{names[0]} and {names[1]} have", f"{names[1]} and {names[0]} have")
        for text, names in zip(
            shown, combinations([data["runs"]["name"][r] for r in data["pairs"]["runs"]], 2), strict=True
        )
    ]
    browser.open(labelled, "view=two&a=bm25&b=hybrid")
    assert browser.texts("#in-words")[0] in shown


def test_what_to_judge_next(browser: Browser, page: Path, tmp_path: Path) -> None:
    rows, topics = data_of(page)["next"]["documents"], data_of(page)["topics"]["name"]
    browser.open(page, "view=next")
    assert browser.texts("#next tbody td:nth-child(2)") == [row["id"] for row in rows[:20]]
    browser.downloads(tmp_path)
    browser.click("#save-pool")
    pool = "".join(f"{topics[row['topic']]} {row['id']}\n" for row in rows[:20])
    assert browser.downloaded(tmp_path / "pool.txt") == pool
    browser.open(page, "view=next&n=10")
    assert len(browser.texts("#next tbody tr")) == 10
    browser.click("#next tbody td:nth-child(2) a")
    assert browser.fragment["view"] == "topic" and browser.texts("svg .outline")


def test_a_list_of_pairs_may_be_empty(browser: Browser, page: Path) -> None:
    browser.open(page, "view=pairs&only=undecided")  # without labels, no pair is likely or undecided
    assert browser.texts(".count") == [f"{len(data_of(page)['pairs']['p'])} pairs, closest first"]
    browser.open(page, "view=pairs&only=open&q=nothing")
    assert browser.run("return document.getElementById('choose-only').value") == "open"
    assert browser.texts(".count")[0].startswith("0 of ")


def test_tied_pairs_are_decided(browser: Browser, tmp_path: Path) -> None:
    runs = {name: {"q": {"x": 3.0, f"u-{name}": 2.0}} for name in "ab"} | {"c": {"q": {"z": 1.0}}}
    labels, qrels = imr.LabelModel.shares({0: 0.99, 1: 0.01}), {"q": {"x": 1, "y": 0, "z": 0}}
    page = imr.report(qrels, runs, tmp_path / "page.html", labels=labels)
    decisions = imr.pairs(qrels, runs, labels=labels)["decision"].tolist()
    assert decisions.count("tied") == 1 and "undecided" not in decisions
    assert ", 0 undecided" in browser_summary(browser, page)
    browser.open(page, "view=pairs&only=tied")
    assert browser.texts("#pairs tbody td:last-child") == ["tied"]


def test_small_differences_keep_their_sign(browser: Browser, page: Path) -> None:
    browser.open(page)
    shown = browser.run("return [0.25, 0.0004, -0.00002, 0.0000001, 0].map((v) => signed(v))")
    assert shown == ["+.250", "+.0004", "−.00002", ".000", ".000"]


def test_groups_have_a_leaderboard(browser: Browser, labelled: Path) -> None:
    data = data_of(labelled)
    browser.open(labelled, "view=groups")
    assert browser.texts("#groups tbody td:nth-child(1)") == data["groups"]
    assert browser.texts("#groups tbody td:nth-child(8)") == [str(n) for n in data["alone"]]
    browser.click("#groups tbody td a")
    assert browser.fragment == {"view": "runs", "group": data["groups"][0]}


def test_tables_as_csv(browser: Browser, labelled: Path, tmp_path: Path) -> None:
    data = data_of(labelled)
    browser.open(labelled)
    browser.downloads(tmp_path)
    browser.click("#save-leaderboard")
    table = (
        pd.read_csv(StringIO(browser.downloaded(tmp_path / "leaderboard.csv")))
        .set_index("Run")
        .loc[data["runs"]["name"]]
    )
    for column, expected in {
        "nDCG@10": data["means"][0], "Topic interval low": data["ranks"]["low"], "Expected": data["imputed"]["mean"],
        "Label interval high": data["imputed"]["high"], "Rank low": data["ranks"]["rank_low"],
        "Judged@10": data["means"][-1],
    }.items():  # fmt: skip
        assert table[column].tolist() == pytest.approx(expected, abs=1e-6), column
    for view in VIEWS:
        browser.open(labelled, view)
        saved = browser.run(
            "return [...document.querySelectorAll('[id^=save-]:not(#save-pool)')].map((x) => x.id.slice(5))"
        )
        assert sorted(saved) == sorted(
            browser.run("return [...document.querySelectorAll('#view table')].map((x) => x.id)")
        )
    browser.open(labelled, "view=pairs")
    browser.run("window.copied = null; Object.defineProperty(navigator, 'clipboard', {value: {"
                "writeText: async (text) => { window.copied = text; }}})")  # fmt: skip
    browser.click("#copy-pairs")
    copied = pd.read_csv(StringIO(browser.run("return window.copied")))
    assert len(copied) == len(data["pairs"]["difference"]) and {"Run", "Other run", "p", "P(better)"} < set(copied)


def test_documents_below_the_depth_of_labels(browser: Browser, tmp_path: Path) -> None:
    runs = {
        "a": {"q": {"x": 4.0, "y": 3.0, "msmarco_passage_1": 2.0, "msmarco_passage_2": 1.0}},
        "b": {"q": {"y": 1.0}},
    }
    page = imr.report({"q": {"x": 1, "y": 0}}, runs, tmp_path / "page.html", labels=LABELS, depth=3)
    browser.open(page, "view=run&run=a")
    assert browser.texts("#unjudged td:nth-child(2)") == ["msmarco_passage_1", "msmarco_passage_2"]
    assert browser.texts("#unjudged td:nth-child(5)") == ["20%", "–"]
    browser.open(page, "view=two&a=a&b=b")
    assert browser.texts("#first td:nth-child(1)") == ["msmarco_passage_1"]  # the other one gets no label
    ends = "return [...document.querySelectorAll('.two bdi.doc :last-child')].map((x) => x.offsetLeft + x.offsetWidth)"
    browser.size(400)
    browser.open(page, "view=two&a=a&b=b")
    assert max(browser.run(ends)) < 200  # the ends of long ids are in sight
    browser.open(page, "view=topic&topic=q")
    sides = "return [...document.querySelectorAll('#documents td.wide')].map((cell) => [cell, "
    sides += "cell.querySelector('.doc')].map((x) => x.getBoundingClientRect().right))"
    assert all(document <= cell for cell, document in browser.run(sides))
    browser.size(1280)
