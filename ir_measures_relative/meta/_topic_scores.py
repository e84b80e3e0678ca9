"""Scores of runs on every topic, asked of ir_measures."""

from __future__ import annotations

from collections.abc import Mapping

import ir_measures

from ir_measures_relative._judged import Judgements, Run
from ir_measures_relative.meta._score_table import ScoreTable


def topic_scores(measure: ir_measures.Measure, judgements: Judgements, runs: Mapping[str, Run]) -> ScoreTable:
    """Runs x topics; a topic that a run lacks counts as the measure scores an empty ranking, or 0.

    Measures of ir_measures see strictly falling scores, so that every provider sees the same order; others see the
    scores themselves.
    """
    evaluator = ir_measures.evaluator([measure], judgements.to_dict())
    # judged_only drops documents before it cuts, and other packages' measures may look further down than their cutoff
    is_host = type(measure).__module__.startswith("ir_measures.")
    depth = measure.params.get("cutoff") if is_host and not measure.params.get("judged_only") else None
    scores = {}
    for name, run in runs.items():
        lists = zip(run.topic_keys, run.cut(depth).rankings(), strict=True)
        falling = {topic: {d: float(len(r) - i) for i, d in enumerate(r)} for topic, r in lists if r}
        given = falling if is_host else run.to_dict()
        found = {metric.query_id: metric.value for metric in evaluator.iter_calc(given)}
        scores[name] = {topic: found.get(topic, 0.0) for topic in judgements.topic_keys}
    return ScoreTable.of(scores)
