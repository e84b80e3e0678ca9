"""Declared parameters: what each accepts, its default, and the canonical form in which a measure keeps it.

A value is made canonical once, when the measure is made, so that equal measures print alike; an
invalid value raises an error there.
"""

from __future__ import annotations

from typing import Any

from ir_measures import measures

from ir_measures_relative._base import canonical_base
from ir_measures_relative._checks import (
    FLAG_KIND,
    LARGEST,
    choice,
    choice_kind,
    flag,
    real,
    real_kind,
    refusal,
    whole,
    whole_kind,
)
from ir_measures_relative._checks import (
    WrongKind as WrongKind,
)
from ir_measures_relative._labels import gains_of_relevant
from ir_measures_relative._priors import PriorRuns


class Parameter(measures.ParamInfo):
    """A parameter of a measure; subclasses say what they accept."""

    kind = "any value"
    needs = ""  # what a measure with this parameter needs beside the run

    def __init__(self, default: Any = None, desc: str = ""):
        super().__init__(default=default, desc=desc)  # type: ignore[no-untyped-call]

    def validate(self, value: Any) -> bool:
        """For ir_measures, which asks again at evaluation: canonical values are valid."""
        return True

    def canonical(self, where: str, value: Any) -> Any:
        """The form in which the measure keeps ``value``; ``where`` is 'NRG: base' in error sentences."""
        raise TypeError(f"{type(self).__name__} does not say what it accepts")

    def from_text(self, where: str, value: Any, *, paths: bool) -> Any:
        """What ``parse_measure`` gives for ``value``; without ``paths`` a parameter that reads files must not."""
        return value

    def _refused(self, where: str, value: Any, error: type[ValueError] = ValueError) -> ValueError:
        return error(refusal(value, where, self.kind))


class Whole(Parameter):
    """A whole number, at most 2^53."""

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
    """True or False."""

    kind = FLAG_KIND

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

    def canonical(self, where: str, value: Any) -> str:
        return self.parsed(where, value)[0]

    def parsed(self, where: str, value: Any) -> tuple[str, int | None]:
        """The text without cutoff, and the cutoff."""
        try:
            return canonical_base(value, self.accepted)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{where.split(':')[0]}: {error}") from None


class Prior(Parameter):
    """Prior runs: names, runs, paths, lists or dicts of those, or a symbol; kept as their short key."""

    kind = "a run, the path or name of one, several of those, 'others', 'previous', 'groups' or 'none'"
    needs = "prior runs"

    def __init__(self, desc: str = "the runs that the user has seen already"):
        super().__init__(PriorRuns.of("others"), desc)

    def canonical(self, where: str, value: Any) -> PriorRuns:
        return PriorRuns.of(value, where)

    def from_text(self, where: str, value: Any, *, paths: bool) -> PriorRuns:
        return PriorRuns.of(value, where, paths=paths)


class Reference(Parameter):
    """Exactly one run to compare with; kept as its short key."""

    kind = "one run, or the path or name of one"
    needs = "prior runs"

    def __init__(self, desc: str = "the run to compare with", ties: bool = False):
        super().__init__(None, desc)
        self.ties = ties  # whether the measure sees tied scores

    def canonical(self, where: str, value: Any) -> PriorRuns | None:
        return None if value is None else PriorRuns.of(value, where, single=True, ties=self.ties)

    def from_text(self, where: str, value: Any, *, paths: bool) -> PriorRuns | None:
        return None if value is None else PriorRuns.of(value, where, single=True, paths=paths, ties=self.ties)
