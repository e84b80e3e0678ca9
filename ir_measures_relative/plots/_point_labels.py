"""Names next to points without overlaps, placed at every drawing, so that they fit any size of figure."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative.plots._style import FAINT, INK, short

GAP = 6.0  # points between the middle of a marker and its name
CLEAR = 4.0  # points between a name and the middle of the marker of another, or the name of another on the same line
PASSING = 3.0  # points between a leader line and the marker of another
LEADERS = (14.0, 22.0, 32.0, 44.0, 58.0, 74.0, 92.0, 112.0, 134.0)  # possible lengths of a leader line, in points
DIRECTIONS = 24  # of leader lines
CROWD = 60  # with more points than this only some are named, else leader lines become a thicket
MOST = 40  # names in a crowd


def label_points(ax: Axes, points: FloatArray, names: Iterable[Any], avoid: FloatArray, wanted: bool = False) -> None:
    """Write a name next to each of (n, 2) points where one fits, points far from the crowd first.

    No name covers the (m, 2) points ``avoid``. If ``wanted``, names without a free place may cover points.
    """
    named = np.sort(_outlying_first(points)[: MOST if len(points) > CROWD else None])
    form: dict[str, Any] = {"fontsize": "x-small", "color": INK, "ha": "center", "va": "center", "zorder": 4}
    line = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
    form |= {"textcoords": "offset points", "annotation_clip": True, "in_layout": False, "arrowprops": line}
    others = np.concatenate([np.delete(points, named, axis=0), avoid])
    points, texts = points[named], short(np.array([*map(str, names)], dtype=object)[named])
    labels = [ax.annotate(text, xy, xytext=(0, 0), **form) for text, xy in zip(texts, points, strict=True)]
    ax.add_artist(Placement(labels, points, others, wanted))


class Placement(Artist):
    """Draws nothing: before the names are drawn, it moves each to a free place or hides it."""

    def __init__(self, labels: list[Annotation], points: FloatArray, avoid: FloatArray, wanted: bool):
        super().__init__()
        self._labels, self._points, self._avoid, self._wanted = labels, points, avoid, wanted
        self.set_zorder(-1000)  # drawn before the labels
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        assert self.axes is not None
        scale: Any = renderer.points_to_pixels(1.0)
        points, avoid = (self.axes.transData.transform(xy) / scale for xy in (self._points, self._avoid))
        for label in self._labels:
            label.set_visible(True)
        boxes = [Text.get_window_extent(label, renderer) for label in self._labels]  # without the leader lines
        sizes = np.array([(box.width, box.height) for box in boxes]).reshape(-1, 2) / scale  # (n, 2) in points
        offsets = places(points, sizes, np.array(self.axes.bbox.extents) / scale, avoid, self._wanted)
        for label, size, offset in zip(self._labels, sizes, offsets, strict=True):
            label.set_visible(offset is not None)
            if offset is not None and label.arrow_patch is not None:
                label.set_position(offset)
                label.arrow_patch.set_visible(bool(np.any(np.abs(offset) > size / 2 + GAP + 1e-6)))


def places(
    points: FloatArray, sizes: FloatArray, frame: FloatArray, avoid: FloatArray, wanted: bool = False
) -> list[tuple[float, float] | None]:
    """Offset of each name from its point, or None if no place is free.

    A name is next to its point, else at the end of a leader line, else, if ``wanted``, where it covers points but no
    name. ``points`` and ``sizes`` (n, 2), ``frame`` = left, bottom, right, top, ``avoid`` (m, 2), all in points.
    """
    offsets: list[tuple[float, float] | None] = [None] * len(points)
    marks = np.concatenate([points, avoid])  # points and samples of leader lines: no name covers them
    taken = np.empty((0, 4))  # boxes of names
    order = _outlying_first(points)
    for led, over_marks in ((False, False), (True, False), (True, True))[: 3 if wanted else 2]:
        for n in (n for n in order if offsets[n] is None):
            point, half = points[n], sizes[n] / 2
            offset = np.concatenate([_beside(half), _led(half)]) if over_marks else (_led if led else _beside)(half)
            boxes = np.hstack([point + offset - half, point + offset + half])  # (k, 4)
            free = np.all((boxes[:, :2] >= frame[:2]) & (boxes[:, 2:] <= frame[2:]), axis=1)  # (k,)
            apart = (boxes[:, None, :2] >= taken[:, 2:]) | (boxes[:, None, 2:] <= taken[:, :2])  # (k, names, 2)
            free &= np.all(np.any(apart, axis=2), axis=1)
            if not over_marks:
                free &= ~_contains(boxes + CLEAR * np.array([-1, -1, 1, 1]), marks).any(axis=1)
            for best in np.flatnonzero(free):
                line = point + np.linspace(0.05, 1, 40)[:, None] * offset[best]  # (40, 2)
                line = line[~_contains(boxes[[best]], line)[0]] if led and not over_marks else line[:0]
                others = marks[np.any(marks != point, axis=1)]
                near = np.linalg.norm(line[:, None] - others, axis=2) < PASSING  # (40, marks)
                if not (near.any() or _contains(taken, line).any()):
                    offsets[n] = float(offset[best, 0]), float(offset[best, 1])
                    taken = np.vstack([taken, boxes[best] + CLEAR * np.array([-1, 0, 1, 0])])
                    marks = np.concatenate([marks, line])
                    break
    return offsets


def _outlying_first(points: FloatArray) -> IntArray:
    """(n, 2) -> (n,) places of the points, the farthest from the middle first."""
    if not len(points):
        return np.empty(0, dtype=np.int64)
    spread = np.ptp(points, axis=0)
    outlying = np.abs((points - np.median(points, axis=0)) / np.where(spread > 0, spread, 1)).sum(axis=1)  # (n,)
    return np.argsort(-outlying.round(9), kind="stable")


def _beside(half: FloatArray) -> FloatArray:
    """(8, 2) offsets of the middle of a name that touches its point: right, left, above, below, corners."""
    right, up = half + GAP
    near = half[1] + GAP / 2  # a name at a corner may come closer
    sides = [(right, 0), (-right, 0), (0, up), (0, -up)]
    return np.array([*sides, (right, near), (-right, near), (right, -near), (-right, -near)])


def _led(half: FloatArray) -> FloatArray:
    """Offsets at the end of leader lines, short ones first: (number of lengths x DIRECTIONS, 2)."""
    angle = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    ray = np.column_stack([np.cos(angle), np.sin(angle)])  # (DIRECTIONS, 2)
    return np.concatenate([ray * (half + length) for length in LEADERS])


def _contains(boxes: FloatArray, points: FloatArray) -> BoolArray:
    """(m, n) True if a box contains a point."""
    inside: BoolArray = np.all((boxes[:, None, :2] < points) & (points < boxes[:, None, 2:]), axis=2)
    return inside
