"""What to cite."""

from __future__ import annotations

import re

import pytest
from ir_measures import nDCG
from support.repository import REPOSITORY

import ir_measures_relative as imr
from ir_measures_relative.citations import BIBTEX, bibtex
from ir_measures_relative.measures import registry


def cited(text: str) -> list[str]:
    return re.findall(r"^@\w+\{([^,]+),$", text, flags=re.MULTILINE)


def field(entry: str, name: str) -> str:
    """A field of an entry without the braces inside it, '' where the entry lacks it."""
    found = re.search(rf"^\s*{name}\s*=\s*\{{(.*)\}},?$", entry, flags=re.MULTILINE)
    return re.sub(r"[{}]", "", found[1]).replace(r"\&", "&") if found else ""


def test_each_entry_once_in_order_of_first_use() -> None:
    text = bibtex([imr.TaSC, nDCG @ 10, "NRG@10", imr.TaSC @ 5, imr.MED])
    assert cited(text) == ["arabzadeh2023tasc", "bigdeli2024nrg", "tan2015med", "moffat-med"]


def test_several_arguments_and_no_argument() -> None:
    assert cited(bibtex(imr.MED, ["NRG@10", nDCG], imr.MED @ 5)) == ["tan2015med", "moffat-med", "bigdeli2024nrg"]
    assert cited(bibtex()) == [cited(entry)[0] for entry in BIBTEX.values()]


def test_one_measure_and_none() -> None:
    assert cited(bibtex(imr.UL)) == ["karmaker2022ul"]
    assert bibtex([]) == bibtex(nDCG @ 10) == bibtex([nDCG]) == ""
    assert cited(bibtex(m for m in [imr.RareP, "RareAP"])) == ["turkmen2023rareness"]


def test_text_that_is_no_measure_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown measure 'Nonsense'"):
        bibtex("Nonsense@10")


@pytest.mark.parametrize("measure", registry.values(), ids=str)
def test_every_measure_says_what_to_cite(measure: imr.measures.RelativeMeasure) -> None:
    assert measure.CITATIONS and set(measure.CITATIONS) <= set(BIBTEX)


@pytest.mark.parametrize("key", BIBTEX)
def test_entries_are_sound(key: str) -> None:
    entry = BIBTEX[key]
    assert entry.count("{") == entry.count("}")
    assert field(entry, "title")
    assert len(cited(entry)) == 1


def test_entries_have_keys_of_their_own() -> None:
    assert len({cited(entry)[0] for entry in BIBTEX.values()}) == len(BIBTEX)


def test_every_entry_of_the_file_is_read() -> None:
    file = REPOSITORY / "ir_measures_relative" / "citations.bib"
    assert cited(file.read_text(encoding="utf-8")) == cited(bibtex())


@pytest.mark.parametrize("key", BIBTEX)
def test_citation_file_lists_the_same_papers(key: str) -> None:
    listed = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{field(BIBTEX[key], "title")}"' in listed
