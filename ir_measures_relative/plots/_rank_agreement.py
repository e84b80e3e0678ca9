"""How a parameter changes the order of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative._checks import real
from ir_measures_relative.plots._score_frames import finite
from ir_measures_relative.plots._style import FAINT, axes, entry, grid, legend_beside, look


def tau_curve(
    alphas: Sequence[float],
    taus: Any,
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
    x = finite(alphas, "alphas")
    named = isinstance(taus, (Mapping, pd.DataFrame))
    lines = (
        {str(name): finite(values, f"taus of {name!r}") for name, values in taus.items()}
        if named
        else {"": finite(taus, "taus")}
    )
    if not lines:
        raise ValueError("taus holds no line; it must hold at least one")
    if not len(x):
        raise ValueError("alphas holds no value; it must hold at least one")
    for name, values in lines.items():
        if len(values) != len(x):
            which = f"taus of {name!r} holds" if named else "taus holds"
            raise ValueError(f"{which} {len(values)} values and alphas {len(x)}; each alpha needs one tau")
        if np.abs(values).max(initial=0) > 1 + 1e-9:
            raise ValueError(f"taus has the value {values[np.abs(values).argmax()]}; tau lies between -1 and 1")
    threshold = None if threshold is None else real(threshold, "threshold", -1.0, 1.0)
    ax = axes(ax, 6.4, 3.8)
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
