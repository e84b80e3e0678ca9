"""The order of a ranking is trec_eval's, so that our measures and the host's see the same list in every cell."""

from __future__ import annotations

import math
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, ScoredDoc, Success, nDCG
from reference.ordinary import ranked
from support.fuzzing import examples
from support.hard_scores import DOCUMENTS, LARGEST, SCORES

import ir_measures_relative as imr
from ir_measures_relative._judged import Judgements, Run

# The host's values that pytrec_eval computes, and the same measure without prior runs
MEASURES = {nDCG: imr.NRG, R @ 3: imr.NRG(base="R") @ 3, AP: imr.TaSC(base="AP"), RR: imr.TaSC(base="RR")}
MEASURES |= {nDCG @ k: imr.NRG @ k for k in (1, 2, 3, 5, 10, 20, 100)}
MEASURES |= {P @ k: imr.NRG(base="P") @ k for k in (1, 3, 10)} | {AP @ k: imr.TaSC(base="AP") @ k for k in (2, 10)}
MEASURES |= {Success @ k: imr.TaSC(base="Success") @ k for k in (1, 5)}
OURS = {host: measure(prior=[]) for host, measure in MEASURES.items()}
BOUNDS = {k: [imr.NDCGBound(side=side, method="guaranteed") @ k for side in ("lower", "upper")] for k in (1, 3, 10)}


class Cells:
    """The host's values and ours for some qrels, cell by cell."""

    def __init__(self, qrels: dict):
        self.topics = list(qrels)
        self._host = ir_measures.evaluator(list(OURS), qrels)
        self._ours = ir_measures.evaluator([*OURS.values(), *(m for both in BOUNDS.values() for m in both)], qrels)

    def check(self, run: dict) -> int:
        """Every cell of ours is the host's, and the host's nDCG lies within its bounds; how many were compared."""
        host, ours = (
            {(metric.measure, metric.query_id): metric.value for metric in evaluator.iter_calc(run)}
            for evaluator in (self._host, self._ours)
        )
        for topic in self.topics:
            for measure, same in OURS.items():
                assert abs(ours[same, topic] - host[measure, topic]) < 1e-12, (measure, topic)
            for k, (lower, upper) in BOUNDS.items():
                assert ours[lower, topic] - 1e-12 <= host[nDCG @ k, topic] <= ours[upper, topic] + 1e-12, (k, topic)
        return len(self.topics) * len(OURS)


@pytest.mark.parametrize(
    ("scores", "ranking"),
    [
        ({"a": 1.0 + 1e-12, "b": 1.0}, "ba"),
        ({"b": 1.0, "a": 1.0 + 1e-12, "c": 0.5}, "bac"),
        ({"a": 1.0000001, "b": 1.0}, "ab"),  # these differ in float32 too
        ({"a": 0.0, "b": -0.0}, "ba"),
        ({"a": 1e39, "b": math.inf, "c": LARGEST}, "bac"),
        ({"a": math.inf, "b": 1e39}, "ba"),
        ({"a": -1e39, "b": -math.inf, "c": -1.0}, "cba"),
        ({"a": 1e-50, "b": 0.0, "c": -1e-50}, "cba"),  # all are 0 in float32
        ({"a": 1e-40, "b": 0.0}, "ab"),  # a number that float32 holds with fewer digits
        ({"a": 16777217, "b": 16777216}, "ba"),
        ({"a": 2**53 + 1, "b": 2**53}, "ba"),
    ],
)
def test_scores_are_compared_as_float32(scores: dict[str, float], ranking: str) -> None:
    for order in (scores, dict(reversed(scores.items()))):
        assert "".join(Run.of({"q": order}).ranking("q")) == "".join(ranked(order)) == ranking
    qrels = {"q": {document: grade for grade, document in enumerate(ranking)}}
    assert Cells(qrels).check({"q": scores}) == len(OURS)


def test_the_original_scores_stay_with_their_documents() -> None:
    """Measures that a user defined see them."""
    scores = {"a": 1.0 + 1e-12, "b": 1.0, "c": 1.0 - 1e-12, "d": 7.0}
    assert list(Run.of({"q": scores}).to_dict()["q"].items()) == [(doc, scores[doc]) for doc in "dcba"]


scored = st.dictionaries(
    st.sampled_from(DOCUMENTS), st.one_of(st.sampled_from(SCORES), st.floats(allow_nan=False)), min_size=1
)
graded = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1)


@examples(150)
@given(st.dictionaries(st.sampled_from("pqr"), graded, min_size=1), st.dictionaries(st.sampled_from("pqr"), scored))
def test_random_runs(qrels: dict, run: dict) -> None:
    found = Run.of([ScoredDoc(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()])
    assert {topic: found.ranking(topic) for topic in run} == {topic: ranked(docs) for topic, docs in run.items()}
    Cells(qrels).check(run)


@examples(50)
@given(graded, scored)
def test_prior_and_reference_runs_have_the_same_order(grades: dict, scores: dict) -> None:
    """A prior run is known by its order: the same order with other scores is the same prior run."""
    falling = {document: float(-rank) for rank, document in enumerate(ranked(scores))}
    assert imr.NRG(prior={"q": scores}) == imr.NRG(prior={"q": falling})
    assert imr.MED(reference={"q": scores}) == imr.MED(reference={"q": falling})
    assert Run.of({"q": scores}).fingerprint == Run.of({"q": falling}).fingerprint


@pytest.mark.parametrize(
    ("track", "n_cells"),
    [
        pytest.param("trec-covid-round1", 143 * 30 * 18, marks=pytest.mark.full),
        pytest.param("trec-covid-round2", 136 * 35 * 18, marks=pytest.mark.full),
        pytest.param("trec-dl-2021", 34 * 53 * 18, marks=pytest.mark.full),
        ("vaswani_runs", 8 * 93 * 18),
    ],
)
def test_real_runs(shared: Path, track: str, n_cells: int) -> None:
    folder = shared / "data" / track
    cells = Cells(Judgements.of(folder / "qrels.txt").to_dict())
    assert sum(cells.check(Run.of(path).to_dict()) for path in folder.glob("**/*.run.gz")) == n_cells
