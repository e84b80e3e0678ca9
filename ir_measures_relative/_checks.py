"""Argument checks, error messages, warnings and progress bars; values are shown in one short line."""

import inspect
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np


class WrongKind(ValueError, TypeError):
    """A value of a wrong kind, such as True for a number; both ValueError and TypeError catch it."""


LARGEST = 2**53  # number that a measure accepts: float64 counts exactly up to it, and it is far from overflow
EQUAL = 1e-12  # a smaller difference of two scores is rounding
_MOST_NAMED = 5  # runs in a condensed warning
_LIKE_THIS_ONE = re.compile(r" \([0-9]+ more warnings? like this one.*")
_BAR_AFTER = 2.0  # seconds of work before a progress bar appears

Item = TypeVar("Item")


def is_whole(value: Any, low: float = -np.inf, high: float = np.inf) -> bool:
    """Return True for an integer from ``low`` to ``high``; booleans do not count."""
    return isinstance(value, Integral) and not isinstance(value, bool) and low <= int(value) <= high


def is_real(value: Any, low: float = -np.inf, high: float = np.inf) -> bool:
    """Return True for a number from ``low`` to ``high``; booleans and NaN do not count."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return low <= float(value) <= high
    except OverflowError:  # an integer of hundreds of digits
        return False


def whole(value: Any, name: str, low: int, high: int | None = None) -> int:
    """Return an integer from ``low`` to ``high``."""
    if not is_whole(value, low, np.inf if high is None else high):
        error = ValueError if is_whole(value) else WrongKind
        raise error(refusal(value, name, whole_kind(low, high)))
    return int(value)


def whole_kind(low: int, high: int | None = None) -> str:
    """Describe the values that ``whole`` accepts."""
    return f"an integer of at least {low}" if high is None else f"an integer from {low} to {_number(high)}"


def real(value: Any, name: str, low: float, high: float = np.inf) -> float:
    """Return a finite number from ``low`` to ``high``; -0.0 becomes 0.0, since they are equal and must print alike."""
    if not is_real(value, low, min(high, sys.float_info.max)):
        error = WrongKind if isinstance(value, bool) or not isinstance(value, Real) else ValueError
        raise error(refusal(value, name, real_kind(low, high)))
    return float(value) + 0.0


def real_kind(low: float, high: float = np.inf) -> str:
    """Describe the values that ``real`` accepts."""
    return f"a number {f'of at least {_number(low)}' if high == np.inf else f'from {_number(low)} to {_number(high)}'}"


def share(value: Any, name: str) -> float:
    """Return a number from 0 to 1, such as a level or a probability."""
    return real(value, name, 0.0, 1.0)


def choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return one of the words that a parameter accepts."""
    message = refusal(value, name, choice_kind(choices))
    if not isinstance(value, str):
        raise WrongKind(message)
    if value not in choices:
        close = get_close_matches(value, choices, n=1)
        raise ValueError(f"{message}; did you mean {close[0]!r}?" if close else message)
    return str(value)


def choice_kind(choices: tuple[str, ...]) -> str:
    """Describe the values that ``choice`` accepts: 'one', 'two' or 'three'."""
    return " or ".join(filter(None, [", ".join(map(repr, choices[:-1])), repr(choices[-1])]))


def flag(value: Any, name: str) -> bool:
    """Return True or False; the text 'False' would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise WrongKind(refusal(value, name, "True or False"))
    return bool(value)


def refusal(value: Any, name: str, accepted: str) -> str:
    """Return the error message for a value that a parameter does not accept."""
    return f"{name} must be {accepted}, got {shown(value)}"


def _number(number: float) -> str:
    return "2^53" if number == LARGEST else f"{number:g}" if isinstance(number, float) else str(number)


def shown(value: Any, most: int = 80) -> str:
    """Return the repr of any value as one line of at most ``most`` characters."""
    try:
        text = f"a {type(value).__name__}" if hasattr(value, "columns") else repr(value)
    except ValueError:  # Python prints no integer of more than 4,300 digits
        digits = int(value.bit_length() * 0.30103) if isinstance(value, int) else None
        text = f"<{type(value).__name__}>" if digits is None else f"a number of {digits} digits"
    if "\n" in text:  # never in the repr of text, whose own white space stays as it is
        text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Begin the messages of errors raised inside with the name of the input."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise type(error)(f"{what}: {error}") from None


def kind_of(value: Any) -> str:
    """Return the type of a value with its article: a dict, an int; None is itself."""
    name = type(value).__name__
    return "None" if value is None else f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def counted(number: int, what: str) -> str:
    """Return a number of things: 1 topic, 50 topics."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def quoted(path: str | os.PathLike[str]) -> str:
    """Return a path in quotes, shortened if it does not look like one, such as the text of a whole file."""
    text = os.fspath(path)
    return f"'{text}'" if text.isprintable() and len(text) <= 500 else shown(text, 200)


