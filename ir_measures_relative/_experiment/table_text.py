"""A table as text: aligned columns, tsv, csv, JSON lines, Markdown, LaTeX and HTML."""

import csv
import html
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self


@dataclass(frozen=True)
class TextTable:
    """Rows of text and numbers under a header."""

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    better: Mapping[str, str] = field(default_factory=dict)  # column -> 'larger' or 'smaller', to highlight the best
    marks: Mapping[int, Sequence[str]] = field(default_factory=dict)  # column -> text behind the value of each row
    places: int = 4  # decimal places; -1: all
    caption: str = ""  # for LaTeX and HTML, in the language of the format
    has_header: bool = True  # of tsv and text
    small: Sequence[str] = ()  # columns of numbers near 0, which have ``places`` significant digits
    legend: Sequence[str] = ()  # sentences that explain the marks
    label: str | None = None  # key of the LaTeX table for references

    def text(self, value: Any, column: int) -> str:
        if isinstance(value, float) and self.places >= 0:
            return f"{value:.{self.places}{'g' if self.header[column] in self.small else 'f'}}"
        return str(value)

    def texts(self, row: Sequence[Any]) -> list[str]:
        return [self.text(value, column) for column, value in enumerate(row)]

    @cached_property
    def numeric(self) -> list[bool]:
        """Which columns contain numbers."""
        return [bool(self.rows) and isinstance(value, (int, float)) for value in (self.rows or [self.header])[0]]

    def _best(self, column: int) -> list[str]:
        """The two best values of a column as printed: values that are printed alike are equally good."""
        direction = self.better.get(self.header[column])
        if direction not in ("larger", "smaller"):
            return []
        values = sorted({row[column] for row in self.rows}, reverse=direction == "larger")
        printed = list(dict.fromkeys(self.text(value, column) for value in values))
        return printed[:2] if len(printed) > 1 else []  # equal values are not highlighted

    def cells(self, escape: Callable[[str], str], best: str, second: str, mark: str) -> list[list[str]]:
        """Rows of escaped text; ``best``, ``second`` and ``mark`` are templates with %s."""
        wraps = [dict(zip(self._best(column), (best, second), strict=False)) for column in range(len(self.header))]
        rows = []
        for number, row in enumerate(self.rows):
            texts = [wrap.get(text, "%s") % escape(text) for wrap, text in zip(wraps, self.texts(row), strict=True)]
            marks = [self.marks[column][number] if column in self.marks else "" for column in range(len(row))]
            rows.append([text + (mark % own if own else "") for text, own in zip(texts, marks, strict=True)])
        return rows

    @property
    def plain(self) -> Self:
        """This table with marks in columns of their own."""
        header, rows = list(self.header), [list(row) for row in self.rows]
        for column in sorted(self.marks, reverse=True):
            header.insert(column + 1, f"{self.header[column]} marks")
            for row, mark in zip(rows, self.marks[column], strict=True):
                row.insert(column + 1, mark)
        return replace(self, header=header, rows=rows, marks={})


def visible(text: str) -> str:
    """Escape control characters, which could rewrite a terminal or break a line."""
    if text.isprintable():
        return text
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")  # with marks of direction, unpaired surrogates and line separators
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in hidden else c for c in text)


def tsv(table: TextTable) -> str:
    table = table.plain
    shown = [table.header, *table.rows] if table.has_header else table.rows
    return "".join("\t".join(map(visible, table.texts(row))) + "\n" for row in shown)


def aligned(table: TextTable) -> str:
    """Columns of equal width for a terminal; marks follow the aligned numbers."""
    width = {column: max(map(len, own), default=0) for column, own in table.marks.items()}
    padded = {column: [mark.ljust(width[column]) for mark in own] for column, own in table.marks.items()}
    cells = replace(table, marks=padded).cells(visible, "%s", "%s", " %s")
    if table.has_header:
        cells.insert(0, [visible(name) for name in table.header])
    text = "".join("  ".join(line).rstrip() + "\n" for line in _padded(cells, table.numeric))
    return "\n".join([text, *map(visible, table.legend), ""]) if table.legend else text


def _padded(cells: list[list[str]], right: Sequence[bool]) -> list[list[str]]:
    width = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        [text.rjust(w) if is_right else text.ljust(w) for text, w, is_right in zip(row, width, right, strict=True)]
        for row in cells
    ]


