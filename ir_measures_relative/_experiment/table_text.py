"""A table as text: tsv, csv, jsonl, Markdown, LaTeX, HTML; the best values of a column stand out."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class TextTable:
    """Rows of text and numbers under a header.

    Attributes
    ----------
    better : column -> 'larger' or 'smaller'; its best values stand out
    marks : (row, column) -> what stands behind the value, '+' or '-'
    places : decimal places of numbers; -1 is all
    small : columns of numbers near 0, which have as many significant digits instead
    caption : a sentence or two, for LaTeX and HTML
    has_header : whether tsv and text begin with the header; by default not where the first column is the measure or
        the topic, as the ir_measures command prints it
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    better: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    places: int = 4
    caption: str = ""
    has_header: bool | None = None
    small: Sequence[str] = ()

    def text(self, value: Any, column: int) -> str:
        """A value as it is printed."""
        if isinstance(value, float):
            kind = "g" if self.header[column] in self.small else "f"
            return str(value) if self.places < 0 else f"{value:.{self.places}{kind}}"
        return str(value)

    def texts(self, row: Sequence[Any]) -> list[str]:
        return [self.text(value, column) for column, value in enumerate(row)]

    def is_number(self, column: int) -> bool:
        return bool(self.rows) and isinstance(self.rows[0][column], (int, float))

    def place(self, row: int, column: int) -> int | None:
        """1 for the best of its column, 2 for the second best, both as they are printed; else None."""
        best, printed = self._best[column], self.text(self.rows[row][column], column)
        return best.index(printed) + 1 if printed in best else None

    @cached_property
    def _best(self) -> list[list[str]]:
        """For each column its two best values as they are printed: what is printed alike is equally good."""
        found: list[list[str]] = []
        for column, name in enumerate(self.header):
            direction = self.better.get(name)
            values: list[Any] = []
            if direction in ("larger", "smaller") and len(self.rows) > 1:
                values = sorted({row[column] for row in self.rows}, reverse=direction == "larger")
            printed = list(dict.fromkeys(self.text(value, column) for value in values))
            found.append(printed[:2] if len(printed) > 1 else [])  # where all are alike none stands out
        return found


def visible(text: str) -> str:
    """Text with its control characters escaped, which could rewrite a terminal or break a line.

    >>> visible("bm25\\x1b[2J")
    'bm25\\\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(_escape(character) if _is_control(character) else character for character in text)


def _is_control(character: str) -> bool:
    """Control characters, those that turn the direction of text, unpaired surrogates, separators of lines."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def tsv(table: TextTable) -> str:
    """With or without the header."""
    shown = [table.header, *table.rows] if _has_header(table) else table.rows
    return "".join("\t".join(map(visible, table.texts(row))) + "\n" for row in shown)


def aligned(table: TextTable) -> str:
    """Columns of equal width for a terminal; numbers end at the same place."""
    cells = [[visible(text) for text in table.texts(row)] for row in table.rows]
    if _has_header(table):
        cells.insert(0, [visible(name) for name in table.header])
    columns = range(len(table.header))
    width = [max((len(row[column]) for row in cells), default=0) for column in columns]
    right = [table.is_number(column) for column in columns]
    lines = [[row[c].rjust(width[c]) if right[c] else row[c].ljust(width[c]) for c in columns] for row in cells]
    return "".join("  ".join(line).rstrip() + "\n" for line in lines)


def _has_header(table: TextTable) -> bool:
    return table.header[0] not in ("measure", "query_id") if table.has_header is None else table.has_header


def csv_text(table: TextTable, guard: bool = True) -> str:
    """``guard`` puts an apostrophe before text that a spreadsheet would run as a formula."""

    def cell(value: Any, text: str) -> str:
        is_formula = guard and isinstance(value, str) and text.startswith(("=", "+", "-", "@", "\t", "\r"))
        return f"'{text}" if is_formula else text

    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(
        [map(cell, row, table.texts(row)) for row in (table.header, *table.rows)]
    )
    return buffer.getvalue()


def jsonl(table: TextTable) -> str:
    """Numbers with all their digits, as the ir_measures command prints them; null for NaN, which JSON does not have."""
    rows = [[None if value != value else value for value in row] for row in table.rows]
    return "".join(json.dumps(dict(zip(table.header, row, strict=True)), default=str) + "\n" for row in rows)


