"""Where a measure degenerates to an ordinary one: what trec_eval and cwl-eval say, on random data with ties, negative
grades, unjudged documents, empty rankings and topics that only one side has.

Differences that remain are conventions: trec_eval compares scores as float32, leaves out topics that the run lacks (0
here), and can loop for ever over a topic whose grades are all negative; cwl-eval breaks ties by the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.ordinary import ranked
from support.fuzzing import examples
from support.small_collections import DOCUMENTS, TOPICS, Qrels, Run, qrels_of_topics, runs

from ir_measures_relative import MED, NRG, BootNDCG, NDCGBound, Rare, RareAP, RareP, TaSC, UniqueRel
from ir_measures_relative._hosts.ir_measures import RelativeEvaluator
from ir_measures_relative.measures import RelativeMeasure

pytestmark = pytest.mark.filterwarnings("ignore:prior run")


def ours(measure: RelativeMeasure, qrels: Qrels, run: Run) -> dict[str, float]:
    return {metric.query_id: metric.value for metric in RelativeEvaluator([measure], qrels).iter_calc(run)}


def trec_eval(name: str, qrels: Qrels, run: Run, rel: int = 1) -> dict[str, float]:
    """pytrec_eval itself, without ir_measures in between; 0 for topics that it leaves out."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    found = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=rel).evaluate(run)
    return {topic: found.get(topic, {}).get(name.replace(".", "_"), 0.0) for topic in qrels}


def not_all_negative(qrels: Qrels) -> Qrels:
    return {topic: judged if max(judged.values()) >= 0 else {**judged, "d0": 0} for topic, judged in qrels.items()}


# name in trec_eval, and the measures that must agree with it; k the cutoff, p some prior runs, rel a grade
WITH_CUTOFF: dict[str, Callable[[int, list[Run]], list[RelativeMeasure]]] = {
    "ndcg_cut": lambda k, p: [
        NRG(prior=[]) @ k,
        NRG(prior=[], normalizer="absolute") @ k,
        TaSC(prior=[]) @ k,
        Rare(prior=p, alpha=0) @ k,
        BootNDCG(estimate="lower") @ k,
        NDCGBound @ k,
    ],
    "P": lambda k, p: [
        NRG(prior=[], base="P") @ k,
        TaSC(prior=[], base="P") @ k,
        RareP(prior=p, alpha=0) @ k,
        RareP(prior=p, alpha=0, variant="mixture", rarity="normalized") @ k,
    ],
    "map_cut": lambda k, p: [TaSC(prior=[], base="AP") @ k, RareAP(prior=p, alpha=0) @ k],
    "recall": lambda k, p: [NRG(prior=[], base="R") @ k, TaSC(prior=[], base="R") @ k],
    "success": lambda k, p: [TaSC(prior=[], base="Success") @ k],
}
WHOLE: dict[str, Callable[[int, list[Run]], list[RelativeMeasure]]] = {
    "ndcg": lambda rel, p: [
        NRG(prior=[]),
        TaSC(prior=[]),
        Rare(prior=p, alpha=0),
        BootNDCG(estimate="lower"),
        NDCGBound(method="scaled"),
    ],
    "map": lambda rel, p: [TaSC(prior=[], base=f"AP(rel={rel})"), RareAP(prior=p, alpha=0, rel=rel)],
    "recip_rank": lambda rel, p: [NRG(prior=[], base=f"RR(rel={rel})"), TaSC(prior=[], base=f"RR(rel={rel})")],
    "num_rel_ret": lambda rel, p: [UniqueRel(prior=[], rel=rel)],
}


@pytest.mark.parametrize("name", WITH_CUTOFF)
@examples(25)
@given(qrels_of_topics.map(not_all_negative), runs, st.integers(1, 14), st.lists(runs, max_size=2))
def test_trec_eval_with_a_cutoff(name: str, qrels: Qrels, run: Run, cutoff: int, priors: list[Run]) -> None:
    expected = trec_eval(f"{name}.{cutoff}", qrels, run)
    for measure in WITH_CUTOFF[name](cutoff, priors):
        assert ours(measure, qrels, run) == pytest.approx(expected, abs=1e-12), measure


@pytest.mark.parametrize("name", WHOLE)
@examples(25)
@given(qrels_of_topics.map(not_all_negative), runs, st.integers(1, 3), st.lists(runs, max_size=2))
def test_trec_eval_of_whole_lists(name: str, qrels: Qrels, run: Run, rel: int, priors: list[Run]) -> None:
    expected = trec_eval(name, qrels, run, rel if name != "ndcg" else 1)
    for measure in WHOLE[name](rel, priors):
        assert ours(measure, qrels, run) == pytest.approx(expected, abs=1e-12), measure


all_judged = st.dictionaries(
    st.sampled_from(TOPICS), st.fixed_dictionaries({document: st.integers(0, 3) for document in DOCUMENTS}), min_size=1
)


@examples(25)
@given(all_judged, runs, runs.filter(bool), st.integers(1, 14))
def test_where_everything_is_judged_the_distance_is_the_difference(
    qrels: Qrels, run: Run, reference: Run, cutoff: int
) -> None:
    for base, name in {"nDCG": "ndcg_cut", "P": "P", "AP": "map_cut"}.items():
        first, second = (trec_eval(f"{name}.{cutoff}", qrels, r) for r in (run, reference))
        difference = {topic: first[topic] - second[topic] for topic in qrels}
        distance = {topic: abs(value) for topic, value in difference.items()}
        assert ours(MED(reference=reference, base=base) @ cutoff, qrels, run) == pytest.approx(distance, abs=1e-12)
        for direction in ("above", "below"):
            signed = MED(reference=reference, base=base, direction=direction) @ cutoff
            assert ours(signed, qrels, run) == pytest.approx(difference, abs=1e-12)


@examples(25)
@given(qrels_of_topics, runs, st.sampled_from([0.25, 0.5, 0.8, 0.95]), st.lists(runs, max_size=2))
def test_rbp_of_cwl_eval(qrels: Qrels, run: Run, p: float, priors: list[Run]) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("cwl", reason="needs cwl-eval, the peer for RBP")
    distinct = {
        topic: {document: float(-rank) for rank, document in enumerate(ranked(documents))}
        for topic, documents in run.items()
    }
    metrics = ir_measures.cwl_eval.iter_calc([ir_measures.RBP(p=p, rel=1)], qrels, distinct)
    found = {metric.query_id: metric.value for metric in metrics}
    expected = {topic: found.get(topic, 0.0) for topic in qrels}
    for measure in (
        NRG(prior=[], base=f"RBP(p={p})"),
        TaSC(prior=[], base=f"RBP(p={p})"),
        Rare(prior=priors, alpha=0, base=f"RBP(p={p})"),
    ):
        assert ours(measure, qrels, run) == pytest.approx(expected, abs=1e-12), measure
