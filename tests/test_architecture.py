"""Rooms with doors: imports between rooms point down, nobody reaches past a door, and nothing grows too large."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from support.imports import (
    MODULES,
    ROOT,
    imported,
    is_door,
    longest_chain,
    module_name,
    needed_modules,
    offered,
    own_imports,
    reached,
    tree_of,
)
from support.repository import INSTALLED, REPOSITORY

# Rooms, lowest first; a name without a folder is a module at the top. A room may import from rows below its own.
ROOMS: list[list[str]] = [
    ["_version", "_checks"],
    ["_input"],
    ["_judged"],
    ["_base", "simulate"],
    ["_priors", "citations"],
    ["_extremes"],
    ["_labels"],
    ["measures", "meta"],
    ["_hosts", "plots"],
    ["_experiment"],
    ["_stream", "_hosts.pyterrier_experiment", "_report"],
    ["_cli"],
    [""],
    ["__main__", "pt_docs"],
]

# Never, in either direction, not even through a third module.
APART = [("measures", "meta"), ("measures", "plots")]

# Packages that only an extra installs, and the modules that may import them.
OPTIONAL = {
    "matplotlib": ["plots", "plots.*"],
    "pyterrier": ["_hosts.pyterrier_experiment.experiment"],
    "ir_datasets": ["_input.columns"],
    "pyarrow": ["_input.arrow", "_stream.topic_streams"],
    "statsmodels": [],
}

# Limits that may only become smaller; the aims are 20,000 lines and 20 modules.
MOST_LINES = 21_100
LONGEST_CHAIN = 20
SHADOWED: set[str] = set()


def room(module: str) -> str:
    """The room that a module belongs to: the innermost folder, or the module itself, that has a row."""
    parts = module.split(".")
    names = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((name for name in names if any(name in row for row in ROOMS)), parts[0])


def row(module: str) -> int | None:
    """The row of a module's room in ROOMS."""
    return next((place for place, names in enumerate(ROOMS) if room(module) in names), None)


def inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def test_every_module_is_in_a_room() -> None:
    assert [module for module in MODULES if row(module) is None] == [], "give each of these a room in ROOMS"


def test_imports_point_down() -> None:
    """A module imports from rooms in rows above its own row of ROOMS only."""
    upward = [
        (module, name)
        for module in MODULES
        for name in own_imports(module)
        if room(name) != room(module) and (row(name) or 0) >= (row(module) or 0)
    ]
    assert upward == []


def test_nobody_reaches_past_a_door() -> None:
    """Another room is imported by what its __init__ offers."""
    past = [
        (module, name)
        for module in MODULES
        for name in own_imports(module)
        if "." in name and room(name) != room(module) and name.split(".")[0] != module.split(".")[0]
    ]
    assert past == []


def test_a_door_says_what_it_offers() -> None:
    """Every name of ``__all__`` exists, and the room's docstring says what the room is for."""
    doors = [module for module in MODULES if is_door(module) and module]
    assert [module for module in doors if not ast.get_docstring(tree_of(module))] == []
    assert [(module, name) for module in doors for name in missing_names(module)] == []


