"""The documentation: a page per measure, kept in step with its declaration; the examples of all pages run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from support.documentation import load
from support.pages import Block, run_console, run_python
from support.repository import INSTALLED, REPOSITORY

from ir_measures_relative.citations import BIBTEX
from ir_measures_relative.measures import registry

docstrings, measure_pages = load("website.docstrings"), load("measure_pages")
DOCS = INSTALLED / "ir_measures_relative" / "pt_docs"
BY_HAND = sorted(DOCS.glob("*.rst"))
MEASURES = sorted(DOCS.glob("measures/*.rst"))
CONSOLE = re.compile(r"^\.\. code-block:: console\n\n((?:    .*\n|\n)+)", re.MULTILINE)


@pytest.mark.parametrize("name", registry)
def test_every_measure_has_its_page(name: str) -> None:
    page = DOCS / "measures" / f"{name}.rst"
    command = "python docs/measure_pages.py"
    assert page.exists(), f"{name} has no page: run {command}"
    same = page.read_text(encoding="utf-8") == measure_pages.measure_page(name)
    assert same, f"the page of {name} is older than its declaration: run {command}"


def test_no_page_of_a_measure_that_is_gone() -> None:
    kept = [*MEASURES, *DOCS.glob("when_not/*.inc"), *DOCS.glob("formulas/*.inc")]
    assert [page.name for page in kept if page.stem not in registry] == []


@pytest.mark.parametrize("name", registry)
def test_a_page_says_all_that_a_declaration_holds(name: str) -> None:
    measure, page = registry[name], measure_pages.measure_page(name)
    lines = page.splitlines()
    for parameter, info in measure.SUPPORTED_PARAMS.items():
        row = lines.index(f"    * - ``{parameter}``")
        assert lines[row + 1] == ("      - not set" if info.default is None else f"      - ``{info.default!r}``")
        assert lines[row + 2 : row + 4] == [f"      - {info.kind}".replace("|", r"\|"), f"      - {info.desc}".rstrip()]
    assert measure_pages.DIRECTIONS[measure.DIRECTION] in page and measure.SHORT_DESC in page
    titles = {lines[place - 1] for place, line in enumerate(lines) if re.fullmatch("-{3,}", line)}
    assert titles >= {"Definition", "When not to use it", "Parameters", "Citing"}
    for key in measure.CITATIONS:
        assert textwrap.indent(BIBTEX[key].strip(), "    ") in page


def test_sections_about_papers_have_the_keys_of_citations() -> None:
    papers = (DOCS / "papers.rst").read_text(encoding="utf-8")
    keys = set(re.findall(r"^\.\. _paper-([\w-]+):$", papers, re.MULTILINE))
    assert keys <= {*BIBTEX, *(key for measure in registry.values() for key in measure.NOTES or ())}
    assert all(measure_pages._about_paper(key) for key in keys)


def test_sidebar_and_table_list_every_measure() -> None:
    sidebar, table = ((DOCS / "measures" / f"{name}.inc").read_text(encoding="utf-8") for name in ("sidebar", "all"))
    assert (sidebar, table) == (measure_pages.sidebar(), measure_pages.table_of_measures()), "run docs/measure_pages.py"
    for name in registry:
        assert sidebar.count(f"    measures/{name}\n") == table.count(f"<measures/{name}>") == 1


def test_the_citation_file_gets_papers_that_it_lacks() -> None:
    text = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert measure_pages.citation_file(text) == text
    titles = re.findall(r'^    title: ".+"$', text, re.MULTILINE)
    added = measure_pages.citation_file("references:\n")
    assert re.findall(r'^    title: ".+"$', added, re.MULTILINE) and added.count("    title:") == len(titles)
    assert '      - family-names: "Clarke"\n        given-names: "Charles L. A."\n' in added


def test_a_docstring_becomes_a_page() -> None:
    """The summary is left out; bars, backticks and initials lose their meaning in reStructuredText."""
    doc = "Is it.\n\nBy |a| of `b`, 0..``c``:\n\n    x = |y|  (1)\n\nA. Name.\n\n>>> 1\n1\n"
    text, example = measure_pages._text_and_example(doc)
    assert text == "By \\|a\\| of ``b``, 0..\\ ``c``:\n\n::\n\n    x = |y|  (1)\n\nA\\. Name."
    assert example == ">>> 1\n1"


def test_sections_of_a_docstring_become_definitions() -> None:
    """What follows the colon is the type; text under Returns stays a paragraph."""
    doc = "Is it.\n\nParameters\n----------\na, b : (n,) array\n    Both.\n"
    doc += "c : {'x', 'y'}, optional\n    More.\nd\n    As c.\n\n"
    doc += "Returns\n-------\nwith ``x``: one\n\nReferences\n----------\nA.\nB.\n"
    expected = "Is it.\n\n.. rubric:: Parameters\n\n\n``a, b`` : (n,) array\n    Both.\n"
    expected += "\n``c`` : {'x', 'y'}, optional\n    More.\n\n``d``\n    As c.\n"
    expected += "\n.. rubric:: Returns\n\nwith ``x``: one\n\n.. rubric:: References\n\n| A.\n| B."
    assert "\n".join(docstrings.as_rst(doc.splitlines())) == expected


@pytest.mark.parametrize("page", sorted(DOCS.glob("formulas/*.inc")), ids=lambda page: page.stem)
def test_a_formula_is_typeset(page: Path) -> None:
    assert re.search(r":math:`|math::", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [*BY_HAND, *MEASURES], ids=lambda page: page.stem)
def test_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem == "scaling":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    text = page.read_text(encoding="utf-8")
    if ">>> " in text:
        run_python(Block("pycon", text, 1), page.name, {})
    for shown in CONSOLE.findall(text):
        run_console(Block("console", textwrap.dedent(shown), 1), tmp_path)


def test_api_page_names_all_that_is_public() -> None:
    import ir_measures_relative

    page = (DOCS / "api.rst").read_text(encoding="utf-8")
    public = set(ir_measures_relative.__all__) - set(registry) - {"__version__"}
    assert [name for name in sorted(public) if not re.search(rf"\b{name}\b", page)] == []


def test_the_gallery_has_every_figure() -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install '.[plots]'")
    from ir_measures_relative import plots

    page = (DOCS / "gallery.rst").read_text(encoding="utf-8")
    assert [name for name in plots.__all__ if f"plots.{name}(" not in page] == []


def test_the_gallery_has_a_thumbnail_for_every_figure() -> None:
    """Thumbnails are numbered as the plots are; plot 1 draws nothing."""
    page = (DOCS / "gallery.rst").read_text(encoding="utf-8")
    linked = re.findall(r'<a href="#figure-([\w-]+)".*_images/gallery-(\d+)\.png', page)
    figures = re.findall(r"^\.\. _figure-([\w-]+):$", page, re.MULTILINE)
    assert linked == [(name, str(number)) for number, name in enumerate(figures, 2)]
    assert page.count("\n.. plot::\n") == len(figures) + 1


@pytest.mark.full
def test_the_documentation_builds(tmp_path: Path) -> None:
    """Without a warning or raw markup; no measure is taken for an address of mail; nothing is fetched for a page."""
    for package in ("sphinx", "furo", "myst_nb", "matplotlib"):
        pytest.importorskip(package, reason=f"needs {package}: pip install '.[docs]'")
    command = [sys.executable, str(REPOSITORY / "docs" / "build.py"), str(tmp_path / "docs")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stderr
    pages = {page.relative_to(tmp_path): page.read_text(encoding="utf-8") for page in tmp_path.glob("docs/**/*.html")}
    assert len(pages) > 100
    assert [name for name, text in pages.items() if "mailto:" in text] == []
    raw = re.compile(r"``|\$\$|class=\"contents")  # markup that was not understood; furo shows an error for contents
    shown = {name: re.sub(r"<(pre|script|style)\b.*?</\1>", "", text, flags=re.DOTALL) for name, text in pages.items()}
    assert [name for name, text in shown.items() if raw.search(text)] == []
    drawn = {name: text for name, text in pages.items() if "measures" in name.parts or name.stem == "gallery"}
    assert [name for name, text in drawn.items() if re.search(r'<img[^>]*alt="[^"]*\.png"', text)] == []
    fetched = re.compile(r"""<(?:script|img|iframe)[^>]*src=["']https?:|<link[^>]*stylesheet[^>]*href=["']https?:""")
    assert [name for name, text in pages.items() if fetched.search(text)] == []


def test_python_blocks_of_the_pages_are_valid() -> None:
    """Blocks that need a cluster are not run, but they are Python."""
    block = re.compile(r"^\.\. code-block:: python\n\n((?:    .*\n|\n)+)", re.MULTILINE)
    shown = [found for page in BY_HAND for found in block.findall(page.read_text(encoding="utf-8"))]
    assert shown
    for code in shown:
        ast.parse(textwrap.dedent(code))
