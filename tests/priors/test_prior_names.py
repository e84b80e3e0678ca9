"""Names of prior runs: how they are separated, quoted, registered and looked up."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import ScoredDoc
from support.prior_cases import BM25, DENSE, NRG, QRELS, digest, scored

import ir_measures_relative as imr
from ir_measures_relative._input import SYMBOLS
from ir_measures_relative._priors.prior_names import in_quotes, is_path, split_names, without_forbidden
from ir_measures_relative._priors.prior_runs import PriorRuns, register_prior

pytestmark = [
    pytest.mark.usefixtures("fresh_priors"),
    pytest.mark.filterwarnings("ignore:prior run"),  # the priors of these tests are short
]


def rows(run: dict) -> list[ScoredDoc]:
    return [ScoredDoc(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]


def frame(run: dict, *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows(run)).set_axis(list(columns), axis=1)


def trec(run: dict) -> str:
    return "".join(f"{row.query_id} Q0 {row.doc_id} 0 {row.score} t\n" for row in rows(run))


# ---- names


NAMES = [
    "bm25+rm3",
    "bm25+dense+x",
    "a/b",
    "x.y-z_1",
    "it's",
    'say"so',
    "caf\u00e9",
    "\\d",
    "a,b",
    '"',
    ",",
    "x=1",
    "#2",
] + ["BM25 tuned", "BM25 (k1=0.9, b=0.4)", "castorini/monot5", "host:9200/index", "a  b", " a ", "no/such.run", "(a)"]


@pytest.mark.parametrize("name", NAMES)
def test_a_plain_name_can_be_registered_printed_and_read_back(name: str) -> None:
    register_prior(name, BM25)
    quoted = '"' + name.replace('"', '""') + '"'
    measure = NRG(prior=f"dense,{quoted}") @ 2
    assert {part.name for part in measure["prior"].parts} == {"dense", name}
    assert imr.parse_measure(str(measure)) == measure
    assert scored(NRG(prior=quoted) @ 2) == scored(NRG(prior=BM25) @ 2)
    assert scored(imr.parse_measure(str(NRG(prior=quoted) @ 2))) == scored(NRG(prior=BM25) @ 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_of_the_experiment_with_this_name_is_found(name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    runs = {name: BM25, "dense": DENSE}
    table = imr.calc_runs([NRG(prior=quoted) @ 2, NRG(prior=BM25) @ 2], QRELS, runs)
    one, other = (part["value"].tolist() for _, part in table.groupby("measure"))
    assert one == other


def test_a_name_without_comma_needs_no_quotes() -> None:
    for name in ("BM25 tuned", "castorini/monot5", "host:9200/index"):
        assert NRG(prior=name) == NRG(prior=f'"{name}"') == NRG(prior=[name])
    assert str(NRG(prior="dense, BM25 tuned")) == "NRG(prior='\"BM25 tuned\",dense')"


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="~"), min_size=1))
)
def test_any_names_are_read_back_as_they_were(names: list[str]) -> None:
    names = [name for name in names if not name.isspace()]
    assert split_names(",".join(map(in_quotes, names)), "x") == (names or [""])


@given(st.text('",ab', max_size=12))
def test_names_are_split_as_csv_does_it(text: str) -> None:
    """Python's csv is the slow twin; white space beside a quote, which it does not forgive, is left out."""
    try:
        twin: list[str] | None = next(csv.reader([text], strict=True)) or [""]
    except csv.Error:
        twin = None
    try:
        found: list[str] | None = split_names(text, "x")
    except ValueError:
        found = None
    assert found == twin


def test_paths_quotes_and_characters_of_names() -> None:
    assert [is_path(text) for text in ("./x", "~/runs/x.run", "castorini/monot5", "x")] == [True, True, False, False]
    assert split_names('dense, "BM25 (k1=0.9, b=0.4)",say"so', "x") == ["dense", "BM25 (k1=0.9, b=0.4)", 'say"so']
    assert [in_quotes(name) for name in ("x", "a b", 'say"so')] == ["x", '"a b"', '"say""so"']
    assert [without_forbidden(name) for name in ("run~1", "a (k1=0.9, b=0.4)")] == ["run_1", "a (k1=0.9, b=0.4)"]


