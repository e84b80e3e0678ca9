"""Prior runs: accepted forms of a measure's ``prior`` (or ``reference``), as a value that a measure keeps and prints.

A measure is compared and printed by its text, so prior runs have a short one: ``name~fingerprint`` for runs given as
objects or files, whose content the value keeps, and the plain name for those that are looked up later.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from ir_measures_relative._base import Contents, short_key, split_key
from ir_measures_relative._checks import did_you_mean, flag, kind_of, quoted, shown
from ir_measures_relative._input import (
    NONE,
    SYMBOLS,
    is_frame,
    is_parquet,
    is_run,
    native,
    read_once,
    run_name,
    run_sources,
)
from ir_measures_relative._judged import Run
from ir_measures_relative._priors.prior_names import (
    begins_like_path,
    check_name,
    in_quotes,
    is_path,
    looks_like_path,
    split_names,
    without_forbidden,
)
from ir_measures_relative._priors.transformers import Retriever, is_transformer, retriever_of

_ANONYMOUS = "run"  # name of a run that has none

_contents: Contents[Any] = Contents("prior runs")  # runs and retrievers that some measure or name refers to
_registered: dict[str, tuple[Run, ...]] = {}  # name -> its runs


@dataclass(frozen=True)
class Part:
    """One of several prior runs: a pinned content, or a plain name that is looked up later."""

    name: str
    digits: str = ""  # of the fingerprint; a plain name has none
    content: Run | Retriever | None = field(default=None, compare=False)
    paths: bool = field(default=True, compare=False)  # False: an error must not reveal whether a file exists

    @property
    def label(self) -> str:
        """The name of a run of the experiment or of a registered one; ``name~digits`` of a pinned content."""
        return short_key(self.name, self.digits) if self.digits else self.name

    def pinned(self) -> Run | Retriever | None:
        """The content of the digits: the part's own, or one that another object keeps."""
        return _contents.get(self.digits) if self.content is None else self.content


@dataclass(frozen=True, repr=False)
class PriorRuns:
    """Prior runs as a frozen value: names, fingerprints and contents, in an order of their own.

    Equal ones print alike. ``repr`` is the quoted short key, since ir_measures prints parameters by their ``repr``.
    A pickle includes the contents, those of registered names too.

    >>> PriorRuns.of({"bm25": {"q1": {"d1": 2.0}}, "dense": {"q1": {"d2": 1.0}}})
    'bm25~501751b6,dense~e413c8a0'
    """

    parts: tuple[Part, ...]

    @classmethod
    def of(
        cls, value: Any, where: str = "prior", *, single: bool = False, paths: bool = True, ties: bool = False
    ) -> PriorRuns:
        """Read prior runs in any accepted form; plain names are only checked to be names.

        ``single`` requires exactly one run; with ``paths=False`` no file is opened or looked for; ``ties``: runs of the
        same order whose ties differ are different.
        """
        prior_runs = value if isinstance(value, PriorRuns) else cls._sorted(_Reader(where, paths, ties).parts(value))
        special = [part.name for part in prior_runs.parts if part.label in (NONE, *SYMBOLS)]
        if single and (len(prior_runs.parts) != 1 or special):
            listed = f"; a name that contains a comma must be in a list: [{value!r}]" if "," in str(value) else ""
            raise ValueError(f"{where} must be one run, or the path or name of one, got {shown(value)}{listed}")
        if special and len(prior_runs.parts) > 1:
            raise ValueError(f"{where}: {special[0]!r} cannot be combined with other prior runs")
        return cls(()) if special == [NONE] else prior_runs

    @classmethod
    def _sorted(cls, parts: Iterable[Part]) -> PriorRuns:
        return cls(tuple(sorted(parts, key=lambda part: part.label)))

    @property
    def symbol(self) -> str | None:
        """'others', 'previous' or 'groups', if the prior runs are those of an experiment."""
        return self.parts[0].name if len(self.parts) == 1 and self.parts[0].label in SYMBOLS else None

    def transformers(self) -> dict[str, Any]:
        """PyTerrier transformers by their labels; ``resolve`` expects their runs under these labels."""
        retrievers = {part.label: part.pinned() for part in self.parts if part.digits}
        return {label: content.transformer for label, content in retrievers.items() if isinstance(content, Retriever)}

    def resolve(
        self, where: str, own: Mapping[str, Any] | None = None, *, single: bool = False
    ) -> list[tuple[str, Run]]:
        """The runs, each with the label of the part it comes from; ``own``: runs of the experiment by name.

        ``single`` requires exactly one run: a registered name may stand for several.
        """
        if self.symbol is not None:
            raise ValueError(
                f"{where}={self.symbol!r} means other runs of an experiment: "
                "use calc_runs, compare or pt.relative.Experiment, or name prior runs "
                "(on the command line: compare, or --prior NAME=FILE)"
            )
        runs = [(part.label, run) for part in self.parts for run in _runs_of(part, where, own or {})]
        if single and len(runs) != 1:
            raise ValueError(f"{where} must be one run, but {self!r} means {len(runs)} runs")
        return runs

    def __str__(self) -> str:
        return ",".join(in_quotes(part.label) for part in self.parts) or NONE

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        contents = [_registered.get(part.name) if not part.digits else part.pinned() for part in self.parts]
        return _received, ([(p.name, p.digits, c) for p, c in zip(self.parts, contents, strict=True)],)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> PriorRuns:
        return self

    __copy__ = __deepcopy__


