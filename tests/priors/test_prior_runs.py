"""Prior runs: every accepted form, the key they become, the registry, and what pickling carries where."""

from __future__ import annotations

import copy
import gzip
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from ir_measures import ScoredDoc
from support.prior_cases import BM25, DENSE, NRG, QRELS, RUN, digest, scored

import ir_measures_relative as imr
from ir_measures_relative._judged.run import Run
from ir_measures_relative._priors import prior_runs
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


# ---- forms

FORMS = {
    "dict": lambda _: BM25,
    "frame": lambda _: frame(BM25, "query_id", "doc_id", "score"),
    "PyTerrier frame": lambda _: frame(BM25, "qid", "docno", "score"),
    "tuples": lambda _: rows(BM25),
    "tuple of tuples": lambda _: tuple(rows(BM25)),
    "generator": lambda _: iter(rows(BM25)),
    "Run": lambda _: Run.of(BM25),
    "list of one": lambda _: [BM25],
    "nested list": lambda _: [[BM25]],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_run_in_any_form_becomes_its_fingerprint(form: str) -> None:
    measure = NRG(prior=FORMS[form](None)) @ 2
    assert str(measure) == f"NRG(prior='run~{digest(BM25)}')@2"
    assert scored(measure) == scored(NRG(prior=BM25) @ 2) != scored(NRG(prior=[]) @ 2)


def test_a_path_is_known_by_its_stem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = f"NRG(prior='bm25.v1~{digest(BM25)}')"
    (tmp_path / "bm25.v1.run").write_text(trec(BM25))
    (tmp_path / "bm25.v1.run.gz").write_bytes(gzip.compress(trec(BM25).encode()))
    assert str(NRG(prior=tmp_path / "bm25.v1.run")) == key
    assert str(NRG(prior=str(tmp_path / "bm25.v1.run.gz"))) == key
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert str(NRG(prior="~/bm25.v1.run")) == key
    monkeypatch.chdir(tmp_path)
    assert str(NRG(prior="./bm25.v1.run")) == key
    assert str(NRG(prior=Path("bm25.v1.run"))) == key  # a pathlib path needs no separator
    assert str(NRG(prior="bm25.v1.run")) == key  # a known ending, and there is such a file
    assert str(NRG(prior=Run.of(Path("bm25.v1.run")))) == key  # what was read from a file has its name
    assert str(NRG(prior={"mine": Run.of(Path("bm25.v1.run"))})) == key.replace("bm25.v1", "mine")
    assert str(NRG(prior="bm25.v2.run")) == "NRG(prior='bm25.v2.run')"  # there is none: a name


def test_paths_with_spaces_and_commas(tmp_path: Path) -> None:
    (tmp_path / "my run, 1~2.txt").write_text(trec(BM25))
    measure = NRG(prior=tmp_path / "my run, 1~2.txt")
    assert measure == NRG(prior=f"{tmp_path}/my run, 1~2.txt") == imr.parse_measure(str(measure))
    assert [part.label[-12:] for part in measure["prior"].parts] == [f"1_2~{digest(BM25)}"]  # no '~' in a name


def test_several_paths_in_one_text(tmp_path: Path) -> None:
    for name, run in (("a", BM25), ("b", DENSE)):
        (tmp_path / f"{name}.run").write_text(trec(run))
    text = f"{tmp_path}/b.run, {tmp_path}/a.run"
    assert str(NRG(prior=text)) == f"NRG(prior='a~{digest(BM25)},b~{digest(DENSE)}')"
    many = ",".join([f"{tmp_path}/a.run"] * 500)  # longer than any path may be
    assert len(NRG(prior=many)["prior"].resolve("x")) == 500


def test_an_item_of_a_list_is_one_name() -> None:
    """Only a bare text is split at commas; what is printed is read back as the same names."""
    name = "BM25 (k1=0.9, b=0.4)"
    (part,) = PriorRuns.of([name]).parts
    assert part.name == name
    measure = NRG(prior=[name, "a,b"]) @ 10
    assert [part.name for part in measure.prior_runs.parts] == [name, "a,b"]
    assert imr.parse_measure(str(measure)) == measure
    runs = {name: {"q1": {"a": 1.0}}, "other": {"q1": {"b": 1.0}}}
    table = imr.calc_runs([NRG(prior=[name]) @ 2], {"q1": {"a": 1, "b": 1}}, runs).set_index("name")["value"]
    assert table[name] == 0.0 < table["other"]


def test_a_pattern_of_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("bm25", "dense"):
        (tmp_path / "runs" / f"{name}.run").write_text(f"q1 Q0 {name} 1 1 t\n")
    (tmp_path / "runs" / "notes.md").write_text("")
    monkeypatch.chdir(tmp_path)
    for value in (
        "runs/*.run",
        "./runs/*.run",
        str(tmp_path / "runs" / "*.run"),
        ["runs/*.run"],
        "runs/b*.run,runs/d*.run",
    ):
        assert [part.name for part in PriorRuns.of(value).parts] == ["bm25", "dense"], value
    (tmp_path / "packed.run.gz").write_bytes(gzip.compress(b"q1 Q0 packed 1 1 t\n"))
    assert [part.name for part in PriorRuns.of("./*.run.gz").parts] == ["packed"]
    (name,) = PriorRuns.of("runs/*.gz").parts
    assert name.label == "runs/*.gz"  # nothing matches: a name, which is unknown until somebody registers it
    with pytest.raises(ValueError, match="cannot be read"):
        PriorRuns.of("./runs/*.gz")
    (name,) = PriorRuns.of("runs/*.run", paths=False).parts
    assert name.label == "runs/*.run"


def test_lists_and_dicts_of_anything(tmp_path: Path) -> None:
    path = tmp_path / "file.run"
    path.write_text(trec(BM25))
    register_prior("known", DENSE)
    measure = NRG(prior=[BM25, "known", path, {"named": DENSE, "there": str(path)}])
    b, d = digest(BM25), digest(DENSE)
    assert str(measure) == f"NRG(prior='file~{b},known,named~{d},run~{b},there~{b}')"
    assert scored(measure) == scored(NRG(prior=[BM25, BM25, BM25, DENSE, DENSE]))


def test_any_iterable_of_runs(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(trec(BM25))
    (tmp_path / "b.run").write_text(trec(DENSE))
    register_prior("known", DENSE)
    both = NRG(prior=[BM25, DENSE])
    assert NRG(prior={"x": BM25, "y": DENSE}.values()) == NRG(prior=(run for run in (BM25, DENSE))) == both
    assert NRG(prior=(iter(rows(run)) for run in (BM25, DENSE))) == both
    assert NRG(prior=tmp_path.glob("*.run")) == NRG(prior=[tmp_path / "a.run", tmp_path / "b.run"])
    names = ["other", "known"]
    for several in (set(names), np.array(names), pd.Series(names), iter(["known", "other"])):
        assert NRG(prior=several) == NRG(prior="known,other")
    assert str(NRG(prior=iter([]))) == f"NRG(prior='run~{digest({})}')"  # rows of a run, none of them


def test_a_dict_of_runs_is_not_taken_for_a_run() -> None:
    assert str(NRG(prior={"bm25": BM25})) == f"NRG(prior='bm25~{digest(BM25)}')"
    assert str(NRG(prior={"bm25": rows(BM25)})) == f"NRG(prior='bm25~{digest(BM25)}')"


@pytest.mark.parametrize("empty", [{}, [], pd.DataFrame({"qid": [], "docno": [], "score": []})])
def test_an_empty_run_among_others_is_still_a_system(empty: Any) -> None:
    for prior in ([BM25, empty], {"bm25": BM25, "empty": empty}):
        assert len(NRG(prior=prior)["prior"].resolve("x")) == 2
    assert scored(imr.TaSC(prior=[DENSE, empty], agg="mean")) != scored(imr.TaSC(prior=[DENSE], agg="mean"))


@pytest.mark.parametrize("prior", [None, 3, b"bm25", 1.5, [None], {"a": 3}])
def test_a_prior_of_a_wrong_kind(prior: Any) -> None:
    with pytest.raises(TypeError, match="^NRG: prior: cannot read .*expected a run"):
        NRG(prior=prior)


@pytest.mark.parametrize(
    ("prior", "part"),
    [
        ({"q": {"a": 1.0, "b": float("nan")}}, "NRG: prior: document 'b' of topic 'q' has the score NaN"),
        ({"bm25": {"q": {"a": float("nan")}}}, "NRG: prior 'bm25': document 'a' of topic 'q'"),
        ([*rows(BM25), *rows(BM25)], "NRG: prior: document 'b' of topic 'q' occurs twice"),
        (pd.DataFrame({"qid": [1], "docno": [1]}), "NRG: prior has no column 'score'"),
        ("", "cannot name a prior run"),
        ("a,,b", "cannot name a prior run"),
        ("./no-such.run", "'no-such.run' cannot be read"),
        ("/no/such.run", "'/no/such.run' cannot be read"),
        ("~/no-such-file", "cannot be read"),
        ("~nosuchuser/x.run", "'~nosuchuser/x.run' cannot name a prior run"),
        (Path("~nosuchuser/x.run"), "'~nosuchuser/x.run' cannot be read"),
        ("a~b", "'a~b' cannot name a prior run"),
        ("a\nb", "'a\\nb' cannot name a prior run"),
        ("a\x1b[31m~12345678", "cannot name a prior run"),
        ("\ud800", "cannot name a prior run"),
        ('"a', "has a quote that is not closed"),
        ('"a"b,c', "has a quote that is not closed"),
        ('a,""', "cannot name a prior run"),
        ("a, ,b", "cannot name a prior run"),
        ({"a~b": BM25}, "'a~b' cannot name a prior run"),
        ({"others": BM25}, "'others' cannot name a prior run"),
        ({"none": BM25}, "'none' cannot name a prior run"),
        ("others,bm25", "'others' cannot be combined"),
        (["bm25", "none"], "'none' cannot be combined"),
    ],
)
def test_bad_priors_are_refused_when_the_measure_is_made(prior: Any, part: str) -> None:
    with pytest.raises(ValueError) as caught:
        NRG(prior=prior)
    assert part in str(caught.value)


def test_a_name_that_is_no_text() -> None:
    with pytest.raises(TypeError, match="the name of a prior run must be text, not 1"):
        NRG(prior={1: BM25, 2: {"q": {"a": {}}}})


def test_inputs_are_not_changed() -> None:
    prior = {"bm25": copy.deepcopy(BM25), "dense": frame(DENSE, "qid", "docno", "score")}
    before = copy.deepcopy(prior)
    scored(NRG(prior=prior) @ 2)
    assert prior["bm25"] == before["bm25"]
    pd.testing.assert_frame_equal(prior["dense"], before["dense"])


def test_a_prior_changed_afterwards_does_not_change_the_measure() -> None:
    prior = copy.deepcopy(BM25)
    measure = NRG(prior=prior)
    values = scored(measure)
    prior["q"]["a"] = 99.0
    assert scored(measure) == values and NRG(prior=prior) != measure


# ---- content


def test_the_fingerprint_depends_on_topics_and_order_alone() -> None:
    scaled = {topic: {doc: 100 * score - 7 for doc, score in docs.items()} for topic, docs in BM25.items()}
    shuffled = {topic: dict(reversed(docs.items())) for topic, docs in reversed(BM25.items())}
    ints = {topic: {doc: int(score) for doc, score in docs.items()} for topic, docs in BM25.items()}
    assert {digest(run) for run in (BM25, scaled, shuffled, ints, BM25 | {"empty": {}})} == {digest(BM25)}
    assert digest({1: {2: 1.0}}) == digest({"1": {"2": 5.0}})
    assert (
        len(
            {
                digest(run)
                for run in (
                    BM25,
                    {"q": {"b": 1.0, "x": 2.0}, "p": {"x": 1.0}},
                    {"q": {"b": 2.0, "x": 1.0}},
                    {"q": {"b": 2.0, "x": 1.0}, "r": {"x": 1.0}},
                    {"q": {"b": 2.0, "y": 1.0}, "p": {"x": 1.0}},
                    {},
                )
            }
        )
        == 6
    )


def test_a_part_of_a_run_has_a_fingerprint_of_its_own() -> None:
    run = Run.of({"q": {"a": 2.0, "b": 1.0}})
    assert run.fingerprint[:8] != run.cut(1).fingerprint[:8] == digest({"q": {"a": 1.0}})


def test_ids_cannot_imitate_another_run() -> None:
    pairs = [
        ({"q": {"ab": 2, "c": 1}}, {"q": {"a": 2, "bc": 1}}),
        ({"q": {"a b": 1}}, {"q": {"a": 2, "b": 1}}),
        ({"qa": {"b": 1}}, {"q": {"ab": 1}}),
    ]
    for one, other in pairs:
        assert NRG(prior=one) != NRG(prior=other)


def test_two_contents_with_one_fingerprint_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    held = NRG(prior=BM25)
    same, real = digest(BM25), Run.fingerprint.func
    monkeypatch.setattr(Run, "fingerprint", property(lambda run: same + real(run)[8:]))
    with pytest.raises(ValueError, match="two different prior runs share the fingerprint"):
        NRG(prior=DENSE)
    del held
    NRG(prior=DENSE)  # nobody holds the other any more


def test_different_priors_never_compare_equal() -> None:
    measures = [NRG(prior=prior) for prior in ([], BM25, DENSE, [BM25, BM25], [BM25, DENSE], {"n": BM25}, "n")]
    assert len(set(measures)) == len({str(measure) for measure in measures}) == 7


THIRD = {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}


@pytest.mark.parametrize("make", [NRG, NRG(normalizer="absolute"), imr.TaSC(agg="mean"), imr.UniqueRel])
def test_the_order_of_priors_changes_no_value(make: Any) -> None:
    orders = list(itertools.permutations([("x", BM25), ("a", DENSE), ("m", THIRD)]))
    measures = [make(prior=dict(order)) @ 3 for order in orders] + [make(prior=[r for _, r in o]) @ 3 for o in orders]
    assert len({str(measure) for measure in measures}) == 2
    for measure in measures[1:]:
        assert scored(measure) == pytest.approx(scored(measures[0]), abs=1e-12)


def test_equal_content_twice_counts_twice() -> None:
    prior = {"q": {"x": 2.0, "b": 1.0}}  # b is seen with the chance 1 / log2(3)
    found = [
        (NRG(prior=p, normalizer="absolute") @ 2).calc_aggregate({"q": {"b": 1}}, {"q": {"b": 1.0}})
        for p in ([], prior, [prior, prior])
    ]
    left = 1 - 1 / np.log2(3)
    assert found == pytest.approx([1, left, left**2], abs=1e-15)
    twice = NRG(prior=[BM25, BM25])
    assert str(twice["prior"]) == f"run~{digest(BM25)},run~{digest(BM25)}"
    assert imr.parse_measure(str(twice)) == twice and scored(imr.parse_measure(str(twice))) == scored(twice)


def test_the_evaluated_run_is_not_taken_out_of_named_priors() -> None:
    assert (imr.UniqueRel(prior=RUN) @ 3).calc_aggregate(QRELS, RUN) == 0.0


# ---- the registry


def test_registering_again() -> None:
    measure = NRG(prior="bm25") @ 2
    register_prior("bm25", BM25)
    register_prior(
        "bm25", frame({t: {d: s * 2 for d, s in docs.items()} for t, docs in BM25.items()}, "qid", "docno", "score")
    )  # the same content
    assert scored(measure) == scored(NRG(prior=BM25) @ 2)
    with pytest.raises(ValueError, match="'bm25' is registered with other content; overwrite=True"):
        register_prior("bm25", DENSE)
    assert scored(measure) == scored(NRG(prior=BM25) @ 2)
    register_prior("bm25", DENSE, overwrite=True)
    assert scored(measure) == scored(NRG(prior=DENSE) @ 2)
    with pytest.raises(ValueError, match="other content"):
        register_prior("bm25", [DENSE, DENSE])


def test_one_name_for_several_runs() -> None:
    register_prior("pool", {"b": BM25, "d": DENSE})
    register_prior("pool", [DENSE, BM25])
    assert scored(NRG(prior="pool")) == scored(NRG(prior=[BM25, DENSE]))
    register_prior("nothing", [])
    assert scored(NRG(prior="nothing")) == scored(NRG(prior=[]))


def test_a_reference_is_one_run_whatever_its_name_stands_for() -> None:
    register_prior("one", BM25)
    register_prior("pool", [BM25, DENSE])
    register_prior("nothing", [])
    assert len(PriorRuns.of("one").resolve("M: reference", single=True)) == 1
    for name, count in (("pool", 2), ("nothing", 0)):
        with pytest.raises(ValueError, match=f"^M: reference must be one run, but '{name}' means {count} runs"):
            PriorRuns.of(name, "M: reference", single=True).resolve("M: reference", single=True)


def test_pinned_content_outlives_its_name() -> None:
    register_prior("bm25", BM25)
    pinned = NRG(prior=f"bm25~{digest(BM25)}") @ 2
    register_prior("bm25", DENSE, overwrite=True)
    assert scored(pinned) == scored(NRG(prior=BM25) @ 2) != scored(NRG(prior="bm25") @ 2)
    assert pinned == NRG(prior={"bm25": BM25}) @ 2


@pytest.mark.parametrize("name", ["", " ", "a~b", "a\nb", "a\0", "none", "others", "./a", "/a", "~/a"])
def test_names_that_cannot_be_registered(name: str) -> None:
    with pytest.raises(ValueError, match="register_prior: name"):
        register_prior(name, BM25)
    assert prior_runs._registered == {}


def test_registering_bad_runs() -> None:
    with pytest.raises(TypeError, match="name of a prior run must be text"):
        register_prior(5, BM25)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"register_prior\('x'\): document 'a' of topic 'q' has the score NaN"):
        register_prior("x", {"q": {"a": float("nan")}})
    for overwrite in ("no", 1, None):
        with pytest.raises(ValueError, match="register_prior: overwrite must be True or False, got .*"):
            register_prior("x", BM25, overwrite=overwrite)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        register_prior("x", BM25, True)  # type: ignore[misc]
    with pytest.raises(ValueError, match=r"register_prior\('x'\): unknown prior run 'y'"):
        register_prior("x", "y")
    assert prior_runs._registered == {}


def test_the_key_of_nothing_is_none() -> None:
    assert PriorRuns.of([]) == PriorRuns.of({}) == PriorRuns.of("none")
    assert str(PriorRuns.of([])) == "none" and PriorRuns.of([]).resolve("x") == []


def test_a_generator_serves_one_measure() -> None:
    """As ir_measures.read_trec_run gives it: the second measure would see a prior run without documents."""
    rows = (ScoredDoc("q1", document, 1.0) for document in "ab")
    first = imr.NRG(prior=rows) @ 10
    with pytest.raises(ValueError, match="UniqueRel: prior: the generator is exhausted"):
        imr.UniqueRel(prior=rows)
    assert first == imr.NRG(prior={"q1": {"a": 1.0, "b": 1.0}}) @ 10
