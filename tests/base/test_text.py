"""Measure text: what is read, on any Python, and what is refused, however hostile."""

from __future__ import annotations

import ast
import builtins
import io
import os
import re
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RBP, RR, P, nDCG
from ir_measures.measures import ParamInfo

import ir_measures_relative as imr
from ir_measures_relative._base import text as text_module
from ir_measures_relative._base.text import parse_measure, split_measures
from ir_measures_relative._checks import kind_of

GOOD = [
    ("nDCG", nDCG),
    ("nDCG@10", nDCG @ 10),
    ("  nDCG@10\n", nDCG @ 10),
    ("NDCG@10", nDCG @ 10),
    ("MAP(rel=2)@100", AP(rel=2) @ 100),
    ("RR()", RR),
    ("RBP(p=0.5,rel=1)", RBP(p=0.5, rel=1)),
    ("RBP(p=1)", RBP(p=1.0)),
    ("nDCG(dcg='exp-log2')@5", nDCG(dcg="exp-log2") @ 5),
    ('nDCG( dcg = "exp-log2", judged_only = True ) @ 5', nDCG(dcg="exp-log2", judged_only=True) @ 5),
    ("nDCG(gains={0:0,1:5,2:10})", nDCG(gains={0: 0, 1: 5, 2: 10})),
    ("nDCG(gains={-1: 2})", nDCG(gains={-1: 2})),
    ("nDCG(cutoff=10)@10", nDCG @ 10),
    ("NumRet", ir_measures.NumRet),
    ("NRG(prior='none')@10", imr.NRG(prior=[]) @ 10),
    ("NRG(base='RBP(p=0.5)', prior='a')@10", imr.NRG(prior="a", base=RBP(p=0.5)) @ 10),
    ("NRG(base=RBP(p=0.5), prior='a')@10", imr.NRG(prior="a", base=RBP(p=0.5)) @ 10),
    ("NRG(base=P@10)", imr.NRG(base=P) @ 10),
    ("NRG(base=nDCG(gains={-1: 0.5}))", imr.NRG(base="nDCG(gains={-1:0.5})")),
    ("NRG(prior=['b', 'a'])", imr.NRG(prior="a,b")),
    ("NRG(prior=('b', 'a'))", imr.NRG(prior="a,b")),
    ("NRG(\n  prior='a'\n)@10", imr.NRG(prior="a") @ 10),
    ("TaSC(agg='mean', cutoff=None)", imr.TaSC(agg="mean")),
    ("nDCG(gains={1:.5,2:1e1,3:2.,},)@10", nDCG(gains={1: 0.5, 2: 10.0, 3: 2.0}) @ 10),
    ("NRG(prior=[],)", imr.NRG(prior=[])),
    ("NRG(prior='it\\'s \\x41\\u0042\\103')", imr.NRG(prior="it's ABC")),
    (r"NRG(prior='a\d')", imr.NRG(prior=r"a\d")),
]


@pytest.mark.parametrize(("text", "measure"), GOOD, ids=[text.strip() for text, _ in GOOD])
def test_what_is_read(text: str, measure: Any) -> None:
    assert parse_measure(text) == measure
    assert type(parse_measure(text)) is type(measure)


