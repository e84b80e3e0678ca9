"""Any measure of the registry with any legal parameters, derived from what the measure declares.

A strategy belongs to a *class* of parameters (a number, a choice, prior runs, ...), so that a new measure is covered
by itself, and a parameter of a new class is refused until it has a strategy here.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

import ir_measures
from hypothesis import strategies as st

from ir_measures_relative._base.bases import DECLARED
from ir_measures_relative._labels import LabelModel
from ir_measures_relative.measures import RelativeMeasure, registry
from ir_measures_relative.measures.boot_ndcg import Estimate
from ir_measures_relative.measures.imputed import Labels
from ir_measures_relative.measures.rareness import Alpha
from ir_measures_relative.measures.relative import (
    Base,
    Choice,
    Flag,
    GainTable,
    Number,
    Parameter,
    Prior,
    Reference,
    Whole,
)
from support.small_collections import Run, runs


@singledispatch
def values(parameter: Parameter) -> st.SearchStrategy:
    """Values that a parameter accepts."""
    raise TypeError(f"there are no values to test a parameter of the class {type(parameter).__name__} with")


@values.register
def _(parameter: Whole) -> st.SearchStrategy:
    return st.integers(parameter.low, parameter.low + 4)


@values.register
def _(parameter: Number) -> st.SearchStrategy:
    return st.one_of(st.floats(parameter.low, min(parameter.high, 4.0)), st.just(parameter.low))


@values.register
def _(parameter: Alpha) -> st.SearchStrategy:
    return st.one_of(st.floats(0.0, 1.0), st.floats(0.0, 4.0), st.sampled_from([0, 1, "1/R"]))


@values.register
def _(parameter: Choice) -> st.SearchStrategy:
    return st.sampled_from(parameter.words)


@values.register
def _(parameter: Flag) -> st.SearchStrategy:
    return st.booleans()


@values.register
def _(parameter: GainTable) -> st.SearchStrategy:
    gains = st.one_of(st.integers(0, 6), st.floats(0.0, 6.0))
    return st.one_of(st.dictionaries(st.integers(1, 3), gains), st.dictionaries(st.integers(-1, 4), gains))


@values.register
def _(parameter: Estimate) -> st.SearchStrategy:
    percentiles = st.integers(0, 1000).map(lambda tenths: f"q{tenths / 10:g}")
    return st.one_of(st.sampled_from([*parameter.words, "median"]), percentiles)


@values.register
def _(parameter: Prior) -> st.SearchStrategy:
    return st.lists(runs, max_size=3)


@values.register
def _(parameter: Labels) -> st.SearchStrategy:
    """Shares in sixteenths, so that they sum to 1 to the last bit."""
    parts = st.lists(st.integers(0, 16), min_size=2, max_size=2).map(sorted)
    return parts.map(lambda p: LabelModel.shares({0: p[0] / 16, 1: (p[1] - p[0]) / 16, 3: (16 - p[1]) / 16}))


@values.register
def _(parameter: Reference) -> st.SearchStrategy:
    return runs.filter(bool)  # an empty dict is no run, as it could be no runs


@values.register
def _(parameter: Base) -> st.SearchStrategy:
    return st.sampled_from(parameter.accepted).flatmap(_base)


# parameters of the ordinary measures, by the names that ir_measures gives them
_OF_BASES = {
    "dcg": st.sampled_from(["log2", "exp-log2"]),
    "gains": values(GainTable()),
    "rel": st.integers(1, 3),
    "p": st.floats(0.0, 0.99),
    "max_rel": st.integers(1, 4),
    "T": st.floats(0.01, 9.0),
    "beta": st.floats(0.0, 9.0),
    "cutoff": st.integers(1, 5),
}


def _base(name: str) -> st.SearchStrategy:
    measure = DECLARED.get(name) or ir_measures.measures.registry[name]
    needed = {"max_rel"} if name == "SDCG" else set()
    known = {parameter: _OF_BASES[parameter] for parameter in measure.SUPPORTED_PARAMS if parameter in _OF_BASES}
    if name == "INSQ":
        known.pop("max_rel")  # binary: 1 alone is accepted
    required = {parameter: strategy for parameter, strategy in known.items() if parameter in needed}
    optional = {parameter: strategy for parameter, strategy in known.items() if parameter not in needed}
    return st.fixed_dictionaries(required, optional=optional).map(lambda given: str(measure(**given)))


class Recipe(NamedTuple):
    """A measure by its name and the parameters given, so that it can be made again from changed runs."""

    name: str
    given: dict[str, Any]

    def measure(self) -> RelativeMeasure:
        return registry[self.name](**self.given)

    def with_runs(self, change: Any) -> Recipe:
        """The same with every prior or reference run changed."""
        declared = registry[self.name].SUPPORTED_PARAMS
        changed = dict(self.given)
        for name, value in self.given.items():
            if isinstance(declared[name], Prior):
                changed[name] = [change(run) for run in value]
            elif isinstance(declared[name], Reference):
                changed[name] = change(value)
        return Recipe(self.name, changed)

    @property
    def runs(self) -> list[Run]:
        """The prior runs, or the reference run."""
        found: list[Run] = []
        self.with_runs(found.append)
        return found


@st.composite
def recipes(draw: st.DrawFn, name: str) -> Recipe:
    """A legal measure: each drawn parameter is kept if the measure takes it beside those kept so far."""
    declared = registry[name].SUPPORTED_PARAMS
    needed = {key for key, parameter in declared.items() if isinstance(parameter, (Labels, Prior, Reference))}
    strategies = {key: values(parameter) for key, parameter in declared.items()}
    drawn = draw(
        st.fixed_dictionaries(
            {key: strategies[key] for key in needed},
            optional={key: strategy for key, strategy in strategies.items() if key not in needed},
        )
    )
    given: dict[str, Any] = {}
    for key in draw(st.permutations(sorted(drawn))):
        try:
            registry[name](**given, **{key: drawn[key]})
        except ValueError:
            continue
        given[key] = drawn[key]
    made = registry[name](**given)
    if made.needs_cutoff and made["cutoff"] is None:
        given["cutoff"] = draw(st.integers(max(1, given.get("unseen", 0)), 5))
    return Recipe(name, given)


def recipes_of(names: list[str]) -> st.SearchStrategy[Recipe]:
    """A legal measure with one of these names."""
    return st.sampled_from(names).flatmap(recipes)
