"""Measure text -> measure object: ``NRG(prior='bm25', base=RBP(p=0.5))@10``.

Works like ``ir_measures.parse_measure`` and for every measure registered there, and beyond it: on Python 3.14,
with negative numbers, and with a measure as value. Python parses the text, which is never evaluated:

    measure = name ["(" [name "=" value {"," name "=" value}] ")"] ["@" value]
    value   = text | number | True | False | None | measure | list, tuple or dict of values
"""

import ast
import os
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import ir_measures

from ir_measures_relative._checks import (
    LARGEST,
    choice_kind,
    closest,
    did_you_mean,
    flag,
    kind_of,
    refusal,
    right_call,
    shown,
)

_FORM = "a measure is written Name, Name@K or Name(parameter=value, ...)@K"
_TREC_EVAL = re.compile(r"[A-Za-z][A-Za-z_]*([_.][0-9.]+)?")
_KINDS = {int: "an integer", float: "a number", str: "text", bool: "True or False"}
_QUOTED_OR_CHARACTER = re.compile(r"""'[^']*'?|"[^"]*"?|.""", re.DOTALL)
_BACKSLASH = re.compile(r"""\\([\\'"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})?""")


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
    """Like ``parse_measure``, for a base measure, without files; ``declared`` measures replace those of ir_measures."""
    return _parsed(text, {**ir_measures.measures.registry, **declared}, paths=False)


def _parsed(
    text: str | ir_measures.Measure, measures: Mapping[str, ir_measures.Measure], paths: bool
) -> ir_measures.Measure:
    if isinstance(text, ir_measures.Measure):
        return text
    if not isinstance(text, str):
        raise TypeError(f"expected a measure or its text, got {kind_of(text)}; {_FORM}{right_call()}")
    if (of_trec_eval := _of_trec_eval(text, measures)) is not None:
        return of_trec_eval
    if paths and {os.sep, "."} & {*text} and not {"(", "\0"} & {*text} and os.path.isfile(text):
        raise MeasureError(f"expected a measure, got the file {shown(text)}{right_call()}")
    longest = 100_000 if paths else 10_000  # characters: a thousand prior runs by name, or those of strangers
    if len(text) > longest:
        size = f"has {len(text)} characters; at most {longest} are supported"
        raise MeasureError(f"the measure {shown(text[:200])} {size}")
    return _Reader(text, measures, paths).whole()


def _of_trec_eval(text: str, registered: Mapping[str, ir_measures.Measure]) -> ir_measures.Measure | None:
    """The measure that trec_eval calls so, such as map, ndcg_cut_10 and P_10; ir_measures' own names come first."""
    if not _TREC_EVAL.fullmatch(text) or text in registered:
        return None
    try:
        measures = ir_measures.parse_trec_measure(text)
    except (ValueError, KeyError):
        return None
    return measures[0] if len(measures) == 1 else None  # without a number some stand for several cutoffs


def split_measures(text: str) -> list[str]:
    """Split measures at white space; spaces inside brackets and quotes belong to a measure."""
    parts, depth = [""], 0
    for token in _QUOTED_OR_CHARACTER.findall(text):
        depth += (token in "([{") - (token in ")]}")
        if token.isspace() and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return [part for part in parts if part]


class MeasureError(ValueError):
    """A measure that cannot be made as written; the sentence says what is expected."""


def direction(measure: str | ir_measures.Measure) -> str:
    """Better values: 'larger', 'smaller' or 'neither'; 'larger' for measures of ir_measures, which do not say."""
    return str(getattr(parse_measure(measure), "DIRECTION", "larger"))


