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
from ir_measures_relative._checks import choice_kind, did_you_mean, is_real, is_whole, kind_of


def _declared(name: str, parameters: dict[str, measures.ParamInfo]) -> ir_measures.Measure:
    contents = {"__name__": name, "NAME": name, "SUPPORTED_PARAMS": parameters}
    measure: ir_measures.Measure = type(name, (ir_measures.Measure,), contents)()
    return measure


_DCG = {"dcg": ir_measures.nDCG.SUPPORTED_PARAMS["dcg"]}
_CUTOFF, _REL = ({name: ir_measures.P.SUPPORTED_PARAMS[name]} for name in ("cutoff", "rel"))
_BETA = measures.ParamInfo(dtype=float, default=1.0, desc="persistence: how little a low rank costs")
DECLARED: dict[str, ir_measures.Measure] = {
    "SDCG": _declared("SDCG", ir_measures.SDCG.SUPPORTED_PARAMS | _DCG),
    "INSQ": _declared("INSQ", _CUTOFF | ir_measures.INSQ.SUPPORTED_PARAMS | _REL),
    "Q": _declared("Q", _CUTOFF | {"beta": _BETA} | _REL),
}

_DEFAULTS = {"dcg": "log2", "p": 0.8, "T": 1.0, "beta": 1.0, "rel": 1, "min_rel": 0}
# parameter -> its type, the values that it accepts, and these in words; the others are integers
_ACCEPTED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], bool], str]] = {
    "p": (float, lambda p: is_real(p) and 0 <= p < 1, "a number of at least 0 and below 1"),
    "T": (float, lambda total: is_real(total) and 0 < total <= LARGEST, "a number above 0 and up to 2^53"),
    "beta": (float, lambda beta: is_real(beta, 0, LARGEST), "a number from 0 to 2^53"),
    "min_rel": (int, lambda grade: grade == 0, "0"),
    "dcg": (str, lambda dcg: dcg in _DCG["dcg"].choices, choice_kind(tuple(_DCG["dcg"].choices))),
}
_INTEGER = (int, lambda number: is_whole(number, 1, LARGEST), "an integer from 1 to 2^53")


@lru_cache(maxsize=256)
def user_model(base: Any, cutoff: int | None = None, max_rel: int | None = None) -> UserModel:
    """The ordinary measure ``base``, cut at ``cutoff``; ``max_rel``: highest grade of ERR, by default gdeval's 4."""
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
        meant = did_you_mean(unknown[0], declared, "it has")
        raise ValueError(f"base={measure.NAME} has no parameter {unknown[0]!r}{meant}")
    names = [name for name in declared if name in measure.params and name != "cutoff"]
    values = {name: _canonical_parameter(measure, name, measure.params[name]) for name in names}
    parts = [f"{name}={measure._param_repr(value)}" for name, value in values.items() if value is not None]
    if measure.NAME == "SDCG":
        _check_sdcg(measure)
    cutoff = measure.params.get("cutoff")
    text = f"{measure.NAME}({','.join(parts)})" if parts else str(measure.NAME)
    return text, None if cutoff is None else _canonical_parameter(measure, "cutoff", cutoff)


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
    if name == "gains":
        return canonical_gains(value, where)
    if name == "max_rel" and measure.NAME == "INSQ":
        if value != 1:
            raise ValueError(f"{where}: max_rel must be 1 (a document is relevant or not, by rel), got {value!r}")
        return None
    if name == "judged_only":
        if value:
            raise ValueError(f"{where}: judged_only is not supported in a base measure")
        return None
    kind, is_accepted, accepted = _ACCEPTED.get(name, _INTEGER)
    if not is_accepted(value):
        raise ValueError(f"{where}: {name} must be {accepted}, got {value!r}")
    value = kind(value) or kind(0)  # -0.0 becomes 0.0
    return None if value == _DEFAULTS.get(name) else value


def canonical_gains(gains: Any, where: str) -> dict[int, float] | None:
    """A gain table with plain numbers and without entries that change nothing; None if it is empty."""
    if gains is None:
        return None
    if not isinstance(gains, dict):
        raise TypeError(f"{where}: gains must be a dict of grade: gain, not {kind_of(gains)}")
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
