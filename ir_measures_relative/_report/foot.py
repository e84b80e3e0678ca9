"""The About view of a report, which needs no script: definitions, versions, files and citations."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

from ir_measures_relative._labels import LabelModel
from ir_measures_relative._report.evidence import Evidence
from ir_measures_relative._report.words import Words

_KEYS = "Keys: / filters runs, arrows move in tables and maps, Enter opens, s stars a run, Escape goes back."


def notes(evidence: Evidence, model: LabelModel | None) -> list[str]:
    """Facts that a reader needs to interpret the numbers."""
    kept, n_topics = len(evidence.kept_topics), evidence.judgements.n_topics
    found = ["Unjudged documents count as not relevant unless a column says otherwise."]
    if kept < n_topics:
        found.append(
            f"Rankings are cut at {evidence.cutoff} and included for {kept} of {n_topics} topics: those on which the "
            "runs differ most. Means and tables cover all topics."
        )
    else:
        found.append(f"Rankings are cut at {evidence.cutoff}.")
    if model is not None and not model.calibrated:
        found.append(
            "The label model is not calibrated: it does not include the variation between runs, so its intervals are "
            "likely to be too narrow."
        )
    return found


def footer(words: Mapping[str, Words], notes: Iterable[str], warnings: Iterable[str], about: Mapping[str, Any]) -> str:
    """HTML; the definition of a word has the id that its column links to."""
    rows = "".join(f"<tr>{''.join(f'<td>{_text(cell)}' for cell in row)}" for row in about["files"])
    versions = " · ".join(f"{name} {version}" for name, version in about["versions"].items())
    warned = "".join(f"<li>{_text(sentence)}</li>" for sentence in warnings)
    return "\n".join(
        [
            f'<h2 id="warnings" tabindex="-1">Warnings</h2><ul class="plain">{warned}</ul>' if warned else "",
            *(f"<h2>{_text(title)}</h2>{_definitions(of)}" for title, of in words.items()),
            *(f'<p class="note">{_text(note)}</p>' for note in [*notes, _KEYS]),
            f"<h2>Made with</h2><p>{_text(versions)}</p>",
            f"<pre>{_text(about['command'])}</pre>" if about["command"] else "",
            "<details><summary>Files and their hashes</summary>"
            f'<div class="scroll"><table class="hashes">{rows}</table></div></details>',
            f'<details><summary>What to cite</summary><pre id="bibtex">{_text(about["bibtex"])}</pre></details>',
        ]
    )


def _definitions(words: Words) -> str:
    shown = ((key, label, text.replace("{base}", "the run compared with")) for key, (label, text) in words.items())
    rows = (
        f'<dt id="define-{key}" tabindex="-1">{_text(label)}</dt><dd>{_text(text)}</dd>' for key, label, text in shown
    )
    return f"<dl>{''.join(rows)}</dl>"


def _text(words: str | None) -> str:
    """Any text as HTML, isolated from the direction of the text around it."""
    if words is None:
        return ""
    return f"<bdi>{html.escape(words).encode('utf-8', 'xmlcharrefreplace').decode()}</bdi>"
