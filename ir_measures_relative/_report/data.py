"""The data of a report, for JSON. Each function makes one block; a block that cannot be made is null.

title, cutoff, scale       text; ranks shown of every ranking; ``values`` are whole numbers over ``scale``
words                      key: [label, definition], see ``words_block``
measures                   [{name, better, unit, prior}], the first is the main one; unit: its largest value
adds                       the measure that says what a run adds to the others, or null
groups, alone              names; relevant documents that only the group has in a top K, or null without groups
runs                       {name, group, copies}: lists over runs; group: place in ``groups`` or null
topics                     {name, text, judged, relevant}: lists over topics; top: the highest grade
means, places              [measure][run]: the mean or sum, and the rank by it
values                     [measure][run][topic]
unjudged                   [run][topic]: unjudged documents in the top K
ranks                      {level, low, high, rank_low, rank_high, tier, p_best}: lists over runs
imputed                    {mean, low, high}: lists over runs
lists                      see ``lists_block``, and p: see ``probabilities_block``
pairs                      see ``pairs_block``
next                       see ``next_block``
notes                      sentences about the labels
baseline                   a run or null
warnings                   number of warnings
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, isfinite
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._base import direction
from ir_measures_relative._input import IntArray
from ir_measures_relative._judged import Tops
from ir_measures_relative._report.content import Content, adds_up, prior_symbol, rounded
from ir_measures_relative._report.labels import imputed_block, probabilities_block
from ir_measures_relative._report.pairs import next_block, pairs_block
from ir_measures_relative._report.texts import read_texts
from ir_measures_relative._report.words import words_block

SCALE = 10_000  # a value is kept to four decimal places
MOST_MISSED = 20  # relevant documents of a topic that no run has in its top K: so many are named


def page_data(content: Content, title: str | None, baseline: str | None, texts: Any) -> dict[str, Any]:
    """Everything that the script of the page shows."""
    start, documents = content.tops.start, content.tops.doc_id
    included = [doc for topic in content.kept_topics for doc in documents[start[topic] : start[topic + 1]]]
    of_documents, of_topics = read_texts(texts, included, content.judgements.topic_keys)
    means = means_block(content)
    return {
        "title": f"Runs compared by {content.main}" if title is None else title,
        "cutoff": content.cutoff,
        "scale": SCALE,
        "words": {key: word for words in words_block(content).values() for key, word in words.items()},
        "measures": measures_block(content),
        "adds": content.adds,
        **runs_block(content),
        "topics": topics_block(content, of_topics),
        "means": means,
        "places": [places(of, direction(measure)) for of, measure in zip(means, content.measures, strict=True)],
        "values": values_block(content),
        "unjudged": content.tops.unjudged.sum(axis=2).tolist(),
        "ranks": ranks_block(content),
        "imputed": imputed_block(content),
        "lists": lists_block(content, of_documents) | {"p": probabilities_block(content)},
        "pairs": pairs_block(content),
        "next": next_block(content),
        "baseline": None if baseline is None else content.runs.names.index(baseline),
    }


def measures_block(content: Content) -> list[dict[str, Any]]:
    """Each measure with its direction, its largest value, which colours are relative to, and its prior runs."""
    sizes = np.where(np.isfinite(content.scores), np.abs(content.scores), 0).max(axis=(0, 1))  # (V,)
    return [
        {
            "name": str(measure),
            "better": direction(measure),
            "unit": max(round(size, 6), 1e-9),
            "prior": prior_symbol(measure),
        }
        for measure, size in zip(content.measures, sizes.tolist(), strict=True)
    ]


def runs_block(content: Content) -> dict[str, Any]:
    """Runs, groups, and what each group alone found; the group with the best run comes first."""
    names, group_of = content.runs.names, content.groups
    groups = list(dict.fromkeys(group_of[names[run]] for run in content.best_first)) if group_of else []
    place = {group: number for number, group in enumerate(groups)}
    group_of_run = [place[group_of[name]] if groups else None for name in names]
    return {
        "groups": groups,
        "runs": {"name": names, "group": group_of_run, "copies": copies(content.tops.code)},
        "alone": alone(content.tops, np.array(group_of_run)).tolist() if groups else None,
    }


def copies(code: IntArray) -> list[int | None]:
    """(M, Q, K) -> for each run the first run with the same rankings; None if no other run has them.

    >>> copies(np.array([[[0, 1]], [[1, 0]], [[0, 1]]]))
    [0, None, 0]
    """
    runs_of: dict[bytes, list[int]] = {}
    for run, of in enumerate(code):
        runs_of.setdefault(of.tobytes(), []).append(run)
    first: list[int | None] = [None] * len(code)
    for runs in runs_of.values():
        for run in runs if len(runs) > 1 else ():
            first[run] = runs[0]
    return first


def alone(tops: Tops, group_of_run: IntArray) -> IntArray:
    """(M,) -> (groups,) relevant documents that the runs of one group alone have in their top K, over all topics."""
    relevant = tops.grade > 0
    seen = np.unique(np.stack([tops.document[relevant], group_of_run[np.nonzero(relevant)[0]]]), axis=1)  # (2, n)
    _, first, n_groups = np.unique(seen[0], return_index=True, return_counts=True)
    return np.bincount(seen[1, first[n_groups == 1]], minlength=int(group_of_run.max()) + 1)


def topics_block(content: Content, texts: Mapping[str, str]) -> dict[str, Any]:
    judgements = content.judgements
    return {
        "name": judgements.topic_keys,
        "text": [texts.get(topic) for topic in judgements.topic_keys] if texts else None,
        "judged": judgements.n_judged.tolist(),
        "relevant": judgements.sum_by_topic(judgements.grade > 0).astype(int).tolist(),
        "top": judgements.max_grade,
    }


def means_block(content: Content) -> list[list[float | None]]:
    """[measure][run]: means over topics, or sums where ir_measures adds up."""
    n_topics = content.judgements.n_topics
    totals = [[fsum(values) for values in content.scores[:, :, place]] for place in range(len(content.measures))]
    return [
        [_plain(total if adds_up(measure) else total / n_topics, 6) for total in of_runs]
        for measure, of_runs in zip(content.measures, totals, strict=True)
    ]


def places(means: list[float | None], better: str) -> list[int]:
    """The rank of each run: 1 for the best, one rank for equal means.

    >>> places([0.25, 0.5, 0.25, None], "larger")
    [2, 1, 2, 4]
    """
    keys = [np.inf if mean is None else mean if better == "smaller" else -mean for mean in means]
    return [1 + sum(other < key for other in keys) for key in keys]


def values_block(content: Content) -> list[list[list[int | None]]]:
    """[measure][run][topic] in whole steps of 1 / SCALE."""
    scores = np.moveaxis(content.scores, 2, 0) * SCALE  # (V, M, Q)
    if np.isfinite(scores).all():
        whole: list[list[list[int | None]]] = np.round(scores).astype(np.int64).tolist()
        return whole
    return [[[round(v) if isfinite(v) else None for v in run] for run in of] for of in scores.tolist()]


def ranks_block(content: Content) -> dict[str, Any] | None:
    """Intervals of means and ranks over topics, and tiers; None with one topic."""
    if content.main_scores.shape[1] < 2 or not np.isfinite(content.main_scores).all():
        return None
    names = [f"{place:06}" for place in range(len(content.runs))]  # a system's place, since it is sorted as text
    # topics by name, so that the same ones are drawn as by compare
    table = pd.DataFrame(content.main_scores, index=names, columns=content.judgements.topic_keys)
    result = meta.rank_intervals(table, largest_first=content.sign > 0)
    by_place = result.to_frame().sort_values("system")
    block: dict[str, Any] = {"level": result.level, "trials": result.trials}
    for column in ("low", "high", "p_best"):
        block[column] = rounded(by_place[column].to_numpy())
    return block | {column: by_place[column].tolist() for column in ("rank_low", "rank_high", "tier")}


def lists_block(content: Content, texts: Mapping[str, str]) -> dict[str, Any]:
    """Rankings of the topics that are included, lists over their documents and over runs.

    docs: ids; grade: null = unjudged; found: how many runs have it in their top K, and its best rank;
    rank: [topic][run] documents in their order; missed: see ``_missed``; text: of some documents.
    """
    tops, kept = content.tops, content.kept_topics.tolist()
    documents = [tops.doc_id[tops.start[topic] : tops.start[topic + 1]].tolist() for topic in kept]
    return {
        "topics": kept,
        "docs": documents,
        "grade": [_grades(tops, topic) for topic in kept],
        "found": [_found(tops.code[:, topic]) for topic in kept],
        "rank": [[[c for c in codes if c >= 0] for codes in tops.code[:, topic].tolist()] for topic in kept],
        "missed": [_missed(content, topic, set(shown)) for topic, shown in zip(kept, documents, strict=True)],
        "text": [{at: texts[doc] for at, doc in enumerate(of) if doc in texts} for of in documents] if texts else None,
    }


def _grades(tops: Tops, topic: int) -> list[int | None]:
    """The grade of each document that a run has in its top K."""
    grades: list[int | None] = [None] * int(tops.start[topic + 1] - tops.start[topic])
    judged = tops.row[:, topic] >= 0
    for document, grade in zip(
        tops.code[:, topic][judged].tolist(), tops.grade[:, topic][judged].tolist(), strict=True
    ):
        grades[document] = int(grade)
    return grades


def _found(code: IntArray) -> list[list[int]]:
    """(M, K) of one topic -> for each document how many runs have it in their top K, and its best rank."""
    n_docs = int(code.max(initial=-1)) + 1
    _, rank = np.nonzero(code >= 0)
    document = code[code >= 0]
    best = np.full(n_docs, code.shape[1])
    np.minimum.at(best, document, rank + 1)
    return [np.bincount(document, minlength=n_docs).tolist(), best.tolist()]


def _missed(content: Content, topic: int, shown: set[str]) -> list[Any]:
    """How many relevant documents of a topic no run has in its top K, and [id, grade] of the best of them."""
    judgements = content.judgements
    rows = slice(judgements.start[topic], judgements.start[topic + 1])
    judged = zip(judgements.document_ids()[rows].tolist(), judgements.grade[rows].tolist(), strict=True)
    missed = [[doc, grade] for doc, grade in judged if grade > 0 and doc not in shown]
    return [len(missed), sorted(missed, key=lambda pair: (-pair[1], pair[0]))[:MOST_MISSED]]


def _plain(value: float, digits: int) -> float | None:
    return round(value, digits) + 0.0 if isfinite(value) else None
