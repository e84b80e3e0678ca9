"""PyTerrier transformers as priors: values that only Experiment can run. PyTerrier itself is not needed."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest
from support.prior_cases import BM25, DENSE, NRG, scored

import ir_measures_relative as imr
from ir_measures_relative._judged.run import Run
from ir_measures_relative._priors import prior_runs

pytestmark = [pytest.mark.usefixtures("fresh_priors"), pytest.mark.filterwarnings("ignore:prior run")]


class Transformer:
    """What PyTerrier's class of this name is to us."""

    def __init__(self, text: str, equal_to: int | None = None):
        self.text = text
        self.equal_to = equal_to

    def __eq__(self, other: object) -> bool:
        return self is other or (self.equal_to is not None and getattr(other, "equal_to", None) == self.equal_to)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        raise AssertionError("a pipeline has a length, but it is no list of runs")

    def __repr__(self) -> str:
        return self.text


@pytest.fixture(autouse=True)
def pyterrier(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pyterrier")
    module.Transformer = Transformer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyterrier", module)


def test_a_transformer_has_a_readable_name() -> None:
    measure = NRG(prior=Transformer("BR(BM25)")) @ 10
    (label,) = measure.transformers()
    assert label.startswith("BR(BM25)~") and str(measure) == f"NRG(prior='{label}')@10"
    named = NRG(prior={"bm25": Transformer("BR(BM25)")})
    assert str(named).startswith("NRG(prior='bm25~")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("TerrierRetr(BM25)", "TerrierRetr(BM25)"),
        ("<pyterrier._ops.Sum object at 0x7fcf6b5aa6d0>", "Sum"),
        ("Apply(<function <lambda> at 0x7f01>)", "Apply(lambda)"),
        ("Apply(<function main.<locals>.boost at 0x7f01>)", "Apply(boost)"),
        ("Retrieve(Index('/data/vaswani'), <Scorer.bm25: 'bm25'>)", "Retrieve(Index(vaswani), bm25)"),
        (
            "(Retrieve(Index(vaswani, stem=True), bm25, {'k1': 0.9, 'b': 0.4}) >> RankCutoff(10))",
            "(Retrieve(Index, bm25) >> RankCutoff(10))",
        ),
        ("MonoT5ReRanker('castorini/monot5-base')", "MonoT5ReRanker(monot5-base)"),
        (
            "(PisaRetrieve(PisaIndex('/tmp/index'), <PisaScorer.bm25: 'bm25'>, 1000, {'bm25_k1': 0.9, 'bm25_b': 0.4}, "
            "<PisaStopwords.terrier: 'terrier'>) >> RankCutoff(10))",
            "(PisaRetrieve(PisaIndex, bm25, 1000, t...>> RankCutoff(10))",
        ),
    ],
)
def test_a_long_text_is_shortened_to_what_tells(text: str, name: str) -> None:
    """And has no address in it, which would give a table other titles in every process."""
    (label,) = NRG(prior=Transformer(text)).transformers()
    assert label.rpartition("~")[0] == name


@pytest.mark.parametrize("text", ["BM25 (k1=0.9, b=0.4)", "a\nb", "~/x", "", "a" * 1000, 'say "so"', "others"])
def test_any_text_of_a_transformer_can_be_printed_and_read_back(text: str) -> None:
    measure = NRG(prior=Transformer(text)) @ 10
    parsed = imr.parse_measure(str(measure))
    assert parsed == measure and parsed.transformers() == measure.transformers()
    assert "\n" not in str(measure) and len(str(measure)) < 150


def test_a_transformer_whose_text_fails_is_named_by_its_class() -> None:
    class Silent(Transformer):
        def __repr__(self) -> str:
            raise RuntimeError

    (label,) = NRG(prior=Silent("x")).transformers()
    assert label.startswith("Silent~")


def test_transformers_are_told_apart_by_identity_and_equality() -> None:
    one, other = Transformer("BM25"), Transformer("BM25")
    assert NRG(prior=one) == NRG(prior=one) != NRG(prior=other)
    assert NRG(prior=Transformer("a", 1)) != NRG(prior=Transformer("b", 1))  # their texts differ
    held = NRG(prior=Transformer("a", 1))
    assert held == NRG(prior=Transformer("a", 1)) != NRG(prior=Transformer("a", 2))
    assert NRG(prior=one) != NRG(prior="BM25")


def test_an_experiment_gives_the_runs() -> None:
    bm25, dense = Transformer("bm25"), Transformer("dense")
    measure = NRG(prior=[bm25, {"d": dense}, "named"]) @ 2
    transformers = measure.transformers()
    assert [value for value in transformers.values()] == [bm25, dense]
    runs = {label: Run.of(BM25 if value is bm25 else DENSE) for label, value in transformers.items()}
    found = measure.named_runs({**runs, "named": Run.of(BM25)})
    assert sorted(run.fingerprint for _, run in found) == sorted(Run.of(r).fingerprint for r in (BM25, BM25, DENSE))
    reference = imr.MED(reference=bm25) @ 2
    assert list(reference.transformers().values()) == [bm25]
    assert NRG.transformers() == imr.BootNDCG.transformers() == {}


def test_elsewhere_the_sentence_says_what_to_do() -> None:
    for make in (lambda t: NRG(prior=t) @ 2, lambda t: imr.MED(reference=t) @ 2):
        with pytest.raises(
            ValueError, match=r"'bm25' is a PyTerrier transformer.*call it on your topics: .*=bm25\(topics"
        ):
            scored(make(Transformer("bm25")))
    with pytest.raises(ValueError, match="call it on your topics"):
        imr.register_prior("x", Transformer("bm25"))


def test_copies_and_pickles() -> None:
    measure = NRG(prior=Transformer("a", 7)) @ 10
    for made in (copy.copy(measure), copy.deepcopy(measure), pickle.loads(pickle.dumps(measure)), measure @ 10):
        assert made == measure and made.transformers() == measure.transformers()


def test_nothing_is_kept() -> None:
    for place in range(100):
        NRG(prior=Transformer(f"t{place}"))
    gc.collect()
    assert len(prior_runs._contents) == 0


def test_without_pyterrier_nothing_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uncountable:
        pass

    for module in (None, ModuleType("pyterrier")):  # not loaded, or half loaded
        monkeypatch.setitem(sys.modules, "pyterrier", module)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="cannot read a Uncountable"):
            NRG(prior=Uncountable())


def test_a_real_transformer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    pt: Any = pytest.importorskip("pyterrier")
    import pandas as pd

    results = pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0], "rank": [0]})
    bm25 = pt.Transformer.from_df(results)
    measure = NRG(prior=bm25 % 10) @ 10
    assert len(measure.transformers()) == 1 and imr.parse_measure(str(measure)) == measure
    assert NRG(prior=bm25) == NRG(prior=bm25) != measure
