"""Every view at both widths, from page to page, keys, contrast, hostile names and small collections."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.accessibility import POOR_CONTRAST, SMALL_TARGETS
from support.browser import Browser
from support.report_pages import data_of
from support.report_track import HOSTILE, TRACK, VIEWS, names

import ir_measures_relative as imr
from ir_measures_relative._report import content as content_module

pytestmark = pytest.mark.full


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_every_view_fits(browser: Browser, page: Path, view: str, width: int, dark: bool) -> None:
    browser.size(width, dark=dark)
    browser.open(page, view)
    size = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert size == [width, width]  # wide tables scroll in a box of their own
    boxes = browser.run("""return [...document.querySelectorAll('#view .scroll')].map((box) => [
        box.scrollWidth > box.clientWidth + 1, !box.previousElementSibling.hidden, box.matches('.more')])""")
    assert all(len(set(box)) == 1 for box in boxes)  # and say so
    assert width > 400 or "runs" not in view or any(wide for wide, *_ in boxes)
    assert browser.run("return document.querySelectorAll('#view > *, #foot:not([hidden]) > *').length") > 1
    assert browser.run("return document.querySelectorAll('h1').length") == 1
    ground = browser.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert ground == ("rgb(21, 24, 27)" if dark else "rgb(255, 255, 255)")
    browser.size(1280)


def test_the_title_names_the_view(browser: Browser, labelled: Path) -> None:
    titles = {
        "": "Runs · A track", "view=pairs": "Pairs · A track", "view=run&run=bm25": "bm25 · A track",
        "view=topic&topic=3": "Topic 3 · A track", "view=two&a=bm25&b=hybrid": "bm25 against hybrid · A track",
    }  # fmt: skip
    for fragment, title in titles.items():
        browser.open(labelled, fragment)
        browser.run("return 0")
        assert browser.driver.title == title


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast_and_targets_have_size(browser: Browser, labelled: Path, dark: bool) -> None:
    browser.size(1280, dark=dark)
    for view in VIEWS:
        browser.open(labelled, view)
        assert browser.run(POOR_CONTRAST) == [], view
        assert browser.run(SMALL_TARGETS) == [], view
    browser.size(1280)


def test_the_keyboard_skips_to_the_content_and_moves_are_read_out(browser: Browser, page: Path) -> None:
    browser.open(page, "view=topics")
    browser.keys("\ue004")  # Tab
    assert browser.run("return document.activeElement.id") == "skip"
    browser.keys("\ue007")  # Enter
    assert browser.run("return document.activeElement.id") == "view"
    browser.run("document.getElementById('heat').focus()")
    browser.keys("\ue014")  # ArrowRight
    assert browser.texts("#live") == browser.texts("#tip") and browser.texts("#live")[0]


def test_from_run_to_topic_to_two_runs(browser: Browser, page: Path) -> None:
    browser.open(page, "base=hybrid")
    browser.run("[...document.querySelectorAll('#leaderboard a')].find((a) => a.textContent === 'bm25').click()")
    assert browser.texts("#view h1 bdi.name")[0] == "bm25"
    browser.click("#alone tbody td.wide a")
    assert browser.fragment["view"] == "topic" and browser.texts("svg .outline") == [""]
    topic = browser.fragment["topic"]
    browser.run("document.querySelector('#ranking a').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert browser.fragment["view"] == "two" and browser.fragment["topic"] == topic
    browser.open(page, f"view=two&a=bm25&b=hybrid&topic={topic}")
    result = imr.med(TRACK.qrels, TRACK.runs["bm25"], TRACK.runs["hybrid"]).to_frame().set_index("query_id")
    word = result.loc[topic, "verdict"]
    assert browser.texts("#verdict") == ["not settled" if word == "undecided" else f"settled: {word}"]
    for name, place in (("bm25", 1), ("hybrid", 2)):
        run = TRACK.runs[name].query("query_id == @topic")
        assert browser.texts(f".two > div:nth-of-type({place}) li bdi") == run["doc_id"].tolist()[:10]
    grades = TRACK.qrels.query("query_id == @topic").set_index("doc_id")["relevance"]
    shown = [str(grades.get(doc, "?")) for doc in browser.texts(".two > div:nth-of-type(1) li bdi")]
    assert browser.texts(".two > div:nth-of-type(1) li .chip") == shown


def test_arrows_walk_over_the_map(browser: Browser, page: Path) -> None:
    browser.open(page, "view=topics")
    browser.run("document.getElementById('heat').focus()")
    browser.keys("\ue014")  # ArrowRight
    data = data_of(page)
    best, means = data["pairs"]["runs"][0], [sum(of) for of in zip(*data["values"][0], strict=True)]
    hardest = data["topics"]["name"][means.index(min(means))]
    assert browser.texts("#tip")[0].startswith(f"{data['runs']['name'][best]}\ntopic {hardest}\nnDCG@10 ")
    browser.keys("\ue007")
    assert browser.fragment == {"view": "topic", "topic": hardest}


def test_filtering_200_runs_takes_less_than_a_tenth_of_a_second(browser: Browser, tmp_path: Path) -> None:
    track = imr.simulate.track(topics=4, n_systems=200)
    page = imr.report(track.qrels, track.runs, tmp_path / "page.html", groups=track.groups)
    for view in ("runs", "groups", "topics", "scatter", "pairs", "topic&topic=3"):
        browser.open(page, f"view={view}")
        before = browser.processor_seconds()
        browser.run("""for (const text of ['g', 'g1', 'g12', 'g1', 'g', '']) {
            const field = document.getElementById('filter');
            field.value = text;
            field.dispatchEvent(new Event('input', {bubbles: true}));
            document.body.getBoundingClientRect(); }""")
        assert (browser.processor_seconds() - before) / 6 < 0.1, view


def test_hostile_names_are_shown_as_they_are(browser: Browser, hostile: Path) -> None:
    browser.open(hostile)
    assert sorted(names(browser)) == sorted(HOSTILE)
    assert browser.texts("#top h1") == [HOSTILE[0]] and browser.driver.title == f"Runs · {HOSTILE[0]}"
    for name in HOSTILE:
        browser.run("[...document.querySelectorAll('#leaderboard a')]"
                    ".find((a) => a.textContent === arguments[0]).click()", name)  # fmt: skip
        assert browser.texts("#view h1 bdi.name")[0] == name
        browser.run("location.hash = 'view=topic&topic=' + encodeURIComponent(arguments[0])", name)
        assert browser.texts("#view h1 bdi.name") == [name]
        browser.run("location.hash = 'view=runs'")
    for view in ("groups", "topics", "scatter", "pairs", "about"):
        browser.run("location.hash = 'view=' + arguments[0]", view)
        assert browser.run("return document.documentElement.scrollWidth") == 1280
    assert browser.run("return document.images.length + document.scripts.length") == 2


@pytest.mark.parametrize(
    "fragment",
    [
        "view=nothing",
        "view=__proto__",
        "view=run&run=absent",
        "m=x&sort=a",
        "%%%",
        "view=topics&m=-3",
        "view=scatter&x=9&y=length",
        "view=pairs&only=toString",
        "view=runs&q=zzz",
    ],
)
def test_a_fragment_that_means_nothing(browser: Browser, page: Path, fragment: str) -> None:
    browser.open(page, fragment)
    assert browser.run("return document.getElementById('view').textContent.length") > 10


def test_small_collections(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {
        "one run, one topic": ({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}),
        "nothing judged": ({"q": {}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}),
        "nothing retrieved": ({"q": {"a": 1}, "r": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"r": {"a": -1.0}}}),
    }
    for title, (qrels, runs) in cases.items():
        page = imr.report(qrels, runs, tmp_path / "page.html", measures=["nDCG@10", "UL@10"], title=title)
        browser.open(page)
        for view in ("topics", "scatter", "pairs", "run&run=x", "topic&topic=q", "two&a=x&b=x", "runs"):
            browser.run("location.hash = arguments[0]", f"view={view}")
            assert browser.complaints() == [], (title, view)
            assert browser.run("return document.getElementById('view').children.length"), (title, view)
    monkeypatch.setattr(content_module, "CELLS", 8)
    monkeypatch.setattr(content_module, "FEWEST_TOPICS", 1)
    page = imr.report(TRACK.qrels, TRACK.runs, tmp_path / "page.html")
    kept = data_of(page)["lists"]["topics"]
    browser.open(page, f"view=topic&topic={1 if kept != [0] else 2}")
    assert "The page contains the rankings of 1 of 12 topics" in browser.texts("#view")[0]
