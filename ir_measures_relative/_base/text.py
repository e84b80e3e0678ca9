"""Measure text -> measure object: ``NRG(prior='bm25', base=RBP(p=0.5))@10``.

Works like ``ir_measures.parse_measure`` and for every measure registered there, and beyond it: on Python 3.14,
with negative numbers, and with a measure as value. Text is never evaluated, and Python's own parser, which warns of a
backslash in a path, has no part in it:

    measure = name ["(" [name "=" value {"," name "=" value}] ")"] ["@" value]
    value   = text | number | True | False | None | measure | list, tuple or dict of values
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import ir_measures

from ir_measures_relative._checks import LARGEST, choice_kind, flag, refusal, right_call, shown

_FORM = "a measure is written Name, Name@K or Name(parameter=value, ...)@K"
_LONGEST = 100_000  # characters: a thousand prior runs by name
_LONGEST_OF_STRANGERS = 10_000
_TREC_EVAL = re.compile(r"[A-Za-z][A-Za-z_]*([_.][0-9.]+)?")
_DEEPEST = 20  # values within values
_KINDS = {int: "an integer", float: "a number", str: "text", bool: "True or False"}
_CONSTANTS = {"True": True, "False": False, "None": None}

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[^\W\d]\w*)
    | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])
    | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    | (?P<sign>[@(){}\[\],:=-])
    | (?P<end>$)
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^xuUN]))")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'"}
_PLAIN_ESCAPES['"'] = '"'


def parse_measure(text: str | ir_measures.Measure, *, paths: bool = True) -> ir_measures.Measure:
    """Parse the text of a measure; a measure object is returned as it is.

    Parameters
    ----------
    text : str or Measure
        Such as ``'nDCG@10'`` or ``"NRG(prior='none', base='RBP(p=0.5)')@10"``.
    paths : bool
        False is for untrusted text: it opens no file, so prior runs must be names, and the text may have at most 10,000
        characters.

    Returns
    -------
    Measure
        A measure of this package or of ir_measures.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> imr.parse_measure("NRG(base='nDCG@5', prior='none')")
    NRG(prior='none')@5
    """
    return _parsed(text, ir_measures.measures.registry, flag(paths, "paths"))


def parse_base(text: str | ir_measures.Measure, declared: Mapping[str, ir_measures.Measure]) -> ir_measures.Measure:
    """Like ``parse_measure``, for a base measure; reads no files.

    ``declared`` : measures that mean something else there, or exist only there
    """
    return _parsed(text, {**ir_measures.measures.registry, **declared}, paths=False)


def _parsed(
    text: str | ir_measures.Measure, known: Mapping[str, ir_measures.Measure], paths: bool
) -> ir_measures.Measure:
    if isinstance(text, ir_measures.Measure):
        return text
    if not isinstance(text, str):
        raise TypeError(f"expected a measure or its text, got a {type(text).__name__}; {_FORM}{right_call()}")
    longest = _LONGEST if paths else _LONGEST_OF_STRANGERS
    if (of_trec_eval := _of_trec_eval(text, known)) is not None:
        return of_trec_eval
    if paths and os.sep in text and not {"(", "\0"} & {*text} and os.path.isfile(text):
        raise MeasureError(f"expected a measure, got the file {shown(text)}{right_call()}")
    if len(text) > longest:
        raise MeasureError(
            f"the measure {shown(text[:200])} has {len(text)} characters; at most {longest} are supported"
        )
    return _Maker(text, known, paths).measure(_Reader(text).whole())


def _of_trec_eval(text: str, known: Mapping[str, ir_measures.Measure]) -> ir_measures.Measure | None:
    """The measure that trec_eval calls so, such as map, ndcg_cut_10 and P_10; ir_measures' own names come first."""
    if not _TREC_EVAL.fullmatch(text) or text in known:
        return None
    try:
        measures = ir_measures.parse_trec_measure(text)
    except (ValueError, KeyError):
        return None
    return measures[0] if len(measures) == 1 else None  # without a number some stand for several cutoffs


