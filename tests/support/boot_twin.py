"""The distribution of one topic against its slow twin."""

from __future__ import annotations

import pytest
from reference import boot as twin

from ir_measures_relative import boot_ndcg
from support.boot_cases import Case

NEAR = 1e-9


def only(case: Case):  # noqa: ANN201
    """The distribution of a case's single topic."""
    (scores,) = boot_ndcg({"q": case.qrels}, {"q": case.scored_run}, **case.parameters)
    return scores


def check_against_twin(case: Case) -> None:
    scores, points = only(case), case.points()
    assert scores.exact and scores.form == "exact" and scores.width == 0
    assert scores.support == pytest.approx([x for x, _ in points], abs=NEAR)
    assert scores.probability == pytest.approx([float(p) for _, p in points], abs=NEAR)
    assert scores.mean == pytest.approx(twin.mean(points), abs=NEAR)
    assert scores.std == pytest.approx(twin.std(points), abs=NEAR)
    assert scores.mode == pytest.approx(twin.mode(points), abs=NEAR)
    assert scores.argmax == pytest.approx(twin.argmax(points), abs=NEAR)
    assert scores.lower == pytest.approx(twin.lower(case.run, case.qrels, case.k, case.gain), abs=NEAR)
    assert scores.upper == pytest.approx(twin.upper(case.run, case.qrels, case.k, case.gain), abs=NEAR)
    for q in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1):
        assert scores.quantile(q) == pytest.approx(twin.quantile(points, q), abs=NEAR)
