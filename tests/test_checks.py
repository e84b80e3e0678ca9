"""Arguments checked at the door: plain kinds out, a wrong kind and a wrong value are told apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ir_measures_relative._checks import (
    WrongKind,
    choice,
    choice_kind,
    condensed,
    condensed_warnings,
    counted,
    did_you_mean,
    flag,
    heard_warnings,
    is_whole,
    kind_of_warning,
    naming,
    real,
    share,
    shown,
    warn,
    whole,
)

WORDS = ("one", "two", "three")


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (whole(np.int8(3), "n", 0, 3), 3),
        (whole(10**30, "n", 0), 10**30),
        (real(np.float32(0.5), "x", 0), 0.5),
        (real(1, "x", 0, 1), 1.0),
        (real(Fraction(1, 4), "x", 0), 0.25),
        (share(1, "level"), 1.0),
        (choice("two", "word", WORDS), "two"),
        (choice(np.str_("two"), "word", WORDS), "two"),
        (flag(np.True_, "yes"), True),
    ],
)
def test_accepted_values_become_plain_ones(given: Any, plain: Any) -> None:
    assert given == plain and type(given) is type(plain)


@pytest.mark.parametrize("value", [True, np.True_, 2.0, "2", None, [2], np.array([2]), pd.DataFrame({"a": [1, 2]})])
def test_what_is_no_whole_number_is_of_a_wrong_kind(value: Any) -> None:
    with pytest.raises(WrongKind, match="^n must be an integer of at least 1, got .*$"):
        whole(value, "n", 1)


@pytest.mark.parametrize("value", [True, "0.5", None, 1j, [0.5], np.array(0.5), pd.Series([0.5])])
def test_what_is_no_number_is_of_a_wrong_kind(value: Any) -> None:
    with pytest.raises(WrongKind, match="^x must be a number from 0 to 1, got .*$"):
        real(value, "x", 0, 1)


@pytest.mark.parametrize("value", [1, None, b"one", WORDS, np.array(["one"])])
def test_what_is_no_word_is_of_a_wrong_kind(value: Any) -> None:
    with pytest.raises(WrongKind, match="^word must be 'one', 'two' or 'three', got .*$"):
        choice(value, "word", WORDS)


@pytest.mark.parametrize("value", [0, 1, "False", None])
def test_what_is_neither_true_nor_false_is_of_a_wrong_kind(value: Any) -> None:
    with pytest.raises(WrongKind, match="^yes must be True or False, got .*$"):
        flag(value, "yes")


@pytest.mark.parametrize(
    "call",
    [
        lambda: whole(0, "n", 1),
        lambda: whole(4, "n", 1, 3),
        lambda: real(-0.1, "x", 0),
        lambda: real(1.1, "x", 0, 1),
        lambda: real(np.inf, "x", 0),
        lambda: real(np.nan, "x", 0),
        lambda: real(10**400, "x", 0),
        lambda: real(10**5000, "x", 0),
        lambda: whole(10**5000, "n", 0, 2**53),
        lambda: share(-0.1, "level"),
        lambda: share(np.nan, "level"),
        lambda: share(1.01, "level"),
        lambda: choice("four", "word", WORDS),
    ],
)
def test_a_wrong_value_is_of_the_right_kind(call: Any) -> None:
    with pytest.raises(ValueError, match="must be .*, got") as caught:
        call()
    assert not isinstance(caught.value, TypeError)


def test_messages_about_a_parameter() -> None:
    with pytest.raises(ValueError, match="^n must be an integer from 1 to 2, got 3$"):
        whole(3, "n", 1, 2)
    with pytest.raises(ValueError, match="^prior must be 'pool' or 'run', got 'pol'; did you mean 'pool'[?]$"):
        choice("pol", "prior", ("pool", "run"))
    assert choice_kind(("one",)) == "'one'" and choice_kind(WORDS) == "'one', 'two' or 'three'"
    assert did_you_mean("bm52", ["bm25", "dense"]) == "; did you mean 'bm25'?"
    assert did_you_mean("x", ["bm25", "dense"]) == "; names are bm25, dense"
    assert (counted(1, "topic"), counted(50, "topic")) == ("1 topic", "50 topics")
    assert (shown("a\nb"), shown(list(range(100)), 12)) == (r"'a\nb'", "[0, 1, 2,...")


def test_booleans_and_floats_are_no_whole_numbers() -> None:
    values = [is_whole(np.int64(3), 1), is_whole(True), is_whole(3.0), is_whole(3, 1, 2)]
    assert values == [True, False, False, False]


def test_an_error_inside_names_the_input() -> None:
    with pytest.raises(ValueError, match="^run 'bm25': row 3 has no topic id$"), naming("run 'bm25'"):
        raise ValueError("row 3 has no topic id")


def test_warnings_are_collected() -> None:
    with heard_warnings() as sentences:
        warn("nothing is judged")
    assert sentences == ["nothing is judged"]


def test_zero_has_no_sign() -> None:
    assert str(real(-0.0, "x", 0)) == "0.0"


def test_what_python_does_not_print_is_shown_too() -> None:
    assert shown(10**5000) == "a number of 5000 digits"
    assert shown([10**5000]) == "<list>"


def test_warnings_about_many_runs_become_one() -> None:
    alike = [f"run 'r{number}' lacks {number} of 9 topics" for number in range(8)]
    assert condensed([*alike, alike[0], "another"]) == [
        "run 'r0' lacks 0 of 9 topics (7 more warnings like this one: 'r1', 'r2', 'r3', 'r4', 'r5', ...)",
        "another",
    ]
    assert condensed(alike[:2]) == ["run 'r0' lacks 0 of 9 topics (1 more warning like this one: 'r1')"]
    assert len({kind_of_warning(sentence) for sentence in [*alike, *condensed(alike)]}) == 1
    assert condensed(["1 is odd", "3 is odd", "5 is odd"]) == ["1 is odd (2 more warnings like this one)"]


def test_condensed_warnings_come_before_an_error() -> None:
    with pytest.raises(ValueError, match="stop"), pytest.warns(UserWarning, match=r"^run 'a' .*like this one: 'b'\)$"):
        with condensed_warnings():
            for name in "ab":
                warn(f"run {name!r} is odd")
            raise ValueError("stop")
