"""Every pair of runs in a report: how far apart they are, and whether labels of unjudged documents could change it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._experiment import PAIR_TEXTS, PairTable, pair_keys
from ir_measures_relative._extremes import BASES, MedSettings
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels import Labels
from ir_measures_relative._report.evidence import Evidence
from ir_measures_relative._report.numbers import rounded

CELLS = 1_500_000  # pairs x topics whose ends are worked out: about half a minute
LEVEL = 0.95  # the probability from which an order is likely
STEPS = 10_000  # an end is kept to four decimal places, as all values of topics are
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def paired_runs(evidence: Evidence) -> IntArray:
    """The best runs, best first: all, unless there are so many that their pairs x topics exceed CELLS."""
    return evidence.best_first[: max(2, int(np.sqrt(2 * CELLS / evidence.judgements.n_topics)))]


def pair_table(evidence: Evidence, labels: Labels | None) -> PairTable | None:
    """The pairs of the best runs; None where there is no pair, or where MED has no exact method for the measure."""
    best = paired_runs(evidence)
    name, params = type(evidence.main).NAME, evidence.main.params
    exact = name in BASES and params.get("cutoff") == evidence.cutoff and not params.get("judged_only")
    if len(best) < 2 or not exact:
        return None
    names = [list(evidence.runs)[place] for place in best]
    chosen = None if labels is None else replace(labels, runs=evidence.joined.select(names))
    # the unseen tail of RBP is nothing that judgements could tell
    return PairTable(evidence.joined.select(names), MedSettings.of(evidence.main, residual=False), chosen, LEVEL)


def pairs_block(evidence: Evidence, table: PairTable | None) -> dict[str, Any] | None:
    """Runs, best first, and lists over their pairs (i, j), i < j.

    A pair's ``ends`` are five characters for each topic whose ranking is kept: low and high, see ``coded``.
    """
    best = paired_runs(evidence)
    if len(best) < 2:
        return None
    scores = evidence.main_scores[best]  # (m, Q)
    first, second = np.triu_indices(len(best), k=1)  # (P,)
    means = scores.mean(axis=1)
    block: dict[str, Any] = {
        "runs": best.tolist(),
        "difference": rounded(means[first] - means[second], 6),
        "p": paired_p_values(scores),
        "low": None, "high": None, "settled": None, "med": None, "ends": None, "better": None, "worse": None,
    }  # fmt: skip
    if table is not None:
        below, above = table.ends
        kept = evidence.kept_topics
        block |= {
            "low": rounded(table.low, 6),
            "high": rounded(table.high, 6),
            "settled": table.settled.tolist(),
            "med": rounded(np.maximum(above, -below).mean(axis=1)),
            "ends": [coded(b, a) for b, a in zip(below[:, kept], above[:, kept], strict=True)],
        }
        if table.labels is not None:
            block |= {"better": rounded(table.probabilities[0]), "worse": rounded(table.probabilities[1])}
    return block


def said_block(evidence: Evidence, pairs: dict[str, Any] | None) -> dict[str, Any] | None:
    """The texts that describe pairs, and the kinds of pairs: which texts on labels and topics they have.

    ``pairs`` receives ``said``: the kind of each pair.
    """
    if pairs is None:
        return None
    n_topics, nothing = evidence.judgements.n_topics, [None] * len(pairs["difference"])
    columns = [pairs[key] or nothing for key in ("settled", "better", "worse")]
    p_values = nothing if pairs["p"] is None else holm(np.array(pairs["p"])).tolist()
    kinds = [
        pair_keys(evidence.sign * difference, n_topics, settled, better, worse, p_value, LEVEL, 0.0)[1:3]
        for difference, settled, better, worse, p_value in zip(pairs["difference"], *columns, p_values, strict=True)
    ]
    number = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
    pairs["said"] = [number[kind] for kind in kinds]
    used = {"leads", "same"}.union(*number)
    return {"kinds": list(number), "texts": {key: text for key, text in PAIR_TEXTS.items() if key in used}}


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's correction for the number of p-values.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    left = len(p_values) - np.arange(len(p_values))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * left), 1.0)
    return corrected


def paired_p_values(scores: FloatArray) -> list[float] | None:
    """(P,) of the paired t-test over topics, not corrected: the page knows how many it shows. One topic: None."""
    if scores.shape[1] < 2 or not np.isfinite(scores).all():
        return None
    table = pd.DataFrame(scores, index=[f"{place:06}" for place in range(len(scores))])  # names in this order
    return rounded(meta.discriminative_power(table, test="ttest").p_value, 6)


def coded(below: FloatArray, above: FloatArray) -> str:
    """(Q,) twice -> five characters for each topic; the sign of an end, which is the verdict, survives rounding.

    The two ends as whole steps b and a from 0 to 20,000 are the number 20,001 b + a in base 64.

    >>> coded(np.array([-1.0, 0.00001]), np.array([0.0, 1.0]))
    'AACcQL7IVR'
    """
    steps = np.stack([below, above]) * STEPS  # (2, Q)
    whole = np.sign(steps) * np.maximum(np.round(np.abs(steps)), np.abs(steps) > 1e-6)
    low, high = np.clip(whole, -STEPS, STEPS).astype(np.int64) + STEPS
    number = low * (2 * STEPS + 1) + high
    return "".join("".join(DIGITS[n >> shift & 63] for shift in (24, 18, 12, 6, 0)) for n in number.tolist())
