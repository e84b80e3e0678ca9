"""Which slow twin of ``tests/reference`` computes each measure, and how its parameters are handed over."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import reference
from reference import boot, bounds, labels, med, nrg, ordinary, rareness, rbo, upper_lower
from reference.ordinary import ranked

from ir_measures_relative._base.bases import DECLARED
from ir_measures_relative._base.text import parse_base
from ir_measures_relative.measures import RelativeMeasure
from support.small_collections import Qrels, Run

Judged = dict[str, int]
Ranking = list[str]
Scores = dict[str, float]
WHOLE = 10**6  # a cutoff for twins that want one: longer than any list here

_ORDINARY = {
    "nDCG": ordinary.ndcg,
    "P": ordinary.precision,
    "R": ordinary.recall,
    "RBP": ordinary.rbp,
    "RR": ordinary.rr,
    "AP": ordinary.ap,
    "ERR": ordinary.err,
    "Success": ordinary.success,
}


def base_of(measure: RelativeMeasure) -> tuple[str, dict[str, Any]]:
    """Name and parameters of the ordinary measure underneath."""
    base = parse_base(measure["base"], DECLARED)
    return base.NAME, dict(base.params)


def _nrg(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    name, options = base_of(measure)
    return nrg.nrg(ranking, judged, others, measure["cutoff"], name, measure["normalizer"], **options)


def _unique_rel(
    measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels
) -> float:
    return nrg.unique_rel(ranking, judged, others, measure["cutoff"], measure["rel"])


def _tasc(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    name, options = base_of(measure)
    score, *prior_scores = (_ORDINARY[name](r, judged, measure["cutoff"], **options) for r in [ranking, *others])
    return nrg.tasc(score, prior_scores, measure["agg"])


def _rareness_of(measure: RelativeMeasure) -> dict[str, Any]:
    return {name: measure[name] for name in ("alpha", "variant", "rarity")}


def _rare_p(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    return rareness.rare_p(ranking, others, judged, measure["cutoff"], **_rareness_of(measure), rel=measure["rel"])


def _rare_ap(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    return rareness.rare_ap(ranking, others, judged, measure["cutoff"], **_rareness_of(measure), rel=measure["rel"])


def _rare(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    name, options = base_of(measure)
    options["exponential"] = options.pop("dcg", "log2") == "exp-log2"
    return rareness.rare(ranking, others, judged, measure["cutoff"], **_rareness_of(measure), base=name, **options)


def _highest(measure: RelativeMeasure, qrels: Qrels) -> int:
    """max_rel; left out it is the highest grade of all qrels, at least 1."""
    return measure["max_rel"] or max([1, *(grade for judged in qrels.values() for grade in judged.values())])


def _ul(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    name, options = base_of(measure)
    options["exponential"] = options.pop("dcg", "log2") == "exp-log2"
    return upper_lower.ul(
        ranking,
        judged,
        name,
        measure["cutoff"],
        measure["version"],
        measure["universe"],
        measure["expected"],
        max_rel=_highest(measure, qrels),
        **options,
    )


def _med(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    name, options = base_of(measure)
    max_rel = measure["max_rel"] or options.pop("max_rel", None) or _highest(measure, qrels)
    options.setdefault("max_rel", max_rel)
    base = med.Base(name, k=measure["cutoff"], norm=measure["norm"], **options)
    known = judged if measure["judged"] == "qrels" else {}
    low, high = med.extremes(base, ranking, others[0], known, max_rel, measure["unseen"], measure["residual"])
    return {"both": max(high, -low), "above": high, "below": low}[measure["direction"]]


def _boot_ndcg(
    measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels
) -> float:
    k, estimate = measure["cutoff"] or WHOLE, measure["estimate"]

    def gain(grade: int) -> float:
        return ordinary.gain(grade, measure["dcg"], measure["gains"])

    if estimate in ("lower", "upper"):
        return getattr(boot, estimate)(ranking, judged, k, gain)
    everything = [grade for topic in qrels.values() for grade in topic.values()]
    collection = everything if measure["pool"] == "collection" else None
    points = boot.distribution(ranking, judged, k, measure["prior"], gain, collection)
    if estimate.startswith("q"):
        return boot.quantile(points, float(estimate[1:]) / 100)
    return getattr(boot, estimate)(points)


def _imputed(measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels) -> float:
    name, options = base_of(measure)
    options.pop("cutoff", None)
    shares = measure["labels"].to_frame()  # tests draw models of shares
    chances = {int(g): Fraction(p) for g, p in zip(shares["grade"], shares["share"], strict=True)}
    points = labels.imputed(
        ranking, judged, dict.fromkeys(ranking, chances), measure["cutoff"], name, measure["ideal"], **options
    )
    estimate = measure["estimate"]
    if estimate.startswith("q"):
        return boot.quantile(points, float(estimate[1:]) / 100)
    return getattr(boot, estimate)(points)


def _ndcg_bound(
    measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels
) -> float:
    return bounds.bound(
        ranking,
        judged,
        measure["cutoff"],
        measure["side"],
        measure["method"],
        _highest(measure, qrels),
        measure["dcg"],
        measure["gains"],
    )


def _rbo(measure: RelativeMeasure, run: Scores, judged: Judged, others: list[Scores], qrels: Qrels) -> float:
    x, y = (rbo.tie_groups(scores, measure["cutoff"]) for scores in (run, others[0]))
    return rbo.rbo(x, y, measure["p"], measure["ties"], measure["form"])


def _rbp_residual(
    measure: RelativeMeasure, ranking: Ranking, judged: Judged, others: list[Ranking], qrels: Qrels
) -> float:
    return rbo.rbp_residual(ranking, judged, measure["p"], measure["cutoff"])


TWINS: dict[str, Callable[[RelativeMeasure, Any, Judged, list[Any], Qrels], float]] = {
    "NRG": _nrg,
    "UniqueRel": _unique_rel,
    "TaSC": _tasc,
    "RareP": _rare_p,
    "RareAP": _rare_ap,
    "Rare": _rare,
    "UL": _ul,
    "MED": _med,
    "BootNDCG": _boot_ndcg,
    "Imputed": _imputed,
    "NDCGBound": _ndcg_bound,
    "RBO": _rbo,
    "RBPResidual": _rbp_residual,
}
for _module in iter_modules(reference.__path__):  # a twin may come with its own adapter, TWINS = {"Name": function}
    TWINS |= getattr(import_module(f"reference.{_module.name}"), "TWINS", {})
SEE_SCORES = {"RBO"}  # twins that are given {document: score}, since ties matter to them


def twin_values(measure: RelativeMeasure, qrels: Qrels, run: Run, runs: list[Run]) -> dict[str, float]:
    """Topic -> value by the slow twin; ``runs``: the prior runs, or the reference run."""
    twin, of = TWINS[measure.NAME], dict if measure.NAME in SEE_SCORES else ranked
    return {
        topic: twin(measure, of(run.get(topic, {})), judged, [of(r.get(topic, {})) for r in runs], qrels)
        for topic, judged in qrels.items()
    }
