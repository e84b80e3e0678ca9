"""Names of points: none over another, none over a point, whatever the size of the figure."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from support.figures import drawn_labels, legend, many_runs, overlaps

from ir_measures_relative import plots
from ir_measures_relative.plots import _style as style
from ir_measures_relative.plots._point_labels import places


@pytest.mark.parametrize("seed", range(3))
def test_names_of_60_runs_do_not_overlap(seed: int) -> None:
    frame, groups = many_runs(60, seed)
    ax = plots.scatter(frame, "nDCG@10", "NRG@10", groups)
    boxes = drawn_labels(ax)
    assert len(boxes) >= 48  # four in five, in a crowd
    assert overlaps(boxes) == []
    markers = ax.transData.transform(frame[["nDCG@10", "NRG@10"]])
    assert not [p for p in markers for box in boxes if box.contains(*p)]
    frame_box = ax.get_window_extent()
    assert all(frame_box.contains(box.x0, box.y0) and frame_box.contains(box.x1, box.y1) for box in boxes)
    shown = {text.get_text() for text in ax.texts if text.get_visible()}
    extremes = {frame.name[at(frame[m])] for m in ("nDCG@10", "NRG@10") for at in (np.argmin, np.argmax)}
    assert extremes <= shown


def test_names_are_placed_anew_for_every_size_of_figure() -> None:
    frame, groups = many_runs(60)
    ax = plots.scatter(frame, "nDCG@10", "NRG@10", groups)
    large = len(drawn_labels(ax))
    ax.figure.set_size_inches(4.5, 3)
    small = drawn_labels(ax)
    assert overlaps(small) == [] and 5 < len(small) < large
    ax.figure.set_size_inches(8.4, 6)
    assert len(drawn_labels(ax)) == large  # hidden names come back


def test_the_same_input_gives_the_same_places() -> None:
    frame, groups = many_runs(60)
    first, second = (drawn_labels(plots.scatter(frame, "nDCG@10", "NRG@10", groups)) for _ in range(2))
    assert [box.bounds for box in first] == [box.bounds for box in second]


def test_names_of_points_in_one_place_take_different_places() -> None:
    same = pd.DataFrame({"name": ["a", "b", "c"], "x": 0.5, "y": 0.5})
    boxes = drawn_labels(plots.scatter(same, "x", "y"))
    assert len(boxes) == 3 and overlaps(boxes) == []


def test_places_of_nothing_and_where_nothing_fits() -> None:
    frame, nothing = np.array([0.0, 0, 100, 100]), np.empty((0, 2))
    assert places(nothing, nothing, frame, nothing) == []
    assert places(np.array([[50.0, 50]]), np.array([[200.0, 10]]), frame, nothing) == [None]
    (beside,) = places(np.array([[50.0, 50]]), np.array([[20.0, 10]]), frame, nothing)
    assert beside == (16.0, 0.0)  # right of the point
    (other,) = places(np.array([[50.0, 50]]), np.array([[20.0, 10]]), frame, np.array([[66.0, 50]]))
    assert other == (-16.0, 0.0)  # right is taken: left


def test_groups_look_different_up_to_63() -> None:
    looks = [style.look(place) for place in range(63)]
    assert len({(look["color"], look["marker"]) for look in looks}) == 63
    assert to_hex(style.PALETTE[0]) == "#0072b2"


def test_names_are_written_as_they_are() -> None:
    frame = pd.DataFrame({"name": ["$a$", "_b"], "x": [0.1, 0.2], "y": [0.1, 0.2]})
    ax = plots.scatter(frame, "x", "y", {"$a$": "_hidden?", "_b": "$G$"})
    assert [text.strip() for text in legend(ax)] == ["_hidden?", r"\$G\$"]  # both there; an escaped dollar is a dollar
    ax.figure.canvas.draw()
