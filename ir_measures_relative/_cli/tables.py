"""Rows -> text: tsv, csv, jsonl or a Markdown table."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO


class Writer:
    """Collects rows and writes them at the end, so that an error leaves nothing half-written.

    ``better`` maps a column to 'larger' or 'smaller'; a Markdown table shows its best values in bold.
    """

    def __init__(
        self, output_format: str, places: int = 4, better: Mapping[str, str] | None = None, file: TextIO | None = None
    ):
        self._format = output_format
        self._better = better or {}
        self._places = places
        self._file = file
        self._header: tuple[str, ...] = ()
        self._rows: list[tuple] = []

    def header(self, *names: str) -> None:
        self._header = names

    def row(self, *values: Any) -> None:
        self._rows.append(values)

    def close(self) -> None:
        (self._file or sys.stdout).write(WRITERS[self._format](self._header, self._rows, self._number, self._better))

    def _number(self, value: Any) -> str:
        if isinstance(value, float):
            return str(value) if self._places < 0 else f"{value:.{self._places}f}"
        return str(value)


Text = Callable[[Any], str]
Better = Mapping[str, str]


def _tsv(header: tuple[str, ...], rows: list[tuple], text: Text, better: Better) -> str:
    """Without header where the first column is the measure or topic, as the ir_measures command prints it."""
    shown = [header, *rows] if header[0] == "name" else rows
    return "".join("\t".join(map(text, row)) + "\n" for row in shown)


def _csv(header: tuple[str, ...], rows: list[tuple], text: Text, better: Better) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([header, *([text(value) for value in row] for row in rows)])
    return buffer.getvalue()


def _jsonl(header: tuple[str, ...], rows: list[tuple], text: Text, better: Better) -> str:
    """All places, whatever --places says, as the ir_measures command does."""
    return "".join(json.dumps(dict(zip(header, row, strict=True)), default=str) + "\n" for row in rows)


def _markdown(header: tuple[str, ...], rows: list[tuple], text: Text, better: Better) -> str:
    cells = [list(header), *([text(value) for value in row] for row in rows)]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in cells]
    for column, name in enumerate(header):
        best = {"larger": max, "smaller": min}.get(better.get(name, ""))
        if best is not None and len(rows) > 1:
            top = text(best(row[column] for row in rows))
            for row in cells[1:]:
                row[column] = f"**{row[column]}**" if row[column] == top else row[column]
    width = [max(len(row[column]) for row in cells) for column in range(len(header))]
    numeric = [bool(rows) and isinstance(rows[0][column], float) for column in range(len(header))]
    rule = ["-" * (w - 1) + ":" if right else "-" * w for w, right in zip(width, numeric, strict=True)]
    lines = []
    for row in [cells[0], rule, *cells[1:]]:
        padded = [c.rjust(w) if right else c.ljust(w) for c, w, right in zip(row, width, numeric, strict=True)]
        lines.append(f"| {' | '.join(padded)} |\n")
    return "".join(lines)


WRITERS: dict[str, Callable[[tuple[str, ...], list[tuple], Text, Better], str]] = {
    "tsv": _tsv,
    "jsonl": _jsonl,
    "csv": _csv,
    "markdown": _markdown,
}
