"""Parameters become canonical when a measure is made, and an invalid value raises an error there."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, ERR, INSQ, RBP, RR, SDCG, Judged, P, R, Success, nDCG

import ir_measures_relative as imr
from ir_measures_relative._base.bases import canonical_base
from ir_measures_relative._priors import PriorRuns
from ir_measures_relative.measures import RelativeMeasure, registry
from ir_measures_relative.measures.relative import Base, Choice, Flag, GainTable, Number, Reference, Whole

NRG, TaSC, UniqueRel = imr.NRG, imr.TaSC, imr.UniqueRel


# ---- one parameter at a time


@pytest.mark.parametrize(
    ("parameter", "given", "kept"),
    [
        (Whole(1), 3, 3),
        (Whole(1), np.int8(3), 3),
        (Whole(1), np.uint64(3), 3),
        (Whole(1), None, None),
        (Whole(0, default=0), 0, 0),
        (Whole(1), 2**53, 2**53),
        (Number(0, 1, 0.5), 1, 1.0),
        (Number(0, 1, 0.5), np.float32(0.25), 0.25),
        (Number(0, 1, 0.5), np.int64(0), 0.0),
        (Number(0, 1, 0.5), Fraction(1, 4), 0.25),
        (Number(-1, float("inf"), 0), -1, -1.0),
        (Flag(True), False, False),
        (Flag(True), np.bool_(False), False),
        (Choice("a", "b"), "b", "b"),
        (Choice("a", "b"), np.str_("b"), "b"),
        (GainTable(), None, None),
        (GainTable(), {}, None),
        (GainTable(), {0: 0, 1: 1, 2: 2.0, -1: 0}, None),
        (GainTable(), {2: 7.0, 1: np.float64(0.5), np.int64(3): 3}, {1: 0.5, 2: 7}),
        (GainTable(), {1: 0}, {1: 0}),
        (Reference(), None, None),
        (Reference(), "bm25", PriorRuns.of("bm25")),
    ],
)
def test_canonical_values(parameter: Any, given: Any, kept: Any) -> None:
    found = parameter.canonical("M: x", given)
    assert found == kept and isinstance(found, type(kept))
    assert type(found).__module__ != "numpy"


def test_zero_has_no_sign() -> None:
    assert str(Number(0, 1, 0.5).canonical("M: x", -0.0)) == "0.0"
    assert canonical_base(RBP(p=-0.0), ("RBP",)) == canonical_base(RBP(p=0), ("RBP",))


def test_canonical_gains_are_in_order_of_grade_and_plain() -> None:
    table = GainTable().canonical("M: gains", {2: np.float64(7), 1: 5})
    assert repr(table) == "{1: 5, 2: 7}"


@pytest.mark.parametrize(
    ("parameter", "given", "sentence"),
    [
        (Whole(1), 0, "M: x must be an integer from 1 to 2^53, got 0"),
        (Whole(1), True, "M: x must be an integer from 1 to 2^53, got True"),
        (Whole(1), np.bool_(True), "must be an integer from 1 to 2^53, got"),
        (Whole(1), 1.0, "M: x must be an integer from 1 to 2^53, got 1.0"),
        (Whole(1), "1", "M: x must be an integer from 1 to 2^53, got '1'"),
        (Whole(1, default=1), None, "M: x must be an integer from 1 to 2^53, got None"),
        (Whole(1), 2**53 + 1, f"M: x must be an integer from 1 to 2^53, got {2**53 + 1}"),
        pytest.param(
            Whole(1),
            10**5000,
            "M: x must be an integer from 1 to 2^53, got a number of 5000 digits",
            id="endless digits",
        ),
        pytest.param(
            Number(0, 2**53, 1),
            10**5000,
            "M: x must be a number from 0 to 2^53, got a number of 5000 digits",
            id="endless number",
        ),
        pytest.param(Number(0, 2**53, 1), 10**400, "M: x must be a number from 0 to 2^53, got 1000", id="no float"),
        (Number(0, 1, 0.5), 1.01, "M: x must be a number from 0 to 1, got 1.01"),
        (Number(0, 1, 0.5), float("nan"), "M: x must be a number from 0 to 1, got nan"),
        (Number(0, 2**53, 0), float("inf"), "M: x must be a number from 0 to 2^53, got inf"),
        (Number(0, 2**53, 0), 1e300, "M: x must be a number from 0 to 2^53, got 1e+300"),
        (Number(0, 1, 0.5), True, "M: x must be a number from 0 to 1, got True"),
        (Number(0, 1, 0.5), "0.5", "M: x must be a number from 0 to 1, got '0.5'"),
        (Number(0, 1, 0.5), None, "M: x must be a number from 0 to 1, got None"),
        (Flag(True), 1, "M: x must be True or False, got 1"),
        (Choice("a", "b", "c"), "d", "M: x must be 'a', 'b' or 'c', got 'd'"),
        (Choice("a", "b"), 1, "M: x must be 'a' or 'b', got 1"),
        (GainTable(), {1.5: 1}, "M: gains has the grade 1.5; grades must be integers"),
        (GainTable(), {True: 2}, "M: gains has the grade True"),
        (GainTable(), {"1": 2}, "M: gains has the grade '1'"),
        (GainTable(), {1: -1}, "M: gains gives grade 1 the gain -1"),
        (GainTable(), {1: float("nan")}, "M: gains gives grade 1 the gain nan"),
        (GainTable(), {1: 1e300}, "M: gains gives grade 1 the gain 1e+300; gains must be numbers from 0 to 2^53"),
        (GainTable(), {1: "2"}, "M: gains gives grade 1 the gain '2'"),
        (GainTable(), {1: True}, "M: gains gives grade 1 the gain True"),
        (Reference(), "a,b", "M: x must be one run, or the path or name of one, got 'a,b'"),
        (Reference(), [], "M: x must be one run, or the path or name of one, got []"),
        (Reference(), "none", "M: x must be one run, or the path or name of one, got 'none'"),
        (Reference(), "others", "M: x must be one run, or the path or name of one, got 'others'"),
        (Base("nDCG"), P, "M: base must be one of nDCG, got P"),
    ],
)
def test_refused_values(parameter: Any, given: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        parameter.canonical("M: x", given)
    assert str(caught.value).startswith(sentence) or sentence in str(caught.value)


@pytest.mark.parametrize(
    ("parameter", "value"), [(Whole(1), True), (Number(0, 1, 0), []), (Flag(True), 1), (Choice("a"), 5)]
)
def test_a_value_of_a_wrong_kind_is_both_errors(parameter: Any, value: Any) -> None:
    for error in (TypeError, ValueError):
        with pytest.raises(error, match="must be .*, got "):
            parameter.canonical("M: x", value)


def test_a_value_out_of_range_is_of_the_right_kind() -> None:
    for parameter, value in ((Whole(1), 0), (Number(0, 1, 0), 2), (Choice("a"), "b")):
        with pytest.raises(ValueError) as caught:
            parameter.canonical("M: x", value)
        assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize("table", [[(1, 2)], "1:2", 5])
def test_a_gain_table_is_a_dict(table: Any) -> None:
    with pytest.raises(TypeError, match="gains must be a dict of grade: gain"):
        GainTable().canonical("M: gains", table)


# ---- the base measure

BASES = [
    (nDCG, "nDCG", None),
    ("NDCG@10", "nDCG", 10),
    (ir_measures.MAP, "AP", None),
    ("MRR(rel=2)@3", "RR(rel=2)", 3),
    (ir_measures.Precision @ 5, "P", 5),
    ("Recall(rel=1)", "R", None),
    ("nDCG( dcg = 'log2' )", "nDCG", None),
    ('nDCG(dcg="exp-log2")', "nDCG(dcg='exp-log2')", None),
    (nDCG(gains={2: 4, 1: 1}, dcg="exp-log2"), "nDCG(dcg='exp-log2',gains={2:4})", None),
    ("nDCG(gains={1:1},judged_only=False)", "nDCG", None),
    ("nDCG(gains={-1:2})", "nDCG(gains={-1:2})", None),
    (RBP, "RBP", None),
    ("RBP(rel=1,p=0.8)", "RBP", None),
    (RBP(rel=2, p=np.float64(0.5)) @ np.int64(7), "RBP(p=0.5,rel=2)", 7),
    (RBP(p=0), "RBP(p=0.0)", None),
    ("ERR@20", "ERR", 20),
    (SDCG(max_rel=3) @ 10, "SDCG(max_rel=3)", 10),
    ("SDCG(min_rel=0,max_rel=2)", "SDCG(max_rel=2)", None),
    (Success(rel=1) @ 5, "Success", 5),
    ("SDCG(max_rel=2,dcg='exp-log2')@5", "SDCG(dcg='exp-log2',max_rel=2)", 5),
    (INSQ(T=2, max_rel=1), "INSQ(T=2.0)", None),
    ("INSQ(T=1,rel=2)@7", "INSQ(rel=2)", 7),
    ("Q(beta=1)", "Q", None),
    ("Q(rel=2,beta=0.5)@10", "Q(beta=0.5,rel=2)", 10),
]
ALL = ("nDCG", "P", "R", "RBP", "RR", "AP", "ERR", "Success", "SDCG", "INSQ", "Q")


@pytest.mark.parametrize(("base", "text", "cutoff"), BASES)
def test_a_base_is_kept_as_text_without_cutoff(base: Any, text: str, cutoff: int | None) -> None:
    assert canonical_base(base, ALL) == (text, cutoff)
    assert canonical_base(text, ALL) == (text, None)


@pytest.mark.parametrize(
    ("base", "part"),
    [
        (Judged @ 10, "base must be one of nDCG, P, R, RBP, RR, AP, ERR, Success, SDCG, INSQ, Q, got Judged@10"),
        ("Bpref", "Q, got Bpref"),
        (NRG, "got NRG"),
        (nDCG(judged_only=True), "judged_only is not supported"),
        ("P(judged_only=True)", "judged_only is not supported"),
        (nDCG(dcg="ln"), "'log2' or 'exp-log2'"),
        (nDCG(what=1), "no parameter 'what'; it has cutoff, dcg, gains, judged_only"),
        ("nDCG(what=1)", "no parameter 'what'"),
        (nDCG @ 0, "cutoff must be an integer from 1 to 2^53, got 0"),
        (nDCG @ 1.5, "cutoff must be an integer from 1 to 2^53, got 1.5"),
        (nDCG @ True, "cutoff must be an integer from 1 to 2^53, got True"),
        (nDCG @ 10**30, "from 1 to 2^53"),
        (RBP(p=1), "p must be a number of at least 0 and below 1, got 1"),
        (RBP(p=True), "p must be a number of at least 0 and below 1, got True"),
        (RBP(p="x"), "p must be a number of at least 0 and below 1, got 'x'"),
        (P(rel=0), "rel must be an integer from 1 to 2^53, got 0"),
        (P(rel=True), "rel must be an integer from 1 to 2^53, got True"),
        (P(rel=2**70), f"rel must be an integer from 1 to 2^53, got {2**70}"),
        (SDCG(max_rel=2**53 + 1), f"max_rel must be an integer from 1 to 2^53, got {2**53 + 1}"),
        (nDCG(gains={10**400: 1}), "grades must be integers up to 2^53"),
        (nDCG(gains={1: -2}), "gains gives grade 1 the gain -2"),
        (SDCG, "requires max_rel"),
        (SDCG(max_rel=3, min_rel=1), "min_rel must be 0, got 1"),
        (SDCG(max_rel=3, dcg="exp"), "dcg must be 'log2' or 'exp-log2', got 'exp'"),
        (SDCG(max_rel=501, dcg="exp-log2"), "max_rel=501 is too high for dcg='exp-log2' (2^max_rel); the highest is"),
        (INSQ(max_rel=2), "max_rel must be 1 (a document is relevant or not, by rel), got 2"),
        ("INSQ(T=0)", "T must be a number above 0 and up to 2^53, got 0.0"),
        ("Q(beta=-1)", "beta must be a number from 0 to 2^53, got -1.0"),
        ("Q(gamma=1)", "Q has no parameter 'gamma'; it has cutoff, beta, rel"),
        ("noSuch", "unknown measure 'noSuch'"),
        ("nDCG@", "cannot read the measure 'nDCG@'"),
    ],
)
def test_unsupported_bases_are_refused(base: Any, part: str) -> None:
    with pytest.raises(ValueError) as caught:
        canonical_base(base, ALL)
    assert part in str(caught.value)


ACCEPTED = {"NRG": [nDCG, P, R, RBP, RR, SDCG(max_rel=3)], "TaSC": [nDCG, P, R, RBP, RR, AP, ERR, Success]}


@pytest.mark.parametrize("name", ACCEPTED)
def test_each_measure_takes_its_own_bases(name: str) -> None:
    for base in (nDCG, P, R, RBP, RR, AP, ERR, Success, SDCG(max_rel=3), ir_measures.Rprec, ir_measures.Compat):
        if base in ACCEPTED[name]:
            assert registry[name](base=base) == registry[name](base=str(base))
        else:
            with pytest.raises(ValueError, match=f"^{name}: base must be one of nDCG, P, R,.*, got .*"):
                registry[name](base=base)


@pytest.mark.parametrize("base", [5, None, [nDCG], b"nDCG"])
def test_a_base_of_a_wrong_kind(base: Any) -> None:
    with pytest.raises(TypeError, match="^NRG: .*a measure is written"):
        NRG(base=base)


# ---- the measure as a whole

EQUAL = [
    (NRG(prior="b,a", base="P") @ 10, "NRG(prior='a,b',base='P')@10"),
    (NRG(base="P", prior="a, b", cutoff=10), "NRG(prior='a,b',base='P')@10"),
    (NRG(cutoff=np.int32(10))(base=P)(prior=["b", "a"]), "NRG(prior='a,b',base='P')@10"),
    (NRG(base=P @ 10, prior=("a", "b")), "NRG(prior='a,b',base='P')@10"),
    (NRG(base=P @ 10, prior="a,b") @ 10, "NRG(prior='a,b',base='P')@10"),
    (NRG(base="P@10", prior="a,b", cutoff=10), "NRG(prior='a,b',base='P')@10"),
    (NRG(prior="others", base="nDCG", normalizer="residual"), "NRG"),
    (NRG(normalizer="absolute", base=nDCG(gains={2: 9.0})), "NRG(base='nDCG(gains={2:9})',normalizer='absolute')"),
    (NRG(base="nDCG(dcg='exp-log2')"), "NRG(base=\"nDCG(dcg='exp-log2')\")"),
    (NRG(prior=[]), "NRG(prior='none')"),
    (NRG(prior={}), "NRG(prior='none')"),
    (NRG(prior="none"), "NRG(prior='none')"),
    (NRG(prior=()), "NRG(prior='none')"),
    ((NRG @ 10) @ 20, "NRG@20"),
    (NRG(cutoff=10)(cutoff=None), "NRG"),
    (NRG(base=nDCG @ 10)(base="nDCG@20"), "NRG@20"),
    (NRG(base=nDCG @ 10)(base="RR"), "NRG(base='RR')"),
    (TaSC(agg="mean", base=ir_measures.MAP), "TaSC(base='AP',agg='mean')"),
    (TaSC(agg="max"), "TaSC"),
    (UniqueRel(rel=1) @ 5, "UniqueRel@5"),
    (UniqueRel(rel=np.int64(2)), "UniqueRel(rel=2)"),
]


@pytest.mark.parametrize(("measure", "text"), EQUAL)
def test_a_measure_prints_canonically_and_is_what_it_prints(measure: Any, text: str) -> None:
    assert str(measure) == repr(measure) == text
    parsed = imr.parse_measure(text)
    assert parsed == measure and hash(parsed) == hash(measure) and str(parsed) == text
    assert {measure, parsed} == {measure}
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_different_measures_differ() -> None:
    measures = {measure for measure, _ in EQUAL}
    assert len(measures) == len({text for _, text in EQUAL})
    assert NRG @ 10 != nDCG @ 10 and NRG != "NRG" and TaSC != NRG


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: NRG @ 0, "NRG: cutoff must be an integer from 1 to 2^53, got 0"),
        (lambda: NRG @ True, "NRG: cutoff must be an integer from 1 to 2^53, got True"),
        (lambda: NRG @ 10.0, "NRG: cutoff must be an integer from 1 to 2^53, got 10.0"),
        (lambda: NRG @ "10", "NRG: cutoff must be an integer from 1 to 2^53, got '10'"),
        (lambda: NRG(alpha=1), "NRG has no parameter 'alpha'; it has cutoff, prior, base, normalizer"),
        (lambda: NRG(normalizer="none"), "NRG: normalizer must be 'residual' or 'absolute', got 'none'"),
        (lambda: NRG(base="P", normalizer="absolute"), "normalizer requires base nDCG"),
        (lambda: NRG(base="P", normalizer="residual"), "normalizer requires base nDCG"),
        (lambda: NRG(normalizer="absolute")(base="RR"), "normalizer requires base nDCG"),
        (lambda: UniqueRel(rel=0), "UniqueRel: rel must be an integer from 1 to 2^53, got 0"),
        (lambda: UniqueRel(rel=True), "UniqueRel: rel must be an integer from 1 to 2^53, got True"),
        (lambda: TaSC(agg="min"), "TaSC: agg must be 'max' or 'mean', got 'min'"),
        (lambda: NRG(base=nDCG @ 10, cutoff=20), "base has the cutoff 10, the measure 20"),
        (lambda: (NRG @ 20)(base=nDCG @ 10), "base has the cutoff 10, the measure 20"),
        (lambda: NRG(base=nDCG @ 10) @ 20, "the cutoff 20 contradicts it"),
        (lambda: NRG(base=nDCG @ 10)(prior="a") @ 20, "the cutoff 20 contradicts it"),
        (lambda: NRG(base=nDCG @ 10)(cutoff=None), "contradicts it"),
        (lambda: pickle.loads(pickle.dumps(NRG(base=nDCG @ 10))) @ 20, "the cutoff 20 contradicts it"),
    ],
)
def test_bad_parameters_are_refused_when_the_measure_is_made(make: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        make()
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_the_same_cutoff_twice_is_no_conflict() -> None:
    assert NRG(base=nDCG @ 10) @ 10 == NRG @ 10 == NRG(base=nDCG @ 10, cutoff=10)


def test_hosts_may_assign_attributes() -> None:
    measure = NRG(prior=[]) @ 10
    measure.validated = True
    measure.note = "from a host"
    assert measure.note == "from a host" and measure == NRG(prior=[]) @ 10


def test_text_and_hash_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = NRG(prior=[]) @ 10
    monkeypatch.setattr(ir_measures.Measure, "__repr__", lambda self: pytest.fail("worked out again"))
    assert repr(measure) is repr(measure) and hash(measure) == hash("NRG(prior='none')@10")


def test_parameters_can_be_read_and_have_defaults() -> None:
    measure = NRG(base=RBP(p=0.5) @ 7)
    assert [measure[name] for name in measure.SUPPORTED_PARAMS] == [
        7,
        PriorRuns.of("others"),
        "RBP(p=0.5)",
        "residual",
    ]
    assert UniqueRel["cutoff"] is None and UniqueRel["rel"] == 1


@pytest.mark.parametrize("name", registry)
def test_every_declaration_is_complete(name: str) -> None:
    measure = registry[name]
    assert measure.DIRECTION in ("larger", "smaller", "neither")
    assert measure.NAME == measure.__name__ == name and measure.PRETTY_NAME and measure.SHORT_DESC.endswith(".")
    assert all(parameter.desc and parameter.kind != "any value" for parameter in measure.SUPPORTED_PARAMS.values())


def test_making_a_measure_leaves_its_parameters_alone() -> None:
    gains, params = {2: 4, 1: 1}, {"base": "nDCG@10", "prior": ["b", "a"]}
    NRG(**params)
    NRG(base=nDCG(gains=gains))
    assert gains == {2: 4, 1: 1} and params == {"base": "nDCG@10", "prior": ["b", "a"]}


@pytest.mark.parametrize("measure", registry.values(), ids=str)
def test_parameters_must_be_named(measure: RelativeMeasure) -> None:
    with pytest.raises(TypeError, match=f"{measure}: parameters must be named, as in {measure}\\(cutoff=10\\)"):
        measure(10)
