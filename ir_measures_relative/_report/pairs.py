"""Blocks of a report about pairs of runs: differences, whether labels could change them, and what to judge next."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._checks import heard_warnings, warn
from ir_measures_relative._experiment import PAIR_TEXTS, next_documents, pair_keys
from ir_measures_relative._input import FloatArray
from ir_measures_relative._labels import BASES
from ir_measures_relative._report.content import Content, rounded

LEVEL = 0.95  # the probability from which an order is likely
N_DOCUMENTS = 100  # documents to judge next that a page lists
STEPS = 10_000  # an end is kept to four decimal places, as all values of topics are
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def pairs_block(content: Content) -> dict[str, Any] | None:
    """Runs, best first, and lists over their pairs (i, j), i < j.

    ``ends`` of a pair are five characters for each topic whose rankings are included: low and high, see ``coded``.
    ``said`` is the kind of each pair among ``kinds``: which of ``texts`` describe it.
    """
    best, table = content.paired, content.pairs
    if len(best) < 2:
        return None
    scores = content.main_scores[best]  # (m, Q)
    first, second = np.triu_indices(len(best), k=1)  # (P,)
    means = scores.mean(axis=1)
    block: dict[str, Any] = {
        "runs": best.tolist(),
        "difference": rounded(means[first] - means[second], 6),
        "p": p_values(scores, None),
        "low": None, "high": None, "settled": None, "med": None, "ends": None, "better": None, "worse": None,
    }  # fmt: skip
    if table is not None:
        (low, high), kept = table.ends, content.kept_topics
        block |= {
            "low": rounded(table.low, 6),
            "high": rounded(table.high, 6),
            "settled": table.settled.tolist(),
            "med": rounded(np.maximum(high, -low).mean(axis=1)),
            "ends": [coded(*ends) for ends in zip(low[:, kept], high[:, kept], strict=True)],
        }
    if table is not None and table.labels is not None:
        block["better"], block["worse"] = (rounded(row) for row in table.probabilities)
    return block | said(content, block, p_values(scores, "holm"))


def said(content: Content, pairs: dict[str, Any], p_value: list[float] | None) -> dict[str, Any]:
    """The texts that describe pairs; the kinds of pairs, by the texts on labels and topics; the kind of each pair."""
    n_topics, nothing = content.judgements.n_topics, [None] * len(pairs["difference"])
    columns = [pairs[key] or nothing for key in ("difference", "settled", "better", "worse")]
    kinds = [
        pair_keys(content.sign * difference, n_topics, settled, better, worse, p, LEVEL, 0.0)[1:3]
        for difference, settled, better, worse, p in zip(*columns, p_value or nothing, strict=True)
    ]
    number = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
    used = {"leads", "same"}.union(*number)
    texts = {key: text for key, text in PAIR_TEXTS.items() if key in used}
    return {"said": [number[kind] for kind in kinds], "kinds": list(number), "texts": texts}


def p_values(scores: FloatArray, correction: str | None) -> list[float] | None:
    """(m, Q) -> (P,) of the paired t-test over topics; None with one topic."""
    if scores.shape[1] < 2 or not np.isfinite(scores).all():
        return None
    table = pd.DataFrame(scores, index=[f"{place:06}" for place in range(len(scores))])  # names in this order
    return rounded(meta.discriminative_power(table, test="ttest", correction=correction).p_value, 6)


def coded(low: FloatArray, high: FloatArray) -> str:
    """(Q,) twice -> five characters for each topic; the sign of an end, which decides, survives rounding.

    The two ends as whole steps b and a from 0 to 20,000 are the number 20,001 b + a in base 64.

    >>> coded(np.array([-1.0, 0.00001]), np.array([0.0, 1.0]))
    'AACcQL7IVR'
    """
    steps = np.stack([low, high]) * STEPS  # (2, Q)
    whole = np.sign(steps) * np.maximum(np.round(np.abs(steps)), np.abs(steps) > 1e-6)
    below, above = np.clip(whole, -STEPS, STEPS).astype(np.int64) + STEPS
    number = below * (2 * STEPS + 1) + above
    return "".join("".join(DIGITS[n >> shift & 63] for shift in (24, 18, 12, 6, 0)) for n in number.tolist())


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
    largest = frame["effect"].max() if len(frame) else 1.0
    documents = [
        {
            "topic": topics[str(row.query_id)],
            "id": str(row.doc_id),
            "p": round(float(row.p_relevant), 3),
            "runs": int(row.n_runs),
            "pairs": int(row.pairs),
            "effect": round(float(row.effect / largest), 3),
        }
        for row in frame.itertuples(index=False)
    ]
    return {"left": round(frame.expected_left), "documents": documents}
