"""Judges: agreement of labels against peers and a slow twin, orders, shifts of groups, what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG
from reference import judges as slow
from scipy.stats import kendalltau
from statsmodels.stats.inter_rater import cohens_kappa
from support.small_collections import DOCUMENTS, Qrels, Run, qrels_of_topics

import ir_measures_relative as imr
from ir_measures_relative import meta
from ir_measures_relative.meta._other_judgements import cohen_kappa, confusion, ordinal_alpha

pairs = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=30)


@given(pairs)
def test_kappa_and_alpha_are_those_of_the_slow_twin(labels: list[tuple[int, int]]) -> None:
    counts = confusion(*(np.array(x) for x in zip(*labels, strict=True))).to_numpy()
    for linear in (False, True):
        found, expected = cohen_kappa(counts, linear), slow.kappa(labels, "linear" if linear else None)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert ordinal_alpha(counts) == pytest.approx(slow.alpha(labels), abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning:statsmodels")
@given(pairs.filter(lambda labels: len({g for pair in labels for g in pair}) > 1))
def test_kappa_is_that_of_statsmodels(labels: list[tuple[int, int]]) -> None:
    """scikit-learn's cohen_kappa_score was compared once by hand, on 1,000 random tables: equal to 1e-15."""
    counts = confusion(*(np.array(x) for x in zip(*labels, strict=True))).to_numpy()
    assert cohen_kappa(counts) == pytest.approx(cohens_kappa(counts).kappa, abs=1e-12)
    assert cohen_kappa(counts, linear=True) == pytest.approx(cohens_kappa(counts, wt="linear").kappa, abs=1e-12)


def test_alpha_by_hand() -> None:
    """Krippendorff's ordinal metric: grades 0, 1, 2 used 3, 3 and 2 times; one of four documents differs, by one."""
    labels = [(0, 0), (1, 1), (2, 2), (0, 1)]
    near = 3.0**2  # from 0 to 1: all six labels of both, minus half of each
    far = (8 - 2.5) ** 2
    middle = (5 - 2.5) ** 2
    expected = 1 - (2 * near / 8) / (2 * (9 * near + 6 * far + 6 * middle) / (8 * 7))
    assert slow.alpha(labels) == pytest.approx(expected)


def test_agreement_has_its_limits() -> None:
    same = confusion(np.array([0, 1, 2]), np.array([0, 1, 2])).to_numpy()
    assert cohen_kappa(same) == cohen_kappa(same, linear=True) == ordinal_alpha(same) == 1
    constant = confusion(np.array([1, 1]), np.array([1, 1])).to_numpy()
    assert math.isnan(cohen_kappa(constant)) and math.isnan(ordinal_alpha(constant))


TRACK = imr.simulate.track(seed=3)


