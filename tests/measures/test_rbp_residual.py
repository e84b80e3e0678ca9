"""The residual of RBP: by hand, as the slow twin, and as the bound that it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import rbo as slow
from reference.ordinary import ranked, rbp
from support.small_collections import Qrels, Run, cutoffs, per_topic, qrels_of_topics, runs

import ir_measures_relative as imr

pytestmark = pytest.mark.filterwarnings("ignore:run has no topic in common")


@given(qrels_of_topics, runs, st.floats(0, 0.99), cutoffs)
def test_as_the_slow_twin(qrels: Qrels, run: Run, p: float, cutoff: int | None) -> None:
    found = [m.value for m in imr.RBPResidual(p=p, cutoff=cutoff).iter_calc(qrels, run)]
    assert found == pytest.approx(per_topic(slow.rbp_residual, qrels, run, p, cutoff), abs=1e-14)


def test_by_hand() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    assert imr.RBPResidual(p=0.5).calc_aggregate(qrels, run) == 0.25 + 0.125
    assert (imr.RBPResidual(p=0.5) @ 1).calc_aggregate(qrels, run) == 0.5, "everything below rank 1"
    assert (imr.RBPResidual(p=0.5) @ 9).calc_aggregate(qrels, run) == 0.25 + 0.125, "the list ends at 3"
    assert imr.RBPResidual.calc_aggregate({"other": {"a": 1}}, run) == 1.0, "an empty list leaves everything"


@given(qrels_of_topics, runs)
def test_rbp_with_every_unjudged_document_relevant_is_rbp_plus_the_residual_without_its_tail(
    qrels: Qrels, run: Run
) -> None:
    residual = {m.query_id: m.value for m in (imr.RBPResidual @ 5).iter_calc(qrels, run)}
    for topic, judged in qrels.items():
        ranking = ranked(run.get(topic, {}))
        low, high = rbp(ranking, judged, 5), rbp(ranking, {**dict.fromkeys(ranking, 1), **judged}, 5)
        left_in_list = residual[topic] - 0.8 ** min(5, len(ranking))
        assert high == pytest.approx(low + left_in_list, abs=1e-12)


def test_p_must_lie_below_1() -> None:
    with pytest.raises(ValueError, match="RBPResidual: p must be below 1, got 1"):
        imr.RBPResidual(p=1)
