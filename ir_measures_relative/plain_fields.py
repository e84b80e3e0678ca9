"""Fields of a plain text file, found by looking at many bytes at once instead of line by line.

Plain is: ASCII, the same number of fields in every line, one space or tab between them, no comments. Nearly every
TREC file is. Whatever is not plain is answered with None, and read line by line by `trec_files`, which knows all that
is accepted and says what is wrong; so nothing is decided here that is not decided there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

TAB, LINE_END, SPACE, HASH, UNDERSCORE = b"\t\n #_"
BLOCK = 1 << 19  # bytes looked at together, few enough to stay in the processor's cache
WORD = 8  # bytes that are compared together
LONGEST = 1 << 12  # bytes of a field; nothing plain is longer
# (9,) keeps the first 0, 1, ... 8 bytes of a word whose first byte is the lowest
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(WORD + 1)], dtype=np.uint64)

Coded = tuple[list[str], np.ndarray]  # distinct texts in order of first appearance, (N,) index of each line's


def plain_fields(
    data: bytes, n_fields: int, ids: tuple[int, int], number: int
) -> tuple[Coded, Coded, np.ndarray] | None:
    """Two fields of every line as coded texts and one as (N,) numbers; None if the file is not plain."""
    if not data.isascii():
        return None
    blocks: tuple[list, list, list] = ([], [], [])
    for block in _blocks(data.replace(b"\r\n", b"\n") if b"\r" in data else data):
        found = _line_fields(np.frombuffer(block, np.uint8)[:-WORD], n_fields)
        if found is None:
            return None
        words = [_words(block, *(ends[:, field] for ends in found)) for field in (*ids, number)]
        numbers = None if max(map(len, words)) > LONGEST // WORD else _numbers(words[2])
        if numbers is None:
            return None
        for kept, new in zip(blocks, (words[0], words[1], numbers), strict=True):
            kept.append(new)
    if not blocks[2]:
        return None
    return _coded(blocks[0]), _coded(blocks[1]), np.concatenate(blocks[2])


def _blocks(data: bytes) -> Iterator[bytes]:
    """Parts of about one size that end with a line; each has a word of line ends after it."""
    first = 0
    while first < len(data):
        last = data.find(b"\n", first + BLOCK) + 1 or len(data)
        block = data[first:last]
        yield (block if block.endswith(b"\n") else block + b"\n") + b"\n" * WORD
        first = last


def _line_fields(byte: np.ndarray, n_fields: int) -> tuple[np.ndarray, np.ndarray] | None:
    """(lines, n_fields) where each field of some whole lines starts, and the byte after it; None if not plain."""
    place = np.flatnonzero(byte <= SPACE)  # control characters among them, which are refused below
    if len(place) % n_fields:
        return None
    start, end = np.append(0, place[:-1] + 1).reshape(-1, n_fields), place.reshape(-1, n_fields)
    separator = byte[end]
    plain = (
        (separator[:, -1] == LINE_END).all()
        and ((separator[:, :-1] == SPACE) | (separator[:, :-1] == TAB)).all()
        and (start < end).all()
        and (byte[start[:, 0]] != HASH).all()
    )
    return (start, end) if plain else None


def _words(block: bytes, start: np.ndarray, end: np.ndarray) -> list[np.ndarray]:
    """The texts of a field, eight bytes at a time, each (lines,) uint64; 0 past the end of a text."""
    word_at = np.ndarray(len(block) - WORD, "<u8", block, strides=(1,))  # the eight bytes from each byte on
    length = end - start
    words = [word_at[start] & _KEEP[np.minimum(length, WORD)]]
    for at in range(WORD, min(int(length.max()), LONGEST + 1), WORD):
        words.append(word_at[np.minimum(start + at, len(word_at) - 1)] & _KEEP[np.clip(length - at, 0, WORD)])
    return words


def _numbers(words: list[np.ndarray]) -> np.ndarray | None:
    """(lines,) float64 as `float` reads them; None if a text is no number."""
    text = np.stack(words, axis=1).astype("<u8", copy=False).view(np.uint8)  # (lines, bytes)
    if (text == UNDERSCORE).any():  # numpy reads 1_000 as 1000, TREC tools do not
        return None
    try:
        return text.view(f"S{text.shape[1]}")[:, 0].astype(np.float64)
    except ValueError:
        return None


def _coded(blocks: list[list[np.ndarray]]) -> Coded:
    """Distinct texts, given as words, block after block, and the code of each line."""
    longest = max(map(len, blocks))
    columns = [np.concatenate([_word(words, at) for words in blocks]) for at in range(longest)]  # each (N,)
    code, distinct = pd.factorize(columns[0], size_hint=len(columns[0]))
    if longest == 1:
        return _texts([distinct]), code
    for column in columns[1:]:
        part, values = pd.factorize(column)
        code, _ = pd.factorize(code * len(values) + part)
    first = np.empty(code.max() + 1, dtype=np.int64)  # the line where each text appears first
    first[code[::-1]] = np.arange(len(code))[::-1]
    return _texts([column[first] for column in columns]), code


def _texts(words: list[np.ndarray]) -> list[str]:
    """Words, each (n,), as n texts."""
    byte = np.stack(words, axis=1).astype("<u8", copy=False).view(np.uint8)  # (n, bytes)
    spaced = np.full((len(byte), byte.shape[1] + 1), SPACE, dtype=np.uint8)
    np.copyto(spaced[:, :-1], byte, where=byte > 0)
    return spaced.tobytes().decode("ascii").split()


def _word(words: list[np.ndarray], at: int) -> np.ndarray:
    return words[at] if at < len(words) else np.zeros_like(words[0])
