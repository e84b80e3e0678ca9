"""Names next to points without overlaps, placed at every drawing, so that they fit any size of figure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative.plots._style import FAINT, INK, short

GAP = 6.0  # points between the middle of a marker and its name
SPACE = 4.0  # points between two names on one line, so that they do not read as one
CLEAR = 4.0  # points between the middle of a marker and the name of another
PASSING = 3.0  # points between a leader line and the marker of another
LEADERS = (14.0, 22.0, 32.0, 44.0, 58.0, 74.0, 92.0, 112.0, 134.0)  # possible lengths of a leader line, in points
DIRECTIONS = 24  # of leader lines
CROWD = 60  # with more points than this only some are named, else leader lines become a thicket
MOST = 40  # names in a crowd


def label_points(
    ax: Axes,
    x: FloatArray,
    y: FloatArray,
    names: Sequence[Any],
    avoid: FloatArray | None = None,
    wanted: bool = False,
) -> list[Annotation]:
    """Write a name next to each point where one fits; points far from the crowd choose first.

    With more than 60 points only the 40 farthest from the crowd are named. ``avoid`` (m, 2): more points that no name
    may cover. ``wanted``: a name without a free place may cover points, but no other name.
    """
    points = np.column_stack([x, y])  # (n, 2)
    named = np.sort(_outlying_first(points)[: MOST if len(points) > CROWD else None])
    others = np.delete(points, named, axis=0)
    avoid = others if avoid is None else np.concatenate([others, avoid])
    form: dict[str, Any] = {"fontsize": "x-small", "color": INK, "ha": "center", "va": "center", "zorder": 4}
    line = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
    form |= {"textcoords": "offset points", "annotation_clip": True, "in_layout": False, "arrowprops": line}
    texts = short(names[place] for place in named)
    labels = [ax.annotate(text, tuple(points[n]), xytext=(0, 0), **form) for text, n in zip(texts, named, strict=True)]
    ax.add_artist(Placement(labels, points[named], avoid, wanted))
    return labels


class Placement(Artist):
    """Draws nothing: before the names are drawn, it moves each to a free place or hides it."""

    def __init__(self, labels: list[Annotation], points: FloatArray, avoid: FloatArray, wanted: bool = False):
        super().__init__()
        self._labels, self._points, self._avoid, self._wanted = labels, points, avoid, wanted
        self._last: tuple[bytes, list[tuple[float, float] | None]] | None = None  # places for the last size
        self.set_zorder(-1000)  # drawn before the labels
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        assert self.axes is not None
        scale: Any = renderer.points_to_pixels(1.0)
        to_points = self.axes.transData.transform
        points = np.asarray(to_points(self._points) / scale, dtype=np.float64)  # (n, 2) in points, as all below
        avoid = np.asarray(to_points(self._avoid) / scale, dtype=np.float64)  # (m, 2)
        frame = np.asarray(self.axes.bbox.extents, dtype=np.float64) / scale
        sizes = np.asarray([_size(label, renderer) for label in self._labels], dtype=np.float64) / scale  # (n, 2)
        key = b"".join(part.round(3).tobytes() for part in (points, avoid, frame, sizes))
        if self._last is None or self._last[0] != key:  # a figure is drawn twice when it is laid out
            self._last = key, places(points, sizes, frame, avoid, self._wanted)
        for label, size, offset in zip(self._labels, sizes, self._last[1], strict=True):
            label.set_visible(offset is not None)
            if offset is not None:
                label.set_position(offset)
                assert label.arrow_patch is not None
                label.arrow_patch.set_visible(bool(np.any(np.abs(offset) > size / 2 + GAP + 1e-6)))


def _size(label: Annotation, renderer: RendererBase) -> tuple[float, float]:
    """Width and height of the name alone, without its leader line."""
    label.set_visible(True)
    box = Text.get_window_extent(label, renderer)
    return box.width, box.height


def places(
    points: FloatArray, sizes: FloatArray, frame: FloatArray, avoid: FloatArray, wanted: bool = False
) -> list[tuple[float, float] | None]:
    """Offset of each name from its point, or None if no place is free.

    Every name first tries to be next to its point, then at the end of a leader line, and, if ``wanted``, where it
    covers points but no name. ``points`` and ``sizes`` (n, 2) in points, ``frame`` = left, bottom, right, top,
    ``avoid`` (m, 2).
    """
    taken = Taken(np.concatenate([points, avoid]), frame)
    offsets: list[tuple[float, float] | None] = [None] * len(points)
    order = _outlying_first(points)
    for led, over_points in ((False, False), (True, False), (True, True))[: 3 if wanted else 2]:
        for place in order:
            if offsets[place] is None:
                size = sizes[place]
                tried = np.concatenate([_beside(size), _led(size)]) if over_points else (_led if led else _beside)(size)
                offsets[place] = taken.first_free(points[place], size, tried, led, over_points)
    return offsets


def _outlying_first(points: FloatArray) -> IntArray:
    """(n, 2) -> (n,) places of the points, the farthest from the middle first."""
    if not len(points):
        return np.empty(0, dtype=np.int64)
    spread = np.ptp(points, axis=0)
    outlying = np.abs((points - np.median(points, axis=0)) / np.where(spread > 0, spread, 1)).sum(axis=1)  # (n,)
    return np.argsort(-outlying.round(9), kind="stable")


def _beside(size: FloatArray) -> FloatArray:
    """(8, 2) offsets of the middle of a name that touches its point: right, left, above, below, corners."""
    right, up = size[0] / 2 + GAP, size[1] / 2 + GAP
    near = size[1] / 2 + GAP / 2  # a name at a corner may come closer
    sides = [(right, 0), (-right, 0), (0, up), (0, -up)]
    return np.array([*sides, (right, near), (-right, near), (right, -near), (-right, -near)])


def _led(size: FloatArray) -> FloatArray:
    """Offsets at the end of leader lines, short ones first: (number of lengths x DIRECTIONS, 2)."""
    angle = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    ray = np.column_stack([np.cos(angle), np.sin(angle)])  # (DIRECTIONS, 2)
    return np.concatenate([ray * (size / 2 + length) for length in LEADERS])


class Taken:
    """Places that names must not cover: points, other names, leader lines, and the outside of the frame."""

    def __init__(self, points: FloatArray, frame: FloatArray):
        self._points, self._frame = points, frame
        self._boxes = np.empty((0, 4))  # left, bottom, right, top
        self._lines = np.empty((0, 2))  # samples of the leader lines

    def first_free(
        self, point: FloatArray, size: FloatArray, offsets: FloatArray, led: bool, over_points: bool
    ) -> tuple[float, float] | None:
        """Take the first of the offsets where the name fits; None if there is none."""
        boxes = np.hstack([point + offsets - size / 2, point + offsets + size / 2])  # (m, 4)
        for place in np.flatnonzero(self._free(boxes, over_points)):
            line = point + np.linspace(0.05, 1, 40)[:, None] * offsets[place]  # (40, 2)
            line = line[~_contains(boxes[[place]], line)[0]] if led and not over_points else line[:0]
            if not self._crosses(line, point):
                self._boxes = np.vstack([self._boxes, boxes[place] + SPACE * np.array([-1, 0, 1, 0])])
                self._lines = np.vstack([self._lines, line])
                return float(offsets[place, 0]), float(offsets[place, 1])
        return None

    def _free(self, boxes: FloatArray, over_points: bool) -> BoolArray:
        """(m,) True for a box inside the frame that covers no name, and unless ``over_points`` no point or line."""
        inside = np.all(boxes[:, :2] >= self._frame[:2], axis=1) & np.all(boxes[:, 2:] <= self._frame[2:], axis=1)
        apart = (boxes[:, None, :2] >= self._boxes[:, 2:]) | (boxes[:, None, 2:] <= self._boxes[:, :2])  # (m, taken, 2)
        free: BoolArray = inside & np.all(np.any(apart, axis=2), axis=1)
        if over_points:
            return free
        wide = boxes + CLEAR * np.array([-1, -1, 1, 1])
        return free & ~(_contains(wide, self._points).any(axis=1) | _contains(boxes, self._lines).any(axis=1))

    def _crosses(self, line: FloatArray, own: FloatArray) -> bool:
        """True if a leader line runs through a name, another leader line or the marker of another point."""
        others = np.concatenate([self._points[np.any(self._points != own, axis=1)], self._lines])  # (m, 2)
        apart = np.linalg.norm(line[:, None] - others, axis=2)  # (40, m)
        return bool((apart < PASSING).any() or _contains(self._boxes, line).any())


def _contains(boxes: FloatArray, points: FloatArray) -> BoolArray:
    """(m, n) True if a box contains a point."""
    inside: BoolArray = np.all((boxes[:, None, :2] < points) & (points < boxes[:, None, 2:]), axis=2)
    return inside
