"""What a parameter or the depth of a pool changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative._checks import real
from ir_measures_relative._input import FloatArray
from ir_measures_relative.plots._score_frames import finite
from ir_measures_relative.plots._style import FAINT, axes, entry, grid, legend_beside, look, name_x, name_y


def tau_curve(
    alphas: Sequence[float],
    taus: Any,
    *,
    threshold: float | None = 0.9,
    xlabel: str = r"$\alpha$",
    ax: Axes | None = None,
) -> Axes:
    """When does a parameter begin to change the order of systems?

    Figure 2 of the rareness paper: Kendall's tau between the order by a measure with weight alpha and without.

    Parameters
    ----------
    alphas : the values of the parameter
    taus : tau of each (see ``meta.kendall_tau``), or several lines: dict of name: taus, or DataFrame
    threshold : the tau from which two orders count as alike, a grey line; None: no line
    xlabel : what the parameter is called
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.tau_curve([0, .5, 1], {'P': [1, .93, .86], 'AP': [1, .97, .92]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['P', 'AP', 'threshold .9']

    References
    ----------
    Türkmen, Lease, Kutlu. New metrics to encourage innovation and diversity in IR approaches, Figure 2.
    """
    x, lines, named = _lines(alphas, taus, "alphas", "taus", "tau")
    for values in lines.values():
        if np.abs(values).max(initial=0) > 1 + 1e-9:
            raise ValueError(f"taus has the value {values[np.abs(values).argmax()]}; tau lies between -1 and 1")
    threshold = None if threshold is None else real(threshold, "threshold", -1.0, 1.0)
    ax = axes(ax, 6.4, 3.8)
    _draw(ax, x, lines, named)
    if threshold is not None:
        shown = f"{threshold:g}".removeprefix("0") if 0 < threshold < 1 else f"{threshold:g}"
        ax.axhline(threshold, color=FAINT, linewidth=1.2, label=f"threshold {shown}", zorder=1)
    lowest = min([float(values.min()) for values in lines.values()] + ([] if threshold is None else [threshold]))
    ax.set_ylim(max(-1.0, lowest - 0.08 * max(1 - lowest, 0.1)), 1.0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(r"Kendall's $\tau$")
    grid(ax, "y")
    legend_beside(ax)
    return ax


def med_depth(
    depths: Sequence[float], meds: Any, *, name: str = "mean MED", xlabel: str = "pool depth", ax: Axes | None = None
) -> Axes:
    """How much could two runs still differ, once pools are judged to a depth?

    The paper's use of MED: the deeper the pool, the less is left open; where the curve is flat, judging deeper does not
    pay.

    Parameters
    ----------
    depths : the pool depths
    meds : MED of each (the mean over topics, say, with judgements cut at that depth), or several lines, such as pairs
        of runs: dict of name: values, or DataFrame
    name, xlabel : what the two axes are called
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.med_depth([1, 5, 10], {'bm25, dense': [.6, .3, .1], 'bm25, fused': [.5, .2, .1]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bm25, dense', 'bm25, fused']

    References
    ----------
    Tan, Clarke (2015). A family of rank similarity measures based on maximized effectiveness difference. IEEE
    Transactions on Knowledge and Data Engineering 27(11).
    """
    x, lines, named = _lines(depths, meds, "depths", "meds", "MED")
    ax = axes(ax, 6.4, 3.8)
    _draw(ax, x, lines, named)
    ax.set_ylim(min(0.0, 1.05 * min(float(values.min()) for values in lines.values())), None)
    name_x(ax, xlabel)
    name_y(ax, str(name))
    grid(ax, "both")
    legend_beside(ax)
    return ax


def _lines(x: Any, lines: Any, what_x: str, what: str, one: str) -> tuple[FloatArray, dict[str, FloatArray], bool]:
    """(n,) the places, name -> (n,) values of each line, and whether the lines have names."""
    places = finite(x, what_x)
    named = isinstance(lines, (Mapping, pd.DataFrame))
    checked = (
        {str(name): finite(values, f"{what} of {name!r}") for name, values in lines.items()}
        if named
        else {"": finite(lines, what)}
    )
    if not checked:
        raise ValueError(f"{what} contains no line; it must contain at least one")
    if not len(places):
        raise ValueError(f"{what_x} contains no value; it must contain at least one")
    for name, values in checked.items():
        if len(values) != len(places):
            which = f"{what} of {name!r} holds" if named else f"{what} holds"
            each = what_x.removesuffix("s")
            raise ValueError(f"{which} {len(values)} values and {what_x} {len(places)}; each {each} requires one {one}")
    return places, checked, named


def _draw(ax: Axes, x: FloatArray, lines: dict[str, FloatArray], named: bool) -> None:
    """Each line in a look of its own, from left to right."""
    order = np.argsort(x, kind="stable")
    for place, (name, values) in enumerate(lines.items()):
        style = look(place)
        ax.plot(
            x[order],
            values[order],
            color=style.color,
            marker=style.marker,
            linestyle=style.line,
            markersize=5,
            label=entry(name) if named else None,
            clip_on=False,
            zorder=3,
        )
