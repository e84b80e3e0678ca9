"""Numbers of a plain text file, read many at a time and each exactly as `float` reads it."""

from __future__ import annotations

import numpy as np

ZERO, POINT, MINUS, UNDERSCORE = b"0.-_"
FEW = 15  # bytes of a short number: less than 2**53 without its point, which a float64 holds exactly
TEN_TO = 10.0 ** np.arange(FEW)


class NotPlain(Exception):
    """What is read is no plain text file."""


def numbers(text: np.ndarray, length: np.ndarray) -> np.ndarray:
    """(lines, bytes) texts, with 0 past their end, and their (lines,) lengths -> (lines,) float64."""
    if length.max(initial=0) > FEW:
        return _any_numbers(text)
    number, simple = _short_decimals(text[:, :FEW], length)
    if not simple.all():
        number[~simple] = _any_numbers(text[~simple])
    return number


def _any_numbers(text: np.ndarray) -> np.ndarray:
    if (text == UNDERSCORE).any():  # numpy reads 1_000 as 1000, TREC tools do not
        raise NotPlain
    try:
        return text.view(f"S{text.shape[1]}")[:, 0].astype(np.float64)
    except ValueError:
        raise NotPlain from None


def _short_decimals(text: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(lines,) numbers written like -12.5, and which lines are: the others' numbers mean nothing.

    Without its point, a short number is a whole number that a float64 holds exactly; so is the power of ten that it
    is to be divided by, and a division of two exact numbers gives the float64 nearest to the true result.
    """
    n = len(text)
    whole, (digits, decimals, points) = np.zeros(n, dtype=np.int64), np.zeros((3, n), dtype=np.uint8)
    for byte in np.ascontiguousarray(text.T)[: length.max(initial=0)]:
        digit = byte - np.uint8(ZERO)  # whatever is no digit becomes more than 9, what is below by wrapping around
        is_digit = digit < 10
        whole = np.where(is_digit, whole * 10 + digit, whole)
        digits += is_digit
        decimals += is_digit & (points > 0)
        points += byte == POINT
    negative = text[:, 0] == MINUS
    simple = (digits > 0) & (points <= 1) & (digits + points + negative == length)  # and nothing else
    number = whole / TEN_TO[decimals]
    return np.where(negative, -number, number), simple