def register_prior(name: str, runs: Any, *, overwrite: bool = False) -> None:
    """Register prior runs under a name, for ``NRG(prior=name)`` and the like.

    Parameters
    ----------
    name : str
        Text that contains no control characters or ``~``, is not a symbol, and does not begin like a path.
    runs : RunLike, list or dict
        One run in any form (dict, DataFrame, named tuples, path), or a list or dict of runs.
    overwrite : bool
        Replace the content of a registered name; the plain name then means the new content.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> imr.register_prior('bm25', {'q1': {'d1': 2.0, 'd2': 1.0}}, overwrite=True)
    >>> imr.NRG(prior='bm25')@10
    NRG(prior='bm25')@10
    """
    check_name(name, "register_prior: name")
    overwrite = flag(overwrite, "register_prior: overwrite")
    if is_path(name):
        raise ValueError(f"register_prior: name {shown(name, 60)} would be read as a path; choose another name")
    where = f"register_prior({name!r})"
    prior = PriorRuns.of(runs, where)
    if prior.symbol is not None:
        raise ValueError(f"{where}: the symbol {prior!r} is not a run")
    contents = tuple(run for _, run in prior.resolve(where))
    if not overwrite and _identity(_registered.setdefault(name, contents)) != _identity(contents):
        raise ValueError(f"the prior run {name!r} is registered with other content; overwrite=True replaces it")
    _registered[name] = contents


@dataclass(frozen=True)
class _Reader:
    """Reader of prior runs in any form."""

    where: str  # beginning of errors
    paths: bool
    ties: bool

    def parts(self, value: Any, name: str = "", inner: bool = False) -> list[Part]:
        """An empty value means no prior runs; inside a list or dict (``inner``) it is a run without documents."""
        if isinstance(value, PriorRuns):
            return list(value.parts)
        if isinstance(value, Run):
            return [self._held_run(value, name)]
        if is_transformer(value):
            return [_held(retriever_of(value, _contents), name)]
        if isinstance(value, str):
            return list(self._of_item(value, name) if inner else self._of_text(value, name))
        if isinstance(value, os.PathLike):
            path = os.fspath(value)
            files = self._matches(os.path.join(".", path))
            return [self._of_file(file, "") for file in files] or [self._of_file(path, name)]
        if not isinstance(value, (Mapping, list, tuple)):
            value = native(value, "score", self.where)
        is_table = is_frame(value)
        if not is_table and (not isinstance(value, Iterable) or isinstance(value, bytes)):
            raise TypeError(
                f"{self.where}: cannot read {kind_of(value)}; "
                "expected a run, the path or name of one, or several of those"
            )
        if not is_table and not isinstance(value, (Mapping, list, tuple)):
            value, inner = read_once(value, self.where), True  # an empty stream of rows is a run without documents
        if is_run(value) or (inner and not len(value)):
            return [self._held_run(Run.of(value, f"{self.where} {name!r}" if name else self.where), name)]
        if isinstance(value, Mapping):
            named = [(check_name(key, self.where), run) for key, run in value.items()]
        else:
            named = [(name, run) for run in value]
        return [part for key, run in named for part in self.parts(run, key, True)]

    def _of_text(self, text: str, name: str) -> Iterator[Part]:
        """A path or a pattern as a whole, which may contain commas, or names and paths separated by commas."""
        whole = self.paths and split_key(text) is None and is_path(text) and ("," not in text or _exists(text))
        for item in [text] if whole or self._matches(text) else split_names(text, self.where):
            yield from self._of_item(item, name)

    def _of_item(self, text: str, name: str) -> Iterator[Part]:
        """One name, path or pattern of paths; a comma is part of it."""
        pinned = split_key(text)
        if pinned is not None and pinned[0] == without_forbidden(pinned[0]):
            yield Part(pinned[0] or _ANONYMOUS, pinned[1], content=_contents.get(pinned[1]))
        elif files := self._matches(text):
            yield from (self._of_file(file, "") for file in files)
        elif self.paths and is_path(text):
            path = os.path.expanduser(text)
            if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):  # it may never end
                raise ValueError(f"{self.where}: {quoted(text)} is a pipe or a device; expected the path of a file")
            yield self._of_file(text, name)
        elif begins_like_path(text):
            raise ValueError(f"{self.where}: {shown(text, 60)} is a path; only names are allowed here")
        else:
            yield Part(check_name(text, self.where, reserved=False), paths=self.paths)

    def _matches(self, text: str) -> list[str]:
        """Files of a folder such as './runs', or those that match a pattern such as 'runs/*.run.gz'."""
        if not self.paths or not looks_like_path(text):
            return []
        place = os.path.expanduser(text)
        if begins_like_path(text) and os.path.isdir(place) and not is_parquet(Path(place)):  # else it may be a name
            return [str(source.path) for source in run_sources(place).values()]
        matches = glob(place, recursive=True) if has_magic(text) and not os.path.exists(place) else []
        return sorted(filter(os.path.isfile, matches))

    def _of_file(self, path: str, name: str) -> Part:
        return self._held_run(Run.of(Path(os.path.expanduser(path)), self.where), name)

    def _held_run(self, run: Run, name: str) -> Part:
        return _held(run.known_by_ties() if self.ties else run, name)


