"""Blocks of a report about unjudged documents: expected scores, pairs of runs, and what to judge next."""

from base64 import b64encode
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._checks import counted, heard_warnings, warn
from ir_measures_relative._experiment import PAIR_TEXTS, next_documents, p_values, pair_keys
from ir_measures_relative._input import FloatArray
from ir_measures_relative._labels import BASES, LEARNED, ImputedScores, LearnedLabels, base_text, left_out_coverage
from ir_measures_relative._report.content import Content, rounded

LEVEL = 0.95  # the probability from which an order is likely
N_DOCUMENTS = 100  # documents to judge next that a page lists
SCALE = 10_000  # values of topics are kept to four decimal places


def imputed_block(content: Content) -> dict[str, list[float]] | None:
    """Lists over runs: the expected mean over these topics once unjudged documents have labels, and its interval."""
    if content.labels is None:
        return None
    name = base_text(content.main)
    scores = [ImputedScores(name, run, target="pooled", depth=None, calibrated=True) for run in content.labelled]
    columns = np.array([(score.mean, *score.interval(LEVEL)) for score in scores]).T  # (3, M)
    return dict(zip(("mean", "low", "high"), map(rounded, columns), strict=True))


def probabilities_block(content: Content) -> list[dict[int, list[int]]] | None:
    """For each topic that is included: document -> probabilities of the grades 0, 1, ... in percent, if it is open.

    A document that is open in several runs has the mean of its probabilities in each.
    """
    if content.labels is None:
        return None
    tops = content.tops
    n_grades = max(int(run.labels.grade[-1]) for run in content.labelled) + 1
    total, number = np.zeros((len(tops.doc_id), n_grades)), np.zeros(len(tops.doc_id))
    for run, place in zip(content.labelled, tops.document, strict=True):
        document = place[run.open.topic, run.open.rank]  # (n,)
        total[document[:, None], run.labels.grade] += run.marginal
        number[document] += 1
    percent = np.round(100 * total / np.maximum(number, 1)[:, None]).astype(int)
    return [
        {code: percent[start + code].tolist() for code in np.flatnonzero(number[start:end]).tolist()}
        for start, end in zip(tops.start[content.kept_topics], tops.start[content.kept_topics + 1], strict=True)
    ]


def label_notes(content: Content, check: bool) -> list[str]:
    """Origin of the labels and, with ``check``, how often their intervals contain the truth on this collection."""
    labels = content.labels
    if labels is None:
        return []
    model, depth, notes = labels.model, labels.depth or labels.model.depth, []
    if isinstance(model, LearnedLabels) and model.support is not None:
        runs, groups = model.training["run"].nunique(), model.training["group"].nunique()
        notes.append(
            f"Labels of unjudged documents were learned from {counted(runs, 'run')} of {counted(groups, 'group')}: "
            "each group was left out of the pool in turn. A run is evaluated with labels learned without its own group."
        )
    if depth is not None and depth < content.cutoff:
        notes.append(
            f"The pool was {depth} deep: unjudged documents have labels down to rank {depth}; deeper ones count as not "
            "relevant, as they do for pooled runs."
        )
    if not labels.calibrated:
        notes.append("The label model is not calibrated for these runs, so its intervals are likely to be too narrow.")
    return notes + ([_coverage_note(content, model, labels.depth)] if check else [])


def _coverage_note(content: Content, model: Any, depth: int | None) -> str:
    judge = getattr(model, "judge", None)
    if isinstance(model, LearnedLabels):  # learned again without each group
        model = "judge" if model.support is None else LEARNED
    with heard_warnings():
        result = left_out_coverage(
            content.runs, content.labelled[0].model, base_text(content.main), model, judge, depth
        )
    row = result.by_level().set_index("level").loc[LEVEL]
    n_runs, n_groups = int(row["runs"]), int(row["groups"])
    if not n_runs:
        return "Label intervals could not be checked: no group has judged documents that only its runs retrieved."
    return (
        f"Checked on this collection by leaving each group out of the pool: {LEVEL:.0%} label intervals contained the "
        f"score with all judgements for {round(row['by_run'] * n_runs)} of {counted(n_runs, 'run')} "
        f"({counted(n_groups, 'group')})."
    )


