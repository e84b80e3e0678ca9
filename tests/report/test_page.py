"""The file: hostile names are data, it asks nothing of the network, and it is written whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from support.report_pages import data_of, footer_of

import ir_measures_relative as imr
from ir_measures_relative._report import page as page_module

QRELS = {"q": {"a": 1, "b": 0}}
HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</script><!--<script>", "{{data}}", "a\u2028b",
    "تجربة", "x" * 300, "__proto__", "&lt;b&gt;", "\ud800",
]  # fmt: skip
TEMPLATES = files("ir_measures_relative._report").joinpath("templates")
SCRIPTS = page_module.SCRIPTS


class Markup(HTMLParser):
    """The names of the elements and attributes of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # an unpaired surrogate in a document id ends the process inside pytrec_eval
    runs = {name: {"q": {name.replace("\ud800", "d"): 2.0, "a": 1.0}} for name in HOSTILE}
    groups = {name: name for name in HOSTILE}
    return imr.report(QRELS, runs, tmp_path_factory.mktemp("page") / "page.html", groups=groups, title=HOSTILE[0])


def test_names_are_data(hostile: Path) -> None:
    data, text = data_of(hostile), hostile.read_text("utf-8")
    assert set(HOSTILE[:-1]) <= set(footer_of(hostile))  # the last one is no text that UTF-8 can hold
    assert data["runs"]["name"] == HOSTILE and sorted(data["groups"]) == sorted(HOSTILE)
    assert "alert(1)</script>" not in text and "<img" not in text and "<!--" not in text
    assert text.count("<script") == 2 and text.count("</script") == 2
    assert "<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>" in text


def test_nothing_is_asked_of_the_network(hostile: Path) -> None:
    text = hostile.read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    markup = Markup(text)  # the script makes no element that fetches anything
    assert markup.tags.isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form", "image", "use"})
    assert markup.attributes.isdisjoint({"src", "srcset", "href", "action", "style", "background", "data", "poster"})
    assert "@import" not in text
    assert set(re.findall(r"url\([^)]*\)", text)) == {"url(#hatch)", "url(#open)"}
    addresses = set(re.findall(r"https?://[^\s\"'\\<>}]+", text))
    cited = {address for address in addresses if address in imr.bibtex()}
    assert addresses - cited == {"http://www.w3.org/2000/svg"}  # the name of a vocabulary: nobody visits it


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_script_is_plain(script: str) -> None:
    text = TEMPLATES.joinpath(script).read_text("utf-8")
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "import(",
    ):
        assert word not in text
    lines = text.splitlines()
    assert len(lines) < 350 and max(map(len, lines)) <= 120
    assert not [line for line in lines if line != line.rstrip() or "\t" in line]


def test_the_script_can_be_read(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node, which checks the syntax of the script")
    script = tmp_path / "report.js"
    script.write_text("".join(TEMPLATES.joinpath(name).read_text("utf-8") for name in SCRIPTS), "utf-8")
    done = subprocess.run([node, "--check", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_nothing_of_the_script_lies_idle() -> None:
    text = "".join(TEMPLATES.joinpath(name).read_text("utf-8") for name in SCRIPTS)
    names = re.findall(r"^(?:const|let|function) ([\w$]+)", text, re.M)
    assert len(names) > 60 and len(set(names)) == len(names)
    uses = {name: len(re.findall(rf"(?<![\w$'-])(?<![\w)\]]\.){re.escape(name)}(?![\w$-])", text)) for name in names}
    assert [name for name, number in uses.items() if number < 2] == []


class TestWritten:
    runs = {"x": {"q": {"a": 1.0}}}

    def test_returns_the_path(self, tmp_path: Path) -> None:
        assert imr.report(QRELS, self.runs, str(tmp_path / "page.html")) == tmp_path / "page.html"
        assert [file.name for file in tmp_path.iterdir()] == ["page.html"]

    def test_as_other_files_are(self, tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.touch()
        page = imr.report(QRELS, self.runs, tmp_path / "page.html")
        assert stat.S_IMODE(page.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)

    def test_whole_or_not_at_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        page = tmp_path / "page.html"
        page.write_text("before")

        def refuse(source: str, target: str) -> None:
            raise OSError(28, "No space left on device", target)

        monkeypatch.setattr(page_module.os, "replace", refuse)
        with pytest.raises(OSError, match="No space left"):
            imr.report(QRELS, self.runs, page)
        assert page.read_text() == "before" and [file.name for file in tmp_path.iterdir()] == ["page.html"]

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "link.html").symlink_to(tmp_path / "page.html")
        imr.report(QRELS, self.runs, tmp_path / "link.html")
        assert (tmp_path / "link.html").is_symlink() and (tmp_path / "page.html").stat().st_size > 1000

    def test_a_device_stays_a_device(self) -> None:
        imr.report(QRELS, self.runs, os.devnull)
        assert stat.S_ISCHR(os.stat(os.devnull).st_mode)

    @pytest.mark.parametrize(
        ("path", "sentence"),
        [
            (".", "is a folder; expected a file, such as"),
            ("nowhere/page.html", "cannot be written: there is no folder"),
            (3, "path must be the path of a file to write, got 3"),
            (b"page.html", "path must be .* got b'page.html'"),
        ],
    )
    def test_refused_at_once(
        self, path: object, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ValueError, match=sentence):
            imr.report("no such qrels", {}, path)  # refused before they are read

    def test_no_permission(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        if os.access(tmp_path, os.W_OK):
            pytest.skip("needs a user who is not allowed everything")
        with pytest.raises(ValueError, match="permission denied"):
            imr.report(QRELS, self.runs, tmp_path / "page.html")
