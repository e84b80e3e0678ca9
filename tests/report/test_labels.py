"""Reports with labels: expected scores are those of `impute`, chances those of the model."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from support.report_pages import footer_of, made

import ir_measures_relative as imr

TRACK = imr.simulate.track(seed=0, topics=20)
SHARES = imr.LabelModel.shares({0: 0.75, 1: 0.2, 3: 0.05})


def test_expected_scores_are_those_of_impute(tmp_path: Path) -> None:
    data = made(tmp_path, TRACK.qrels, TRACK.runs, labels=SHARES)
    assert [text for text in footer_of(tmp_path / "page.html") if "not calibrated" in text]
    for place, (name, run) in enumerate(TRACK.runs.items()):
        scores = imr.impute(TRACK.qrels, run, SHARES)
        low, high = scores.interval(0.95)
        found = [data["imputed"][column][place] for column in ("mean", "low", "high")]
        assert found == pytest.approx([scores.mean, low, high], abs=1e-4), name


def test_every_unjudged_document_has_chances(tmp_path: Path) -> None:
    lists = made(tmp_path, TRACK.qrels, TRACK.runs, labels=SHARES)["lists"]
    assert any(lists["p"])
    for grades, chances in zip(lists["grade"], lists["p"], strict=True):
        unjudged = [str(code) for code, grade in enumerate(grades) if grade is None]
        assert sorted(chances) == sorted(unjudged)
        assert all(of == [75, 20, 0, 5] for of in chances.values())


def test_learned_is_one_model_of_these_runs(tmp_path: Path) -> None:
    with pytest.warns(UserWarning) as told:
        data = made(tmp_path, TRACK.qrels, TRACK.runs, labels="learned")
    assert len({str(warning.message) for warning in told}) == len(told)  # nothing is said twice
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = imr.learn_labels(TRACK.qrels, TRACK.runs)
        expected = [imr.impute(TRACK.qrels, run, model).mean for run in TRACK.runs.values()]
    np.testing.assert_allclose(data["imputed"]["mean"], expected, atol=1e-4)


def test_without_labels_nothing_is_said(tmp_path: Path) -> None:
    data = made(tmp_path, TRACK.qrels, TRACK.runs)
    assert data["imputed"] is None and data["lists"]["p"] is None


@pytest.mark.parametrize(
    ("labels", "measures", "sentence"),
    [
        (
            SHARES,
            ["AP@10"],
            "labels need a first measure that they can fill in, one of nDCG, P, RBP, SDCG with a cutoff",
        ),
        (SHARES, ["nDCG"], "labels need a first measure that they can fill in"),
        (3, None, "labels=3 is not accepted"),
        ("unknown", None, "no label model is known as 'unknown'"),
    ],
)
def test_refused(labels: object, measures: list[str] | None, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=sentence):
        imr.report(TRACK.qrels, TRACK.runs, tmp_path / "page.html", labels=labels, measures=measures)
    assert not list(tmp_path.iterdir())
