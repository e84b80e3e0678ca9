"""Fields of a plain text file, found by looking at many bytes at once instead of line by line.

Plain is: ASCII, and the same number of fields in every line that is neither blank nor a comment. Nearly every TREC
file is. Whatever is not plain is answered with None, and read line by line by `trec_files`, which knows all that is
accepted and says what is wrong; so nothing is decided here that is not decided there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

TAB, LINE_END, SPACE, HASH, UNDERSCORE = b"\t\n #_"
BLOCK = 1 << 19  # bytes looked at together, few enough to stay in the processor's cache
WORD = 8  # bytes that are compared together
LONGEST = 1 << 12  # bytes of a field; nothing plain is longer
# (9,) keeps the first 0, 1, ... 8 bytes of a word whose first byte is the lowest
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(WORD + 1)], dtype=np.uint64)
_COMMENT = re.compile(rb"^#.*\n", re.MULTILINE)

Words = list[np.ndarray]  # texts, eight bytes at a time, each (n,) uint64; 0 past the end of a text


class NotPlain(Exception):
    """The data is not a plain text file."""


class Fields(NamedTuple):
    """Three fields of the lines of a file, or of a block of it."""

    topics: list[str]  # the topic of each stretch of lines that have the same
    n_lines: list[int]  # of each stretch
    documents: list[str]  # of each line
    number: np.ndarray  # (lines,) float64


def plain_fields(data: bytes, n_fields: int, topic: int, document: int, number: int) -> Fields | None:
    """Three of the fields of every line; None if the file is not plain."""
    try:
        blocks = [_block_fields(block, n_fields, [topic, document, number]) for block in _blocks(data)]
    except NotPlain:
        return None
    return Fields(
        list(chain.from_iterable(block.topics for block in blocks)),
        list(chain.from_iterable(block.n_lines for block in blocks)),
        list(chain.from_iterable(block.documents for block in blocks)),
        np.concatenate([block.number for block in blocks]),
    )


def _block_fields(block: bytes, n_fields: int, asked: list[int]) -> Fields:
    try:
        before, end = _line_fields(block, n_fields)
    except NotPlain:
        block = _tidy(block)
        before, end = _line_fields(block, n_fields)
    block += b"\n" * WORD  # so that the eight bytes from each byte on can be looked at
    start = before.T[asked] + 1  # (3, lines)
    length = end.T[asked] - start
    topic, document, number = (_words(block, *field) for field in zip(start, length, strict=True))
    first = _stretches(topic)
    return Fields(
        _texts([word[first] for word in topic]),
        np.diff(first, append=len(end)).tolist(),
        _texts(document),
        _numbers(number),
    )


def _stretches(words: Words) -> np.ndarray:
    """Where each stretch of lines with the same text begins."""
    is_new = np.ones(len(words[0]), dtype=bool)  # (lines,)
    is_new[1:] = np.any([word[1:] != word[:-1] for word in words], axis=0)
    return np.flatnonzero(is_new)


def _blocks(data: bytes) -> Iterator[bytes]:
    """Blocks of whole lines, of about equal size; at least one."""
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


def _bytes(words: Words) -> np.ndarray:
    """Words, each (n,), as (n, bytes)."""
    return np.stack(words, axis=1).astype("<u8", copy=False).view(np.uint8)


def _texts(words: Words) -> list[str]:
    """Words, each (n,), as n texts."""
    byte = _bytes(words)
    spaced = np.full((len(byte), byte.shape[1] + 1), SPACE, dtype=np.uint8)
    np.copyto(spaced[:, :-1], byte, where=byte > 0)
    return spaced.tobytes().decode("ascii").split()


def _numbers(words: Words) -> np.ndarray:
    """Words, each (n,), as n numbers, each exactly as `float` reads it."""
    byte = _bytes(words)
    if (byte == UNDERSCORE).any():  # numpy reads 1_000 as 1000, TREC tools do not
        raise NotPlain
    try:
        return byte.view(f"S{byte.shape[1]}")[:, 0].astype(np.float64)
    except ValueError:
        raise NotPlain from None
