"""Rooms with doors: imports between rooms point down, and nobody reaches past a door."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
from support.repository import INSTALLED, REPOSITORY

PACKAGE = "ir_measures_relative"
ROOT = INSTALLED / PACKAGE

# Rooms, lowest first; a name without a folder is a module at the top. A room may import from rows below its own.
ROOMS: list[list[str]] = [
    ["_version", "_checks"],
    ["_input"],
    ["_judged"],
    ["_base", "simulate"],
    ["_priors", "citations"],
    ["_unjudged", "_extremes"],
    ["_labels"],
    ["measures", "meta"],
    ["_hosts", "plots"],
    ["_experiment"],
    ["_hosts.pyterrier_experiment", "_report"],
    ["_cli"],
    [""],
    ["__main__", "pt_docs"],
]

# Imported as a module because it is only loaded when asked for: (who, whom)
PAST_THE_DOOR = {
    ("", "_hosts.pyterrier_experiment"),
}
# Rooms that still look up: (who, whom)
UPWARD: set[tuple[str, str]] = set()

# Never, in either direction, not even through a third module.
APART = [("measures", "meta"), ("measures", "plots")]

# Packages that only an extra installs, and the modules that may import them.
OPTIONAL = {
    "matplotlib": ["plots", "plots.*", "pt_docs.pictures.*"],
    "pyterrier": ["_hosts.pyterrier_experiment.experiment"],
    "ir_datasets": ["_cli.*"],
    "pyarrow": ["_input.arrow", "_input.arrow_batches"],
    "statsmodels": [],
}


def module_name(path: Path) -> str:
    """Name relative to the package: 'measures.nrg', 'measures' for its __init__, '' for the package's own."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES: dict[str, Path] = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def room(module: str) -> str:
    """The room that a module belongs to: the innermost folder, or the module itself, that has a row."""
    parts = module.split(".")
    names = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((name for name in names if any(name in row for row in ROOMS)), parts[0])


def row(module: str) -> int | None:
    """The row of a module's room in ROOMS."""
    return next((place for place, names in enumerate(ROOMS) if room(module) in names), None)


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
def offered(folder: str) -> frozenset[str]:
    """The names that the door of a room takes from the modules behind it; nothing for a module."""
    if not folder or folder not in MODULES or MODULES[folder].name != "__init__.py":
        return frozenset()
    tree = ast.parse(MODULES[folder].read_text(encoding="utf-8"))
    return frozenset(alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names)


@cache
def own_imports(module: str) -> frozenset[str]:
    """The modules of this package that a module imports (of `from .a import b`: a.b if a module, else a)."""
    found: set[str] = set()
    for name in imported(module):
        if name != PACKAGE and not name.startswith(PACKAGE + "."):
            continue
        inner = name.removeprefix(PACKAGE).removeprefix(".")
        folder, _, last = inner.rpartition(".")
        if last in offered(folder):  # a name that the door offers, which may also be that of a module behind it
            inner = folder
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
def test_every_module_is_in_a_room(module: str) -> None:
    assert row(module) is not None, f"{module} is in no room of ROOMS: give it one"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    own = row(module)
    assert own is not None
    wrong = [name for name in own_imports(module) if room(name) != room(module) and (row(name) or 0) >= own]
    wrong = [name for name in wrong if (module, name) not in UPWARD]
    assert not wrong, f"{module} (row {own}) imports from its own row or above: {sorted(wrong)}"


@pytest.mark.parametrize("module", MODULES)
def test_nobody_reaches_past_a_door(module: str) -> None:
    """Another room is imported by what its __init__ offers; pt_docs documents all of the package."""
    if room(module) == "pt_docs":
        return
    wrong = [
        name
        for name in own_imports(module)
        if "." in name and room(name) != room(module) and name.split(".")[0] != module.split(".")[0]
    ]
    wrong = [name for name in wrong if (module, name) not in PAST_THE_DOOR]
    assert not wrong, f"{module} reaches past a door: {sorted(wrong)}"


@pytest.mark.parametrize("folder", sorted(name for name in MODULES if MODULES[name].name == "__init__.py" and name))
def test_a_door_says_what_it_offers(folder: str) -> None:
    """Every name of ``__all__`` exists, and the room's docstring says what the room is for."""
    tree = ast.parse(MODULES[folder].read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    bound = {alias.asname or alias.name for node in tree.body for alias in getattr(node, "names", [])}
    bound |= {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    offered = [
        node for node in tree.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    ]
    assert [name for node in offered for name in ast.literal_eval(node.value) if name not in bound] == []


def test_only_a_few_files_stand_at_the_top() -> None:
    allowed = {"__init__.py", "__main__.py", "_version.py", "_checks.py", "simulate.py", "citations.py", "py.typed"}
    assert {path.name for path in ROOT.iterdir() if path.is_file()} == allowed


@pytest.mark.parametrize(("one", "other"), [pair for a, b in APART for pair in ((a, b), (b, a))])
def test_kept_apart(one: str, other: str) -> None:
    crossings = [
        (module, name) for module in MODULES if inside(module, one) for name in reached(module) if inside(name, other)
    ]
    assert not crossings, f"{one} must not reach {other}: {crossings}"


@pytest.mark.parametrize("module", MODULES)
def test_optional_packages_stay_in_their_place(module: str) -> None:
    roots = {name.split(".")[0] for name in imported(module)}
    wrong = [
        package
        for package, places in OPTIONAL.items()
        if package in roots and not any(fnmatchcase(module, place) for place in places)
    ]
    assert not wrong, f"{module} imports {wrong}, which a plain install does not have"


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


def test_no_thread_touches_the_warnings_of_another() -> None:
    """warnings.catch_warnings changes what the whole process hears; two threads in it can silence the process for good.

    Only where one thread alone can be: the command line; pt.Experiment, whose warnings are not ours; a sum of scipy's,
    which asks whether it is in the main thread.
    """
    users = {module_name(path) for path in ROOT.rglob("*.py") if re.search(r"catch_warnings\(", path.read_text())}
    alone = {"_cli.command_line", "_hosts.pyterrier_experiment.retrieval", "_hosts.pyterrier_experiment.saved_runs"}
    alone.add("meta._pairwise_tests")
    assert users <= alone