_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)
# a warning points at the user's own line
_PASSED_OVER = (__name__.rpartition(".")[0], "ir_measures", "pyterrier", "contextlib")


def warn(sentence: str) -> None:
    """Warn as if from the line that called this package or its host; ``heard_warnings`` collects the sentence."""
    if (heard := _heard.get()) is not None:
        heard.append(sentence)
    else:
        warnings.warn(sentence, stacklevel=_users_frame()[1] - 1)


def users_line() -> tuple[str, int]:
    """Return file and line of the user's call, the first outside this package, ir_measures and PyTerrier."""
    frame, _ = _users_frame()
    return frame.f_code.co_filename, frame.f_lineno


def _users_frame() -> tuple[Any, int]:
    """Return the frame of the user's line, and how many frames above this one it is, counted from 1."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PASSED_OVER:
        frame, level = frame.f_back, level + 1
    return frame, level


def right_call() -> str:
    """Return the end of a sentence that shows how to call the public function that is running, the outermost one."""
    package, name, frame = sys.modules.get(_PASSED_OVER[0]), "", sys._getframe().f_back
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(f"{_PASSED_OVER[0]}._cli"):  # the user of a command calls no function
            return ""
        if module.startswith(_PASSED_OVER[0]) and frame.f_code.co_name in getattr(package, "__all__", ()):
            name = frame.f_code.co_name
        frame = frame.f_back
    if not name:
        return ""
    parameters = [p for p in inspect.signature(getattr(package, name)).parameters.values() if p.default is p.empty]
    required = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    required += [f"{p.name}=..." for p in parameters if p.kind is p.KEYWORD_ONLY]
    return f"; call {name}({', '.join(required)})"


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """Collect the sentences of ``warn`` in this thread; unlike warnings.catch_warnings, without effect on others."""
    sentences: list[str] = []
    token = _heard.set(sentences)
    try:
        yield sentences
    finally:
        _heard.reset(token)


@contextmanager
def condensed_warnings() -> Iterator[None]:
    """Give the warnings raised inside at the end, condensed; also decorates functions."""
    sentences: list[str] = []
    try:
        with heard_warnings() as sentences:
            yield
    finally:
        for sentence in condensed(sentences):
            warn(sentence)


def condensed(sentences: Iterable[str]) -> list[str]:
    """Return each warning once; of those that differ only in names and numbers, the first and the number of others."""
    kinds: dict[str, list[str]] = {}
    for sentence in dict.fromkeys(sentences):
        kinds.setdefault(kind_of_warning(sentence), []).append(sentence)
    return [_first_of(*alike) for alike in kinds.values()]


def kind_of_warning(sentence: str) -> str:
    """Return a warning without names and numbers, and without the number of others like it."""
    return re.sub(r"'[^']*'|[0-9]+", "", _LIKE_THIS_ONE.sub("", sentence))


def _first_of(first: str, *others: str) -> str:
    if not others:
        return first
    names = [name[0] for sentence in others if (name := re.search(r"'[^']*'", sentence)) is not None]
    some = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
    return f"{first} ({counted(len(others), 'more warning')} like this one{f': {some}' if some else ''})"


def did_you_mean(word: object, names: Iterable[str], listed: str = "names are") -> str:
    """Return the end of a sentence about an unknown name: the name that may be meant, else some that exist."""
    names = list(names)
    close = closest(str(word), names)
    return f"; {listed} {', '.join(names):.200}" if close is None else f"; did you mean {close!r}?"


def closest(word: str, names: list[str]) -> str | None:
    """Return the name that is most like a word, in capitals or not; None if none is like it."""
    lower = {name.lower(): name for name in names}
    close = get_close_matches(word, names, n=1) or get_close_matches(word.lower(), lower, n=1)
    return lower[close[0].lower()] if close else None


def tracked(items: Iterable[Item], total: int, what: str, progress: bool | None = None) -> Iterable[Item]:
    """Show a bar: at once with True, never with False, by default when the work takes long and somebody looks."""
    if progress is False or (progress is None and not _is_watched()):
        return items
    delay = 0.0 if progress else _BAR_AFTER
    bar: Iterable[Item] = _bar()(items, total=total, desc=what, leave=False, delay=delay)
    return bar


def _is_watched() -> bool:
    """True on a terminal and in a notebook, where somebody sees a bar."""
    try:
        return "ipykernel" in sys.modules or sys.stderr.isatty()
    except (AttributeError, ValueError):  # standard error is missing or closed
        return False


def _bar() -> Any:
    """The progress bar of tqdm, imported late because that is slow; as text where ipywidgets is missing."""
    if "ipykernel" in sys.modules and find_spec("ipywidgets") is not None:
        from tqdm.auto import tqdm
    else:
        from tqdm.std import tqdm
    return tqdm
