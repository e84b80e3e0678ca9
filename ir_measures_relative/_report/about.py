"""The About view of a report, which needs no script: definitions, versions, files and references."""

from __future__ import annotations

import hashlib
import html
import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ir_measures_relative._input import RunSource
from ir_measures_relative._judged import Judgements
from ir_measures_relative._report.content import Content
from ir_measures_relative._report.words import Words, words_block
from ir_measures_relative._version import __version__
from ir_measures_relative.citations import bibtex

_PACKAGES = ("ir_measures", "numpy", "pandas", "scipy")
_KEYS = "Keys: / filters runs, arrows move in tables and maps, Enter opens, s stars a run, Escape goes back."


def about(content: Content, notes: Iterable[str], warnings: Iterable[str], files: str, command: str | None) -> str:
    """HTML; the definition of a word has the id that its column links to."""
    versions = {"ir_measures_relative": __version__, "Python": platform.python_version(), **_versions()}
    warned = "".join(f"<li>{_text(sentence)}</li>" for sentence in warnings)
    return "\n".join(
        [
            f'<h2 id="warnings" tabindex="-1">Warnings</h2><ul class="plain">{warned}</ul>' if warned else "",
            *(f"<h2>{_text(title)}</h2>{_definitions(of)}" for title, of in words_block(content).items()),
            *(f'<p class="note">{_text(note)}</p>' for note in [*_notes(content), *notes, _KEYS]),
            f"<h2>Made with</h2><p>{_text(' · '.join(f'{name} {number}' for name, number in versions.items()))}</p>",
            f"<pre>{_text(command)}</pre>" if command else "",
            "<details><summary>Files and their hashes</summary>"
            f'<div class="scroll"><table class="hashes">{files}</table></div></details>',
            "<details><summary>References</summary>"
            f'<pre id="bibtex">{_text(bibtex(content.measures, "MED"))}</pre></details>',
        ]
    )


def file_rows(content: Content, qrels: Any, sources: Mapping[str, RunSource]) -> str:
    """HTML rows: name, file, kind of hash, hash; the same input gives the same rows."""
    files = [("qrels", qrels, _fingerprint(content.judgements))]
    files += [(name, sources[name].path, content.runs[name].run.fingerprint) for name in content.runs]
    return "".join(f"<tr>{''.join(f'<td>{_text(cell)}' for cell in _file(*file))}" for file in files)


def _notes(content: Content) -> list[str]:
    """Facts that a reader needs to interpret the numbers."""
    kept, n_topics = len(content.kept_topics), content.judgements.n_topics
    rankings = f"Rankings are cut at {content.cutoff}."
    if kept < n_topics:
        rankings = (
            f"Rankings are cut at {content.cutoff} and included for {kept} of {n_topics} topics: those on which the "
            "runs differ most. Means and tables cover all topics."
        )
    return ["Unjudged documents count as not relevant unless a column says otherwise.", rankings]


def _versions() -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:  # it may be vendored or run from a folder
            continue
    return versions


def _fingerprint(judgements: Judgements) -> str:
    """32 hex digits that depend on all judgements, not on the order of the rows."""
    rows = zip(judgements.topic.tolist(), judgements.document_ids().tolist(), judgements.grade.tolist(), strict=True)
    content = sorted((judgements.topic_keys[topic], doc, grade) for topic, doc, grade in rows)
    return hashlib.blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _file(name: str, source: Any, fingerprint: str) -> list[str | None]:
    """[name, file, kind of hash, hash]; data that cannot be read again, such as a pipe, has the hash of its content."""
    if isinstance(source, (str, os.PathLike)) and os.path.isfile(os.path.expanduser(source)):
        digest = hashlib.sha256()
        with open(os.path.expanduser(source), "rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
        return [name, os.path.basename(source), "SHA-256", digest.hexdigest()]
    return [name, None, "content", fingerprint]


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
