"""Names beside points, none over another: placed anew at every drawing, so that any size of figure is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text

from ir_measures_relative.plots._style import FAINT, INK, short

GAP = 6.0  # points between the middle of a marker and its name
SPACE = 4.0  # points between two names on one line, so that they do not read as one
CLEAR = 4.0  # points between the middle of a marker and the name of another
PASSING = 3.0  # points between a leader line and the marker of another
LEADERS = (14.0, 22.0, 32.0, 44.0, 58.0, 74.0, 92.0, 112.0, 134.0)  # points that a leader line may be long
DIRECTIONS = 24  # of leader lines


def label_points(
    ax: Axes, x: np.ndarray, y: np.ndarray, names: Sequence[Any], avoid: np.ndarray | None = None
) -> list[Annotation]:
    """Write a name beside each point where one fits; those far from the crowd have the first choice of place.

    ``avoid`` (m, 2): more points that no name may cover.
    """
    labels = [
        ax.annotate(
            name,
            (a, b),
            xytext=(0, 0),
            textcoords="offset points",
            fontsize="x-small",
            color=INK,
            ha="center",
            va="center",
            annotation_clip=True,
            in_layout=False,
            zorder=4,
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2},
        )
        for a, b, name in zip(x, y, short(names), strict=True)
    ]
    ax.add_artist(Placement(labels, np.column_stack([x, y]), np.empty((0, 2)) if avoid is None else avoid))
    return labels


class Placement(Artist):
    """Draws nothing: before the names are drawn, it moves each to a free place or hides it."""

    def __init__(self, labels: list[Annotation], points: np.ndarray, avoid: np.ndarray):
        super().__init__()
        self._labels, self._points, self._avoid = labels, points, avoid
        self.set_zorder(-1000)  # drawn before the labels
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        assert self.axes is not None
        scale = renderer.points_to_pixels(1.0)
        points = self.axes.transData.transform(self._points) / scale  # (n, 2) in points, as all below
        avoid = self.axes.transData.transform(self._avoid) / scale  # (m, 2)
        frame = np.array(self.axes.bbox.extents) / scale
        sizes = np.array([_size(label, renderer) for label in self._labels]) / scale  # (n, 2)
        for label, size, offset in zip(self._labels, sizes, places(points, sizes, frame, avoid), strict=True):
            label.set_visible(offset is not None)
            if offset is not None:
                label.set_position(offset)
                assert label.arrow_patch is not None
                label.arrow_patch.set_visible(_has_leader(offset, size))


def _size(label: Annotation, renderer: RendererBase) -> tuple[float, float]:
    """Width and height of the name alone, without its leader line."""
    label.set_visible(True)
    box = Text.get_window_extent(label, renderer)
    return box.width, box.height


def _has_leader(offset: tuple[float, float], size: np.ndarray) -> bool:
    """Whether a name stands farther from its point than a name right beside it."""
    return bool(np.any(np.abs(offset) > size / 2 + GAP + 1e-6))


def places(
    points: np.ndarray, sizes: np.ndarray, frame: np.ndarray, avoid: np.ndarray
) -> list[tuple[float, float] | None]:
    """Offset of each name from its point, or None where no place is free.

    First every name tries to stand right beside its point, then those left over stand off with a leader line.
    ``points`` and ``sizes`` (n, 2) in points, ``frame`` = left, bottom, right, top, ``avoid`` (m, 2).
    """
    taken = Taken(np.concatenate([points, avoid]), frame)
    found: list[tuple[float, float] | None] = [None] * len(points)
    if not len(points):
        return found
    spread = np.ptp(points, axis=0)
    outlying = np.abs((points - np.median(points, axis=0)) / np.where(spread > 0, spread, 1)).sum(axis=1)  # (n,)
    order = np.argsort(-outlying.round(9), kind="stable")
    for offsets in (_beside, _led):
        for place in order:
            if found[place] is None:
                found[place] = taken.first_free(points[place], sizes[place], offsets(sizes[place]), offsets is _led)
    return found


def _beside(size: np.ndarray) -> np.ndarray:
    """(8, 2) offsets of the middle of a name that touches its point: right, left, above, below, corners."""
    right, up = size[0] / 2 + GAP, size[1] / 2 + GAP
    near = size[1] / 2 + GAP / 2  # a name at a corner may come closer
    return np.array(
        [(right, 0), (-right, 0), (0, up), (0, -up), (right, near), (-right, near), (right, -near), (-right, -near)]
    )


def _led(size: np.ndarray) -> np.ndarray:
    """Offsets at the end of leader lines, short ones first: (number of lengths x DIRECTIONS, 2)."""
    angle = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    ray = np.column_stack([np.cos(angle), np.sin(angle)])  # (DIRECTIONS, 2)
    return np.concatenate([ray * (size / 2 + length) for length in LEADERS])


class Taken:
    """What names must not cover: points, names already placed, leader lines, and what is outside the frame."""

    def __init__(self, points: np.ndarray, frame: np.ndarray):
        self._points, self._frame = points, frame
        self._boxes = np.empty((0, 4))  # left, bottom, right, top
        self._lines = np.empty((0, 2))  # samples of the leader lines

    def first_free(
        self, point: np.ndarray, size: np.ndarray, offsets: np.ndarray, led: bool
    ) -> tuple[float, float] | None:
        """Take the first of the offsets where the name fits; None if there is none."""
        boxes = np.hstack([point + offsets - size / 2, point + offsets + size / 2])  # (m, 4)
        for place in np.flatnonzero(self._free(boxes)):
            line = point + np.linspace(0.05, 1, 40)[:, None] * offsets[place]  # (40, 2)
            line = line[~_holds(boxes[[place]], line)[0]] if led else line[:0]
            if not self._crosses(line, point):
                self._boxes = np.vstack([self._boxes, boxes[place] + SPACE * np.array([-1, 0, 1, 0])])
                self._lines = np.vstack([self._lines, line])
                return float(offsets[place, 0]), float(offsets[place, 1])
        return None

    def _free(self, boxes: np.ndarray) -> np.ndarray:
        """(m,) whether each box lies in the frame and covers nothing."""
        inside = np.all(boxes[:, :2] >= self._frame[:2], axis=1) & np.all(boxes[:, 2:] <= self._frame[2:], axis=1)
        apart = (boxes[:, None, :2] >= self._boxes[:, 2:]) | (boxes[:, None, 2:] <= self._boxes[:, :2])  # (m, taken, 2)
        wide = boxes + CLEAR * np.array([-1, -1, 1, 1])
        covers = _holds(wide, self._points).any(axis=1) | _holds(boxes, self._lines).any(axis=1)
        return inside & np.all(np.any(apart, axis=2), axis=1) & ~covers

    def _crosses(self, line: np.ndarray, own: np.ndarray) -> bool:
        """Whether a leader line runs through a name, another leader line or the marker of another point."""
        others = np.concatenate([self._points[np.any(self._points != own, axis=1)], self._lines])  # (m, 2)
        apart = np.linalg.norm(line[:, None] - others, axis=2)  # (40, m)
        return bool((apart < PASSING).any() or _holds(self._boxes, line).any())


def _holds(boxes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(m, n) whether each box holds each point."""
    return np.all((boxes[:, None, :2] < points) & (points < boxes[:, None, 2:]), axis=2)