def test_a_name_torn_at_its_comma_is_explained() -> None:
    register_prior("BM25 (k1=0.9, b=0.4)", BM25)
    with pytest.raises(ValueError, match=r"in double quotes: '\"BM25 \(k1=0.9, b=0.4\)\"'"):
        scored(NRG(prior="BM25 (k1=0.9, b=0.4)"))


def test_an_unknown_name_that_is_a_file_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bm25").write_text(trec(BM25))
    with pytest.raises(ValueError, match="unknown prior run 'bm25'.*there is a file of this name: './bm25' reads"):
        scored(NRG(prior="bm25"))
    with pytest.raises(ValueError, match="unknown prior run 'no/such.run'.*no file has this name"):
        scored(NRG(prior="no/such.run"))
    assert scored(NRG(prior="./bm25")) == scored(NRG(prior=BM25))
    register_prior("bm25", DENSE)  # a registered name comes before the hint
    assert scored(NRG(prior="bm25")) == scored(NRG(prior=DENSE))


def test_text_with_a_separator_is_a_path_only_where_the_file_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("castorini", "folder").mkdir(parents=True)
    Path("castorini/monot5").write_text(trec(BM25))
    assert str(NRG(prior="castorini/monot5")) == f"NRG(prior='monot5~{digest(BM25)}')"
    assert str(NRG(prior="castorini/other")) == "NRG(prior='castorini/other')"
    assert str(NRG(prior="castorini/folder")) == "NRG(prior='castorini/folder')"  # a folder is no file
    assert str(NRG(prior="dense,castorini/monot5")) == f"NRG(prior='dense,monot5~{digest(BM25)}')"


def test_without_paths_no_file_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text(trec(BM25))
    Path("b").write_text(trec(BM25))
    assert str(PriorRuns.of("a.run", paths=False)) == "a.run"
    for path in ("./a.run", str(tmp_path / "a.run"), "~/a.run", "../x", ["b", "./a.run"], {"n": "./a.run"}):
        with pytest.raises(ValueError, match="is a path; only names are allowed here"):
            PriorRuns.of(path, paths=False)
    with pytest.raises(ValueError, match="unknown prior run 'b'") as caught:
        PriorRuns.of("b", paths=False).resolve("x")
    assert "file" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_named_run_can_be_printed_and_read_back(name: str) -> None:
    measure = NRG(prior={name: BM25}) @ 2
    assert [part.label for part in measure["prior"].parts] == [f"{name}~{digest(BM25)}"]
    parsed = imr.parse_measure(str(measure))
    assert parsed == measure and scored(parsed) == scored(measure)


def test_plus_separates_nothing() -> None:
    register_prior("bm25+rm3", BM25)
    assert len(NRG(prior="bm25+rm3")["prior"].resolve("x")) == 1
    with pytest.raises(ValueError, match="unknown prior run 'bm25'"):
        scored(NRG(prior="bm25"))


def test_unknown_names_are_an_error_at_evaluation_that_lists_the_known_ones() -> None:
    register_prior("dense", DENSE)
    register_prior("bm25", BM25)
    measure = NRG(prior="splade,bm25") @ 10
    with pytest.raises(ValueError, match=r"NRG\(prior='bm25,splade'\)@10: prior: .*'splade'; names are bm25, dense"):
        scored(measure)
    register_prior("splade", DENSE)
    assert scored(measure) == scored(NRG(prior=[BM25, DENSE]) @ 10)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_symbols_need_an_experiment(symbol: str) -> None:
    with pytest.raises(ValueError, match=f"prior='{symbol}' means other runs of an experiment: use calc_runs"):
        scored(NRG(prior=symbol) @ 10)
    with pytest.raises(ValueError, match="cannot name a prior run"):
        register_prior(symbol, BM25)
    with pytest.raises(ValueError, match=f"the symbol '{symbol}' is not a run"):
        register_prior("name", symbol)