def missing_names(folder: str) -> list[str]:
    """Names of a door's ``__all__`` that the door does not bind."""
    body = tree_of(folder).body
    bound = {alias.asname or alias.name for node in body for alias in getattr(node, "names", [])}
    bound |= {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    lists = [node for node in body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"]
    listed = [entry for node in lists for entry in ast.walk(node.value) if isinstance(entry, ast.Constant)]
    return [entry.value for entry in listed if entry.value not in bound]


def test_only_a_few_files_stand_at_the_top() -> None:
    allowed = {"__init__.py", "__main__.py", "_version.py", "_checks.py", "simulate.py", "citations.py"}
    allowed |= {"citations.bib", "py.typed"}
    assert {path.name for path in ROOT.iterdir() if path.is_file()} == allowed


def test_kept_apart() -> None:
    crossings = [
        (module, name)
        for pair in APART
        for one, other in (pair, pair[::-1])
        for module in MODULES
        if inside(module, one)
        for name in reached(module)
        if inside(name, other)
    ]
    assert crossings == []


def test_optional_packages_stay_in_their_place() -> None:
    """A plain install does not have them."""
    misplaced = [
        (module, package)
        for module in MODULES
        for package in sorted({name.split(".")[0] for name in imported(module)} & set(OPTIONAL))
        if not any(fnmatchcase(module, place) for place in OPTIONAL[package])
    ]
    assert misplaced == []


def test_importing_the_package_is_light() -> None:
    """Beside ir_measures and pandas nothing that takes long to import: that waits until it is needed."""
    code = (
        "import sys, ir_measures, pandas; before = set(sys.modules); import ir_measures_relative; "
        "print(*sorted(set(sys.modules) - before))"
    )
    environment = {**os.environ, "PYTHONPATH": str(INSTALLED)}
    new = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    heavy = (
        "scipy.special",
        "scipy.optimize",
        "scipy.stats",
        "joblib",
        "tqdm",
        "matplotlib",
        "pyterrier",
        "pyarrow",
        "ir_measures_relative.meta",
        "ir_measures_relative.plots",
    )
    assert "ir_measures_relative.measures" in new.stdout.split()
    assert [name for name in new.stdout.split() if name.startswith(heavy)] == []


def test_contributing_names_the_rooms_that_exist() -> None:
    """The table of rooms in CONTRIBUTING.md is that of the folders, in the order of imports."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ((?:`\w+`(?:, )?)+) \| .* \|$", text.partition("## The rooms")[2].partition("\n## ")[0], re.MULTILINE
    )
    named = [re.findall(r"`(\w+)`", row) for row in rows]
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert {name for row in named for name in row} == folders | {"_checks"}
    places = [[place for place, rooms in enumerate(ROOMS) if name in rooms] for row in named for name in row]
    assert all(places) and places == sorted(places)


def test_the_tests_mirror_the_package() -> None:
    """A folder of tests for every room, helpers and data beside them; no test file imports another one."""
    tests = REPOSITORY / "tests"
    rooms = {path.name.lstrip("_") for path in ROOT.iterdir() if (path / "__init__.py").exists()} - {"pt_docs"}
    folders = {path.name for path in tests.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))}
    assert folders == rooms | {"data", "reference", "support"}
    importing = re.compile(r"^\s*(from|import) (tests\.|test_)", re.MULTILINE)
    assert [path.name for path in tests.rglob("test_*.py") if importing.search(path.read_text(encoding="utf-8"))] == []


def test_no_module_is_named_utils() -> None:
    vague = re.compile(r"(^|[._])(utils?|helpers?|common|misc|kernels?)($|[._])")
    assert [module for module in MODULES if vague.search(module)] == []


def test_files_and_functions_are_short() -> None:
    """At most 400 lines a file, and 50 lines a function beside its docstring."""
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: lines for module, lines in lengths.items() if lines > 400} == {}
    functions = {
        f"{module}.{node.name}": lines_of(node)
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert len(functions) > 1000
    assert {name: lines for name, lines in functions.items() if lines > 50} == {}


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without those of its docstring."""
    first = function.body[0]
    docstring = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(function) is not None else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_the_package_does_not_grow() -> None:
    """Lower MOST_LINES when the package has become shorter; never raise it."""
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES.values())
    assert lines <= MOST_LINES


def test_chains_of_imports_are_short() -> None:
    """A reader follows the longest chain of modules to understand the first; lower LONGEST_CHAIN when it is shorter."""
    chain = max(map(longest_chain, MODULES), key=len)
    assert len(chain) <= LONGEST_CHAIN, " -> ".join(chain)


def test_no_module_is_shadowed_by_a_function_of_its_name() -> None:
    """After ``from .pairs import pairs`` in a door the module ``room.pairs`` can no longer be reached by that name."""
    shadowed = {f"{folder}.{name}" for folder in MODULES for name in offered(folder)} & set(MODULES)
    assert shadowed == SHADOWED, "name a new file after the concept in it; take a renamed one out of SHADOWED"


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


def test_the_reader_of_imports_looks_through_doors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A chain goes from module to module, and what a function imports when it is called is no part of it."""
    sources = {
        "probe": "from ir_measures_relative.probed import found\n",
        "probed": "from .first import named as found\nfrom .second import second\n",
        "probed.first": "from ir_measures_relative.probed.second import second\nfrom numpy import array as named\n",
        "probed.second": "def second():\n    from ir_measures_relative.probe import found\n",
    }
    for module, text in sources.items():
        path = tmp_path / module / "__init__.py" if module == "probed" else tmp_path / f"{module}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        monkeypatch.setitem(MODULES, module, path)
    assert needed_modules("probe") == {"probed.first"}
    assert longest_chain("probe") == ("probe", "probed.first", "probed.second")
    assert own_imports("probe") == {"probed"} and own_imports("probed.second") == {"probe"}
    assert offered("probed").keys() == {"found", "second"}


def test_no_thread_touches_the_warnings_of_another() -> None:
    """warnings.catch_warnings changes what the whole process hears; two threads in it can silence the process for good.

    Only where one thread alone can be: the command line; pt.Experiment, whose warnings are not ours; a sum of scipy's,
    which asks whether it is in the main thread.
    """
    users = {module_name(path) for path in ROOT.rglob("*.py") if re.search(r"catch_warnings\(", path.read_text())}
    alone = {"_cli.command_line", "_hosts.pyterrier_experiment.retrieval", "_hosts.pyterrier_experiment.saved_runs"}
    alone.add("meta._significance")
    assert users <= alone
