"""Reports with labels: expected scores are those of `impute`, chances those of the model."""

from __future__ import annotations

import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from support.report_pages import footer_of, made

import ir_measures_relative as imr
from ir_measures_relative._checks import condensed

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
    listed = [line for line in footer_of(tmp_path / "page.html") if "the labels were learned from:" in line]
    assert data["warnings"] == 1 + len(listed) == 5  # the page lists all, the call condenses those that are alike
    assert [str(w.message) for w in told if "more warnings like this one" in str(w.message)] == condensed(listed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = imr.learn_labels(TRACK.qrels, TRACK.runs)
        expected = [imr.impute(TRACK.qrels, run, model).mean for run in TRACK.runs.values()]
    np.testing.assert_allclose(data["imputed"]["mean"], expected, atol=1e-4)


def test_labels_are_those_of_compare(tmp_path: Path) -> None:
    groups = {name: f"{group} {place}" for place, (name, group) in enumerate(TRACK.groups.items())}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for depth in (None, 5):
            data = made(tmp_path, TRACK.qrels, TRACK.runs, labels="learned", groups=groups, depth=depth)
            told = " ".join(data["notes"])
            learned = imr.learn_labels(TRACK.qrels, TRACK.runs, groups, depth=depth).training
            assert f"learned from {learned['run'].nunique()} runs of {learned['group'].nunique()} groups" in told
            assert ("The pool was 5 deep" in told) == (depth == 5)
            assert any(data["notes"][0] in text for text in footer_of(tmp_path / "page.html"))
        compared = imr.compare(["nDCG@10", "Imputed(labels='learned')@10"], TRACK.qrels, TRACK.runs, groups=groups)
        data = made(tmp_path, TRACK.qrels, TRACK.runs, labels="learned", groups=groups)
    frame = compared.to_frame()
    expected = frame[next(c for c in frame if str(c).startswith("Imputed"))]
    np.testing.assert_allclose(data["imputed"]["mean"], expected.loc[data["runs"]["name"]], atol=1e-4)


def test_labels_are_checked_on_the_collection(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = made(tmp_path, TRACK.qrels, TRACK.runs, labels=SHARES, groups=TRACK.groups, check_labels=True)
        result = imr.meta.interval_coverage(TRACK.qrels, TRACK.runs, TRACK.groups, SHARES)
    row = result.by_level().set_index("level").loc[0.95]
    said = f"for {round(row['by_run'] * row['runs'])} of {int(row['runs'])} runs ({int(row['groups'])} groups)"
    assert said in data["notes"][-1] and "95% label intervals" in data["notes"][-1]


def test_chances_of_pairs_are_those_of_pairs(tmp_path: Path) -> None:
    data = made(tmp_path, TRACK.qrels, TRACK.runs, labels=SHARES)
    names = [data["runs"]["name"][place] for place in data["pairs"]["runs"]]
    for order, key in ((names, "better"), (names[::-1], "worse")):
        asked = imr.pairs(TRACK.qrels, {name: TRACK.runs[name] for name in order}, labels=SHARES)
        chances = {frozenset((a, b)): p for a, b, p in zip(asked["a"], asked["b"], asked["p_better"], strict=True)}
        expected = [chances[frozenset(pair)] for pair in combinations(names, 2)]
        np.testing.assert_allclose(data["pairs"][key], expected, atol=1.01e-3)
        is_open = np.array(data["pairs"]["settled"]) == "no"  # has no probability of exactly 0 or 1
        shown = np.array(data["pairs"][key])
        assert is_open.any() and ((shown[is_open] > 0) & (shown[is_open] < 1)).all()
        assert (np.abs(shown - expected) < 0.51e-3)[~is_open].all()


@pytest.mark.parametrize("labels", [None, SHARES])
def test_what_to_judge_next_is_that_of_judge_next(labels: imr.LabelModel | None, tmp_path: Path) -> None:
    data = made(tmp_path, TRACK.qrels, TRACK.runs, labels=labels)
    asked = imr.judge_next(TRACK.qrels, TRACK.runs, 100, labels=labels)
    found = [
        (data["topics"]["name"][row["topic"]], row["id"], row["runs"], row["pairs"])
        for row in data["next"]["documents"]
    ]
    assert found and found == list(zip(*(asked[c] for c in ("query_id", "doc_id", "n_runs", "pairs")), strict=True))
    np.testing.assert_allclose([row["p"] for row in data["next"]["documents"]], asked["p_relevant"], atol=0.51e-3)
    np.testing.assert_allclose(
        [row["effect"] for row in data["next"]["documents"]], asked["effect"] / asked["effect"].max(), atol=0.51e-3
    )


def test_nothing_to_judge(tmp_path: Path) -> None:
    runs = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"b": 2.0, "a": 1.0}}}
    assert made(tmp_path, {"q": {"a": 1, "b": 0}}, runs)["next"] == {"left": 0, "documents": []}
    assert made(tmp_path, {"q": {"a": 1, "b": 0}}, runs, measures=["AP@10"])["next"] is None
    assert made(tmp_path, {"q": {"a": 1, "b": 0}}, {"x": runs["x"]})["next"] is None


def test_nothing_is_known_of_labels(tmp_path: Path) -> None:
    runs = {"x": {"q": {"a": 2.0, "u": 1.0}}, "y": {"q": {"u": 2.0, "a": 1.0}}}
    for qrels in ({"q": {"a": 1}}, {"q": {"a": 0}}, {"q": {}}):
        with pytest.warns(UserWarning, match="what to judge next is left out") as told:
            data = made(tmp_path, qrels, runs)
        assert data["next"] is None and data["warnings"] == len(told) == 1
        assert made(tmp_path, qrels, runs, labels=SHARES)["next"]


def test_without_labels_nothing_is_said(tmp_path: Path) -> None:
    data = made(tmp_path, TRACK.qrels, TRACK.runs)
    assert data["imputed"] is None and data["lists"]["p"] is None and data["pairs"]["better"] is None


@pytest.mark.parametrize(
    ("labels", "measures", "sentence"),
    [
        (
            SHARES,
            ["AP@10"],
            "requires a first measure among nDCG, P, RBP, SDCG with a cutoff up to 100, got AP@10",
        ),
        (SHARES, ["nDCG"], "requires a first measure among"),
        (3, None, "labels must be .*, got 3"),
        ("unknown", None, "unknown label model 'unknown'"),
    ],
)
def test_refused(labels: object, measures: list[str] | None, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=sentence):
        imr.report(TRACK.qrels, TRACK.runs, tmp_path / "page.html", labels=labels, measures=measures)
    assert not list(tmp_path.iterdir())
