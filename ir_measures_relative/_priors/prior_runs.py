"""Prior runs: what a measure's ``prior`` (or ``reference``) may be, and the short text by which it is known.

A measure is compared and printed by its text, so prior runs become text too: ``name~fingerprint`` for runs given as
objects or files, the plain name for registered ones. The text is a ``str`` that carries the runs, so that printing,
hashing, parsing and pickling work without a special case. Prior runs know no qrels.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ir_measures_relative._checks import shown
from ir_measures_relative._input import NONE, SYMBOLS, is_frame, is_run, read_once, run_name
from ir_measures_relative._judged import Run

_PINNED = re.compile(r"[^\s,~]*~[0-9a-f]{8}")
_FORBIDDEN = re.compile(r"[\s,~]")

_registered: dict[str, tuple[Run, ...]] = {}  # name -> its runs
_received: set[str] = set()  # names that are registered only because a pickled measure brought them
_contents: dict[str, Run] = {}  # fingerprint -> the run; kept, so that a printed measure can be parsed and computed


class PriorKey(str):
    """The text of prior runs, such as ``'bm25~1f0c3a9e,dense'``; ``carried`` maps its pinned parts to their runs."""

    carried: dict[str, tuple[Run, ...]]

    def __new__(cls, text: str, carried: Mapping[str, tuple[Run, ...]] | None = None) -> PriorKey:
        key = super().__new__(cls, text)
        key.carried = dict(carried or {})
        return key

    def __reduce__(self) -> tuple:
        known = {part: _runs_of(part, self) for part in self.split(",")}
        return _unpickled, (str(self), {part: runs for part, runs in known.items() if runs is not None})

    def __copy__(self) -> PriorKey:
        return self

    def __deepcopy__(self, memo: dict) -> PriorKey:
        return self


def prior_key(value: Any, where: str = "prior", single: bool = False) -> PriorKey:
    """The key of prior runs in any accepted form; ``single`` demands exactly one run.

    Objects and files are read here; plain names are only checked to be names.
    """
    parts: dict[str, tuple[Run, ...]] = {}
    names = sorted(_parts(value, where, parts))
    special = [name for name in names if name in SYMBOLS or name == NONE]
    if single and (len(names) != 1 or special):
        raise ValueError(f"{where}={shown(value)} is not accepted; accepted is one run, or the path or name of one")
    if special and len(names) > 1:
        raise ValueError(f"{where}: {special[0]!r} stands alone; it cannot be combined with other prior runs")
    return PriorKey(",".join(names) or NONE, parts)


def register_prior(name: str, runs: Any, overwrite: bool = False) -> None:
    """Makes prior runs known under a name, for ``NRG(prior=name)`` and the like.

    Parameters
    ----------
    name : text without white space, comma and ``~``, and not one of the symbols
    runs : one run in any form (dict, DataFrame, named tuples, path), or a list or dict of those
    overwrite : give a used name other content; the plain name then means the new content

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> imr.register_prior('bm25', {'q1': {'d1': 2.0, 'd2': 1.0}}, overwrite=True)
    >>> imr.NRG(prior='bm25')@10
    NRG(prior='bm25')@10
    """
    _check_name(name, "register_prior: name")
    if _is_path(name):
        raise ValueError(f"register_prior: name {name!r:.60} would be read as a path; a name has no path separator")
    key = prior_key(runs, f"register_prior({name!r})")
    if key in SYMBOLS:
        raise ValueError(f"register_prior({name!r}): the symbol {str(key)!r} is no run")
    found = tuple(run for _, run in resolve(key, f"register_prior({name!r})"))
    known = None if name in _received else _registered.get(name)
    if known is not None and not overwrite and _identity(known) != _identity(found):
        raise ValueError(f"the prior {name!r} is registered with other content; pass overwrite=True to replace it")
    _registered[name] = found
    _received.discard(name)


def registered_priors() -> list[str]:
    """Names of the registered priors."""
    return sorted(_registered)


def resolve(key: str, where: str, own: Mapping[str, Run] | None = None, single: bool = False) -> list[tuple[str, Run]]:
    """The runs that a key means, each with the part of the key it comes from; ``own``: runs of the experiment.

    ``single`` demands exactly one run: a registered name may stand for several.
    Runs come in an order that depends on their content alone, so that results do not depend on how they were listed.
    """
    if key in SYMBOLS:
        raise ValueError(
            f"{where}={str(key)!r} means other runs of an experiment: "
            "use calc_runs, Experiment or the command line's compare, or name prior runs"
        )
    found: list[tuple[str, Run]] = []
    for part in key.split(",") if key != NONE else ():
        runs = (own[part],) if own and part in own else _runs_of(part, key)
        if runs is None:
            raise _unknown(part, where, own)
        found.extend((part, run) for run in runs)
    if single and len(found) != 1:
        raise ValueError(f"{where}={str(key)!r} stands for {len(found)} runs; accepted is one")
    return sorted(found, key=lambda named: named[1].fingerprint) if len(found) > 1 else found


def _parts(value: Any, where: str, parts: dict[str, tuple[Run, ...]], name: str = "", inner: bool = False) -> list[str]:
    """Texts of the priors in ``value``; those that were read are added to ``parts``.

    Nothing at all means no priors; nothing ``inner``, inside a list or dict, is a run without documents.
    """
    if isinstance(value, PriorKey):
        parts.update(value.carried)
        return [] if value == NONE else value.split(",")
    if isinstance(value, str):
        return _text_parts(value, where, parts, name)
    if isinstance(value, os.PathLike):
        return [_file_part(Path(value), where, parts, name)]
    if isinstance(value, Iterable) and not isinstance(value, (Mapping, list, tuple, bytes)) and not is_frame(value):
        value, inner = read_once(value, where), True  # read once; an empty stream of rows is a run without documents
    several = isinstance(value, (Mapping, list, tuple)) and not is_run(value) and (len(value) > 0 or not inner)
    if several and isinstance(value, Mapping):
        return [p for key, run in value.items() for p in _parts(run, where, parts, _check_name(key, where), True)]
    if several:
        return [part for run in value for part in _parts(run, where, parts, name, True)]
    if isinstance(value, Run) or (isinstance(value, Iterable) and not isinstance(value, bytes)):
        return [_pinned(Run.of(value, f"{where} {name!r}" if name else where), name, parts)]
    raise TypeError(
        f"{where}: cannot take a {type(value).__name__}; "
        "accepted are a run, the path or name of one, or several of those"
    )


def _text_parts(text: str, where: str, parts: dict[str, tuple[Run, ...]], name: str) -> list[str]:
    if _is_path(text) and ("," not in text or os.path.exists(os.path.expanduser(text))):
        return [_file_part(Path(text), where, parts, name)]
    found = []
    for part in text.split(","):
        part = part.strip()
        if _is_path(part):
            found.append(_file_part(Path(part), where, parts, name))
        else:
            found.append(part if _PINNED.fullmatch(part) else _check_name(part, where, reserved=()))
    return found


def _file_part(path: Path, where: str, parts: dict[str, tuple[Run, ...]], name: str) -> str:
    return _pinned(Run.of(path, where), name or _FORBIDDEN.sub("_", run_name(path.name)), parts)


def _pinned(run: Run, name: str, parts: dict[str, tuple[Run, ...]]) -> str:
    """Keeps a run under its fingerprint; the same content is kept once."""
    digest = run.fingerprint
    kept = _contents.setdefault(digest[:8], run)
    if kept.fingerprint != digest:
        raise ValueError(f"two different prior runs share the fingerprint {digest[:8]}; change one of them")
    part = f"{name}~{digest[:8]}"
    parts[part] = (kept,)
    return part


def _runs_of(part: str, key: str) -> tuple[Run, ...] | None:
    """Runs of one part of a key: carried with it, pinned by content, or registered; None if unknown."""
    carried = getattr(key, "carried", {})  # plain text carries nothing
    if part in carried:
        return carried[part]
    if _PINNED.fullmatch(part):
        run = _contents.get(part[-8:])
        return None if run is None else (run,)
    return _registered.get(part)


def _unpickled(text: str, carried: Mapping[str, tuple[Run, ...]]) -> PriorKey:
    """The key of a pickled measure. In a process a text means one content: a name that means another here is pinned."""
    names: list[str] = []
    parts: dict[str, tuple[Run, ...]] = {}
    for part in text.split(","):
        runs = carried.get(part)
        if runs is None or _receive(part, runs):
            names.append(part)
        else:
            names.extend(_pinned(run, part.split("~")[0], parts) for run in runs)
    return PriorKey(",".join(sorted(names)) or NONE, parts)


def _receive(name: str, runs: tuple[Run, ...]) -> bool:
    """Whether a plain name means these runs in this process; a name that nobody registered here gets them."""
    if _PINNED.fullmatch(name):
        return False
    if name not in _registered or name in _received:
        _registered[name] = runs
        _received.add(name)
    return _identity(_registered[name]) == _identity(runs)


def _identity(runs: tuple[Run, ...]) -> list[str]:
    return sorted(run.fingerprint for run in runs)


def _is_path(text: str) -> bool:
    return ("/" in text or os.sep in text) and not _PINNED.fullmatch(text)


def _check_name(name: Any, where: str, reserved: tuple[str, ...] = (NONE, *SYMBOLS)) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{where}: the name of a prior run must be text, not {shown(name, 60)}")
    if not name or _FORBIDDEN.search(name) or name in reserved:
        raise ValueError(
            f"{where}: {name!r:.60} cannot name a prior run; a name is not empty, has no white space, comma or '~', "
            f"and is not one of the reserved words {', '.join(map(repr, (NONE, *SYMBOLS)))}"
        )
    return name


def _unknown(part: str, where: str, own: Mapping[str, Run] | None) -> ValueError:
    if _PINNED.fullmatch(part):
        return ValueError(
            f"{where}: the content {part!r} is not known in this process; make the measure from the run itself"
        )
    known = ", ".join([*(own or ()), *registered_priors()])
    return ValueError(
        f"{where}: no prior run is known as {part!r}; {f'known are {known}' if known else 'none is known yet'} "
        "(register_prior, or --prior NAME=PATH on the command line, makes a run known; "
        "text with a '/' is read as a path)"
    )
