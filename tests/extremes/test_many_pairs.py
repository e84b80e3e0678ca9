"""Both ends of many pairs at once are those of each pair on its own."""

from __future__ import annotations

import numpy as np
import pytest

import ir_measures_relative as imr
from ir_measures_relative._extremes import many_pairs, signed_ends
from ir_measures_relative._judged import JudgedRun, Judgements, Run
from ir_measures_relative.measures import MED

BASES = ["nDCG@5", "P@5", "RBP(p=0.7)@5", "RR@5", "AP@5", "ERR@5", "nDCG(dcg='exp-log2')@5"]


@pytest.mark.parametrize("rows", [1, 7, many_pairs.ROWS])
@pytest.mark.parametrize("base", BASES)
def test_as_pair_by_pair(base: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_pairs, "ROWS", rows)
    track = imr.simulate.track(seed=3, topics=4, depth=8, pool_depth=3)
    # a topic that a run lacks, and lists of different lengths
    runs = {
        "bm25": track.runs["bm25"].query("query_id != '2'"),
        "dense_small": track.runs["dense_small"].groupby("query_id").head(3),
        "hybrid": track.runs["hybrid"],
    }
    judgements = Judgements.of(track.qrels)
    joined = [JudgedRun(judgements, Run.of(run)) for run in runs.values()]
    numbers: dict[str, int] = {}
    code = np.full((3, 4, 5), -1)
    grade = np.full((3, 4, 5), np.nan)
    for place, run in enumerate(joined):
        ids, top = run.documents(5), run.top(5)
        code[place, :, : ids.shape[1]] = [
            [-1 if doc is None else numbers.setdefault(doc, len(numbers)) for doc in row] for row in ids
        ]
        grade[place, :, : ids.shape[1]] = np.where(top.row >= 0, top.grade, np.nan)
    first, second = np.triu_indices(3, k=1)
    below, above = signed_ends(code, grade, first, second, MED(base=base).question(judgements))
    names = list(runs)
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        single = imr.med(track.qrels, runs[names[i]], runs[names[j]], base=base)
        np.testing.assert_array_equal(below[pair], single.below)
        np.testing.assert_array_equal(above[pair], single.above)
