"""The page in a real browser, the network off: sort, filter, click, star, keys, hostile names, both widths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.browser import Browser, chromium
from support.report_pages import data_of

import ir_measures_relative as imr
from ir_measures_relative._report import evidence as evidence_module

pytestmark = pytest.mark.full

TRACK = imr.simulate.track(seed=0, topics=12)
VIEWS = [
    "view=runs", "view=topics", "view=scatter", "view=pairs", "view=next", "view=run&run=bm25", "view=topic&topic=3",
    "view=two&a=bm25&b=hybrid&topic=3",
]  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "x" * 300,
    "تجربة بحث",
    "__proto__",
    "a&b=c#d",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    texts = [{"d3-0001": "of no use"}]
    return imr.report(TRACK.qrels, TRACK.runs, path, groups=TRACK.groups, texts=texts)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    qrels = {topic: {HOSTILE[0]: 1, "b": 0} for topic in HOSTILE}
    runs = {n: {t: {d: -float(i) for i, d in enumerate(["b", n, HOSTILE[0]])} for t in HOSTILE} for n in HOSTILE[1:]}
    runs[HOSTILE[0]] = {topic: {HOSTILE[0]: 2.0, "b": 1.0} for topic in HOSTILE}
    path = tmp_path_factory.mktemp("page") / "page.html"
    return imr.report(qrels, runs, path, groups={name: name for name in runs}, title=HOSTILE[0])


@pytest.fixture(autouse=True)
def quiet(browser: Browser) -> Iterator[None]:
    """Whatever a test does, nothing leaves the page and nothing goes wrong in it."""
    yield
    assert browser.complaints() == []
    assert {address.split(":")[0] for address in browser.requests()} <= {"file", "about"}


def names(browser: Browser) -> list[str]:
    return browser.texts("#leaderboard tbody td:nth-child(3)")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_every_view_fits(browser: Browser, page: Path, view: str, width: int, dark: bool) -> None:
    browser.size(width, dark=dark)
    browser.open(page, view)
    size = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert size == [width, width]  # wide tables scroll in a box of their own
    assert browser.run("return document.getElementById('view').children.length") > 1
    ground = browser.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert ground == ("rgb(21, 24, 27)" if dark else "rgb(255, 255, 255)")
    browser.size(1280)


class TestLeaderboard:
    def test_numbers_are_those_of_python(self, browser: Browser, page: Path) -> None:
        browser.open(page)
        means = imr.calc_runs(["nDCG@10"], TRACK.qrels, TRACK.runs).groupby("name")["value"].mean()
        means = means.sort_values(ascending=False)
        assert names(browser) == means.index.tolist()
        assert browser.texts("#leaderboard tbody b") == [f"{mean:.3f}"[1:] for mean in means]

    def test_sorts_both_ways_and_the_fragment_holds_it(self, browser: Browser, page: Path) -> None:
        browser.open(page)
        browser.click("#sort-leaderboard-run")
        assert names(browser) == sorted(TRACK.runs)
        browser.click("#sort-leaderboard-run")
        assert names(browser) == sorted(TRACK.runs, reverse=True)
        sent = "&".join(f"{key}={value}" for key, value in browser.fragment.items())
        browser.open(page, sent)
        assert names(browser) == sorted(TRACK.runs, reverse=True)
        assert browser.run("return document.querySelector('[aria-sort] button').textContent") == "Run"

    def test_filters_while_typing(self, browser: Browser, page: Path) -> None:
        browser.open(page)
        browser.keys("/")
        browser.keys("bm25")
        assert sorted(names(browser)) == ["bm25", "bm25_expanded"]
        assert browser.run("return document.activeElement.id") == "filter"
        browser.keys("\ue00c")  # Escape
        assert len(names(browser)) == len(TRACK.runs)

    def test_a_star_sets_the_baseline(self, browser: Browser, page: Path) -> None:
        browser.open(page)
        place = list(TRACK.runs).index("bm25")
        heads = "#leaderboard th button:first-child"
        assert "p" not in browser.texts(heads)
        browser.click(f"#star-{place}")
        assert browser.fragment["base"] == "bm25" and {"p", "Difference"} < set(browser.texts(heads))
        assert browser.texts("tr.base td:nth-child(3)") == ["bm25"]
        assert browser.run("return document.getElementById('choose-base').value") == "bm25"
        browser.click(f"#star-{place}")
        assert browser.texts("tr.base") == []

    def test_arrows_and_enter(self, browser: Browser, page: Path) -> None:
        browser.open(page)
        browser.run("document.querySelector('#leaderboard tbody tr').focus()")
        second = names(browser)[1]
        browser.keys("\ue015")  # ArrowDown
        browser.keys("\ue007")  # Enter
        assert browser.fragment["view"] == "run" and browser.fragment["run"] == second
        browser.keys("\ue00c")
        assert browser.fragment["view"] == "runs"

    def test_every_heading_says_what_it_means(self, browser: Browser, page: Path) -> None:
        browser.open(page)
        said = browser.run("return [...document.querySelectorAll('#leaderboard th.n')].map((th) => th.dataset.tip)")
        assert said and all(said)
        browser.run("document.querySelector('#leaderboard th.n')"
                    ".dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")  # fmt: skip
        assert browser.run("return !document.getElementById('tip').hidden")
        browser.run("document.querySelector('#leaderboard th.n .why').click()")
        assert browser.run("return document.activeElement.id") == "define-rank"

    def test_three_questions_are_a_click_away(self, browser: Browser, page: Path) -> None:
        data = data_of(page)
        browser.open(page)
        adds = [data["runs"]["name"][place] for place, rank in enumerate(data["places"][data["adds"]]) if rank == 1]
        assert browser.texts(".cards section:nth-child(1) a")[1] in adds
        certain = sum(word != "undecided" for word in data["pairs"]["certain"])
        assert browser.texts(".cards section:nth-child(2) b")[0] == str(certain)
        browser.click(".cards section:nth-child(2) p a")
        assert browser.fragment == {"view": "pairs", "only": "certain"}
        assert len(browser.texts("#pairs tbody tr")) == certain

    def test_what_to_judge_next(self, browser: Browser, page: Path) -> None:
        rows, topics = data_of(page)["next"], data_of(page)["topics"]["name"]
        browser.open(page)
        browser.click(".cards section:nth-child(3) h2 a")
        assert browser.texts("#next tbody td:nth-child(2)") == [row["id"] for row in rows]
        assert browser.texts("#pool") == ["\n".join(f"{topics[row['topic']]} {row['id']}" for row in rows)]
        browser.click("#next tbody td:nth-child(2) a")
        assert browser.fragment["view"] == "topic" and browser.texts("svg .outline")


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
    word = {"undecided": "open"}.get(result.loc[topic, "verdict"], result.loc[topic, "verdict"])
    assert browser.texts("#verdict")[0].startswith(word)
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


def test_hostile_names_are_shown_as_they_are(browser: Browser, hostile: Path) -> None:
    browser.open(hostile)
    assert sorted(names(browser)) == sorted(HOSTILE)
    assert browser.texts("#top h1") == [HOSTILE[0]] and browser.driver.title == HOSTILE[0]
    for name in HOSTILE:
        browser.run("[...document.querySelectorAll('#leaderboard a')]"
                    ".find((a) => a.textContent === arguments[0]).click()", name)  # fmt: skip
        assert browser.texts("#view h1 bdi.name")[0] == name
        browser.run("location.hash = 'view=topic&topic=' + encodeURIComponent(arguments[0])", name)
        assert browser.texts("#view h1 bdi.name") == [name]
        browser.run("location.hash = 'view=runs'")
    for view in ("topics", "scatter", "pairs"):
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
    monkeypatch.setattr(evidence_module, "CELLS", 8)
    monkeypatch.setattr(evidence_module, "LEAST_TOPICS", 1)
    page = imr.report(TRACK.qrels, TRACK.runs, tmp_path / "page.html")
    kept = data_of(page)["lists"]["topics"]
    browser.open(page, f"view=topic&topic={1 if kept != [0] else 2}")
    assert "The page keeps the rankings of the 1 topics (of 12)" in browser.texts("#view")[0]
