"""The track of the browser tests of a report, and what its page must say."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from statsmodels.stats.multitest import multipletests

import ir_measures_relative as imr
from ir_measures_relative._experiment import pair_sentence
from support.browser import Browser

TRACK = imr.simulate.track(seed=0, topics=12)
LABELS = imr.LabelModel.shares({0: 0.8, 1: 0.15, 2: 0.05})
VIEWS = [
    "view=runs", "view=groups", "view=topics", "view=scatter", "view=pairs", "view=next", "view=about",
    "view=run&run=bm25", "view=topic&topic=3", "view=two&a=bm25&b=hybrid&topic=3",
]  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "x" * 300,
    "تجربة بحث",
    "__proto__",
    "a&b=c#d",
]


def said_of(data: dict[str, Any]) -> list[str]:
    """The paragraph about each pair, from the numbers of the page."""
    pairs, names = data["pairs"], data["runs"]["name"]
    columns = zip(
        combinations(pairs["runs"], 2), pairs["difference"], pairs["settled"], pairs["better"], pairs["worse"],
        multipletests(pairs["p"], method="holm")[1], strict=True,
    )  # fmt: skip
    return [
        pair_sentence(names[a], names[b], difference, len(data["topics"]["name"]), settled=settled,
                      probability=better, probability_worse=worse, p_value=p, n_pairs=len(pairs["p"]))
        for (a, b), difference, settled, better, worse, p in columns
    ]  # fmt: skip


def names(browser: Browser) -> list[str]:
    """Names of the runs, in the order of the leaderboard."""
    return browser.texts("#leaderboard tbody td:nth-child(2) bdi")
