"""Numbers of a plain text file, read many at a time and each exactly as `float` reads it."""

from __future__ import annotations

import numpy as np

ZERO, POINT, MINUS, UNDERSCORE = b"0.-_"
MOST_BYTES = 20  # of a number that is read digit by digit
MOST_DIGITS = 19  # these fit 64 bits
EXACT = 1 << 53  # every whole number up to here is a float64
TEN_TO = 10.0 ** np.arange(MOST_DIGITS + 1)  # exact, as are all powers up to the 22nd
SURE = 1e-9  # far more than `_nearest` can be off, in units of the distance between two float64s


class NotPlain(Exception):
    """What is read is no plain text file."""


def numbers(text: np.ndarray, length: np.ndarray) -> np.ndarray:
    """(lines, bytes) texts, with 0 past their end, and their (lines,) lengths -> (lines,) float64."""
    number, sure = _decimals(text[:, :MOST_BYTES], np.minimum(length, MOST_BYTES + 1))
    if not sure.all():
        number[~sure] = _any_numbers(text[~sure])
    return number


def _any_numbers(text: np.ndarray) -> np.ndarray:
    if (text == UNDERSCORE).any():  # numpy reads 1_000 as 1000, TREC tools do not
        raise NotPlain
    try:
        return text.view(f"S{text.shape[1]}")[:, 0].astype(np.float64)
    except ValueError:
        raise NotPlain from None


def _decimals(text: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(lines,) numbers written like -12.5, and in which lines they are sure; the others mean nothing."""
    n = len(text)
    whole, (digits, decimals, points) = np.zeros(n, dtype=np.uint64), np.zeros((3, n), dtype=np.uint8)
    for byte in np.ascontiguousarray(text.T)[: length.max(initial=0)]:
        digit = byte - np.uint8(ZERO)  # whatever is no digit becomes more than 9, what is below by wrapping around
        is_digit = digit < 10
        whole = np.where(is_digit, whole * np.uint64(10) + digit, whole)
        digits += is_digit
        decimals += is_digit & (points > 0)
        points += byte == POINT
    negative = text[:, 0] == MINUS
    nothing_else = digits + points + negative == length
    fits = (digits > 0) & (digits <= MOST_DIGITS) & (points <= 1)
    number, sure = _nearest(whole, TEN_TO[np.minimum(decimals, MOST_DIGITS)])
    return np.where(negative, -number, number), nothing_else & fits & sure


def _nearest(whole: np.ndarray, power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) float64 nearest to whole / power, and where this is sure; whole numbers up to 64 bits, powers of ten.

    Division of two float64s is exact but for its rounding. A larger whole number is a float64 and a small rest, and
    the remainder of its division is known exactly, so the quotient is, as a float64 and a small correction. That
    correction is off by 2^-50 of the distance to the next float64; the sum is rounded rightly unless it is that near
    to the middle between two.
    """
    if (whole <= EXACT).all():
        return whole / power, np.ones(len(whole), dtype=bool)
    large = whole.astype(np.float64)
    rest = (whole - large.astype(np.uint64)).view(np.int64)  # by wrapping around where it is negative
    quotient = large / power
    product, lost = _exact_product(quotient, power)
    correction = ((large - product) - lost + rest) / power
    number = quotient + correction
    left = np.abs(correction - (number - quotient)) / np.spacing(number)  # 1/2, or below a power of two 1/4: the middle
    return number, (np.abs(left - 0.5) > SURE) & (np.abs(left - 0.25) > SURE)


def _exact_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a * b as a float64 and what it lost by rounding (Dekker 1971). (n,) each"""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of half as many bits whose sum it is: their products are exact."""
    scaled = number * ((1 << 27) + 1)
    high = scaled - (scaled - number)
    return high, number - high
