"""Where a report comes from: versions, the command, the files with their hashes, and what to cite."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ir_measures_relative._input import RunSource
from ir_measures_relative._judged import Judgements
from ir_measures_relative._report.evidence import Evidence
from ir_measures_relative._version import __version__
from ir_measures_relative.citations import bibtex

_PACKAGES = ("ir_measures", "numpy", "pandas", "scipy")


def about_block(
    evidence: Evidence, qrels: Any, sources: Mapping[str, RunSource], command: str | None
) -> dict[str, Any]:
    """Versions, files and what to cite; nothing changes from call to call: the same input gives the same file."""
    return {
        "versions": {"ir_measures_relative": __version__, "Python": platform.python_version(), **_versions()},
        "command": command,
        "files": [_file("qrels", qrels, _fingerprint(evidence.judgements))]
        + [_file(name, sources[name].path, judged.run.fingerprint) for name, judged in evidence.runs.items()],
        "bibtex": bibtex(evidence.measures, "MED"),
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # it may be vendored or run from a folder
            continue
    return found


def _fingerprint(judgements: Judgements) -> str:
    """32 hex digits that depend on who judged what how, not on the order of the rows."""
    rows = zip(judgements.topic.tolist(), judgements.document_ids().tolist(), judgements.grade.tolist(), strict=True)
    told = sorted((judgements.topic_keys[topic], doc, grade) for topic, doc, grade in rows)
    return hashlib.blake2b(repr(told).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _file(name: str, source: Any, fingerprint: str) -> list[str | None]:
    """[name, file, kind of hash, hash]; what cannot be read again, such as a pipe, has the hash of its content."""
    if isinstance(source, (str, os.PathLike)) and os.path.isfile(os.path.expanduser(source)):
        digest = hashlib.sha256()
        with open(os.path.expanduser(source), "rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
        return [name, os.path.basename(source), "SHA-256", digest.hexdigest()]
    return [name, None, "content", fingerprint]
