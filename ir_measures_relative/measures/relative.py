"""Base class of the relative measures, and the parameters that they declare.

A parameter is made canonical once, when the measure is made, so that equal measures print alike; an invalid value
raises an error there.
"""

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

import ir_measures
from ir_measures import measures

from ir_measures_relative._base import LARGEST, UserModel, canonical_base, user_model
from ir_measures_relative._checks import (
    choice,
    choice_kind,
    did_you_mean,
    flag,
    naming,
    real,
    real_kind,
    refusal,
    whole,
    whole_kind,
)
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun, Judgements, Run
from ir_measures_relative._labels import LabelModel, gains_of_relevant
from ir_measures_relative._priors import JudgedPriors, PriorRuns


class Parameter(measures.ParamInfo):
    """A parameter of a measure; subclasses define which values they accept."""

    kind = "any value"
    needs = ""  # further input of a measure with this parameter

    def __init__(self, default: Any = None, desc: str = ""):
        super().__init__(default=default, desc=desc)  # type: ignore[no-untyped-call]

    def validate(self, value: Any) -> bool:
        """Accept every value: ir_measures checks again at evaluation, when all are canonical."""
        return True

    def canonical(self, where: str, value: Any) -> Any:
        """Canonical form of ``value``; ``where`` is 'NRG: base' in error sentences."""
        raise TypeError(f"{type(self).__name__} must define canonical")

    def from_text(self, where: str, value: Any, *, paths: bool) -> Any:
        """Value of ``parse_measure``; without ``paths`` no file is read."""
        return value

    def _refused(self, where: str, value: Any, error: type[ValueError] = ValueError) -> ValueError:
        return error(refusal(value, where, self.kind))


class Whole(Parameter):
    """An integer, at most 2^53."""

    def __init__(self, low: int = 1, default: int | None = None, desc: str = ""):
        super().__init__(default, desc)
        self.low = low
        self.kind = whole_kind(low)

    def canonical(self, where: str, value: Any) -> int | None:
        if value is None and self.default is None:
            return None
        return whole(value, where, self.low, LARGEST)


class Number(Parameter):
    """A real number in a closed range."""

    def __init__(self, low: float, high: float, default: float, desc: str = ""):
        super().__init__(float(default), desc)
        self.low, self.high = low, high
        self.kind = real_kind(low, high)

    def canonical(self, where: str, value: Any) -> float:
        return real(value, where, self.low, self.high)


class Flag(Parameter):
    kind = "True or False"

    def canonical(self, where: str, value: Any) -> bool:
        return flag(value, where)


class Choice(Parameter):
    """One of a few words; the first is the default unless another is named."""

    def __init__(self, *words: str, default: str | None = None, desc: str = ""):
        super().__init__(words[0] if default is None else default, desc)
        self.words = words
        self.kind = choice_kind(words)

    def canonical(self, where: str, value: Any) -> str:
        return choice(value, where, self.words)


class GainTable(Parameter):
    """A dict of grade: gain, as in ir_measures' nDCG, in which a grade up to 0 gains 0."""

    kind = "a dict of grade: gain"

    def canonical(self, where: str, value: Any) -> dict[int, float] | None:
        return gains_of_relevant(value, where.rsplit(":", 1)[0])


class Base(Parameter):
    """The ordinary measure that a relative measure is built on, kept as text without its cutoff."""

    def __init__(self, *accepted: str, default: str = "nDCG", desc: str = "the ordinary measure to build on"):
        super().__init__(default, desc)
        self.accepted = accepted
        self.kind = f"a measure or its text: {', '.join(accepted)}"

    def canonical(self, where: str, value: Any) -> tuple[str, int | None]:
        """The text without cutoff, and the cutoff, which the measure then has."""
        with naming(where.split(":")[0]):
            return canonical_base(value, self.accepted)


class _Runs(Parameter):
    """Runs, kept as their short key."""

    needs = "prior runs"
    single = False  # True if exactly one run is accepted
    ties = False  # True if ties affect the measure

    def canonical(self, where: str, value: Any) -> PriorRuns | None:
        return self.from_text(where, value)

    def from_text(self, where: str, value: Any, *, paths: bool = True) -> PriorRuns | None:
        if value is None and self.default is None:
            return None
        return PriorRuns.of(value, where, single=self.single, paths=paths, ties=self.ties)


