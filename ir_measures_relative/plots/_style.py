"""Common style of all figures: colours for colour-blind readers, room for legends, a light grid."""

import os
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ir_measures_relative._checks import kind_of, quoted, warn, whole
from ir_measures_relative._input import BoolArray, FloatArray, known_groups, read_groups
from ir_measures_relative.meta import title_direction

# Okabe and Ito's palette without its yellow, which is weak on white
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# 7 colours and 9 markers have no common divisor: the pairs repeat after 63 groups only
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
INK = "#333333"
FAINT = "#999999"
LONGEST = 32  # characters of a name that leave room for the data
MANY = 30  # rows above which they are drawn close together
NARROW = 3.0  # inches of axes beside which there is no room for a legend
ACROSS, UP = 12, 14  # letters of the label of an axis per inch of it
SMALLEST = 4.0  # points of a name that can still be read


def look(place: int, name: Any = None) -> dict[str, Any]:
    """Colour, marker and legend entry of one group or series: never colour alone."""
    return {"color": PALETTE[place % len(PALETTE)], "marker": MARKERS[place % len(MARKERS)], "label": entry(name)}


def group_looks(groups: Any, names: Sequence[Any]) -> list[tuple[BoolArray, dict[str, Any]]]:
    """(n,) mask of the names in each group that occurs, with the look of the group."""
    if groups is None:
        return [(np.ones(len(names), dtype=bool), look(0))]
    listed = known_groups(groups)
    group_of = read_groups(listed, names)
    member = np.array([group_of[name] for name in names], dtype=object)
    # looks are numbered over all groups, so that a group looks alike in every panel
    masks = [(member == group, look(place, group)) for place, group in enumerate(dict.fromkeys(listed.values()))]
    return [(mask, style) for mask, style in masks if mask.any()]


def plain(name: Any) -> str:
    """Name as text that matplotlib shows unchanged: an unescaped dollar sign would begin a formula."""
    return str(name).replace("$", r"\$")


