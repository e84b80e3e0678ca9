"""The data of a report, for JSON. Each function makes one block; a block that cannot be made is null.

words                      key: [label, definition], see ``definitions``
measures                   [{name, better, unit, prior}], the first is the main one; unit: its largest value
adds                       the measure that says what a run adds to the others, or null
groups, alone              names; relevant documents that only the group has in a top K, or null without groups
runs                       {name, group, copies}: lists over runs; group: place in ``groups`` or null
topics                     {name, text, judged, relevant}: lists over topics; top: the highest grade
means, places              [measure][run]: the mean or sum, and the rank by it
values                     [measure][run][topic]: whole numbers over ``scale``
unjudged                   [run][topic]: unjudged documents in the top K (``cutoff``)
ranks, imputed             lists over runs, see ``ranks_block`` and ``imputed_block``
lists, pairs, next         see ``lists_block`` and ``probabilities_block``, ``pairs_block``, ``next_block``
notes, baseline, warnings  sentences about the labels; a run or null; number of warnings
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._base import direction
from ir_measures_relative._checks import tracked
from ir_measures_relative._experiment import summary
from ir_measures_relative._input import IntArray
from ir_measures_relative._judged import Tops
from ir_measures_relative._report.about import definitions
from ir_measures_relative._report.content import Content, prior_symbol, rounded
from ir_measures_relative._report.decisions import SCALE, imputed_block, next_block, pairs_block, probabilities_block
from ir_measures_relative._report.texts import read_texts

MOST_MISSED = 20  # relevant documents of a topic that no run has in its top K: so many are named


def page_data(content: Content, title: str | None, baseline: str | None, texts: Any) -> dict[str, Any]:
    """Everything that the script of the page shows."""
    start, documents, judgements = content.tops.start, content.tops.doc_id, content.judgements
    included = [doc for topic in content.kept_topics for doc in documents[start[topic] : start[topic + 1]]]
    document_texts, topic_texts = read_texts(texts, included, judgements.topic_keys)
    scores = np.moveaxis(content.scores, 2, 0)  # (V, M, Q)
    means = [rounded(summary(measure, of), 6) for measure, of in zip(content.measures, scores, strict=True)]
    data = {
        "title": f"Runs compared by {content.main}" if title is None else title,
        "cutoff": content.cutoff,
        "scale": SCALE,
        "words": {key: word for words in definitions(content).values() for key, word in words.items()},
        "measures": measures_block(content),
        "adds": content.adds,
        **runs_block(content),
        "topics": {
            "name": judgements.topic_keys,
            "text": [topic_texts.get(topic) for topic in judgements.topic_keys] if topic_texts else None,
            "judged": judgements.n_judged.tolist(),
            "relevant": judgements.sum_by_topic(judgements.grade > 0).astype(int).tolist(),
            "top": judgements.max_grade,
        },
        "means": means,
        "places": [places(of, direction(measure)) for of, measure in zip(means, content.measures, strict=True)],
        "values": [[rounded(run * SCALE, None) for run in of] for of in scores],
        "unjudged": content.tops.unjudged.sum(axis=2).tolist(),
        "lists": lists_block(content, document_texts) | {"p": probabilities_block(content)},
        "baseline": None if baseline is None else content.runs.names.index(baseline),
    }
    blocks = {"ranks": ranks_block, "imputed": imputed_block, "pairs": pairs_block, "next": next_block}
    for name, block in tracked(blocks.items(), len(blocks), "preparing the page"):
        data[name] = block(content)
    return data


def measures_block(content: Content) -> list[dict[str, Any]]:
    """Each measure with its direction, its largest value, which colours are relative to, and its prior runs."""
    sizes = np.where(np.isfinite(content.scores), np.abs(content.scores), 0).max(axis=(0, 1)).round(6)  # (V,)
    rows = zip(content.titles, content.measures, np.maximum(sizes, 1e-9).tolist(), strict=True)
    return [{"name": title, "better": direction(m), "unit": size, "prior": prior_symbol(m)} for title, m, size in rows]


def runs_block(content: Content) -> dict[str, Any]:
    """Runs, groups, and what each group alone found; the group with the best run comes first."""
    names, group_of = content.runs.names, content.groups
    groups = list(dict.fromkeys(group_of[names[run]] for run in content.best_first)) if group_of else []
    group_of_run = [groups.index(group_of[name]) if groups else None for name in names]
    return {
        "groups": groups,
        "runs": {"name": names, "group": group_of_run, "copies": copies(content.tops.code)},
        "alone": alone(content.tops, np.array(group_of_run)).tolist() if groups else None,
    }


def copies(code: IntArray) -> list[int | None]:
    """(M, Q, K) -> for each run the first run with the same rankings; None if no other run has them."""
    rankings = [of.tobytes() for of in code]
    return [rankings.index(of) if rankings.count(of) > 1 else None for of in rankings]


def alone(tops: Tops, group_of_run: IntArray) -> IntArray:
    """(M,) -> (groups,) relevant documents that the runs of one group alone have in their top K, over all topics."""
    relevant = tops.grade > 0
    seen = np.unique(np.stack([tops.document[relevant], group_of_run[np.nonzero(relevant)[0]]]), axis=1)  # (2, n)
    _, first, n_groups = np.unique(seen[0], return_index=True, return_counts=True)
    return np.bincount(seen[1, first[n_groups == 1]], minlength=int(group_of_run.max()) + 1)


def places(means: list[float | None], better: str) -> list[int]:
    """The rank of each run: 1 for the best, one rank for equal means.

    >>> places([0.25, 0.5, 0.25, None], "larger")
    [2, 1, 2, 4]
    """
    ranks = pd.Series(means, dtype=float).rank(method="min", ascending=better == "smaller", na_option="bottom")
    return [int(rank) for rank in ranks]


def ranks_block(content: Content) -> dict[str, Any] | None:
    """Intervals of means and ranks over topics, and tiers; None with one topic."""
    if content.main_scores.shape[1] < 2 or not np.isfinite(content.main_scores).all():
        return None
    names = [f"{place:06}" for place in range(len(content.runs))]  # a system's place, since it is sorted as text
    # topics by name, so that the same ones are drawn as by compare
    table = pd.DataFrame(content.main_scores, index=names, columns=content.judgements.topic_keys)
    result = meta.rank_intervals(table, largest_first=content.sign > 0)
    by_place = result.to_frame().sort_values("system")
    return {
        "level": result.level,
        **{column: rounded(by_place[column].to_numpy()) for column in ("low", "high", "p_best")},
        **{column: by_place[column].tolist() for column in ("rank_low", "rank_high", "tier")},
    }


def lists_block(content: Content, texts: Mapping[str, str]) -> dict[str, Any]:
    """Rankings of the topics that are included, lists over their documents and over runs.

    docs: ids; grade: null = unjudged; found: how many runs have it in their top K, and its best rank;
    rank: [topic][run] documents in their order; missed: see ``_missed``; text: of some documents.
    """
    tops, kept = content.tops, content.kept_topics.tolist()
    present, document = tops.present, tops.document[tops.present]
    grade, n_docs = np.full(len(tops.doc_id), np.nan), len(tops.doc_id)
    grade[document] = tops.grade[present]
    n_runs, best = np.bincount(document, minlength=n_docs), np.full(n_docs, content.cutoff)
    np.minimum.at(best, document, np.nonzero(present)[2] + 1)
    parts = [slice(tops.start[topic], tops.start[topic + 1]) for topic in kept]
    documents = [tops.doc_id[part].tolist() for part in parts]
    return {
        "topics": kept,
        "docs": documents,
        "grade": [rounded(grade[part], None) for part in parts],
        "found": [[n_runs[part].tolist(), best[part].tolist()] for part in parts],
        "rank": [[[c for c in codes if c >= 0] for codes in tops.code[:, topic].tolist()] for topic in kept],
        "missed": [_missed(content, topic, set(shown)) for topic, shown in zip(kept, documents, strict=True)],
        "text": [{at: texts[doc] for at, doc in enumerate(of) if doc in texts} for of in documents] if texts else None,
    }


def _missed(content: Content, topic: int, shown: set[str]) -> list[Any]:
    """How many relevant documents of a topic no run has in its top K, and [id, grade] of the best of them."""
    judgements = content.judgements
    rows = slice(judgements.start[topic], judgements.start[topic + 1])
    judged = zip(judgements.document_ids()[rows].tolist(), judgements.grade[rows].tolist(), strict=True)
    missed = [[doc, grade] for doc, grade in judged if grade > 0 and doc not in shown]
    return [len(missed), sorted(missed, key=lambda pair: (-pair[1], pair[0]))[:MOST_MISSED]]
