"""The modules of the package and what they import, read from the source."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from support.repository import INSTALLED

PACKAGE = "ir_measures_relative"
ROOT = INSTALLED / PACKAGE


def module_name(path: Path) -> str:
    """Name relative to the package: 'measures.nrg', 'measures' for its __init__, '' for the package's own."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES: dict[str, Path] = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def is_door(module: str) -> bool:
    """True for a folder, whose ``__init__.py`` is the door of a room."""
    return MODULES[module].name == "__init__.py"


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def relative(name: str) -> str | None:
    """A dotted name relative to the package; None for a name of another package."""
    if name != PACKAGE and not name.startswith(PACKAGE + "."):
        return None
    return name.removeprefix(PACKAGE).removeprefix(".")


def absolute(module: str, node: ast.ImportFrom) -> str:
    """The dotted name that `from ... import` names, its leading dots resolved."""
    if not node.level:
        return node.module or ""
    own = [PACKAGE, *filter(None, module.split("."))]
    base = own[: len(own) - node.level + is_door(module)]
    return ".".join([*base, *filter(None, [node.module])])


@cache
def imported(module: str) -> frozenset[str]:
    """Dotted names of everything that a module imports, anywhere in it, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = absolute(module, node)
            names |= {f"{source}.{alias.name}" for alias in node.names}
    return frozenset(names)


@cache
def offered(folder: str) -> dict[str, str]:
    """Name -> dotted source of each name that a door takes from the modules behind it; empty for a module."""
    if not folder or folder not in MODULES or not is_door(folder):
        return {}
    nodes = [node for node in tree_of(folder).body if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: f"{absolute(folder, node)}.{alias.name}" for node in nodes for alias in node.names
    }


@cache
def own_imports(module: str) -> frozenset[str]:
    """The modules of this package that a module imports (of `from .a import b`: a.b if a module, else a)."""
    modules: set[str] = set()
    for inner in map(relative, imported(module)):
        if inner is None:
            continue
        folder, _, last = inner.rpartition(".")
        if last in offered(folder):  # the door may offer a name that is also the name of a module behind it
            inner = folder
        while inner not in MODULES:  # the rest is a name inside a module
            inner = inner.rpartition(".")[0]
        modules.add(inner)
    return frozenset(modules)


def home(name: str) -> str:
    """The module that defines a name of this package, however many doors offer it in between."""
    folder, _, last = name.rpartition(".")
    source = relative(offered(folder).get(last, ""))
    if source is not None:
        return home(source)
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


@cache
def needed_modules(module: str) -> frozenset[str]:
    """The modules that define what a module imports at its top; doors are looked through."""
    names: set[str] = set()
    for node in tree_of(module).body:
        if isinstance(node, ast.ImportFrom):
            names |= {f"{absolute(module, node)}.{alias.name}" for alias in node.names}
    return frozenset(home(inner) for inner in filter(None, map(relative, names))) - {module}


@cache
def longest_chain(module: str) -> tuple[str, ...]:
    """The longest chain of modules in which each needs the next."""
    return (module, *max(map(longest_chain, needed_modules(module)), key=len, default=()))


def reached(module: str) -> set[str]:
    """Every module of this package that a module imports, directly or through others."""
    modules: set[str] = set()
    waiting = [module]
    while waiting:
        new = own_imports(waiting.pop()) - modules
        modules |= new
        waiting += new
    return modules