def markdown(table: TextTable) -> str:
    """The best of a column in bold."""
    cells = [[_markdown_cell(name) for name in table.header]]
    for number, row in enumerate(table.rows):
        texts = []
        for column, value in enumerate(row):
            text = _markdown_cell(table.text(value, column))
            text = f"**{text}**" if table.place(number, column) == 1 else text
            texts.append(text + table.marks.get((number, column), ""))
        cells.append(texts)
    columns = range(len(table.header))
    width = [max(len(row[column]) for row in cells) for column in columns]
    right = [table.is_number(column) for column in columns]
    rule = ["-" * (width[column] - 1) + ":" if right[column] else "-" * width[column] for column in columns]
    lines = []
    for row in [cells[0], rule, *cells[1:]]:
        padded = [row[c].rjust(width[c]) if right[c] else row[c].ljust(width[c]) for c in columns]
        lines.append(f"| {' | '.join(padded)} |\n")
    return "".join(lines)


def _markdown_cell(text: str) -> str:
    """Escapes a name, so that it neither ends its cell nor begins a tag, a link, code or emphasis.

    >>> print(_markdown_cell("a|b"), _markdown_cell("bm25_k1"), _markdown_cell("_x_"), _markdown_cell("*x*"))
    a\\|b bm25_k1 \\_x\\_ \\*x\\*
    """
    return re.sub(r"([\\|<&*`\[]|(?<![^\W_])_|_(?![^\W_])|~(?=~))", r"\\\1", visible(text))


_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
     ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\char34{}",
     "'": r"\textquotesingle{}"}
    | {character: f"\\{character}" for character in "&%$#_{}"}
)  # fmt: skip


def latex_text(text: str) -> str:
    """Text that LaTeX shows as it is.

    >>> print(latex_text("bm25_k1 & 100%"))
    bm25\\_k1 \\& 100\\%
    """
    shown = visible(text).translate(_LATEX).replace("--", "-{}-").replace("--", "-{}-")  # two are one dash
    return f"{{}}{shown}" if shown.startswith(("[", "*")) else shown  # else part of the \\ before it


def latex(table: TextTable) -> str:
    """A table environment with the rules of booktabs; the best of a column is bold, the second underlined."""
    lines = []
    for number, row in enumerate(table.rows):
        cells = []
        for column, value in enumerate(row):
            text = latex_text(table.text(value, column))
            wrap = {1: r"\textbf{%s}", 2: r"\underline{%s}"}.get(table.place(number, column) or 0, "%s")
            mark = table.marks.get((number, column), "")
            cells.append(wrap % text + (f"$^{{{mark}}}$" if mark else ""))
        lines.append(" & ".join(cells) + r" \\")
    kinds = "".join("r" if table.is_number(column) else "l" for column in range(len(table.header)))
    head = " & ".join(map(latex_text, table.header)) + r" \\"
    body = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
    caption = [rf"\caption{{{table.caption}}}"] if table.caption else []
    return "\n".join(
        [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering", *caption, *body, r"\end{table}", ""]
    )


def html_text(table: TextTable) -> str:
    """A plain table element; the best of a column is bold, the second underlined. Names are never markup."""
    right = [table.is_number(column) for column in range(len(table.header))]

    def row_of(cells: Sequence[str], tag: str) -> str:
        styles = [f"text-align: {'right' if number else 'left'}; padding: .1em .6em" for number in right]
        return "<tr>" + "".join(f'<{tag} style="{s}">{c}</{tag}>' for s, c in zip(styles, cells, strict=True)) + "</tr>"

    lines = [
        '<div style="overflow-x: auto">',
        "<table>",
        *([f'<caption style="text-align: left">{html.escape(table.caption)}</caption>'] if table.caption else []),
    ]
    lines += ["<thead>", row_of([html.escape(visible(name)) for name in table.header], "th"), "</thead>", "<tbody>"]
    for number, row in enumerate(table.rows):
        cells = []
        for column, value in enumerate(row):
            text = html.escape(visible(table.text(value, column)))
            wrap = {1: "<b>%s</b>", 2: "<u>%s</u>"}.get(table.place(number, column) or 0, "%s")
            mark = table.marks.get((number, column), "")
            cells.append(wrap.replace("%s", text) + (f"<sup>{mark}</sup>" if mark else ""))
        lines.append(row_of(cells, "td"))
    return "\n".join([*lines, "</tbody>", "</table>", "</div>", ""])


FORMATS: dict[str, Callable[[TextTable], str]] = {
    "text": aligned,
    "tsv": tsv,
    "csv": csv_text,
    "markdown": markdown,
    "latex": latex,
    "json": jsonl,
}