class Prior(_Runs):
    """Prior runs: names, runs, paths, lists or dicts of those, or a symbol."""

    kind = "a run, the path or name of one, several of those, 'others', 'previous', 'groups' or 'none'"

    def __init__(self, desc: str = "the runs that the user has seen already"):
        super().__init__(PriorRuns.of("others"), desc)


class Reference(_Runs):
    """Exactly one run to compare with."""

    kind = "one run, or the path or name of one"
    single = True

    def __init__(self, desc: str = "the run to compare with", ties: bool = False):
        super().__init__(None, desc)
        self.ties = ties


def cutoff_parameter() -> Whole:
    """The parameter that ``measure @ K`` sets; every measure has it."""
    return Whole(1, desc="ranking cutoff")


class RelativeMeasure(ir_measures.Measure):
    """A measure of a run relative to prior runs, to missing judgements or to a random ranking.

    A measure is a value: parameters become canonical when it is made, equal measures print alike, and
    ``parse_measure(str(m)) == m``. Subclasses declare ``SUPPORTED_PARAMS`` (in the order they are printed; the cutoff
    is added) and compute ``score``.
    """

    NAME = ""
    PRETTY_NAME = ""
    SHORT_DESC = ""
    SUPPORTED_PARAMS: dict[str, Any] = {"cutoff": cutoff_parameter()}
    DIRECTION = "larger"  # better values: 'larger', 'smaller', or 'neither'
    CITATIONS: tuple[str, ...] = ()
    NOTES: tuple[str, ...] | None = None  # sections of papers.rst about the measure; None: those of CITATIONS

    def __init_subclass__(cls) -> None:
        cls.SUPPORTED_PARAMS = RelativeMeasure.SUPPORTED_PARAMS | cls.SUPPORTED_PARAMS

    @property
    def __name__(self) -> str:  # ir_measures prints it
        return self.NAME

    def __init__(self, **params: Any):
        self._cutoff_from_base = self._make_canonical(params)
        declared = self.SUPPORTED_PARAMS.items()
        printed = {name: params[name] for name, info in declared if name in params and params[name] != info.default}
        super().__init__(**printed)  # type: ignore[no-untyped-call]
        self._text = str(super().__repr__())  # type: ignore[no-untyped-call]
        self.check(params)

    def check(self, params: dict[str, Any]) -> None:
        """Reject parameters that contradict each other."""

    @property
    def needs_cutoff(self) -> bool:
        """True if the measure requires K; checked late, since ``NRG(base='P')@10`` is made in steps."""
        return "base" in self.SUPPORTED_PARAMS and self.model().needs_cutoff

    @property
    def needs(self) -> str:
        """Further input of the measure, by its declared parameters: 'nothing', 'prior runs' or 'labels'."""
        return next((part.needs for part in self.SUPPORTED_PARAMS.values() if part.needs), "nothing")

    @property
    def runs_parameter(self) -> str | None:
        """Name of the parameter for prior runs or a reference run, if there is one."""
        return next((name for name, info in self.SUPPORTED_PARAMS.items() if isinstance(info, _Runs)), None)

    @property
    def depth(self) -> int | None:
        """Number of ranks that the measure uses; None is all of them."""
        cutoff: int | None = self["cutoff"]
        return cutoff

    @property
    def needs_all_topics(self) -> str | None:
        """Advice if a topic's value depends on all topics; None if it depends on that topic alone."""
        return None

    @property
    def prior_runs(self) -> PriorRuns | None:
        """The prior runs, or the one reference run, before they are looked up; None for a measure without any."""
        return None if self.runs_parameter is None else self[self.runs_parameter]

    @property
    def symbol(self) -> str | None:
        """'others', 'previous' or 'groups' if the prior runs are those of an experiment; otherwise None."""
        return None if self.prior_runs is None else self.prior_runs.symbol

    def transformers(self) -> dict[str, Any]:
        """PyTerrier transformers among the prior runs, by the name under which ``named_runs`` expects the run."""
        return {} if self.prior_runs is None else self.prior_runs.transformers()

    def named_runs(self, own: Mapping[str, Any] | None = None) -> list[tuple[str, Run]]:
        """The prior runs, or the one reference run, each with its name; ``own``: runs of the experiment by name."""
        name, prior_runs = self.runs_parameter, self.prior_runs
        if name is None or prior_runs is None:
            return []
        return prior_runs.resolve(f"{self}: {name}", own, single=self.SUPPORTED_PARAMS[name].single)

    def model(self, max_rel: int | None = None, judgements: Judgements | None = None) -> UserModel:
        """The ordinary measure underneath, cut at K; ``judgements`` with unsupported grades are rejected."""
        model = user_model(self["base"], self["cutoff"], max_rel)
        if judgements is not None:
            model.check(judgements, str(self))
        return model

    def score(self, run: JudgedRun, needed: Any) -> FloatArray:
        """(Q,) one finite value for each topic of the judgements; ``needed``: prior runs or labels."""
        raise TypeError(f"{type(self).__name__} must define score")

    def needed_alone(self, run: JudgedRun) -> Any:
        """Return what the measure requires outside an experiment when no prior run is named."""
        return JudgedPriors(run.judgements, [])

    def __call__(self, *unnamed: Any, **kwargs: Any) -> "RelativeMeasure":
        if unnamed:
            raise TypeError(f"{self.NAME}: parameters must be named, as in {self.NAME}(cutoff=10)")
        params = dict(self.params)
        if self._cutoff_from_base and "base" in kwargs:
            del params["cutoff"]  # the old base's
        made = type(self)(**{**params, **kwargs})
        if self._cutoff_from_base and "base" not in kwargs:
            if made["cutoff"] != self["cutoff"]:
                raise ValueError(f"{self} has the cutoff of its base; the cutoff {kwargs['cutoff']} contradicts it")
            made._cutoff_from_base = True
        return made

    def validate_params(self) -> None:
        """Check that required parameters are given; their values were checked when the measure was made."""
        if self.needs_cutoff and self["cutoff"] is None:
            raise ValueError(f"{self} requires a cutoff, as in {self}@10")
        name = self.runs_parameter
        if name and self[name] is None:
            raise ValueError(f"{self} requires {name}, {self.SUPPORTED_PARAMS[name].kind}")

    def _param_repr(self, value: Any) -> str:
        """Text of a parameter for ir_measures; a label model has a short key."""
        return repr(value.key) if isinstance(value, LabelModel) else str(super()._param_repr(value))  # type: ignore[no-untyped-call]

    def __reduce__(self) -> tuple[Any, ...]:
        """Make the measure again, since a plain name of a prior run may mean another run in another process."""
        return partial(type(self), **self.params), (), {"_cutoff_from_base": self._cutoff_from_base}

    def __repr__(self) -> str:
        return self._text  # made once, since hosts ask for it at every topic

    def _make_canonical(self, params: dict[str, Any]) -> bool:
        """Make every given parameter canonical, in place; return True if the base has the cutoff."""
        cutoff_of_base = None
        for name in params:
            if name not in self.SUPPORTED_PARAMS:
                meant = did_you_mean(name, self.SUPPORTED_PARAMS, "it has")
                raise ValueError(f"{self.NAME} has no parameter {name!r}{meant}")
        for name, value in params.items():
            parameter: Parameter = self.SUPPORTED_PARAMS[name]
            params[name] = parameter.canonical(f"{self.NAME}: {name}", value)
            if isinstance(parameter, Base):
                params[name], cutoff_of_base = params[name]
        if cutoff_of_base is None:
            return False
        if params.get("cutoff") not in (None, cutoff_of_base):
            cutoffs = f"the base has the cutoff {cutoff_of_base}, the measure {params['cutoff']}"
            raise ValueError(f"{self.NAME}: {cutoffs}; expected one")
        params["cutoff"] = cutoff_of_base
        return True


registry: dict[str, RelativeMeasure] = {}


def register(measure: RelativeMeasure) -> RelativeMeasure:
    """Make a measure known to this package, and document it for ``help`` and completion.

    Its text has the question and the formula (of the module), the notes (of the class), parameters and an example.
    """
    registry[measure.NAME] = measure
    question = inspect.getdoc(inspect.getmodule(type(measure))) or ""
    notes, mark, example = (inspect.getdoc(type(measure)) or "").partition(">>> ")
    described = [
        f"{name} : {info.kind}; default {info.default!r}\n    {info.desc}"
        for name, info in measure.SUPPORTED_PARAMS.items()
    ]
    parts = [question, notes.strip(), "\n".join(["Parameters", "----------", *described])]
    measure.__doc__ = "\n\n".join([*parts, f"Examples\n--------\n{mark}{example}"] if example else parts)
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=info.default)
        for name, info in measure.SUPPORTED_PARAMS.items()
    ]
    vars(measure)["__signature__"] = inspect.Signature(parameters)
    return measure