def pairs_block(content: Content) -> dict[str, Any] | None:
    """Runs, best first, and lists over their pairs (i, j), i < j; None with a single run.

    ``ends`` of a pair are those of each topic whose rankings are included, see ``coded``. ``said`` is the kind of each
    pair among ``kinds``: which of ``texts`` describe it.
    """
    best, table = content.paired, content.pairs
    if len(best) < 2:
        return None
    scores = content.main_scores[best]  # (m, Q)
    first, second = np.triu_indices(len(best), k=1)  # (P,)
    means, p_value = scores.mean(axis=1), np.full(len(first), np.nan)
    if np.isfinite(scores).all():
        p_value = p_values(scores)[first, second]
    block: dict[str, Any] = dict.fromkeys(("low", "high", "settled", "med", "ends", "better", "worse"))
    block |= {"runs": best.tolist(), "difference": rounded(means[first] - means[second], 6)}
    block["p"] = rounded(p_value, 6) if np.isfinite(p_value).all() else None
    if table is not None:
        (low, high), kept = table.ends, content.kept_topics
        block |= {
            "low": rounded(table.low, 6),
            "high": rounded(table.high, 6),
            "settled": table.settled.tolist(),
            "med": rounded(np.maximum(high, -low).mean(axis=1)),
            "ends": coded(low[:, kept], high[:, kept]),
        }
        if table.labels is not None:
            block["better"], block["worse"] = map(rounded, table.probabilities)
    return block | _said(content, block, meta.corrected(p_value, "holm"))


def _said(content: Content, pairs: dict[str, Any], p_value: FloatArray) -> dict[str, Any]:
    nothing = [None] * len(p_value)
    columns = [pairs[key] or nothing for key in ("difference", "settled", "better", "worse")]
    kinds = [
        pair_keys(content.sign * difference, content.judgements.n_topics, settled, better, worse, p, LEVEL, 0.0)[1:3]
        for difference, settled, better, worse, p in zip(*columns, p_value.tolist(), strict=True)
    ]
    number = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
    used = {"leads", "same"}.union(*number)
    texts = {key: text for key, text in PAIR_TEXTS.items() if key in used}
    return {"said": [number[kind] for kind in kinds], "kinds": list(number), "texts": texts}


def coded(low: FloatArray, high: FloatArray) -> list[str]:
    """(P, Q) twice -> a text for each pair; the sign of an end, which decides, survives rounding.

    Ends are whole steps of 1 / SCALE: low and high of the first topic, of the second, ..., each in two bytes.
    """
    steps = np.stack([low, high], axis=2) * SCALE  # (P, Q, 2)
    whole = np.sign(steps) * np.maximum(np.round(np.abs(steps)), np.abs(steps) > 1e-6)
    return [b64encode(ends.tobytes()).decode() for ends in np.clip(whole, -SCALE, SCALE).astype("<i2")]


def next_block(content: Content) -> dict[str, Any] | None:
    """The documents to judge next, those that matter most first; effects are relative to the first one.

    None without a pair, without labels for the main measure, and if the qrels say nothing about unjudged documents.
    """
    table = content.pairs
    if len(content.paired) < 2 or table is None or type(content.main).NAME not in BASES:
        return None
    if not content.tops.unjudged.any():
        return {"left": 0, "documents": []}
    grades = content.judgements.grade_counts
    if content.labels is None and not (grades and min(grades) <= 0 < max(grades)):
        warn(
            "report: what to judge next is left out, because the qrels lack relevant or non-relevant documents and so "
            "do not show how often unjudged documents are relevant; give labels="
        )
        return None
    with heard_warnings():
        frame = next_documents(table, N_DOCUMENTS)
    topics = {key: place for place, key in enumerate(content.judgements.topic_keys)}
    columns = {
        "topic": frame["query_id"].map(topics), "id": frame["doc_id"], "p": frame["p_relevant"].round(3),
        "runs": frame["n_runs"], "pairs": frame["pairs"], "effect": (frame["effect"] / frame["effect"].max()).round(3),
    }  # fmt: skip
    return {"left": round(frame.expected_left), "documents": pd.DataFrame(columns).to_dict("records")}