class _Reader(NamedTuple):
    """Makes the measure that a text describes."""

    text: str
    measures: Mapping[str, ir_measures.Measure]  # every measure by its name
    paths: bool

    def whole(self) -> ir_measures.Measure:
        """The one measure that the text consists of."""
        # a backslash that begins no escape sequence, as in a path, stays as it is; Python would warn of it
        source = _BACKSLASH.sub(lambda match: match[0] if match[1] else r"\\", self.text)
        try:
            tree = ast.parse(f"({source})", mode="eval")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise self._unreadable() from None
        return self._measure(tree.body)

    def _measure(self, node: ast.expr) -> ir_measures.Measure:
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at, node = node.right, node.left
        params: dict[str, Any] = {}
        if isinstance(node, ast.Call):
            params = self._params(node)
            node = node.func
        if not isinstance(node, ast.Name):
            raise self._unreadable()
        measure = self.measures.get(node.id)
        if measure is None:
            raise self._unknown(node.id)
        if at is not None:
            name = measure.AT_PARAM
            if isinstance(at, ast.Name) and at.id not in self.measures:
                raise MeasureError(refusal(at.id, f"{measure.NAME}: {name}", "a positive integer"))
            value = self._value(at)
            if params.setdefault(name, value) != value:
                raise self._error(f"{name} is given twice and differs")
        return self._made(measure, params)

    def _params(self, call: ast.Call) -> dict[str, Any]:
        params: dict[str, Any] = {}
        if call.args:
            raise self._error("parameters must be named, as in NRG(prior='bm25')@10")
        for keyword in call.keywords:
            if keyword.arg is None:  # **
                raise self._unreadable()
            if keyword.arg in params:
                raise self._error(f"{keyword.arg} is given twice")
            params[keyword.arg] = self._value(keyword.value)
        return params

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(item) for item in node.elts]
        if isinstance(node, ast.Dict):
            keys = [self._scalar(key) for key in node.keys]
            if twice := [key for key, number in Counter(keys).items() if number > 1]:
                raise self._error(f"the key {shown(twice[0])} is given twice")
            return dict(zip(keys, map(self._value, node.values), strict=True))
        if isinstance(node, ast.Name) and node.id not in self.measures:
            raise self._error(f"{node.id} is not a measure; text requires quotes, as in '{node.id}'")
        return self._measure(node) if isinstance(node, (ast.Name, ast.Call, ast.BinOp)) else self._scalar(node)

    def _scalar(self, node: ast.expr | None) -> Any:
        sign = 1
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            node, sign = node.operand, -1
        value: Any = node.value if isinstance(node, ast.Constant) else ...
        if type(value) not in ((int, float) if sign < 0 else (int, float, str, bool, type(None))):
            raise self._unreadable()
        if type(value) is int and value > LARGEST:
            raise self._error(f"the number {shown(value, 40)} is too large; the largest integer is 2^53")
        return -value if sign < 0 else value

    def _made(self, measure: ir_measures.Measure, params: dict[str, Any]) -> ir_measures.Measure:
        for name, value in params.items():
            info = measure.SUPPORTED_PARAMS.get(name)
            if info is None:
                meant = did_you_mean(name, measure.SUPPORTED_PARAMS, "it has")
                raise MeasureError(f"{measure.NAME} has no parameter {name!r}{meant}")
            if info.dtype is float and type(value) is int:
                params[name] = value = float(value)
            if not info.validate(value) or (info.dtype is int and isinstance(value, bool)):
                accepted = f"{_KINDS.get(info.dtype, 'valid')} ({info.desc})"
                if isinstance(info.choices, list):
                    accepted = choice_kind(tuple(info.choices))
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

    def _unknown(self, name: str) -> MeasureError:
        names = sorted(ir_measures.measures.registry)
        if (close := closest(name, names)) is not None:
            return MeasureError(f"unknown measure {shown(name, 60)}; did you mean {close}?")
        package = __name__.partition(".")[0]
        own = [measure for measure in names if type(self.measures[measure]).__module__.startswith(package)]
        listed = f"measures are nDCG@10, AP and others of ir_measures, and {', '.join(own)}"
        return MeasureError(f"unknown measure {shown(name, 60)}; {listed}")

    def _error(self, problem: str) -> MeasureError:
        return MeasureError(f"measure {shown(self.text, 200)}: {problem}")

    def _unreadable(self) -> MeasureError:
        return MeasureError(f"cannot read the measure {shown(self.text, 200)}; {_FORM}")
