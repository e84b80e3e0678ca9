"""The ordinary measure that a relative one is built on, as text: accepted parameters and the canonical form.

ir_measures declares these measures, and three differ here: SDCG has exponential gains too, INSQ a cutoff and a smallest
relevant grade, and Q, the Q-measure of binary labels (Sakai), is new.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from typing import Any

import ir_measures
from ir_measures import measures

from ir_measures_relative._base.models import ERR, HIGHEST_EXPONENT, LARGEST, MODELS, UserModel
from ir_measures_relative._base.text import parse_base
from ir_measures_relative._checks import is_real, is_whole


def _parameter(kind: type, desc: str, default: Any = None, choices: list[str] | None = None) -> measures.ParamInfo:
    listed = {} if choices is None else {"choices": choices}
    return measures.ParamInfo(dtype=kind, default=default, desc=desc, **listed)


_CUTOFF = _parameter(int, "ranking cutoff threshold")
_REL = _parameter(int, "minimum relevance score to be considered relevant (inclusive)", 1)
_MIN_REL = _parameter(int, "minimum relevance score", 0)
_MAX_REL = _parameter(int, "maximum relevance score")


def _declared(name: str, **parameters: measures.ParamInfo) -> ir_measures.Measure:
    contents = {"__name__": name, "NAME": name, "SUPPORTED_PARAMS": {"cutoff": _CUTOFF, **parameters}}
    measure: ir_measures.Measure = type(name, (ir_measures.Measure,), contents)()
    return measure


_DCG = _parameter(str, "DCG formulation", "log2", ["log2", "exp-log2"])
_TOTAL = _parameter(float, "total desired gain (normalized)", 1.0)
_BETA = _parameter(float, "persistence: how little a low rank costs", 1.0)
DECLARED: dict[str, ir_measures.Measure] = {
    "SDCG": _declared("SDCG", dcg=_DCG, min_rel=_MIN_REL, max_rel=_MAX_REL),
    "INSQ": _declared("INSQ", T=_TOTAL, rel=_REL, min_rel=_MIN_REL, max_rel=_MAX_REL),
    "Q": _declared("Q", beta=_BETA, rel=_REL),
}

# parameters that are real numbers: which are accepted, in words, and the default
_NUMBERS: dict[str, tuple[Callable[[Any], bool], str, float]] = {
    "p": (lambda p: 0 <= p < 1, "of at least 0 and below 1", 0.8),
    "T": (lambda total: 0 < total <= LARGEST, "above 0 and up to 2^53", 1.0),
    "beta": (lambda beta: 0 <= beta <= LARGEST, "from 0 to 2^53", 1.0),
}


@lru_cache(maxsize=256)
def user_model(base: Any, cutoff: int | None = None, max_rel: int | None = None) -> UserModel:
    """The ordinary measure ``base`` (an ir_measures measure or its text), cut at ``cutoff``.

    ``max_rel`` is the highest grade of ERR; without it gdeval's 4.
    """
    measure = parse_base(base, DECLARED)
    model = MODELS[str(measure.NAME)]
    params = {f.name: measure.params[f.name] for f in fields(model) if f.name in measure.params}
    if cutoff is not None:
        params["cutoff"] = cutoff
    if model is ERR and max_rel is not None:
        params["max_rel"] = max_rel
    return model(**params)


def canonical_base(base: Any, accepted: tuple[str, ...]) -> tuple[str, int | None]:
    """Text of a base measure without cutoff, non-default parameters in declared order; and its cutoff."""
    measure = parse_base(base, DECLARED)
    if measure.NAME not in accepted:
        raise ValueError(f"base must be one of {', '.join(accepted)}, got {measure}")
    declared = DECLARED.get(str(measure.NAME), measure).SUPPORTED_PARAMS
    unknown = [name for name in measure.params if name not in declared]
    if unknown:
        raise ValueError(f"base={measure.NAME} has no parameter {unknown[0]!r}; it has {', '.join(declared)}")
    parts = []
    for name in declared:
        if name in measure.params and name != "cutoff":
            value = _canonical_parameter(measure, name, measure.params[name])
            if value is not None:
                parts.append(f"{name}={measure._param_repr(value)}")
    if measure.NAME == "SDCG":
        _check_sdcg(measure)
    cutoff = measure.params.get("cutoff")
    text = f"{measure.NAME}({','.join(parts)})" if parts else str(measure.NAME)
    return text, None if cutoff is None else _whole(measure, "cutoff", cutoff)


def _check_sdcg(measure: ir_measures.Measure) -> None:
    highest = measure.params.get("max_rel")
    if highest is None:
        raise ValueError("base=SDCG requires max_rel, the highest grade, as in SDCG(max_rel=3)")
    if measure.params.get("dcg") == "exp-log2" and highest > HIGHEST_EXPONENT:
        raise ValueError(
            f"base={measure}: max_rel={highest} is too high for dcg='exp-log2' (2^max_rel); "
            f"the highest is {HIGHEST_EXPONENT}"
        )


def _canonical_parameter(measure: ir_measures.Measure, name: str, value: Any) -> Any:
    """Value to print; None for the default."""
    where = f"base={measure}"
    if name == "judged_only":
        if value:
            raise ValueError(f"{where}: judged_only is not supported in a base measure")
        return None
    if name == "dcg":
        choices = DECLARED.get(str(measure.NAME), measure).SUPPORTED_PARAMS["dcg"].choices
        if value not in choices:
            raise ValueError(f"{where}: dcg must be {' or '.join(map(repr, choices))}, got {value!r}")
        return None if value == "log2" else value
    if name == "gains":
        return canonical_gains(value, where)
    if name == "min_rel":
        if value != 0:
            raise ValueError(f"{where}: min_rel must be 0, got {value!r}")
        return None
    if name in _NUMBERS:
        inside, accepted, default = _NUMBERS[name]
        if not is_real(value) or not inside(value):
            raise ValueError(f"{where}: {name} must be a number {accepted}, got {value!r}")
        return None if value == default else float(value) + 0.0  # -0.0 becomes 0.0
    if name == "max_rel" and measure.NAME == "INSQ":
        if value != 1:
            raise ValueError(f"{where}: max_rel must be 1 (a document is relevant or not, by rel), got {value!r}")
        return None
    whole = _whole(measure, name, value)
    return None if name == "rel" and whole == 1 else whole


def _whole(measure: ir_measures.Measure, name: str, value: Any) -> int:
    if not is_whole(value, 1, LARGEST):
        raise ValueError(f"base={measure}: {name} must be an integer from 1 to 2^53, got {value!r}")
    return int(value)


def canonical_gains(gains: Any, where: str) -> dict[int, float] | None:
    """A gain table with plain numbers and without entries that change nothing; None if it is empty."""
    if gains is None:
        return None
    if not isinstance(gains, dict):
        raise TypeError(f"{where}: gains must be a dict of grade: gain, not a {type(gains).__name__}")
    table: dict[int, float] = {}
    for grade, gain in gains.items():
        if not is_whole(grade, -LARGEST, LARGEST):
            raise ValueError(f"{where}: gains has the grade {grade!r}; grades must be integers up to 2^53")
        if not is_real(gain, 0, LARGEST):
            raise ValueError(
                f"{where}: gains gives grade {grade} the gain {gain!r}; gains must be numbers from 0 to 2^53"
            )
        if gain != max(grade, 0):
            table[int(grade)] = int(gain) if float(gain).is_integer() else float(gain)
    return dict(sorted(table.items())) or None
