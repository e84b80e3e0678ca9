"""Release chores: ``python docs/release.py version v1.0.0`` and ``python docs/release.py address https://...``.

``version`` writes the version of a tag into the package and the citation files, after checking that the changelog has a
section for it. ``address`` fills in the address of the repository, which pyproject.toml names, everywhere.
"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = "ir_measures_relative"
_VERSION = re.compile(r"v?(\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)")
_BADGES = re.compile(r"<!-- badges\n(.*?)\n-->", re.DOTALL)


def set_version(tag: str, root: Path = REPOSITORY, today: str | None = None) -> str:
    """Write the version that a tag names; a tag without a section in the changelog is rejected."""
    match = _VERSION.fullmatch(tag)
    if match is None:
        raise ValueError(f"the tag must be v and a version, such as v1.0.0 or v1.0.0rc1, got {tag!r}")
    version, date = match[1], today or datetime.date.today().isoformat()
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[?{re.escape(version)}\]?", changelog, re.MULTILINE):
        raise ValueError(f"CHANGELOG.md has no section '## [{version}]'; add one before the tag")
    (root / PACKAGE / "_version.py").write_text(f'__version__ = "{version}"\n', encoding="utf-8")
    citation = root / "CITATION.cff"
    lines = [
        line for line in citation.read_text(encoding="utf-8").split("\n") if not re.match("version:|date-rel", line)
    ]
    lines.insert(lines.index("type: software") + 1, f'version: "{version}"\ndate-released: {date}')
    citation.write_text("\n".join(lines), encoding="utf-8")
    zenodo = root / ".zenodo.json"
    record = {**json.loads(zenodo.read_text(encoding="utf-8")), "version": version, "publication_date": date}
    zenodo.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return version


def set_address(address: str, root: Path = REPOSITORY) -> list[str]:
    """Replace the address of the repository in every text file, and show the badges; returns the changed files."""
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", address):
        raise ValueError(f"the address must be such as https://github.com/name/{PACKAGE}, got {address!r}")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    old = project["urls"]["Repository"]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    changed = []
    for name in filter(None, listed.split("\0")):
        try:
            text = (root / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):  # a picture, or a file that was removed
            continue
        if old in text and not name.startswith("tests/"):
            (root / name).write_text(_BADGES.sub(r"\1", text.replace(old, address)), encoding="utf-8")
            changed.append(name)
    return changed


def main(arguments: list[str]) -> int:
    chores = {"version": set_version, "address": set_address}
    if len(arguments) != 2 or arguments[0] not in chores:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(chores[arguments[0]](arguments[1]))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
