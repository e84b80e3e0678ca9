"""Figures of learned labels and of the scores that follow from them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG
from support.figures import legend, ticks
from support.pooled_tracks import pooled_track, worn

import ir_measures_relative as imr
from ir_measures_relative import plots

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:.* is unlike")


def test_imputed_scores_as_distributions_and_caterpillar() -> None:
    track = worn(pooled_track(4, n_groups=7, n_topics=8, depth=3))
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=6, depth=3)
    scores = {name: imr.impute(track.qrels, track.runs[name], model, nDCG @ 6) for name in ("g0r0", "g1r0")}
    ax = plots.caterpillar(scores, order="given")
    assert ticks(ax.get_yticklabels()) == ["g0r0", "g1r0"]
    unsure = [topic.query_id for topic in scores["g0r0"] if topic.upper > topic.lower]
    ax = plots.distributions(scores["g0r0"])
    assert ticks(ax.get_xticklabels()) == unsure and ax.get_ylabel() == "nDCG@6"


def test_reliability_of_a_model() -> None:
    track = pooled_track(4, n_groups=7, n_topics=8, depth=3)
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=6, depth=3)
    frame = model.reliability()
    ax = plots.reliability(model)
    shown = np.asarray(ax.collections[0].get_offsets())
    np.testing.assert_allclose(shown, frame[["predicted", "actual"]].to_numpy())
    assert legend(ax) == ["as predicted", "documents"]
    assert [text.get_text() for text in ax.texts] == [f"{count:,}" for count in frame["documents"]]


def test_reliability_refuses_what_it_cannot_show() -> None:
    with pytest.raises(TypeError, match="must be the result of learn_labels, not a list"):
        plots.reliability([1, 2])
    with pytest.raises(ValueError, match="documents"):
        plots.reliability(pd.DataFrame({"predicted": [0.1], "actual": [0.1]}))
    with pytest.raises(ValueError, match="no row"):
        plots.reliability(pd.DataFrame({"documents": [], "predicted": [], "actual": []}))


def test_reliability_of_decisions() -> None:
    """A frame of pairs says so on its axes."""
    ax = plots.reliability(pd.DataFrame({"pairs": [40, 60], "predicted": [0.6, 0.96], "actual": [0.62, 0.97]}))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("stated probability that the run is better", "share that was right")
    assert ax.collections[0].get_offsets().tolist() == [[0.6, 0.62], [0.96, 0.97]]


def test_pool_depth_marks_the_drop() -> None:
    track = pooled_track(4, n_groups=7, n_topics=8, depth=3)
    found = imr.meta.pool_depth(track.qrels, track.runs)
    assert found.depth == 3
    ax = plots.pool_depth(track.qrels, track.runs)
    curve, mark = ax.get_lines()
    np.testing.assert_allclose(curve.get_ydata(), found.curve[: len(curve.get_ydata())])
    assert curve.get_xdata()[0] == 1 and 3 < mark.get_xdata()[0] < 4  # between the last judged rank and the next
    assert legend(ax) == [f"mean of {len(track.runs)} runs", "depth of the pool: 3"]
    same = plots.pool_depth(found)
    np.testing.assert_allclose(same.get_lines()[0].get_ydata(), curve.get_ydata())


def test_pool_depth_without_a_drop_marks_nothing() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    ax = plots.pool_depth(qrels, {"only": run})
    assert legend(ax) == ["one run"] and list(ax.get_lines()[0].get_ydata()) == [1, 1]
    for arguments in ((qrels,), (imr.meta.pool_depth(qrels, {"only": run}), {"only": run})):
        with pytest.raises(ValueError, match="requires qrels and runs=, or a result of meta.pool_depth alone"):
            plots.pool_depth(*arguments)
