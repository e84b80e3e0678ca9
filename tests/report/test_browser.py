"""The page in a real browser, the network off: sort, filter, click, star, keys, hostile names, both widths."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests
from support.accessibility import POOR_CONTRAST, SMALL_TARGETS
from support.browser import Browser, chromium
from support.report_pages import data_of

import ir_measures_relative as imr
from ir_measures_relative._experiment import pair_sentence
from ir_measures_relative._report import content as content_module

pytestmark = pytest.mark.full

TRACK = imr.simulate.track(seed=0, topics=12)
VIEWS = [
    "view=runs", "view=groups", "view=topics", "view=scatter", "view=pairs", "view=next", "view=about",
    "view=run&run=bm25", "view=topic&topic=3", "view=two&a=bm25&b=hybrid&topic=3",
]  # fmt: skip
LABELS = imr.LabelModel.shares({0: 0.8, 1: 0.15, 2: 0.05})
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
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with labels and a copy of a run."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    runs = {**TRACK.runs, "bm25_copy": TRACK.runs["bm25"]}
    groups = {**TRACK.groups, "bm25_copy": "other"}
    return imr.report(TRACK.qrels, runs, path, groups=groups, labels=LABELS, title="A track")


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
    return browser.texts("#leaderboard tbody td:nth-child(2) bdi")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_every_view_fits(browser: Browser, page: Path, view: str, width: int, dark: bool) -> None:
    browser.size(width, dark=dark)
    browser.open(page, view)
    size = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert size == [width, width]  # wide tables scroll in a box of their own
    assert browser.run("return document.querySelectorAll('#view > *, #foot:not([hidden]) > *').length") > 1
    assert browser.run("return document.querySelectorAll('h1').length") == 1
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
        assert "Difference" not in browser.texts(heads)
        browser.click(f"#star-{place}")
        assert browser.fragment["base"] == "bm25" and "Difference" in browser.texts(heads)
        assert browser.texts("tr.base td:nth-child(2)") == ["bm25"]
        assert all(" p " in text or text == "–" for text in browser.texts("#leaderboard td:nth-child(6)"))
        sizes = (
            "const box = document.getElementById('leaderboard').parentNode; return [box.scrollWidth, box.clientWidth]"
        )
        assert len(set(browser.run(sizes))) == 1  # Judged@10 is still in sight
        assert browser.texts("#choose-base") and browser.run("location.hash = 'view=next'") is None
        assert not browser.texts("#choose-base")  # which has no meaning there
        browser.open(page, "view=runs&base=bm25")
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
        assert browser.fragment["view"] == "about" and browser.run("return document.activeElement.id") == "define-tier"
        assert not browser.run("return document.getElementById('foot').hidden")

    def test_intervals_are_said_on_hover_and_share_an_axis(self, browser: Browser, labelled: Path) -> None:
        data = data_of(labelled)
        browser.open(labelled)
        said = browser.run(
            "return [...document.querySelectorAll('#leaderboard td .interval')].map((x) => x.dataset.tip)"
        )
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

    def test_a_copy_is_flagged(self, browser: Browser, labelled: Path) -> None:
        browser.open(labelled)
        tagged = "return [...document.querySelectorAll('#leaderboard td .tag')].map((x) => [x.closest('td').cellIndex, \
            x.closest('tr').querySelector('bdi').textContent])"
        flagged = browser.run(tagged)
        columns = browser.texts("#leaderboard th button:first-child")
        assert {name for _, name in flagged} == {"bm25", "bm25_copy"}
        names_of = {columns[column] for column, _ in flagged}
        assert names_of == {"Run", "NRG@10", "NRG(prior='groups')@10", "UniqueRel@10"}

    def test_every_card_is_a_click_away_from_its_view(self, browser: Browser, labelled: Path) -> None:
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
        for place, view in ((1, "scatter"), (2, "pairs"), (3, "next")):
            browser.open(labelled)
            browser.click(f".cards section:nth-child({place}) h2 a")
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

    def test_what_to_judge_next(self, browser: Browser, page: Path, tmp_path: Path) -> None:
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


HOLM_SIGNIFICANT = "The difference is significant"


def said_of(data: dict[str, Any]) -> list[str]:
    """The paragraph about each pair, from the numbers of the page."""
    pairs, names = data["pairs"], data["runs"]["name"]
    columns = zip(
        combinations(pairs["runs"], 2), pairs["difference"], pairs["settled"], pairs["better"], pairs["worse"],
        multipletests(pairs["p"], method="holm")[1], strict=True,
    )  # fmt: skip
    return [
        pair_sentence(names[a], names[b], difference, len(data["topics"]["name"]), settled=settled,
                      probability=better, probability_worse=worse, p_value=p)
        for (a, b), difference, settled, better, worse, p in columns
    ]  # fmt: skip


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
    assert max(browser.run(ends)[2:4]) < 200  # the ends of long ids are in sight
    browser.size(1280)


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


def test_groups_have_a_leaderboard(browser: Browser, labelled: Path) -> None:
    data = data_of(labelled)
    browser.open(labelled, "view=groups")
    assert browser.texts("#groups tbody td:nth-child(1)") == data["groups"]
    assert browser.texts("#groups tbody td:nth-child(8)") == [str(n) for n in data["alone"]]
    browser.click("#groups tbody td a")
    assert browser.fragment == {"view": "runs", "group": data["groups"][0]}


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
