"""What a report shows, as plain data for JSON. Each function makes one block; a block that cannot be made is null.

title, cutoff, scale       text; ranks shown of every list; ``values`` are whole numbers over ``scale``
words                      key: [label, definition], see ``words_block``
measures                   [{name, better, unit, prior}], the first is the main one; unit: its largest value
adds                       the measure that says what a run adds to the others, or null
groups, alone              names; relevant documents that only the group has in a top K, or null without groups
runs                       {name, group, copies}: lists over runs; group: place in ``groups`` or null
topics                     {name, text, judged, relevant}: lists over topics; top: the highest grade
means, places              [measure][run]: the mean or sum, and the rank by it
values                     [measure][run][topic]
unjudged                   [run][topic]: documents without judgement in the top K
ranks                      {level, low, high, rank_low, rank_high, tier, p_best}: lists over runs
imputed                    {mean, low, high}: lists over runs
lists                      see ``lists_block``, and p: see ``chances_block``
pairs, said                see ``pairs_block``, ``said_block``
next                       see ``next_block``
baseline                   a run or null
warnings                   how many there were when it was made
"""

from __future__ import annotations

from math import fsum, isfinite
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._base import direction
from ir_measures_relative._labels import Labels
from ir_measures_relative._report.decisions import next_block
from ir_measures_relative._report.evidence import Evidence, adds_up, prior_symbol
from ir_measures_relative._report.labels import chances_block, imputed_block
from ir_measures_relative._report.lists import Rankings, alone, copies, lists_block
from ir_measures_relative._report.numbers import rounded
from ir_measures_relative._report.pairs import pair_table, pairs_block, said_block
from ir_measures_relative._report.texts import read_texts
from ir_measures_relative._report.words import words_block

SCALE = 10_000  # a value is kept to four decimal places


def page_data(
    evidence: Evidence, labels: Labels | None, title: str | None, baseline: str | None, texts: Any
) -> dict[str, Any]:
    """Everything that the script of the page shows."""
    rankings = Rankings.of(evidence)
    documents = (doc for topic in evidence.kept_topics for doc in rankings.documents[topic])
    of_documents, of_topics = read_texts(texts, documents, evidence.judgements.topic_keys)
    table = pair_table(evidence, labels)
    words = words_block(evidence, None if labels is None else labels.model)
    means, pairs = means_block(evidence), pairs_block(evidence, table)
    return {
        "title": f"Runs compared by {evidence.main}" if title is None else title,
        "cutoff": evidence.cutoff,
        "scale": SCALE,
        "words": {key: word for part in words.values() for key, word in part.items()},
        "measures": measures_block(evidence),
        "adds": evidence.adds,
        **runs_block(rankings),
        "topics": topics_block(evidence, of_topics),
        "means": means,
        "places": [places(of, direction(measure)) for of, measure in zip(means, evidence.measures, strict=True)],
        "values": values_block(evidence),
        "unjudged": rankings.unjudged.sum(axis=2).tolist(),
        "ranks": ranks_block(evidence),
        "imputed": imputed_block(evidence, labels),
        "lists": lists_block(rankings, of_documents) | {"p": chances_block(rankings, labels)},
        "pairs": pairs,
        "said": said_block(evidence, pairs),
        "next": next_block(rankings, table),
        "baseline": None if baseline is None else list(evidence.runs).index(baseline),
    }


def measures_block(evidence: Evidence) -> list[dict[str, Any]]:
    """Each measure with its direction and its largest value, which colours are relative to."""
    sizes = np.where(np.isfinite(evidence.scores), np.abs(evidence.scores), 0).max(axis=(0, 1))  # (V,)
    return [
        {
            "name": str(measure),
            "better": direction(measure),
            "unit": max(round(size, 6), 1e-9),
            "prior": prior_symbol(measure),
        }
        for measure, size in zip(evidence.measures, sizes.tolist(), strict=True)
    ]


def runs_block(rankings: Rankings) -> dict[str, Any]:
    """Runs, groups, and what each group alone found; the group with the best run comes first."""
    evidence = rankings.evidence
    names = list(evidence.runs)
    groups = list(dict.fromkeys(evidence.groups[names[run]] for run in evidence.best_first)) if evidence.groups else []
    place = {group: number for number, group in enumerate(groups)}
    group_of_run = [place[evidence.groups[name]] if groups else None for name in names]
    return {
        "groups": groups,
        "runs": {"name": names, "group": group_of_run, "copies": copies(rankings.code)},
        "alone": alone(rankings, np.array(group_of_run)).tolist() if groups else None,
    }


def topics_block(evidence: Evidence, texts: dict[str, str]) -> dict[str, Any]:
    judgements = evidence.judgements
    return {
        "name": judgements.topic_keys,
        "text": [texts.get(topic) for topic in judgements.topic_keys] if texts else None,
        "judged": judgements.n_judged.tolist(),
        "relevant": judgements.sum_by_topic(judgements.grade > 0).astype(int).tolist(),
        "top": judgements.max_grade,
    }


def means_block(evidence: Evidence) -> list[list[float | None]]:
    """[measure][run]: means over topics, and sums where ir_measures adds up."""
    n_topics = evidence.judgements.n_topics
    totals = [[fsum(values) for values in evidence.scores[:, :, place]] for place in range(len(evidence.measures))]
    return [
        [_plain(total if adds_up(measure) else total / n_topics, 6) for total in of_runs]
        for measure, of_runs in zip(evidence.measures, totals, strict=True)
    ]


def places(means: list[float | None], better: str) -> list[int]:
    """The rank of each run: 1 for the best, one rank for equal means.

    >>> places([0.25, 0.5, 0.25, None], "larger")
    [2, 1, 2, 4]
    """
    keys = [np.inf if mean is None else mean if better == "smaller" else -mean for mean in means]
    return [1 + sum(other < key for other in keys) for key in keys]


def values_block(evidence: Evidence) -> list[list[list[int | None]]]:
    """[measure][run][topic] in whole steps of 1 / SCALE."""
    scores = np.moveaxis(evidence.scores, 2, 0) * SCALE  # (V, M, Q)
    if np.isfinite(scores).all():
        whole: list[list[list[int | None]]] = np.round(scores).astype(np.int64).tolist()
        return whole
    return [[[round(v) if isfinite(v) else None for v in run] for run in of] for of in scores.tolist()]


def ranks_block(evidence: Evidence) -> dict[str, Any] | None:
    """Intervals of means and ranks over topics, and tiers; None where one topic says nothing about others."""
    if evidence.main_scores.shape[1] < 2 or not np.isfinite(evidence.main_scores).all():
        return None
    names = [f"{place:06}" for place in range(len(evidence.runs))]  # a system's place, since it is sorted as text
    # topics by name, so that the same ones are drawn as by compare
    table = pd.DataFrame(evidence.main_scores, index=names, columns=evidence.judgements.topic_keys)
    found = meta.rank_intervals(table, largest_first=evidence.sign > 0)
    by_place = found.to_frame().sort_values("system")
    block: dict[str, Any] = {"level": found.level, "trials": found.trials}
    for column in ("low", "high", "p_best"):
        block[column] = rounded(by_place[column].to_numpy())
    return block | {column: by_place[column].tolist() for column in ("rank_low", "rank_high", "tier")}


def _plain(value: float, places: int) -> float | None:
    return round(value, places) + 0.0 if isfinite(value) else None