@pytest.mark.parametrize(("text", "measure"), GOOD, ids=[text.strip() for text, _ in GOOD])
def test_without_the_node_types_that_python_3_14_removed(
    text: str, measure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where they still are, looking at them warns
        for name in ("Num", "Str", "NameConstant", "Bytes", "Ellipsis"):
            monkeypatch.delattr(ast, name, raising=False)
    assert parse_measure(text) == measure


def test_a_number_given_for_a_float_is_a_float() -> None:
    assert type(parse_measure("RBP(p=1)")["p"]) is float


def test_a_measure_is_returned_as_it_is() -> None:
    measure = imr.NRG @ 10
    assert parse_measure(measure) is measure


def test_measures_that_others_registered_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    custom = ir_measures.define(lambda qrels, run: 0, name="Custom")
    monkeypatch.setitem(ir_measures.measures.registry, "Custom", custom)
    assert parse_measure("Custom@3") == custom @ 3


BAD = [
    ("", "cannot read"),
    ("nDCG@", "cannot read the measure 'nDCG@'; a measure is written Name, Name@K"),
    ("nDCG@10 P@5", "cannot read"),
    ("nDCG; P", "cannot read"),
    ("x = nDCG", "cannot read"),
    ("nDCG + P", "cannot read"),
    ("nDCG.x", "cannot read"),
    ("nDCG()()", "cannot read"),
    ("nDCG[1]", "cannot read"),
    ("'nDCG'", "cannot read"),
    ("lambda: 1", "cannot read"),
    ("nDCG\0", "cannot read"),
    ("\ud800", "cannot read"),
    ("nDCG(**{'dcg': 'log2'})", "cannot read"),
    ("nDCG(gains={**{1: 2}})", "cannot read"),
    ("nDCG(gains={[]: 1})", "cannot read"),
    ("nDCG(gains={nDCG: 1})", "cannot read"),
    ("nDCG(dcg=f'log2')", "cannot read"),
    ("nDCG(dcg=b'log2')", "cannot read"),
    ("nDCG(dcg=...)", "cannot read"),
    ("nDCG@1j", "cannot read"),
    ("nDCG@1.2.3", "cannot read"),
    ("nDCG@10,", "cannot read"),
    ("nDCG(dcg='log2", "cannot read"),
    ("nDCG(dcg='a\nb')", "cannot read"),
    (r"NRG(prior='\U99999999')", "cannot read"),
    ("nDCG(gains={1: 2, 1: 3})", "the key 1 is given twice"),
    ("nDCG@" + "9" * 30, "the number 999999999999999999999999999999 is too large; the largest integer is 2^53"),
    ("nDCG@9007199254740993", "is too large; the largest integer is 2^53"),
    ("nDCG(gains={1: -9007199254740993})", "is too large"),
    ("NRG(base='nDCG@" + "9" * 30 + "')", "is too large"),
    ("RareP(alpha=1" + "0" * 400 + ")@10", "is too large"),
    ("RareP(alpha=1e400)@10", "alpha must be a number from 0 to 2^53 or '1/R', got inf"),
    ("nDCG@-True", "cannot read"),
    ("nDCG@(1+1)", "cannot read"),
    ("nDCG(__import__('os').system('true'))", "must be named"),
    ("NRG(prior=__import__('os'))", "must be named"),
    ("nDCG(10)", "parameters must be named"),
    ("Ndcg@10", "unknown measure 'Ndcg'; did you mean nDCG?"),
    ("nDGC@10", "; did you mean nDCG?"),
    ("nrgg@10", "; did you mean NRG?"),
    ("NRG(base=Nope)", "Nope is not a measure; text requires quotes, as in 'Nope'"),
    ("NRG(prior=bm25)@10", "bm25 is not a measure; text requires quotes, as in 'bm25'"),
    ("nDCG(rel=1)", "nDCG has no parameter 'rel'; it has cutoff, dcg, gains, judged_only"),
    ("NRG(rel=1)", "NRG has no parameter 'rel'; it has cutoff, prior, base, normalizer"),
    ("nDCG(dcg='ln')", "dcg must be 'log2' or 'exp-log2', got 'ln'"),
    ("nDCG@1.5", "cutoff must be an integer (ranking cutoff threshold), got 1.5"),
    ("nDCG@True", "nDCG: cutoff must be an integer (ranking cutoff threshold), got True"),
    ("NRG@1.5", "NRG: cutoff must be an integer from 1 to 2^53, got 1.5"),
    ("NRG@True", "NRG: cutoff must be an integer from 1 to 2^53, got True"),
    ("NRG@-1", "NRG: cutoff must be an integer from 1 to 2^53, got -1"),
    ("NRG@'10'", "NRG: cutoff must be an integer from 1 to 2^53, got '10'"),
    ("NRG@ten", "NRG: cutoff must be a positive integer, got 'ten'"),
    ("nDCG@ten", "nDCG: cutoff must be a positive integer, got 'ten'"),
    ("NRG(base=nDCG@ten)", "nDCG: cutoff must be a positive integer, got 'ten'"),
    ("NRG@nDCG", "NRG: cutoff must be an integer from 1 to 2^53, got nDCG"),
    ("NRG(cutoff=5)@10", "cutoff is given twice"),
    ("NRG(cutoff=5, cutoff=5)", "cutoff is given twice"),
    ("nDCG(cutoff=5)@10", "cutoff is given twice"),
    ("NRG(base=nDCG@10)@20", "the base has the cutoff 10, the measure 20"),
    ("NRG(base='Judged')", "base must be one of nDCG, P, R, RBP, RR, SDCG, INSQ, got Judged"),
    ("NRG(prior='a~b')", "cannot name a prior run"),
    ("NRG(base='nDCG(gains={1:1e999})')", "gains gives grade 1 the gain inf"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD, ids=[repr(text)[:50] for text, _ in BAD])
def test_what_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_measure(text)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_reading_neither_warns_nor_looks_at_warnings() -> None:
    """Python's own parser warns of a backslash that is none of its own, and of digits that run into a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="universe must be .*, got 'a.+d'"):
            parse_measure(r"UL(universe='a\d')")
        with pytest.raises(ValueError, match="cannot read the measure 'nDCG@1or 2'"):
            parse_measure("nDCG@1or 2")


def test_threads_leave_the_warnings_of_the_process_alone() -> None:
    """``warnings.catch_warnings`` in threads would leave the filters of one of them behind."""
    before, shown_by = list(warnings.filters), warnings.showwarning
    texts = [rf"NRG(prior='a\d{i}')@10" for i in range(50)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: str(parse_measure(texts[i % 50])), range(4_000)))
    assert len(set(found)) == 50
    assert warnings.filters == before and warnings.showwarning is shown_by
    assert "catch_warnings" not in Path(text_module.__file__).read_text(encoding="utf-8")


def _read(literal: str) -> Any:
    return parse_measure(f"Texts(x={literal})")["x"]


@pytest.fixture(scope="module", autouse=True)
def _measure_of_any_text() -> Iterator[None]:
    """A measure whose parameter x is any text."""

    class Texts(ir_measures.Measure):
        __name__ = "Texts"
        NAME = "Texts"
        SUPPORTED_PARAMS = {"cutoff": ParamInfo(dtype=int), "x": ParamInfo(dtype=str)}

    ir_measures.measures.registry["Texts"] = Texts()
    yield
    del ir_measures.measures.registry["Texts"]


@given(st.text())
def test_text_is_read_as_python_prints_it(text: str) -> None:
    assert _read(repr(text)) == text


@given(st.text("\\01789abcfnrtvxuU'\"N ", max_size=12), st.sampled_from("'\""))
def test_text_is_read_as_python_reads_it(inner: str, quote: str) -> None:
    """Python is the slow twin, but for incomplete \\x and \\u, and \\N, which stay as they are here."""
    literal = quote + inner + quote
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            twin = ast.literal_eval(literal)
        except (SyntaxError, ValueError):
            return
    if isinstance(twin, str):
        assert _read(literal) == twin


# ---- text from strangers


def test_without_paths_no_file_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("q Q0 d 1 1.0 t\n")
    assert str(parse_measure("NRG(prior='a.run')")).startswith("NRG(prior='a~")

    def read(text: str, **how: bool) -> str:
        """The measure, or the sentence against it; looking for any file fails."""
        with monkeypatch.context() as patch:
            for module, name in ((builtins, "open"), (io, "open"), (os, "open"), (os, "stat"), (os.path, "isfile")):
                patch.setattr(module, name, _no_file)
            try:
                return str(parse_measure(text, **how))
            except ValueError as error:
                return str(error)

    assert read("NRG(prior='a.run,x/y')", paths=False) == "NRG(prior='a.run,x/y')"
    for prior in ("'./a.run'", "['./a.run']", "{'n': '/etc/passwd'}", "'b,~/a'", "'\"../a,b\"'"):
        told = "prior: .* is a path; only names are allowed here"
        assert re.search(told, read(f"NRG(prior={prior})", paths=False))
        assert re.search(told.replace("prior", "reference"), read(f"MED(reference={prior})", paths=False))
        assert re.search(told, read(f"NRG(base=NRG(prior={prior}))", paths=False))
        assert re.search(told, read(f"NRG(base={f'NRG(prior={prior})'!r})"))  # no base reads files, whoever asks
    with pytest.raises(ValueError, match="unknown prior run 'b'") as caught:
        Path("b").write_text("q Q0 d 1 1.0 t\n")
        parse_measure("NRG(prior='b')", paths=False).calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert "file" not in str(caught.value)


def _no_file(*arguments: Any, **options: Any) -> Any:
    raise AssertionError("a file was looked for")


def test_text_of_strangers_is_short() -> None:
    assert parse_measure("nDCG@10" + " " * 9_993, paths=False) == nDCG @ 10
    with pytest.raises(ValueError, match="has 10001 characters; at most 10000 are supported"):
        parse_measure("nDCG@10" + " " * 9_994, paths=False)
    with pytest.raises(ValueError, match="has 100001 characters; at most 100000 are supported"):
        parse_measure("nDCG@10" + " " * 99_994)
    with pytest.raises(ValueError, match="paths must be True or False, got 'no'"):
        parse_measure("nDCG", paths="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("thing", [None, 10, b"nDCG", ["nDCG"], nDCG.NAME.encode()])
def test_a_thing_of_a_wrong_kind(thing: Any) -> None:
    with pytest.raises(TypeError, match=f"expected a measure or its text, got {kind_of(thing)}; a measure is written"):
        parse_measure(thing)


HOSTILE = {
    "brackets": "(" * 100_000,
    "nested lists": "NRG(prior=" + "[" * 9_000 + "]" * 900 + ")",
    "minus signs": "nDCG@" + "-" * 90_000 + "1",
    "many @": "@".join(["nDCG"] * 19_000),
    "nested bases": "NRG(base=" * 1_000 + "nDCG" + ")" * 1_000,
    "nested quotes": "NRG(base=" + repr("NRG(base=" + repr("NRG(base='P')") + ")") + ")",
    "digits": "nDCG@" + "9" * 90_000,
    "powers": "nDCG@" + "9**" * 30_000 + "9",
    "long name": "n" * 99_999,
    "too long": "nDCG" + " " * 10_000_000,
    "long value": "NRG(prior='" + "a" * 99_000 + "~b')",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_is_refused_quickly_and_shortly(case: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError) as caught:
        parse_measure(HOSTILE[case])
    assert time.process_time() - start < 10
    assert len(str(caught.value)) < 2_000


def test_a_measure_with_very_many_priors_is_still_read() -> None:
    measure = imr.NRG(prior=[f"a-system-with-a-long-name-{i}" for i in range(1_000)]) @ 10
    assert parse_measure(str(measure)) == measure


def test_measures_separated_by_white_space() -> None:
    text = " nDCG@10  NRG(prior='a b', base=\"RBP(p=0.5)\")@10\tnDCG(gains={1: 2})\nP@5 "
    assert split_measures(text) == [
        "nDCG@10",
        "NRG(prior='a b', base=\"RBP(p=0.5)\")@10",
        "nDCG(gains={1: 2})",
        "P@5",
    ]
    assert split_measures("") == []
    assert split_measures("NRG(prior='(')@1 P@1") == ["NRG(prior='(')@1", "P@1"]