def split_measures(text: str) -> list[str]:
    """Measures separated by white space; spaces inside brackets and quotes belong to a measure.

    >>> split_measures("nDCG@10 NRG(prior='bm25', base='P')@10")
    ['nDCG@10', "NRG(prior='bm25', base='P')@10"]
    """
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
        if character.isspace() and not quote and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part]


class MeasureError(ValueError):
    """A measure that cannot be made as written; the sentence says what is accepted."""


def direction(measure: str | ir_measures.Measure) -> str:
    """Which values are better: 'larger', 'smaller' or 'neither'; 'larger' for those of ir_measures, which do not say.

    >>> import ir_measures_relative
    >>> direction('nDCG@10'), direction('MED@10')
    ('larger', 'neither')
    """
    return str(getattr(parse_measure(measure), "DIRECTION", "larger"))


def known_measures() -> list[str]:
    """Names of every registered measure, ours and those of ir_measures."""
    return sorted(ir_measures.measures.registry)


class _Written(NamedTuple):
    """A measure as written; there may be none of this name."""

    name: str
    params: list[tuple[str, Any]]
    at: tuple[Any, ...]  # what follows "@", if anything does


class _Reader:
    """Reads a text from left to right; a value is a plain one, a list or dict, or a ``_Written``."""

    def __init__(self, text: str):
        self.text = text
        self.kind = ""  # of the token that comes next: name, number, text, sign or end
        self.token = ""
        self._place = 0
        self._depth = 0
        self._next()

    def whole(self) -> _Written:
        """The one measure that the text consists of."""
        written = self._measure()
        if self.kind != "end":
            raise _unreadable(self.text)
        return written

    def _measure(self, at: bool = True) -> _Written:
        name = self._take("name")
        params = []
        if self._skip("("):
            params = self._several(")", self._named_value)
        return _Written(name, params, (self._value(at=False),) if at and self._skip("@") else ())

    def _named_value(self) -> tuple[str, Any]:
        if self.kind == "name":
            name = self._take("name")
            if self._skip("="):
                return name, self._value()
        raise MeasureError(f"measure {shown(self.text, 200)}: parameters must be named, as in NRG(prior='bm25')@10")

    def _value(self, at: bool = True) -> Any:
        if self.kind == "name":
            return _CONSTANTS[self._take("name")] if self.token in _CONSTANTS else self._measure(at)
        if self._skip("["):
            return self._several("]", self._value)
        if self._skip("{"):
            return self._dict(self._several("}", self._pair))
        if self._skip("("):
            return self._several(")", self._value)
        return self._scalar()

    def _scalar(self) -> Any:
        if self.kind == "text":
            return self._unescaped(self._take("text")[1:-1])
        sign = -1 if self._skip("-") else 1
        digits = self._take("number")
        if not digits.isdigit():
            return sign * float(digits)
        if len(digits.lstrip("0")) > 16 or int(digits) > LARGEST:
            raise MeasureError(
                f"measure {shown(self.text, 200)}: the number {shown(digits, 40)[1:-1]} is too large; "
                "the largest integer is 2^53"
            )
        return sign * int(digits)

    def _pair(self) -> tuple[Any, Any]:
        key = self._scalar()
        self._take("sign", ":")
        return key, self._value()

    def _dict(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        table: dict[Any, Any] = {}
        for key, value in pairs:
            if key in table:
                raise MeasureError(f"measure {shown(self.text, 200)}: the key {shown(key)} is given twice")
            table[key] = value
        return table

    def _several(self, end: str, read: Callable[[], Any]) -> list[Any]:
        """The items up to ``end``, separated by commas; a trailing comma is allowed, as in Python."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _unreadable(self.text)
        found = []
        while not self._skip(end):
            found.append(read())
            if not self._skip(","):
                self._take("sign", end)
                break
        self._depth -= 1
        return found

    def _unescaped(self, inner: str) -> str:
        """As Python reads a text in quotes: a backslash that means nothing stays."""
        if "\\" not in inner:
            return inner

        def character(escape: re.Match[str]) -> str:
            octal, *hexadecimal, plain = escape.groups()
            if plain is not None:
                return _PLAIN_ESCAPES.get(plain, escape[0])
            return chr(int(octal, 8) if octal else int(next(filter(None, hexadecimal)), 16))

        try:
            return _ESCAPE.sub(character, inner)
        except (ValueError, OverflowError):  # there is no such character
            raise _unreadable(self.text) from None

    def _skip(self, sign: str) -> bool:
        """Read the next token if it is this sign; True if it was."""
        if self.kind != "sign" or self.token != sign:
            return False
        self._next()
        return True

    def _take(self, kind: str, token: str | None = None) -> str:
        """The next token, which must be of this kind."""
        found = self.token
        if self.kind != kind or token not in (None, found):
            raise _unreadable(self.text)
        self._next()
        return found

    def _next(self) -> None:
        found = _TOKEN.match(self.text, self._place)
        if found is None or found.lastgroup is None:
            raise _unreadable(self.text)
        self.kind, self.token, self._place = found.lastgroup, found[found.lastgroup], found.end()


class _Maker:
    """Makes the measures that are written in a text; ``known``: every measure by its name."""

    def __init__(self, text: str, known: Mapping[str, ir_measures.Measure], paths: bool):
        self.text = text
        self.known = known
        self.paths = paths

    def measure(self, written: _Written) -> ir_measures.Measure:
        params: dict[str, Any] = {}
        for name, value in written.params:
            if name in params:
                raise MeasureError(f"measure {shown(self.text, 200)}: {name} is given twice")
            params[name] = self._value(value)
        measure = self.known.get(written.name)
        if measure is None:
            known = known_measures()
            lower = {name.lower(): name for name in known}
            close = get_close_matches(written.name, known, n=1) or [
                lower[name] for name in get_close_matches(written.name.lower(), lower, n=1)
            ]
            package = __name__.partition(".")[0]
            own = [name for name in known if type(self.known[name]).__module__.startswith(package)]
            listed = f"measures are nDCG@10, AP and others of ir_measures, and {', '.join(own)}{right_call()}"
            meant = f"did you mean {close[0]}?" if close else listed
            raise MeasureError(f"unknown measure {shown(written.name, 60)}; {meant}")
        for at in map(self._value, written.at):
            if params.get(measure.AT_PARAM, at) != at:
                raise MeasureError(f"measure {shown(self.text, 200)}: {measure.AT_PARAM} is given twice and differs")
            params[measure.AT_PARAM] = at
        return self._made(measure, params)

    def _value(self, value: Any) -> Any:
        if isinstance(value, _Written):
            if value.name not in self.known and not value.params and not value.at:
                raise MeasureError(
                    f"measure {shown(self.text, 200)}: {value.name} is not a measure; "
                    f"text requires quotes, as in '{value.name}'"
                )
            return self.measure(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, dict):
            return {key: self._value(item) for key, item in value.items()}
        return value

    def _made(self, measure: ir_measures.Measure, params: dict[str, Any]) -> ir_measures.Measure:
        for name, value in params.items():
            info = measure.SUPPORTED_PARAMS.get(name)
            if info is None:
                known = ", ".join(measure.SUPPORTED_PARAMS)
                raise MeasureError(f"{measure.NAME} has no parameter {name!r}; it has {known}")
            if info.dtype is float and type(value) is int:
                params[name] = value = float(value)
            valid = info.validate(value)
            if not valid or (info.dtype is int and isinstance(value, bool)):
                choices = info.choices if isinstance(info.choices, list) else []
                accepted = (
                    choice_kind(tuple(choices)) if choices else f"{_KINDS.get(info.dtype, 'valid')} ({info.desc})"
                )
                raise MeasureError(refusal(value, f"{measure.NAME}: {name}", accepted))
        try:
            for name, value in params.items():
                info = measure.SUPPORTED_PARAMS[name]
                if hasattr(info, "from_text"):  # a parameter of this package
                    params[name] = info.from_text(f"{measure.NAME}: {name}", value, paths=self.paths)
            made: ir_measures.Measure = measure(**params)
            return made
        except ValueError as error:
            raise MeasureError(str(error)) from None


def _unreadable(text: str) -> MeasureError:
    return MeasureError(f"cannot read the measure {shown(text, 200)}; {_FORM}")
