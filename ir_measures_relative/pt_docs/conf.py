"""Sphinx: ``make docs``."""

from __future__ import annotations

from ir_measures_relative import __version__

project = "ir_measures_relative"
author = "the ir_measures_relative authors"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.doctest", "sphinx.ext.napoleon"]
exclude_patterns = ["when_not"]
html_theme = "furo"
html_title = f"ir_measures_relative {__version__}"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # words that say what an attribute is, taken for names
rst_prolog = ".. default-role:: code\n"
