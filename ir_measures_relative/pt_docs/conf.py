"""Sphinx: ``make docs`` (docs/build.py), which adds pages that are made from the package to these."""

from __future__ import annotations

from typing import Any

from docutils import nodes

from ir_measures_relative import __version__
from ir_measures_relative.pt_docs.docstrings import as_rst

project = "ir_measures_relative"
author = "the ir_measures_relative authors"
copyright = f"2026, {author}"
version = release = __version__
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
autodoc_typehints = "none"
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
    """docutils takes NRG@10 for an address of mail; it is a measure."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(nodes.Text(link.astext()))


def show_docstring(app: Any, kind: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    lines[:] = as_rst(lines)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", show_docstring)
    app.connect("doctree-read", without_mail_links)