def noisy(seed: int, share: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    grades = TRACK.qrels["relevance"].to_numpy().copy()
    changed = rng.random(len(grades)) < share
    grades[changed] = rng.integers(0, 3, changed.sum())
    return TRACK.qrels.assign(relevance=grades)


def test_one_pair_by_hand() -> None:
    other = noisy(0, 0.3)
    result = meta.compare_judges({"a": TRACK.qrels, "b": other}, TRACK.runs, top=4, rel={"a": 1, "b": 2})
    row = result.to_frame().iloc[0]
    labels = list(zip(TRACK.qrels["relevance"], other["relevance"], strict=True))
    assert row["documents"] == len(labels) and row["share_first"] == row["share_second"] == 1
    assert row["kappa"] == pytest.approx(slow.kappa(labels))
    assert row["kappa_relevant"] == pytest.approx(slow.kappa([(a >= 1, b >= 2) for a, b in labels]))
    assert row["alpha"] == pytest.approx(slow.alpha(labels))
    means = [
        imr.calc_runs(["nDCG@10"], qrels, TRACK.runs).groupby("name", sort=False)["value"].mean()
        for qrels in (TRACK.qrels, other)
    ]
    assert row["tau"] == pytest.approx(kendalltau(*means).statistic)
    assert row["tau_ap"] == pytest.approx(meta.tau_ap(means[1], means[0]))
    best = means[0].sort_values(ascending=False).index[:4]
    assert row["tau_top"] == pytest.approx(kendalltau(means[0][best], means[1][best]).statistic)
    np.testing.assert_allclose(result.scores["b"].means(), means[1])
    crossed = pd.crosstab(TRACK.qrels["relevance"], other["relevance"].to_numpy())
    np.testing.assert_array_equal(result.confusion("a", "b"), crossed)
    np.testing.assert_array_equal(result.confusion("b", "a"), crossed.T)


def test_shift_of_a_group() -> None:
    """A judge that raises what one run alone has on top favours that run, and the shifts of all runs add up to 0."""
    result = meta.compare_judges({"a": TRACK.qrels, "b": noisy(1, 0.4)}, TRACK.runs, "P@5")
    scores = [result.scores[judge].scores for judge in "ab"]
    shift = (scores[1] - scores[0]).mean(axis=1)
    assert result.shifts["shift"].tolist() == pytest.approx((shift - shift.mean()).tolist())
    assert result.shifts["shift"].sum() == pytest.approx(0, abs=1e-12)
    favoured = TRACK.qrels.copy()
    best = TRACK.runs["bm25"].sort_values("score", ascending=False).groupby("query_id").head(5)
    top = set(zip(best["query_id"], best["doc_id"], strict=True))
    favoured["relevance"] = [
        3 if (q, d) in top else g for q, d, g in favoured[["query_id", "doc_id", "relevance"]].itertuples(index=False)
    ]
    shifts = meta.compare_judges({"a": TRACK.qrels, "b": favoured}, TRACK.runs).shifts.set_index("group")
    assert shifts["verdict"]["bm25"] == "favoured" and shifts["shift"].idxmax() == "bm25"


def test_groups_are_means_of_their_runs_and_intervals_cover_the_shift() -> None:
    judges = {"a": TRACK.qrels, "b": noisy(2, 0.5)}
    alone = meta.compare_judges(judges, TRACK.runs).shifts.set_index("group")["shift"]
    grouped = meta.compare_judges(judges, TRACK.runs, groups=TRACK.groups).shifts
    for row in grouped.itertuples():
        members = [name for name in TRACK.runs if TRACK.groups[name] == row.group]
        assert row.runs == len(members) and row.shift == pytest.approx(alone[members].mean())
        assert row.low < row.shift < row.high


def test_the_interval_is_that_of_a_bootstrap_over_topics() -> None:
    """Against the normal approximation with the standard error over topics, 50 topics."""
    result = meta.compare_judges({"a": TRACK.qrels, "b": noisy(2, 0.5)}, TRACK.runs)
    difference = result.scores["b"].scores - result.scores["a"].scores
    relative = difference - difference.mean(axis=0)
    error = relative.std(axis=1, ddof=0) / np.sqrt(relative.shape[1])
    width = (result.shifts["high"] - result.shifts["low"]).to_numpy()
    np.testing.assert_allclose(width, 2 * 1.96 * error, rtol=0.08)


def test_a_judge_of_a_part_is_compared_on_common_documents() -> None:
    part = TRACK.qrels.iloc[::2]
    whole = meta.compare_judges({"a": TRACK.qrels, "b": part}, TRACK.runs).to_frame().iloc[0]
    common = meta.compare_judges({"a": TRACK.qrels, "b": part}, TRACK.runs, documents="common").to_frame().iloc[0]
    assert whole["share_second"] == 1 and whole["share_first"] == pytest.approx(0.5, abs=0.01)
    assert whole["alpha"] == common["alpha"] == 1
    assert common["tau"] == pytest.approx(1) and whole["tau"] < 1


@given(qrels_of_topics, qrels_of_topics)
def test_common_documents_are_matched_by_topic_and_id(first: Qrels, second: Qrels) -> None:
    shared = [
        (g, second[t][d]) for t, judged in first.items() if t in second for d, g in judged.items() if d in second[t]
    ]
    runs: dict[str, Run] = {
        name: {t: {d: 1.0} for t in ("q1", "q2", "q3")} for name, d in zip("xy", DOCUMENTS, strict=False)
    }
    if not shared or len(first.keys() & second.keys()) < 2:
        with pytest.raises(ValueError, match="no common document|at least 2 topics"):
            meta.compare_judges({"a": first, "b": second}, runs)
        return
    result = meta.compare_judges({"a": first, "b": second}, runs, trials=10)
    assert result.to_frame()["documents"][0] == len(shared)
    assert result.to_frame()["kappa"][0] == pytest.approx(slow.kappa(shared), nan_ok=True)


def test_three_judges_make_three_pairs() -> None:
    judges = {"a": TRACK.qrels, "b": noisy(0, 0.2), "c": noisy(1, 0.9)}
    result = meta.compare_judges(judges, TRACK.runs, nDCG @ 5)
    frame = result.to_frame()
    assert list(zip(frame["first"], frame["second"], strict=True)) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert frame["alpha"][0] > frame["alpha"][1] and "3 judges by nDCG@5" in repr(result)


@pytest.mark.full
def test_the_llm_judges_of_dl_2021(shared: Path) -> None:
    """Numbers of the page on judges: GPT-4 agrees with the assessors, the weak one favours a group."""
    folder = shared / "data" / "trec-dl-2021"
    result = meta.compare_judges(
        {
            "human": folder / "qrels.txt",
            "gpt4": folder / "judge-umbrela-gpt4.qrels.txt",
            "llama": folder / "judge-binary-llama3.2.qrels.txt",
        },
        folder / "runs",
        groups=folder / "groups.csv",
        top=10,
    )
    frame = result.to_frame()
    assert frame["documents"].tolist() == [10828] * 3
    assert frame["tau"].tolist() == pytest.approx([0.911, 0.758, 0.783], abs=0.0005)
    assert frame["alpha"].tolist() == pytest.approx([0.624, 0.352, 0.305], abs=0.0005)
    shifts = result.shifts[(result.shifts["first"] == "human") & (result.shifts["second"] == "llama")]
    assert shifts.set_index("group")["verdict"]["L3S"] == "favoured"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"judges": {"a": TRACK.qrels}}, "judges must be a dict of at least two judges"),
        ({"runs": {"x": TRACK.runs["bm25"]}}, "runs: requires at least 2 runs, got 1"),
        ({"top": 1}, "top"),
        ({"documents": "some"}, "documents"),
        ({"rel": {"a": 1}}, "rel of judge 'b'"),
        ({"judges": {"a": TRACK.qrels, "b": {"q1": {"none": 1}}}}, "'a' and 'b' have graded no common document"),
    ],
)
def test_bad_input(options: dict, sentence: str) -> None:
    given = {"judges": {"a": TRACK.qrels, "b": TRACK.qrels}, "runs": TRACK.runs} | options
    with pytest.raises(ValueError, match=sentence):
        meta.compare_judges(**given)


def test_unknown_judges_have_no_confusion() -> None:
    result = meta.compare_judges({"a": TRACK.qrels, "b": TRACK.qrels}, TRACK.runs, trials=10)
    with pytest.raises(ValueError, match="'a' and 'z' must be two judges; there are a, b"):
        result.confusion("a", "z")
