"""A page per measure, generated from its declaration: ``python docs/measure_pages.py``.

The pages are stored in ``pt_docs/measures``, so that PyTerrier's documentation can include them as they are; a test
compares them with the declarations. Warnings are written by hand in ``pt_docs/when_not``, whose first line also names
the group of a measure in the sidebar. Typeset formulas (``pt_docs/formulas``), pictures (``docs/website/pictures``) and
notes on a paper (``pt_docs/papers.rst``) are optional. The script also writes the sidebar and the table of measures,
and adds papers that only ``citations.bib`` lists to ``CITATION.cff``.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from pathlib import Path

from ir_measures_relative.citations import BIBTEX
from ir_measures_relative.measures import Parameter, RelativeMeasure, registry

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = REPOSITORY / "ir_measures_relative" / "pt_docs"
PICTURES = REPOSITORY / "docs" / "website" / "pictures"
DIRECTIONS = {
    "larger": "Larger is better.",
    "smaller": "Smaller is better.",
    "neither": "Neither larger nor smaller is better.",
}
RELATIVE_TO = {
    "prior": "It requires prior runs: name them with ``prior=``, or compare many runs at once, each with all others "
    "(``'others'``, the default), those listed before it (``'previous'``) or the best run of each other group "
    "(``'groups'``). See :doc:`../many_runs` and :doc:`../pyterrier`.",
    "reference": "It requires one other run, ``reference=``.",
    None: "It requires one run and the judgements.",
}
GROUPS = ("relative to other runs", "unjudged documents", "chance and similarity")
FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?$", re.MULTILINE | re.DOTALL)
GROUP_LINE = re.compile(r"\.\. group: (.+)\n+")  # the first line of a file in when_not: a comment in reStructuredText


def measure_page(name: str) -> str:
    """Page of a registered measure, as reStructuredText."""
    measure = registry[name]
    question, *definition = _blocks(inspect.getmodule(type(measure)).__doc__ or "")
    notes, example = _text_and_example(inspect.getdoc(type(measure)) or "")
    parts = [
        _title(name, "="),
        f"**{' '.join(question.split())}**",
        f"{measure.PRETTY_NAME}. {measure.SHORT_DESC}",
        f"{DIRECTIONS[measure.DIRECTION]} {RELATIVE_TO[measure.runs_parameter]} {_cutoff(measure)}",
        example,
        _picture(name),
        _section("Definition", _by_hand("formulas", name) or _code("text", "\n\n".join(definition))),
        _section("Notes", notes),
        _section("When not to use it", GROUP_LINE.sub("", _by_hand("when_not", name))),
        _section("Parameters", _table(measure.SUPPORTED_PARAMS)),
        _section("Notes on the paper", *map(_about_paper, _notes(measure))),
        _section("Citing", *(_code("bibtex", BIBTEX[key].strip()) for key in measure.CITATIONS)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def sidebar() -> str:
    """Entries of the sidebar: measures by group, for index.rst."""
    parts = []
    for group in GROUPS:
        names = [f"    measures/{name}" for name in registry if group_of(name) == group]
        lines = [".. toctree::", "    :maxdepth: 1", "    :hidden:", f"    :caption: Measures: {group}", "", *names]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def table_of_measures() -> str:
    """Table of all measures with their descriptions, for choosing.rst."""
    lines = [".. list-table::", "    :header-rows: 1", "    :widths: 16 62 22", ""]
    lines += ["    * - Measure", "      - Value", "      - Better is"]
    for group in GROUPS:
        for name in (name for name in registry if group_of(name) == group):
            lines += [f"    * - :doc:`{name} <measures/{name}>`", f"      - {_plain(registry[name].SHORT_DESC)}"]
            lines += [f"      - {registry[name].DIRECTION}"]
    return "\n".join(lines) + "\n"


def group_of(name: str) -> str:
    """Group of a measure in the sidebar."""
    line = GROUP_LINE.match(_by_hand("when_not", name))
    if line is None or line[1] not in GROUPS:
        raise ValueError(f"when_not/{name}.inc must begin with '.. group: ' and one of {', '.join(GROUPS)}")
    return line[1]


def citation_file(text: str) -> str:
    """Text of CITATION.cff with the papers of citations.bib that it lacks."""
    for entry in BIBTEX.values():
        fields = {key: " ".join(value.split()) for key, value in FIELD.findall(entry)}
        title = re.sub(r"[{}]", "", fields["title"]).replace(r"\&", "&")
        if f'title: "{title}"' in text:
            continue
        authors = [author.rpartition(" ")[::2] for author in fields["author"].split(" and ")]
        lines = ["  - type: generic", f'    title: "{title}"', "    authors:"]
        lines += [f'      - family-names: "{family}"\n        given-names: "{given}"' for given, family in authors]
        lines += [f"    year: {fields['year']}"] if "year" in fields else []
        text = text.rstrip("\n") + "\n" + "\n".join(lines) + "\n"
    return text


def write_pages(folder: Path = PAGES / "measures") -> list[Path]:
    """Write the pages, sidebar and table of all registered measures, and remove pages of other measures."""
    folder.mkdir(exist_ok=True)
    wanted = {folder / f"{name}.rst": measure_page(name) for name in registry}
    for page in set(folder.glob("*.rst")) - set(wanted):
        page.unlink()
    wanted |= {folder / "sidebar.inc": sidebar(), folder / "all.inc": table_of_measures()}
    for page, text in wanted.items():
        page.write_text(text, encoding="utf-8")
    return list(wanted)


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def _section(title: str, *parts: str) -> str:
    """Section with a title, or an empty string if all parts are empty."""
    return "\n\n".join([_title(title, "-"), *filter(None, parts)]) if any(parts) else ""


def _code(language: str, text: str) -> str:
    return f".. code-block:: {language}\n\n" + _indented(text)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def _by_hand(folder: str, name: str) -> str:
    """Text about a measure that is written by hand, or an empty string."""
    file = PAGES / folder / f"{name}.inc"
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""


def _picture(name: str) -> str:
    """Directive that draws the picture of a measure, or an empty string."""
    file = PICTURES / f"{name}.py"
    if not file.exists():
        return ""
    says = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    says = " ".join(says.split())
    return f".. plot:: pictures/{name}.py\n    :include-source: false\n    :alt: {says}\n\n    {says}"


def _about_paper(key: str) -> str:
    """Section of papers.rst with the label paper-<key>, without its title."""
    papers = (PAGES / "papers.rst").read_text(encoding="utf-8")
    section = re.search(rf"^\.\. _paper-{key}:\n\n[^\n]+\n-+\n\n(.*?)(?=^\.\. _|\Z)", papers, re.MULTILINE | re.DOTALL)
    return section[1].strip() if section else ""


def _notes(measure: RelativeMeasure) -> tuple[str, ...]:
    return measure.CITATIONS if measure.NOTES is None else measure.NOTES


def _cutoff(measure: RelativeMeasure) -> str:
    if measure.needs_cutoff:
        return f"A cutoff is required: ``{measure}@10``."
    return "Without a cutoff, the whole list counts."


def _text_and_example(doc: str) -> tuple[str, str]:
    """Paragraphs of a docstring below the summary, and its examples."""
    blocks = _blocks(doc)
    examples = [block for block in blocks if block.startswith(">>>")]
    return "\n\n".join(_as_rst(block) for block in blocks[1:] if block not in examples), "\n\n".join(examples)


def _blocks(doc: str) -> list[str]:
    return re.split(r"\n\s*\n", inspect.cleandoc(doc))


def _as_rst(block: str) -> str:
    """Paragraph of a docstring; text aligned by spaces (formulas, columns) becomes a literal block."""
    if re.search(r"^ |\S   +\S", block, flags=re.MULTILINE):
        return "::\n\n" + _indented(textwrap.dedent(block))
    return re.sub(r"^([A-Z])\. ", r"\1\\. ", _plain(block))  # initials are not a numbered list


def _plain(text: str) -> str:
    """Escape bars and single backticks, and allow ``code`` directly after a full stop."""
    pieces = re.split(r"(``.*?``)", text, flags=re.DOTALL)
    pieces[::2] = [re.sub(r"`([^`]+)`", r"``\1``", piece.replace("|", r"\|")) for piece in pieces[::2]]
    return re.sub(r"(?<=\.)(?=``\w)", r"\\ ", "".join(pieces))


def _table(parameters: dict[str, Parameter]) -> str:
    rows = [("Parameter", "Default", "Accepted", "Meaning")]
    rows += [(f"``{name}``", _default(one), one.kind, one.desc) for name, one in parameters.items()]
    lines = [".. list-table::", "    :header-rows: 1", "    :widths: 12 14 37 37", ""]
    for row in rows:
        first, *others = (_plain(cell) for cell in row)
        lines += [f"    * - {first}", *(f"      - {cell}".rstrip() for cell in others)]
    return "\n".join(lines)


def _default(parameter: Parameter) -> str:
    return "not set" if parameter.default is None else f"``{parameter.default!r}``"


if __name__ == "__main__":
    print("\n".join(str(page) for page in write_pages()))
    citation = REPOSITORY / "CITATION.cff"
    citation.write_text(citation_file(citation.read_text(encoding="utf-8")), encoding="utf-8")
