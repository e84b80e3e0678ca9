"""The leaderboard: sort, filter, star, keys, definitions, intervals, copies."""

from __future__ import annotations

from pathlib import Path
from time import sleep

import pytest
from support.browser import Browser
from support.report_pages import data_of
from support.report_track import TRACK, names

import ir_measures_relative as imr

pytestmark = pytest.mark.full


def test_numbers_are_those_of_python(browser: Browser, page: Path) -> None:
    browser.open(page)
    means = imr.calc_runs(["nDCG@10"], TRACK.qrels, TRACK.runs).groupby("name")["value"].mean()
    means = means.sort_values(ascending=False)
    assert names(browser) == means.index.tolist()
    assert browser.texts("#leaderboard tbody b") == [f"{mean:.3f}"[1:] for mean in means]


def test_sorts_both_ways_and_the_fragment_holds_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#sort-leaderboard-run")
    assert names(browser) == sorted(TRACK.runs)
    browser.click("#sort-leaderboard-run")
    assert names(browser) == sorted(TRACK.runs, reverse=True)
    sent = "&".join(f"{key}={value}" for key, value in browser.fragment.items())
    browser.open(page, sent)
    assert names(browser) == sorted(TRACK.runs, reverse=True)
    assert browser.run("return document.querySelector('[aria-sort] button').textContent") == "Run"


def test_filters_while_typing(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.keys("/")
    browser.keys("bm25")
    assert sorted(names(browser)) == ["bm25", "bm25_expanded"]
    assert browser.run("return document.activeElement.id") == "filter"
    browser.keys("\ue00c")  # Escape
    assert len(names(browser)) == len(TRACK.runs)


def test_a_star_sets_the_baseline(browser: Browser, page: Path) -> None:
    browser.open(page)
    place = list(TRACK.runs).index("bm25")
    heads = "#leaderboard th button:first-child"
    assert "Difference" not in browser.texts(heads)
    browser.click(f"#star-{place}")
    assert browser.fragment["base"] == "bm25" and "Difference" in browser.texts(heads)
    assert browser.texts("tr.base td:nth-child(2)") == ["bm25"]
    assert all(" p " in text or text == "–" for text in browser.texts("#leaderboard td:nth-child(6)"))
    sizes = "const box = document.getElementById('leaderboard').parentNode; return [box.scrollWidth, box.clientWidth]"
    assert len(set(browser.run(sizes))) == 1  # Judged@10 is still in sight
    assert browser.texts("#choose-base") and browser.run("location.hash = 'view=next'") is None
    assert not browser.texts("#choose-base")  # which has no meaning there
    browser.open(page, "view=runs&base=bm25")
    assert browser.run("return document.getElementById('choose-base').value") == "bm25"
    browser.click(f"#star-{place}")
    assert browser.texts("tr.base") == []


def test_arrows_and_enter(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.querySelector('#leaderboard tbody tr').focus()")
    second = names(browser)[1]
    browser.keys("\ue015")  # ArrowDown
    browser.keys("\ue007")  # Enter
    assert browser.fragment["view"] == "run" and browser.fragment["run"] == second
    browser.keys("\ue00c")
    assert browser.fragment["view"] == "runs"


def test_every_heading_says_what_it_means(browser: Browser, page: Path) -> None:
    browser.open(page)
    said = browser.run("return [...document.querySelectorAll('#leaderboard th.n')].map((th) => th.dataset.tip)")
    assert said and all(said)
    browser.run("document.querySelector('#leaderboard th.n')"
                ".dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")  # fmt: skip
    assert browser.run("return !document.getElementById('tip').hidden")
    browser.run("document.querySelector('#leaderboard th.n .why').click()")
    assert browser.fragment["view"] == "about" and browser.run("return document.activeElement.id") == "define-tier"
    assert not browser.run("return document.getElementById('foot').hidden")


def test_tables_stay_where_they_were_scrolled_to(browser: Browser, page: Path) -> None:
    browser.size(400)
    browser.open(page)
    box = "const box = document.getElementById('leaderboard').parentNode; "
    browser.run(box + "box.scrollLeft = 150; box.id = 'before'")
    browser.size(400, 800)  # as when a phone hides its address bar
    browser.run("dispatchEvent(new Event('resize'))")
    sleep(0.3)
    assert browser.run(box + "return [box.id, box.scrollLeft]") == ["before", 150]
    browser.run("document.getElementById('sort-leaderboard-run').click()")
    assert browser.run(box + "return [box.id, box.scrollLeft]") == ["", 150]
    browser.size(1280)


def test_long_names_keep_their_ends(browser: Browser, tmp_path: Path) -> None:
    runs = {f"a_system_with_a_long_name_{number}": TRACK.runs["bm25"] for number in range(2)}
    page = imr.report(TRACK.qrels, runs, tmp_path / "page.html")
    browser.size(400)
    browser.open(page)
    ends = "return [...document.querySelectorAll('#leaderboard .long')].map((x) => [x, x.lastChild].map("
    assert all(name >= end for name, end in browser.run(ends + "(y) => y.getBoundingClientRect().right))"))
    browser.open(page, "view=topics")
    assert browser.texts("#heat a .row")[:2] == ["a_syst…ame_0", "a_syst…ame_1"]
    browser.size(1280)


def test_intervals_are_said_on_hover_and_share_an_axis(browser: Browser, labelled: Path) -> None:
    data = data_of(labelled)
    browser.open(labelled)
    said = browser.run("return [...document.querySelectorAll('#leaderboard td .interval')].map((x) => x.dataset.tip)")
    best = data["pairs"]["runs"][0]
    low, high = data["ranks"]["low"][best], data["ranks"]["high"][best]
    assert f"topic interval (95%): {low:.3f} to {high:.3f}".replace(" 0.", " .") in said[0]
    mean, low, high = (data["imputed"][key][best] for key in ("mean", "low", "high"))
    assert f"label interval (95%): {low:.3f} to {high:.3f}, expected {mean:.3f}".replace(" 0.", " .") in said[0]
    for mark in ("topic-span", "label-span"):
        assert len(browser.texts(f"#leaderboard td .{mark}")) == len(said)
    assert len(browser.texts("#leaderboard th .ticks text")) > 2
    assert not browser.texts("#leaderboard .beyond")
    browser.run("D.means[0][ORDER[M - 1]] = -5; remembered.clear(); show();")  # only a run far behind is cut off
    assert len(browser.texts("#leaderboard td .beyond")) == 1 and "off the axis" in browser.texts(".legend")


def test_a_copy_is_flagged(browser: Browser, labelled: Path) -> None:
    browser.open(labelled)
    tagged = "return [...document.querySelectorAll('#leaderboard td .tag')].map((x) => [x.closest('td').cellIndex, \
        x.closest('tr').querySelector('bdi').textContent])"
    flagged = browser.run(tagged)
    columns = browser.texts("#leaderboard th button:first-child")
    assert {name for _, name in flagged} == {"bm25", "bm25_copy"}
    names_of = {columns[column] for column, _ in flagged}
    assert names_of == {"Run", "NRG@10", "NRG(prior='groups')@10", "UniqueRel@10"}