def _held(content: Run | Retriever, name: str) -> Part:
    """A pinned part with its content, under the name given or that of its file; equal contents are kept once."""
    own = content.name if isinstance(content, Retriever) else without_forbidden(run_name(content.file_name or ""))
    kept = _contents.keep(content)
    return Part(name or own or _ANONYMOUS, _contents.digits(kept), kept)


def _runs_of(part: Part, where: str, own: Mapping[str, Any]) -> tuple[Run, ...]:
    """The runs of a part: pinned by content, of the experiment, or registered."""
    if part.digits:
        content = part.pinned()
        if isinstance(content, Run):
            return (content,)
        if content is None:
            raise ValueError(
                f"{where}: the content {part.label!r} is not known in this process; "
                "make the measure from the run itself"
            )
        if part.label not in own:
            raise ValueError(
                f"{where}: {content.name!r} is a PyTerrier transformer, which ir_measures_relative.Experiment runs; "
                "elsewhere call it on your topics: prior=bm25(topics)"
            )
        return (own[part.label],)
    if part.name in own:
        return (own[part.name],)
    if part.name in _registered:
        return _registered[part.name]
    raise _unknown(part, where, own)


def _received(parts: list[tuple[str, str, Any]]) -> PriorRuns:
    """The prior runs of a pickled measure: (name, digits, content) of each part.

    A plain name that means something else in this process, or nothing, is pinned to its content; none is registered.
    """
    received: list[Part] = []
    for name, digits, content in parts:
        if isinstance(content, Retriever):
            content = retriever_of(content.transformer, _contents)
        if digits:
            received.append(Part(name, digits) if content is None else _held(content, name))
        elif content is None or _identity(content) == _identity(_registered.get(name)):
            received.append(Part(name))
        else:
            received.extend(_held(run, name) for run in content)
    return PriorRuns._sorted(received)


def _identity(runs: tuple[Run, ...] | None) -> list[str] | None:
    return None if runs is None else sorted(run.fingerprint for run in runs)


def _exists(path: str) -> bool:
    return os.path.exists(os.path.expanduser(path))


def _unknown(part: Part, where: str, own: Iterable[str]) -> ValueError:
    names = list(dict.fromkeys([*own, *sorted(_registered)]))
    hint = "register_prior, or --prior NAME=PATH on the command line, makes a run known"
    torn = next((n for n in names if "," in n and part.name in map(str.strip, n.split(","))), None)
    if torn is not None:
        hint = f"a name that contains a comma must be in double quotes: {in_quotes(torn)!r}"
    elif part.paths and _exists(part.name):
        hint = f"there is a file of this name: {os.path.join('.', part.name)!r} reads it"
    elif part.paths and looks_like_path(part.name):
        hint = "and no file has this name"
    return ValueError(
        f"{where}: unknown prior run {part.name!r}"
        f"{did_you_mean(part.name, names) if names else '; none is known yet'} ({hint})"
    )