def csv_text(table: TextTable, guard: bool = True) -> str:
    """``guard`` puts an apostrophe before text that a spreadsheet would run as a formula."""

    def cell(value: Any, text: str) -> str:
        is_formula = guard and isinstance(value, str) and text.startswith(("=", "+", "-", "@", "\t", "\r"))
        return f"'{text}" if is_formula else text

    table, buffer = table.plain, io.StringIO()
    rows = [map(cell, row, table.texts(row)) for row in (table.header, *table.rows)]
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def jsonl(table: TextTable) -> str:
    """Numbers with all digits, as the ir_measures command prints them; null for NaN, which JSON does not have."""
    table = table.plain
    rows = [[None if value != value else value for value in row] for row in table.rows]
    return "".join(json.dumps(dict(zip(table.header, row, strict=True)), default=str) + "\n" for row in rows)


def markdown(table: TextTable) -> str:
    """The best of a column is bold."""
    cells = [[_markdown_text(name) for name in table.header]]
    cells += table.cells(_markdown_text, "**%s**", "%s", "<sup>%s</sup>")
    head, *body = _padded(cells, table.numeric)
    rule = ["-" * (len(cell) - 1) + (":" if right else "-") for cell, right in zip(head, table.numeric, strict=True)]
    text = "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *body))
    return f"{text}\n{_markdown_text(' '.join(table.legend))}\n" if table.legend else text


def _markdown_text(text: str) -> str:
    """Escape text, so that it neither ends its cell nor begins a tag, a link, code or emphasis."""
    return re.sub(r"([\\|<&*`\[]|(?<![^\W_])_|_(?![^\W_])|~(?=~))", r"\\\1", visible(text))


_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
     ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\char34{}",
     "'": r"\textquotesingle{}"}
    | {character: f"\\{character}" for character in "&%$#_{}"}
)  # fmt: skip


def latex_text(text: str) -> str:
    """Escape text, so that LaTeX shows it as it is."""
    shown = visible(text).translate(_LATEX).replace("--", "-{}-").replace("--", "-{}-")  # two are one dash
    return f"{{}}{shown}" if shown.startswith(("[", "*")) else shown  # else part of the \\ before it


def latex(table: TextTable) -> str:
    """A table environment with the rules of booktabs; the best of a column is bold, the second underlined."""
    cells = table.cells(latex_text, r"\textbf{%s}", r"\underline{%s}", r"$^{\mathrm{%s}}$")
    caption = f"{table.caption} {latex_text(' '.join(table.legend))}".strip()
    top = [r"% requires \usepackage{booktabs}", r"\begin{table}", r"\centering"]
    top += [rf"\caption{{{caption}}}"] if caption else []
    top += [rf"\label{{{table.label}}}"] if table.label else []
    columns = "".join("r" if right else "l" for right in table.numeric)
    header, *rows = (" & ".join(row) + r" \\" for row in [map(latex_text, table.header), *cells])
    ruled = [r"\toprule", header, r"\midrule", *rows, r"\bottomrule"]
    tabular = [rf"\begin{{tabular}}{{{columns}}}", *ruled, r"\end{tabular}"]
    return "\n".join([*top, *tabular, r"\end{table}", ""])


def as_html(table: TextTable) -> str:
    """A table element; the best of a column is bold, the second underlined. Names are never markup."""

    def escape(text: str) -> str:
        return html.escape(visible(text))

    def row_of(cells: Sequence[str], tag: str) -> str:
        styles = [f"text-align: {'right' if right else 'left'}; padding: .1em .6em" for right in table.numeric]
        return "<tr>" + "".join(f'<{tag} style="{s}">{c}</{tag}>' for s, c in zip(styles, cells, strict=True)) + "</tr>"

    caption = f"{html.escape(table.caption)} {escape(' '.join(table.legend))}".strip()
    top = [f'<caption style="text-align: left">{caption}</caption>'] if caption else []
    head = ["<thead>", row_of([escape(name) for name in table.header], "th"), "</thead>"]
    rows = [row_of(row, "td") for row in table.cells(escape, "<b>%s</b>", "<u>%s</u>", "<sup>%s</sup>")]
    lines = ["<table>", *top, *head, "<tbody>", *rows, "</tbody>", "</table>"]
    return "\n".join(['<div style="overflow-x: auto">', *lines, "</div>", ""])


FORMATS: dict[str, Callable[[TextTable], str]] = {
    "text": aligned, "tsv": tsv, "csv": csv_text, "markdown": markdown, "latex": latex, "json": jsonl,
}  # fmt: skip
