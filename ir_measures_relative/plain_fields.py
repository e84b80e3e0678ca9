"""Fields of a plain text file, found by looking at many bytes at once instead of line by line.

Plain is: ASCII, and the same number of fields in every line that is neither blank nor a comment. Nearly every TREC
file is. Whatever is not plain is answered with None, and read line by line by `trec_files`, which knows all that is
accepted and says what is wrong; so nothing is decided here that is not decided there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from ir_measures_relative.plain_numbers import NotPlain, numbers

TAB, LINE_END, SPACE, HASH = b"\t\n #"
BLOCK = 1 << 19  # bytes looked at together, few enough to stay in the processor's cache
WORD = 8  # bytes that are compared together
LONGEST = 1 << 12  # bytes of a field; nothing plain is longer
# (9,) keeps the first 0, 1, ... 8 bytes of a word whose first byte is the lowest
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(WORD + 1)], dtype=np.uint64)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing
_COMMENT = re.compile(rb"^#.*\n", re.MULTILINE)

Words = list[np.ndarray]  # texts, eight bytes at a time, each (n,) uint64; 0 past the end of a text
Coded = tuple[list[str], np.ndarray]  # distinct texts in order of first appearance, (N,) index of each line's


def plain_fields(
    data: bytes, n_fields: int, ids: tuple[int, int], number: int
) -> tuple[Coded, Coded, np.ndarray] | None:
    """Two fields of every line as coded texts and one as (N,) numbers; None if the file is not plain."""
    try:
        parts = [_block_fields(block, n_fields, (*ids, number)) for block in _blocks(data)]
        first, second, values = zip(*parts, strict=True)
        return _coded(first), _coded(second), np.concatenate(values)
    except NotPlain:
        return None


def _block_fields(block: bytes, n_fields: int, asked: tuple[int, int, int]) -> tuple[Words, Words, np.ndarray]:
    """The three fields asked for: two as texts, one as (lines,) numbers."""
    try:
        before, end = _line_fields(block, n_fields)
    except NotPlain:
        block = _tidy(block)
        before, end = _line_fields(block, n_fields)
    block += b"\n" * WORD  # so that the eight bytes from each byte on can be looked at
    start = before.T[list(asked)] + 1  # (3, lines)
    length = end.T[list(asked)] - start
    first, second, number = (_words(block, *field) for field in zip(start, length, strict=True))
    return first, second, numbers(_bytes(number), length[2])


def _blocks(data: bytes) -> Iterator[bytes]:
    """Whole lines, of about one size together; never none."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.isascii() or b"\r" in data or not data:
        raise NotPlain
    first = 0
    while first < len(data):
        last = data.find(b"\n", first + BLOCK) + 1 or len(data)
        block = data[first:last]
        yield block if block.endswith(b"\n") else block + b"\n"
        first = last


def _tidy(block: bytes) -> bytes:
    """The same lines with one space between fields, without blank lines and comments."""
    block = b"\n" + block.replace(b"\t", b" ")
    for twice, once in ((b"  ", b" "), (b" \n", b"\n"), (b"\n ", b"\n"), (b"\n\n", b"\n")):
        while twice in block:
            block = block.replace(twice, once)
    return _COMMENT.sub(b"", block[1:]) if b"#" in block else block[1:]


def _line_fields(block: bytes, n_fields: int) -> tuple[np.ndarray, np.ndarray]:
    """(lines, n_fields) the places of the one byte before each field and of the one after it."""
    byte = np.frombuffer(block, np.uint8)
    gap = byte <= SPACE  # control characters too, which are refused below
    place = np.flatnonzero(gap)
    if len(place) % n_fields or gap[:1].any() or (gap[1:] & gap[:-1]).any():
        raise NotPlain
    end = place.reshape(-1, n_fields)
    before = np.roll(place, 1).reshape(end.shape)
    before[:1, :1] = -1
    all_spaces = np.count_nonzero(byte < SPACE) == len(end)  # but for the line ends
    if not (
        (byte[end[:, -1]] == LINE_END).all()
        and (all_spaces or np.isin(byte[end[:, :-1]], (SPACE, TAB)).all())
        and (b"#" not in block or (byte[before[:, 0] + 1] != HASH).all())
    ):
        raise NotPlain
    return before, end


def _words(block: bytes, start: np.ndarray, length: np.ndarray) -> Words:
    """The texts of a field."""
    shortest, longest = int(length.min(initial=LONGEST)), int(length.max(initial=1))
    if longest > LONGEST:
        raise NotPlain
    word_at = np.ndarray(len(block) - WORD, "<u8", block, strides=(1,))  # the eight bytes from each byte on
    words = []
    for at in range(0, longest, WORD):
        if at + WORD <= shortest:  # all texts fill this word
            words.append(word_at[start + at])
        else:
            word = word_at[np.minimum(start + at, len(word_at) - 1)]
            words.append(word & _KEEP[np.clip(length - at, 0, WORD)])
    return words


def _coded(blocks: Sequence[Words]) -> Coded:
    """Distinct texts, given as words, block after block, and the code of each line."""
    longest = max(map(len, blocks))
    words = [np.concatenate([_word(block, at) for block in blocks]) for at in range(longest)]  # each (N,)
    code, mixed = pd.factorize(_mixed(words), size_hint=len(words[0]))
    if longest == 1:
        return _texts([mixed]), code
    first = np.empty(len(mixed), dtype=np.int64)  # the line where each text appears first
    first[code[::-1]] = np.arange(len(code))[::-1]
    distinct = [word[first] for word in words]
    if any((word != one[code]).any() for word, one in zip(words, distinct, strict=True)):
        raise NotPlain  # two texts became one number
    return _texts(distinct), code


def _mixed(words: Words) -> np.ndarray:
    """(N,) uint64, one number for each text; two texts of several words have the same one by a rare chance only."""
    mixed = words[0]
    for word in words[1:]:
        mixed = ((mixed ^ (mixed >> np.uint64(29))) * SPREAD) ^ word
    return mixed


def _bytes(words: Words) -> np.ndarray:
    """Words, each (n,), as (n, bytes)."""
    return np.stack(words, axis=1).astype("<u8", copy=False).view(np.uint8)


def _texts(words: Words) -> list[str]:
    """Words, each (n,), as n texts."""
    byte = _bytes(words)
    spaced = np.full((len(byte), byte.shape[1] + 1), SPACE, dtype=np.uint8)
    np.copyto(spaced[:, :-1], byte, where=byte > 0)
    return spaced.tobytes().decode("ascii").split()


def _word(words: Words, at: int) -> np.ndarray:
    return words[at] if at < len(words) else np.zeros_like(words[0])
