"""Configuration of Sphinx; ``make docs`` (docs/build.py) copies it to the pages of the package."""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import stringify_annotation

import ir_measures_relative as imr

sys.path.insert(0, str(Path(__file__).resolve().parent))
from docstrings import as_rst  # noqa: E402

from ir_measures_relative.measures import registry  # noqa: E402

project = "ir_measures_relative"
author = "the ir_measures_relative authors"
copyright = f"2026, {author}"
version = release = imr.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "matplotlib.sphinxext.plot_directive",
    "sphinx-mathjax-offline",  # formulas without a network
    "sphinx_copybutton",
    "myst_nb",  # notebooks, and the changelog
]
templates_path = ["_templates"]
autosummary_ignore_module_all = False
autosummary_imported_members = True
exclude_patterns = ["_templates", "formulas", "pictures", "when_not"]
html_theme = "furo"
html_title = "ir_measures_relative"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_extra_path = ["extra"]
html_show_sourcelink = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
nitpicky = True  # our own names must resolve; other projects' pages are not linked
nitpick_ignore_regex = [
    (
        "py:class",
        r"(numpy|pandas|matplotlib|ir_measures|collections|os|pathlib)\..*|Axes|Dtype|ir_measures_relative\._.*",
    ),
]
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
rst_prolog = ".. py:currentmodule:: ir_measures_relative\n.. default-role:: py:obj\n"  # `compare` links to its page
smartquotes = False  # what is printed can be copied: NRG(prior='bm25')
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "off"  # notebooks are kept with their outputs; the tests run them
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
plot_html_show_source_link = False
plot_html_show_formats = False
plot_include_source = True
plot_formats = [("png", 144)]
plot_apply_rcparams = True
plot_rcparams = {"figure.facecolor": "white", "savefig.bbox": "tight"}


def without_mail_links(app: Any, doctree: nodes.document) -> None:
    """Replace mail links by text: docutils reads the measure NRG@10 as a mail address."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(nodes.Text(link.astext()))


def link_from_elsewhere(app: Any, env: Any, node: nodes.Element, contnode: nodes.Element) -> nodes.reference | None:
    """Link a measure to its page, and a public name to its page also from the pages of ``meta`` and ``plots``."""
    name = node.get("reftarget", "")
    if name in registry:
        return make_refnode(app.builder, node["refdoc"], f"measures/{name}", "", contnode)
    for full, entry in env.domains["py"].find_obj(env, "ir_measures_relative", None, name, None, 1)[:1]:
        return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, full)
    return None


def show_docstring(app: Any, kind: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    lines[:] = as_rst(lines)


def name_the_types(app: Any, kind: str, name: str, thing: object, options: Any, signature: str, returns: str) -> Any:
    """Show ``QrelsLike`` instead of the forms that it stands for, and arrays without their parameters."""
    shown = [signature, returns]
    for alias in ("RunsLike", "RunLike", "QrelsLike"):
        long = stringify_annotation(getattr(imr, alias), "smart")
        shown = [text and text.replace(long, f"~ir_measures_relative.{alias}") for text in shown]
    return tuple(text and re.sub(r"\[(tuple\[.*?\]), ~numpy\.dtype\[.*?\]\]", "", text) for text in shown)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", show_docstring)
    app.connect("autodoc-process-signature", name_the_types)
    app.connect("doctree-read", without_mail_links)
    app.connect("missing-reference", link_from_elsewhere)
