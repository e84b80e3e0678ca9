"""Every pair of runs in a report: how far apart they are, and whether labels of unjudged documents could change it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._experiment import PAIR_TEXTS, pair_keys
from ir_measures_relative._extremes import BASES, CodedLists, Question, signed_ends, verdict_of
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels import LabelModel
from ir_measures_relative._report.decisions import chances_of_pairs
from ir_measures_relative._report.evidence import Evidence
from ir_measures_relative._report.lists import Rankings
from ir_measures_relative._report.numbers import rounded
from ir_measures_relative.measures import MED

CELLS = 1_500_000  # pairs x topics whose ends are worked out: about half a minute
LEVEL = 0.95  # the probability from which an order is likely
STEPS = 10_000  # an end is kept to four decimal places, as all values of topics are
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def paired_runs(evidence: Evidence) -> IntArray:
    """The best runs, best first: all, unless there are so many that their pairs x topics exceed CELLS."""
    return evidence.best_first[: max(2, int(np.sqrt(2 * CELLS / evidence.judgements.n_topics)))]


def pairs_block(evidence: Evidence, rankings: Rankings, model: LabelModel | None) -> dict[str, Any] | None:
    """Runs, best first, and lists over their pairs (i, j), i < j.

    A pair's ``ends`` are five characters for each topic whose ranking is kept: below and above, see ``coded``.
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
        "low": None, "high": None, "settled": None, "med": None, "ends": None,
    }  # fmt: skip
    block |= chances_of_pairs(evidence, best, model)
    question = open_labels(evidence)
    if question is not None:
        below, above = signed_ends(CodedLists(rankings.code[best], rankings.grades[best]), first, second, question)
        kept = evidence.kept_topics
        lowest, highest = below.mean(axis=1), above.mean(axis=1)
        block |= {
            "low": rounded(lowest, 6),
            "high": rounded(highest, 6),
            "settled": [_settled(*ends) for ends in zip(lowest.tolist(), highest.tolist(), strict=True)],
            "med": rounded(np.maximum(above, -below).mean(axis=1)),
            "ends": [coded(b, a) for b, a in zip(below[:, kept], above[:, kept], strict=True)],
        }
        for side in ("better", "worse"):  # an order that is not settled has no probability of 0 or 1
            if block[side] is not None:
                block[side] = [
                    min(max(probability, 0.001), 0.999) if word == "no" else probability
                    for probability, word in zip(block[side], block["settled"], strict=True)
                ]
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


def _settled(low: float, high: float) -> str:
    verdict = verdict_of(low, high)
    return "no" if verdict == "undecided" else verdict


def paired_p_values(scores: FloatArray) -> list[float] | None:
    """(P,) of the paired t-test over topics, not corrected: the page knows how many it shows. One topic: None."""
    if scores.shape[1] < 2 or not np.isfinite(scores).all():
        return None
    table = pd.DataFrame(scores, index=[f"{place:06}" for place in range(len(scores))])  # names in this order
    return rounded(meta.discriminative_power(table, test="ttest").p_value, 6)


def open_labels(evidence: Evidence) -> Question | None:
    """What MED asks of the main measure; None where MED has no exact method for it."""
    name, params = type(evidence.main).NAME, evidence.main.params
    if name not in BASES or params.get("cutoff") != evidence.cutoff or params.get("judged_only"):
        return None
    measure: Any = MED(base=evidence.main, residual=False)
    question: Question = measure.settings.question(evidence.judgements, str(measure))
    return question


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
