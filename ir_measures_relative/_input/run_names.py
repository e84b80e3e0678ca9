"""What a run may be called, and what a file of one is called."""

from __future__ import annotations

NONE = "none"
SYMBOLS = ("others", "previous", "groups")  # they mean runs of an experiment, so none may be called so
_ENDINGS = (".run", ".res", ".txt", ".trec", ".tsv", ".out", ".parquet")  # they say nothing of the system


def run_name(file_name: str) -> str:
    """The name of a run by the base name of its file; nothing beside the file matters.

    >>> run_name("input.p_bm25.gz"), run_name("bm25.res.gz"), run_name("covidex.r5.1s.lr")
    ('p_bm25', 'bm25', 'covidex.r5.1s.lr')
    """
    name = _without(file_name, prefix="input.", suffix=".gz")
    left = list(_ENDINGS)
    while ending := next((ending for ending in left if name.endswith(ending)), None):
        left.remove(ending)
        name = _without(name, suffix=ending)
    return name


def _without(name: str, prefix: str = "", suffix: str = "") -> str:
    """The name without a prefix and a suffix; '.gz', of which nothing would be left, stays."""
    return name.removeprefix(prefix).removesuffix(suffix) or name


def refuse_symbol(name: str, what: str) -> None:
    """Refuses the name of a run that means something else as a prior."""
    if name in SYMBOLS or name == NONE:
        raise ValueError(f"{what}: {name!r} cannot name a run, since it has a meaning as prior={name!r}")
