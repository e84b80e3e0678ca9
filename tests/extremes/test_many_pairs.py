"""Both ends of many pairs at once are those of each pair on its own."""

from __future__ import annotations

import numpy as np
import pytest

import ir_measures_relative as imr
from ir_measures_relative._extremes import MedSettings, labellings, signed_ends
from ir_measures_relative._judged import Judgements, Run, Runs

BASES = ["nDCG@5", "P@5", "RBP(p=0.7)@5", "RR@5", "AP@5", "ERR@5", "nDCG(dcg='exp-log2')@5", "Q(beta=1)@5"]


@pytest.mark.parametrize("block", [1, 90, labellings.BLOCK])
@pytest.mark.parametrize("base", BASES)
def test_as_pair_by_pair(base: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labellings, "BLOCK", block)
    track = imr.simulate.track(seed=3, topics=4, depth=8, pool_depth=3)
    # a topic that a run lacks, and lists of different lengths
    runs = {
        "bm25": track.runs["bm25"].query("query_id != '2'"),
        "dense_small": track.runs["dense_small"].groupby("query_id").head(3),
        "hybrid": track.runs["hybrid"],
    }
    judgements = Judgements.of(track.qrels)
    joined = Runs.of(judgements, {name: Run.of(run) for name, run in runs.items()})
    first, second = np.triu_indices(3, k=1)
    question = MedSettings.of(base).question(judgements)
    below, above = signed_ends(joined.top(5), first, second, question)
    names = list(runs)
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        single = imr.med(track.qrels, runs[names[i]], runs[names[j]], base=base)
        np.testing.assert_array_equal(below[pair], single.below)
        np.testing.assert_array_equal(above[pair], single.above)
