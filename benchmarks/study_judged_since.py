"""Do intervals hold once some of the unjudged documents are judged?

    python benchmarks/study_judged_since.py FOLDER --depth 7

FOLDER has runs/, qrels.txt and groups.csv. As in `meta.interval_coverage`, each group is left out of the pool in turn
and labels are learned from the others. Then a random share of what is hidden of each of its runs is judged, that is,
its judgements are shown, and the run is evaluated with the same labels: with its effect updated by what was judged
since, as the package does it, and with features and effects that know nothing of when a document was judged.
"""

from __future__ import annotations

import argparse
import copy
from pathlib import Path
from typing import Any

import numpy as np
from study_judging import CUTOFF, Collection

from ir_measures_relative._labels import LearnedLabels, PartlyJudged, imputed_scores

SHARES = (0.0, 0.25, 0.5, 0.75)


def timeless(labels: LearnedLabels) -> LearnedLabels:
    """Labels that do not know what was judged when they were learned."""
    other = copy.copy(labels)
    vars(other).update(then=None)
    return other


def evaluated(data: Collection, place: int, judged: Any, labels: LearnedLabels) -> tuple[float, bool, float]:
    """Error of the mean of a run, whether its interval holds the truth, and its width."""
    part = PartlyJudged.hiding(data.runs[place], CUTOFF, judged)
    scores = imputed_scores(part, labels.chances(part), data.model, "all", f"nDCG@{CUTOFF}")
    low, high = scores.interval(0.95)
    truth = data.truth[place]
    return scores.mean - truth, bool(low - 1e-9 <= truth <= high + 1e-9), high - low


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--depth", type=int, default=7)
    options = parser.parse_args()
    data = Collection.read(options.folder, options.depth)
    found: dict[tuple[float, str], list[tuple[float, bool, float]]] = {}
    for group in data.pool.groups:
        case = data.without([group])
        random = np.random.default_rng(0)
        for place in case.own:
            row = data.runs[place].top(CUTOFF).row
            hidden = np.unique(row[(row >= 0) & ~case.judged[row]])
            if not len(hidden):
                continue
            order = random.permutation(hidden)
            for share in SHARES:
                judged = case.judged.copy()
                judged[order[: round(share * len(order))]] = True
                for form, labels in (("updated", case.labels), ("timeless", timeless(case.labels))):
                    found.setdefault((share, form), []).append(evaluated(data, place, judged, labels))
    print(f"{options.folder.name}: {len(found[0.0, 'updated'])} runs")
    for (share, form), rows in found.items():
        error, held, width = (np.array(column) for column in zip(*rows, strict=True))
        print(
            f"  {share:.0%} judged since, {form}: error {np.sqrt((error**2).mean()):.4f}, bias {error.mean():+.4f}, "
            f"95% interval holds {held.mean():.3f}, width {width.mean():.4f}"
        )


if __name__ == "__main__":
    main()
