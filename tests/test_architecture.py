"""Imports between the package's own modules only point down, as the layers of CONTRIBUTING.md say."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
from conftest import REPOSITORY

PACKAGE = "ir_measures_relative"
ROOT = REPOSITORY / PACKAGE

# Lowest first. A module may import from rows below its own only, never from its own row.
# Names are relative to the package ("" is its __init__); a pattern stands for modules not named otherwise.
LAYERS: list[list[str]] = [
    ["sentences"],
    ["arguments"],
    ["_version", "simulate", "plain_numbers", "measure_strings", "host_measures", "tables"],
    ["plain_fields"],
    ["trec_files"],
    ["columns", "citations"],
    ["judged_run"],
    ["ideals", "prior_runs"],
    ["user_models"],
    ["judged_priors", "random_ranking", "run_collections"],
    ["field"],
    ["unjudged", "unjudged.grade_prior", "unjudged.label_draws", "unjudged.naive_bounds"],
    ["unjudged.score_distribution"],
    ["unjudged.many_levels", "unjudged.grid_sums"],
    ["unjudged.target_counts"],
    ["unjudged.score_grid"],
    ["unjudged.score_signs", "unjudged.topic_scores"],
    ["unjudged.boot_scores", "unjudged.joint_labels"],
    ["extremes", "extremes.side_by_side", "extremes.staircase", "extremes.prefix_values"],
    ["extremes.linear", "extremes.reciprocal_rank", "extremes.ndcg", "extremes.average_precision"],
    ["extremes.labellings"],
    ["measures.parameters"],
    ["measures.base"],
    ["meta.score_table"],
    ["meta.labelled_scores", "meta.pairwise_tests", "meta.topic_samples"],
    ["meta.rank_correlation"],
    ["measures.*", "meta.*"],
    ["measures", "meta"],
    ["provider", "better_run", "pairwise_med", "plots.style", "plots.score_frames"],
    ["plots.point_labels"],
    ["plots.*"],
    ["many_runs", "plots"],
    ["experiment", "complementary", "demo_figures"],
    ["demo"],
    ["cli"],
    [""],
    ["__main__", "pt_docs", "pt_docs.*"],
]

# Never, in either direction, not even through a third module.
APART = [("measures", "meta"), ("measures", "plots")]

# Packages that only an extra installs, and the modules that may import them.
OPTIONAL = {
    "matplotlib": ["plots", "plots.*"],
    "pyterrier": ["experiment"],
    "ir_datasets": ["cli", "experiment"],
    "statsmodels": [],
}


def module_name(path: Path) -> str:
    """Name relative to the package: 'measures.nrg', 'measures' for its __init__, '' for the package's own."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES: dict[str, Path] = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def layer(module: str) -> int | None:
    """Row of a module in LAYERS; an exact name goes before a pattern."""
    for matches in (str.__eq__, fnmatchcase):
        for row, names in enumerate(LAYERS):
            if any(matches(module, name) for name in names):
                return row
    return None


def absolute(module: str, node: ast.ImportFrom) -> str:
    """The dotted name that `from ... import` names, its leading dots resolved."""
    if not node.level:
        return node.module or ""
    own = [PACKAGE, *filter(None, module.split("."))]
    is_package = MODULES[module].name == "__init__.py"
    base = own[: len(own) - node.level + is_package]
    return ".".join([*base, *filter(None, [node.module])])


@cache
def imported(module: str) -> frozenset[str]:
    """Dotted names of everything that a module imports, anywhere in it, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = absolute(module, node)
            found |= {f"{source}.{alias.name}" for alias in node.names}
    return frozenset(found)


@cache
def own_imports(module: str) -> frozenset[str]:
    """The modules of this package that a module imports (of `from .a import b`: a.b if a module, else a)."""
    found: set[str] = set()
    for name in imported(module):
        if name != PACKAGE and not name.startswith(PACKAGE + "."):
            continue
        inner = name.removeprefix(PACKAGE).removeprefix(".")
        while inner not in MODULES:  # what is left over is a name inside a module
            inner = inner.rpartition(".")[0]
        found.add(inner)
    return frozenset(found)


def reached(module: str) -> set[str]:
    """Every module of this package that a module imports, directly or through others."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        new = own_imports(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_layer(module: str) -> None:
    assert layer(module) is not None, f"{module} stands in no row of LAYERS: give it one"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    row = layer(module)
    assert row is not None
    wrong = [name for name in own_imports(module) if (layer(name) if layer(name) is not None else row) >= row]
    assert not wrong, f"{module} (row {row}) imports from its own row or above: {sorted(wrong)}"


@pytest.mark.parametrize(("one", "other"), [pair for a, b in APART for pair in ((a, b), (b, a))])
def test_kept_apart(one: str, other: str) -> None:
    crossings = [(module, name) for module in MODULES if inside(module, one)
                 for name in reached(module) if inside(name, other)]
    assert not crossings, f"{one} must not reach {other}: {crossings}"


@pytest.mark.parametrize("module", MODULES)
def test_optional_packages_stay_in_their_place(module: str) -> None:
    roots = {name.split(".")[0] for name in imported(module)}
    wrong = [package for package, places in OPTIONAL.items()
             if package in roots and not any(fnmatchcase(module, place) for place in places)]
    assert not wrong, f"{module} imports {wrong}, which a plain install does not have"


def test_no_module_is_named_utils() -> None:
    vague = re.compile(r"(^|[._])(utils?|helpers?|common|misc|kernels?)($|[._])")
    assert [module for module in MODULES if vague.search(module)] == []


def test_the_reader_of_imports_sees_every_form(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The checks above would pass on anything if the imports were misread."""
    source = tmp_path / "probe.py"
    source.write_text(
        "import ir_measures_relative.one\n"
        "def later():\n"
        "    from ..two import a_name\n"
        "    from .. import three\n"
        "    from .four import a_name\n"
        "    from ir_measures_relative.five.six import a_name\n"
        "    from ir_measures_relative import __name__\n"
        "    import numpy, ir_measures\n"
    )
    expected = {"one", "two", "three", "measures.four", "five.six", ""}
    for module in {"measures.probe"} | expected:
        monkeypatch.setitem(MODULES, module, source)
    assert own_imports("measures.probe") == expected
