"""Pages of a report in a real browser, the network off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.browser import Browser, chromium
from support.report_track import HOSTILE, LABELS, TRACK

import ir_measures_relative as imr


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="package")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    texts = [{"d3-0001": "of no use"}]
    return imr.report(TRACK.qrels, TRACK.runs, path, groups=TRACK.groups, texts=texts)


@pytest.fixture(scope="package")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with labels and a copy of a run."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    runs = {**TRACK.runs, "bm25_copy": TRACK.runs["bm25"]}
    groups = {**TRACK.groups, "bm25_copy": "other"}
    return imr.report(TRACK.qrels, runs, path, groups=groups, labels=LABELS, title="A track")


@pytest.fixture(scope="package")
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
