"""What to cite."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from conftest import REPOSITORY
from ir_measures import nDCG

from ir_measures_relative.citations import BIBTEX, bibtex


def measure(*keys: str) -> SimpleNamespace:
    return SimpleNamespace(CITATIONS=keys)


def cited(text: str) -> list[str]:
    return re.findall(r"^@\w+\{([^,]+),$", text, flags=re.MULTILINE)


def field(entry: str, name: str) -> str:
    """A field of an entry without the braces inside it, '' where the entry lacks it."""
    found = re.search(rf"^\s*{name}\s*=\s*\{{(.*)\}},?$", entry, flags=re.MULTILINE)
    return re.sub(r"[{}]", "", found[1]).replace(r"\&", "&") if found else ""


def test_each_entry_once_in_order_of_first_use() -> None:
    text = bibtex([measure("tasc"), nDCG @ 10, measure("nrg", "tasc"), measure("med")])
    assert cited(text) == ["arabzadeh2023tasc", "nrg2024", "moffat-med"]


def test_one_measure_and_none() -> None:
    assert cited(bibtex(measure("ul"))) == ["karmaker2022ul"]
    assert bibtex([]) == bibtex(nDCG @ 10) == bibtex([nDCG]) == ""
    assert cited(bibtex(m for m in [measure("rareness")])) == ["turkmen2023rareness"]


@pytest.mark.parametrize("strings", ["NRG@10", ["NRG@10"]])
def test_strings_are_refused(strings: object) -> None:
    with pytest.raises(TypeError, match="not the string 'NRG@10'"):
        bibtex(strings)


@pytest.mark.parametrize("key", BIBTEX)
def test_entries_are_sound(key: str) -> None:
    entry = BIBTEX[key]
    assert entry.count("{") == entry.count("}")
    assert field(entry, "title")
    assert len(cited(entry)) == 1


def test_entries_have_keys_of_their_own() -> None:
    assert len({cited(entry)[0] for entry in BIBTEX.values()}) == len(BIBTEX)


@pytest.mark.parametrize("key", BIBTEX)
def test_citation_file_lists_the_same_papers(key: str) -> None:
    listed = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{field(BIBTEX[key], "title")}"' in listed
