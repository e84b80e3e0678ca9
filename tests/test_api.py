"""The public names: how functions are called, what they return, and how results print."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import ir_measures_relative as imr
from ir_measures_relative import meta, simulate

# What a function is about; the rest of its positional parameters is its one main argument.
DATA = set(
    """
    frame qrels run runs run_a run_b reference groups labels model judge prior name systems retr_systems topics names
    table scores estimate truth actual expected incomplete complete values results x y a b score
    judges human collections first second comparison spread
    """.split()
)
PAIR = {"chronology": {"base"}, "med_depth": {"meds"}, "tau_curve": {"taus"}}  # two that are one
FIGURES = {"types", "changes", "intervals", "leaderboards", "matrix", "ax"}  # what a figure is drawn from
# methods that other rooms call
INTERNAL = set("of part rows_of chances group_of check_cutoff gridded on_grid need like text_table".split())


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    modules: list[tuple[Any, list[str]]] = [(imr, imr.__all__), (meta, meta.__all__), (simulate, simulate.__all__)]
    try:
        from ir_measures_relative import plots

        modules.append((plots, plots.__all__))
    except ImportError:  # without matplotlib
        pass
    for module, names in modules:
        for name in names:
            try:
                found = getattr(module, name)
            except ImportError:  # Experiment without PyTerrier
                continue
            full = f"{module.__name__.partition('.')[2]}.{name}".lstrip(".")
            if inspect.isfunction(found):
                yield full, found
            elif inspect.isclass(found):
                yield from methods(full, found)


def methods(full: str, kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, value in vars(kind).items():
        function = getattr(value, "__func__", value)
        if inspect.isfunction(function) and not name.startswith("_") and name not in INTERNAL:
            yield f"{full}.{name}", function


FUNCTIONS = dict(public_functions())


def positional(function: Callable[..., Any]) -> list[str]:
    """Names of the parameters that may be given without their name."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds]


def main_arguments(full: str, function: Callable[..., Any]) -> list[str]:
    """What may be given by position beside the data."""
    name = full.rpartition(".")[2]
    data = DATA | (FIGURES if full.startswith("plots.") else set()) | PAIR.get(name, set())
    return [parameter for parameter in positional(function) if parameter not in data | {"self", "cls"}]


def test_options_are_given_by_name() -> None:
    """Data and one main argument may be given by position, everything else by name only."""
    mains = {full: main_arguments(full, function) for full, function in FUNCTIONS.items()}
    assert {full: names for full, names in mains.items() if len(names) > 1} == {}


def test_the_rule_would_find_an_option_given_by_position() -> None:
    def found(qrels: Any, base: Any, universe: Any = None) -> None: ...
    def named(qrels: Any, base: Any, *, universe: Any = None) -> None: ...

    assert main_arguments("f", found) == ["base", "universe"]
    assert main_arguments("f", named) == ["base"]
    assert len(FUNCTIONS) > 70


def test_an_estimate_comes_before_the_truth() -> None:
    both = [p for p in map(positional, FUNCTIONS.values()) if "truth" in p]
    assert len(both) >= 3 and all(p[p.index("truth") - 1] == "estimate" for p in both)


def test_qrels_and_runs_say_what_they_may_be() -> None:
    """Their types are those of all their forms, not Any; those of Experiment are PyTerrier's."""
    kinds = {"qrels": "QrelsLike", "run": "RunLike", "run_a": "RunLike", "reference": "RunLike", "runs": "RunsLike"}
    typed = {
        (full, name): str(parameter.annotation)
        for full, function in FUNCTIONS.items()
        for name, parameter in inspect.signature(function).parameters.items()
        if name in kinds and full not in ("Experiment", "register_prior")
    }
    assert len(typed) > 20
    assert {where: kind for where, kind in typed.items() if kinds[where[1]] not in kind} == {}


def test_classes_that_functions_return_are_public() -> None:
    """The module that has a function has the class that it returns too, if that is one of this package."""
    homes = {"meta": meta, "simulate": simulate}
    hidden = [
        (full, name)
        for full, function in FUNCTIONS.items()
        for name in re.findall(r"\b[A-Z]\w+", str(inspect.signature(function).return_annotation))
        if name not in homes.get(full.partition(".")[0], imr).__all__
    ]
    elsewhere = {"Any", "Axes", "DataFrame", "FloatArray", "Iterator", "Measure", "Model", "None", "Path", "Series"}
    assert [(full, name) for full, name in hidden if name not in elsewhere] == []


def test_results_print_as_their_class_and_words() -> None:
    """One style: ``BootScores(BootNDCG@10: 2 topics, ...)``."""
    track = simulate.track(topics=3)
    one, other = track.runs["bm25"], track.runs["dense_large"]
    shares = imr.LabelModel.shares({0: 0.8, 1: 0.2})
    boot, imputed = imr.boot_ndcg(track.qrels, other), imr.impute(track.qrels, other, shares)
    table = imr.calc_runs("nDCG@10", track.qrels, track.runs)
    results = [
        *(boot, next(iter(boot)), imputed, next(iter(imputed)), track),
        *(imr.med(track.qrels, one, other), imr.prob_better(track.qrels, one, other)),
        *(imr.read_qrels(track.qrels), imr.read_run(one), meta.ScoreTable.of(table)),
        *(meta.rank_intervals(table), meta.discriminative_power(table), meta.stability(table), meta.swap_rate(table)),
    ]
    for result in results:
        assert re.fullmatch(rf"{type(result).__name__}\([^\n<>=]*(calibrated=False)?\)", repr(result)), repr(result)
