"""Measure text -> measure object: ``NRG(prior='bm25', base=RBP(p=0.5))@10``.

Works like ``ir_measures.parse_measure`` and for every measure registered there, and beyond it: on Python 3.14,
with negative numbers, and with a measure as value. Text is never evaluated.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from typing import Any

import ir_measures

from ir_measures_relative._checks import shown

_FORM = "a measure is written Name, Name@K or Name(parameter=value, ...)@K"
_LONGEST = 100_000  # characters; more than any measure needs, little enough to parse at once


def parse_measure(text: str | ir_measures.Measure) -> ir_measures.Measure:
    """The measure that a text describes; a measure object is returned as it is.

    Parameters
    ----------
    text : such as ``'nDCG@10'`` or ``"NRG(prior='none', base='RBP(p=0.5)')@10"``

    Returns
    -------
    the measure, one of this package or of ir_measures

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> imr.parse_measure("NRG(base='nDCG@5', prior='none')")
    NRG(prior='none')@5
    """
    return _parsed(text, ir_measures.measures.registry)


def parse_base(text: str | ir_measures.Measure, declared: Mapping[str, ir_measures.Measure]) -> ir_measures.Measure:
    """The same for the text of a base measure; ``declared`` are measures that mean something else, or only, there."""
    return _parsed(text, {**ir_measures.measures.registry, **declared})


def _parsed(text: str | ir_measures.Measure, known: Mapping[str, ir_measures.Measure]) -> ir_measures.Measure:
    if isinstance(text, ir_measures.Measure):
        return text
    if not isinstance(text, str):
        raise TypeError(f"cannot read a measure from a {type(text).__name__}; {_FORM}")
    try:
        if len(text) > _LONGEST:
            raise ValueError("too long")
        return _measure(_syntax_tree(text.strip()), text, known)
    except (SyntaxError, MemoryError, RecursionError):
        raise _unreadable(text) from None
    except ValueError as error:  # ast.parse itself raises bare ones, for NUL bytes and endless digits
        raise error if isinstance(error, MeasureError) else _unreadable(text) from None


def _syntax_tree(text: str) -> ast.expr:
    """As Python sees it, which warns of a backslash in a path and of ``1or 2``: one is fine, the other is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body


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
    """What is better: 'larger', 'smaller' or 'neither'; measures of ir_measures say nothing, and larger is better.

    >>> import ir_measures_relative
    >>> direction('nDCG@10'), direction('MED@10')
    ('larger', 'neither')
    """
    return getattr(parse_measure(measure), "DIRECTION", "larger")


def known_measures() -> list[str]:
    """Names of every registered measure, ours and those of ir_measures."""
    return sorted(ir_measures.measures.registry)


def _measure(
    node: ast.expr, text: str, known: Mapping[str, ir_measures.Measure] = ir_measures.measures.registry
) -> ir_measures.Measure:
    params: dict[str, Any] = {}
    at = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at = _value(node.right, text)
        node = node.left
    if isinstance(node, ast.Call):
        if node.args:
            raise MeasureError(f"measure {text!r:.200}: parameters must be named, as in NRG(prior='bm25')@10")
        for keyword in node.keywords:
            if keyword.arg is None:
                raise _unreadable(text)
            if keyword.arg in params:
                raise MeasureError(f"measure {text!r:.200}: {keyword.arg} is given twice")
            params[keyword.arg] = _value(keyword.value, text)
        node = node.func
    if not isinstance(node, ast.Name):
        raise _unreadable(text)
    measure = known.get(node.id)
    if measure is None:
        raise MeasureError(f"unknown measure {node.id!r:.60}; known are {', '.join(known_measures())}")
    if at is not None:
        if params.get(measure.AT_PARAM, at) != at:
            raise MeasureError(f"measure {text!r:.200}: {measure.AT_PARAM} is given twice, differently")
        params[measure.AT_PARAM] = at
    return _made(measure, params)


def _made(measure: ir_measures.Measure, params: dict[str, Any]) -> ir_measures.Measure:
    for name, value in params.items():
        info = measure.SUPPORTED_PARAMS.get(name)
        if info is None:
            known = ", ".join(measure.SUPPORTED_PARAMS)
            raise MeasureError(f"{measure.NAME} has no parameter {name!r}; it has {known}")
        if info.dtype is float and type(value) is int:
            params[name] = value = float(value)
        if not info.validate(value) or (info.dtype is int and isinstance(value, bool)):
            choices = info.choices if isinstance(info.choices, list) else []
            accepted = f"accepted are {', '.join(map(repr, choices))}" if choices else f"it is {info.desc}"
            raise MeasureError(f"{measure.NAME}: {name}={shown(value)} is not accepted; {accepted}")
    try:
        return measure(**params)
    except ValueError as error:
        raise MeasureError(str(error)) from None


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, bool, type(None))):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand, text)
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return -number
    if isinstance(node, ast.Dict) and None not in node.keys:
        if not all(isinstance(key, (ast.Constant, ast.UnaryOp)) for key in node.keys):
            raise _unreadable(text)
        pairs = zip(node.keys, node.values, strict=True)
        return {_value(key, text): _value(value, text) for key, value in pairs if key is not None}
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item, text) for item in node.elts]
    if isinstance(node, ast.Name) and node.id not in ir_measures.measures.registry:
        raise MeasureError(f"measure {text!r:.200}: {node.id} is no measure; text needs quotes, as in '{node.id}'")
    if isinstance(node, (ast.Call, ast.Name, ast.BinOp)):
        return _measure(node, text)
    raise _unreadable(text)


def _unreadable(text: str) -> MeasureError:
    return MeasureError(f"cannot read the measure {text!r:.200}; {_FORM}")