def short(names: Iterable[Any]) -> list[str]:
    """Names as plain text, without the middle of very long ones, unless that would make two of them equal."""
    full = [str(name) for name in names]
    cut = [text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[1 - LONGEST // 2 :]}" for text in full]
    return [plain(text) for text in (cut if len(set(cut)) == len(set(full)) else full)]


def axis_name(measure: Any) -> str:
    """Name of an axis for a measure, with a note unless larger is better."""
    notes = {"smaller": " (smaller is better)", "neither": " (neither end is better)"}
    return f"{measure}{notes.get(title_direction(measure), '')}"


def inches(ax: Axes) -> tuple[float, float]:
    """Width and height of an axes, before labels and legends take their room."""
    return ax.bbox.width / ax.figure.dpi, ax.bbox.height / ax.figure.dpi


def wrapped(text: str, width: int) -> str:
    """Plain text in lines of at most ``width`` characters: measures with many parameters have long names."""
    return plain(textwrap.fill(text, width, break_on_hyphens=False)) if len(text) > width else plain(text)


def entry(text: Any) -> str | None:
    """Text of a legend entry, if any; matplotlib would drop one that begins with an underscore."""
    if text in (None, ""):
        return None
    lines = wrapped(str(text), 40)
    return f" {lines}" if lines.startswith("_") else lines


def axes(ax: Axes | None, width: float = 6.4, height: float = 4.4, layout: str = "constrained") -> Axes:
    """Axes given, or those of a new figure of this size in inches."""
    ax = plt.subplots(figsize=(width, height), layout=layout)[1] if ax is None else checked_axes(ax)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    return ax


def checked_axes(ax: Any) -> Axes:
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes, not {kind_of(ax)}")
    return ax


def finish(
    ax: Axes,
    x: str = "",
    y: str = "",
    *,
    grid: str = "y",
    above: bool = False,
    title: str | None = None,
    handles: Sequence[Artist] | None = None,
) -> Axes:
    """Label the axes in as many lines as their size requires, and draw the grid ('x', 'y' or 'both') and the legend."""
    width, height = inches(ax)
    if x:
        ax.set_xlabel(wrapped(x, max(16, int(ACROSS * width))))
    if y:
        ax.set_ylabel(wrapped(y, max(16, int(UP * height))))
    ax.grid(axis=grid, color="#e4e4e4", linewidth=0.8)  # type: ignore[arg-type]
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    if handles:
        _draw_legend(ax, handles, title, above or width < NARROW)
    return ax


def _draw_legend(ax: Axes, handles: Sequence[Artist], title: str | None, above: bool) -> None:
    """Draw a legend above or right of the axes; warn if there is no room for it."""
    (width, height), longest = inches(ax), max(len(str(handle.get_label())) for handle in handles)
    if above:
        columns = max(1, int(width / (0.3 + 0.07 * longest)))
        fits = 0.13 * (1 + (len(handles) - 1) // columns) < 0.5 * height
        form: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
        form |= {"columnspacing": 1.2, "handletextpad": 0.5}
    else:
        columns = 1 + (len(handles) - 1) // max(1, int(7 * height))  # about 7 entries fit an inch of the axes
        fits = columns == 1 or columns * (0.4 + 0.08 * longest) < width
        form = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    if not fits:
        warn(f"a legend of {len(handles)} entries does not fit in these axes, so it is left out")
        return
    size = "x-small" if width < NARROW else "small"
    form |= {"frameon": False, "fontsize": size, "title_fontsize": size, "alignment": "left", "ncols": columns}
    ax.legend(handles=handles, title=title, **form)


def row_axes(ax: Axes | None, names: Iterable[Any], more: float = 0.0) -> Axes:
    """Axes with a name at each row, the first on top, or only the number of names if they would be too small."""
    shown = short(names)
    many = len(shown) > MANY
    ax = axes(ax, 6.4, (0.115 if many else 0.26) * len(shown) + 1.1 + more)
    font = min(6.0 if many else 8.5, 72 * inches(ax)[1] / max(1, len(shown)))
    if font < SMALLEST:
        ax.set_yticks([])
        ax.set_ylabel(f"{len(shown)} systems")
    else:
        ax.set_yticks(range(len(shown)), shown, fontsize=font)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    return ax


def draw_line(ax: Axes, place: int, x: Any, y: Any, name: str, **form: Any) -> Line2D:
    """Draw a line in the look of its place; ``name``: its entry in the legend, if any."""
    default = look(place, name) | {"linestyle": LINES[place % len(LINES)], "markersize": 4.5, "zorder": 3}
    return ax.plot(x, y, **default | form)[0]


def draw_diagonal(ax: Axes, low: float, high: float, label: str) -> FloatArray:
    """Draw the line x = y, and return (200, 2) points of it."""
    ax.plot([low, high], [low, high], color=FAINT, linestyle="--", linewidth=1.2, label=label, zorder=1)
    return np.linspace((low, low), (high, high), 200)


def save(ax: Axes, path: str | os.PathLike[str], *, dpi: int = 150) -> Path:
    """Write the figure of an Axes to a file (png, pdf or svg, by its ending), close it, and return the path.

    A figure without a layout of its own is laid out so that no label is cut off. Fonts of a pdf are embedded as type 42
    (TrueType), which publishers ask for.

    Parameters
    ----------
    ax : Axes
        Axes that a function of this module returned.
    path : str or Path
        The file; its folder is created if missing.
    dpi : int
        Dots per inch of a png.

    Examples
    --------
    >>> import tempfile
    >>> from ir_measures_relative import plots
    >>> plots.save(plots.tau_curve([0, 1], [1, .8]), tempfile.mkdtemp() + '/tau.png').name
    'tau.png'
    """
    figure = checked_axes(ax).figure.figure  # of a subfigure: the whole figure
    dpi = whole(dpi, "dpi", 1)
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be the path of a file, not {kind_of(path)}")
    file = Path(path)
    formats = figure.canvas.get_supported_filetypes()
    if file.suffix[1:].lower() not in formats:
        raise ValueError(f"path {quoted(path)} must end in a format: {', '.join(sorted(formats))}")
    file.parent.mkdir(parents=True, exist_ok=True)
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    part = file.with_name(f".part-{file.name}")
    try:
        with matplotlib.rc_context({"pdf.fonttype": 42, "ps.fonttype": 42}):
            figure.savefig(part, dpi=dpi)
        part.replace(file)  # the file is written completely or not at all
    finally:
        part.unlink(missing_ok=True)
    plt.close(figure)
    return file
