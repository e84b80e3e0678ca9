"""Normalised residual gain on its own data: the 37 passage runs of TREC DL 2019, Figures 2 to 5."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd
from scipy.stats import kendalltau

import ir_measures_relative as imr

from .sentences import Sentence

NDCG = "nDCG@10"
# The measures of Figures 2 to 5, with the best run by nDCG@10 of each other group as prior runs where there are any
FIGURES = {
    "nrg_figure_2": "NRG(prior='groups')",
    "nrg_figure_3": "UniqueRel(prior='groups')@10",
    "nrg_figure_4": "RareP@10",
    "nrg_figure_5": "TaSC(prior='groups')@10",
}
WHOLE, CUT = FIGURES["nrg_figure_2"], "NRG(prior='groups')@10"
UNIQUE, RARE, TASC = (FIGURES[f"nrg_figure_{number}"] for number in (3, 4, 5))
UNIQUE_AS_NRG, UNIQUE_WHOLE = "NRG(prior='groups',base='P')@10", "UniqueRel(prior='groups')"
# Besides the BASELINE runs; NIST's list of runs calls those of srchvrs "classic IR"
TRADITIONAL = ("srchvrs_ps_run1", "srchvrs_ps_run3", "UNH_bm25")
EXPANDED = ("_ax_", "_prf_", "_rm3_")  # query expansion by pseudo-relevance feedback


@cache
def points(folder: Path) -> pd.DataFrame:
    """Return the means of all runs, best first by nDCG@10, with their group and whether they are neural."""
    place = folder / "data" / "trec-dl-2019"
    measures = [NDCG, *FIGURES.values(), CUT, UNIQUE_AS_NRG, UNIQUE_WHOLE]
    table = imr.compare(measures, place / "qrels.txt.gz", place / "runs", groups=place / "groups.csv").to_frame()
    table["neural"] = ~((table["group"] == "BASELINE") | table.index.isin(TRADITIONAL))
    return table.sort_values(NDCG, ascending=False)


def sentences(folder: Path) -> list[Sentence]:
    """Check each sentence of section 4 and appendices B and C; those about NRG with and without a cutoff."""
    table = points(folder)
    return [
        *_of_ndcg(table),
        *_of_nrg(table, WHOLE, "NRG of whole lists"),
        *_of_nrg(table, CUT, "NRG@10"),
        *_of_unique(table),
        *_of_others(table),
    ]


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {_number(value)}"


def _of_ndcg(table: pd.DataFrame) -> list[Sentence]:
    where, ndcg = "Section 4", table[NDCG]
    base, classic = table[table["group"] == "BASELINE"], table[~table["neural"]]
    rank = list(table.index).index(classic.index[0]) + 1
    best, run3 = base.index[0], "srchvrs_ps_run3"
    return [
        Sentence(where, "bm25tuned_prf_p is the best BASELINE run by NDCG@10",
                 f"{best} {_number(ndcg[best])}, then {base.index[1]} {_number(ndcg[base.index[1]])}",
                 best == "bm25tuned_prf_p"),
        Sentence(where, "All of the top 20 runs by NDCG@10 are neural",
                 f"the best traditional run, {classic.index[0]}, has rank {rank}", rank > 20),
        Sentence(where, "idst_bert_p1 is the best run by NDCG@10", f"{table.index[0]} {_number(ndcg.iloc[0])}",
                 table.index[0] == "idst_bert_p1"),
        Sentence(where, "srchvrs_ps_run3 has an NDCG@10 slightly higher than the best BASELINE run",
                 f"{ndcg[run3]:.4f} and {ndcg[best]:.4f}", bool(0 < ndcg[run3] - ndcg[best] < 0.01)),
        Sentence(where, "Re-ranking (idst_bert_pr1) slightly harms NDCG@10 of idst_bert_p1",
                 f"{_number(ndcg['idst_bert_p1'])} and {_number(ndcg['idst_bert_pr1'])}",
                 bool(0 < ndcg["idst_bert_p1"] - ndcg["idst_bert_pr1"] < 0.05)),
    ]  # fmt: skip


def _of_nrg(table: pd.DataFrame, measure: str, name: str) -> list[Sentence]:
    where, nrg = f"Section 4, {name}", table[measure]
    base, neural = table["group"] == "BASELINE", table["neural"]
    lowest, highest = nrg[base].min(), nrg[base].max()
    ahead = neural & (table[NDCG] > table[NDCG][base].max())
    below = int((nrg[ahead] < lowest).sum())
    taus = {part: kendalltau(nrg[rows], table[NDCG][rows]) for part, rows in (("neural", neural), ("BASELINE", base))}
    expanded = [any(mark in run for mark in EXPANDED) for run in nrg[base].sort_values(ascending=False).index]
    range_of_base = f"BASELINE: {_number(lowest)} to {_number(highest)}"
    return [
        Sentence(where, "A clear split between traditional and neural methods",
                 f"of {ahead.sum()} neural runs above all BASELINE runs by NDCG@10, {below} are below them all by NRG",
                 bool(below > ahead.sum() / 2)),
        Sentence(where, "NRG generally increases with NDCG within the neural and within the BASELINE runs",
                 "; ".join(f"{part}: tau = {tau.statistic:.2f} ({_p(tau.pvalue)})" for part, tau in taus.items()),
                 all(tau.statistic > 0 and tau.pvalue < 0.05 for tau in taus.values())),
        Sentence(where, "Many of the best BASELINE runs by NRG use pseudo-relevance feedback",
                 f"{sum(expanded[:6])} of the best 6, {sum(expanded)} of all 8", all(expanded[:6])),
        Sentence(where, "srchvrs_ps_run3 has a lower NRG than all BASELINE runs",
                 f"{_number(nrg['srchvrs_ps_run3'])}; {range_of_base}", bool(nrg["srchvrs_ps_run3"] < lowest)),
        Sentence(where, "Re-ranking (idst_bert_pr1) drops NRG below all BASELINE runs",
                 f"from {_number(nrg['idst_bert_p1'])} to {_number(nrg['idst_bert_pr1'])}; {range_of_base}",
                 bool(nrg["idst_bert_pr1"] < lowest)),
    ]  # fmt: skip


def _of_unique(table: pd.DataFrame) -> list[Sentence]:
    where, unique, neural = "Appendix B, Figure 3", table[UNIQUE], table["neural"]
    base = unique[table["group"] == "BASELINE"]
    best = {part: unique[rows].idxmax() for part, rows in (("neural", neural), ("traditional", ~neural))}
    whole = {part: table[UNIQUE_WHOLE][rows].idxmax() for part, rows in (("neural", neural), ("traditional", ~neural))}
    ranks = table[[NDCG, UNIQUE]].rank(ascending=False)[~neural].mean()
    off = (10 * table[UNIQUE_AS_NRG] - unique).abs().max()
    few = int((unique[neural] < base.median()).sum())
    return [
        Sentence(where, "NRG with base precision is exactly the number of unique contributions",
                 f"10 NRG(base=P)@10 and UniqueRel@10 differ by at most {off:.3f} over all runs", bool(off < 1e-12)),
        Sentence(where, "Traditional methods have a high NRG relative to NDCG@10",
                 f"mean rank of the {(~neural).sum()} traditional runs: {ranks[NDCG]:.1f} by NDCG@10, "
                 f"{ranks[UNIQUE]:.1f} by UniqueRel@10 (but not by mean UniqueRel@10: {base.mean():.3f} for "
                 f"BASELINE, {unique[neural].mean():.3f} for neural runs)", bool(ranks[UNIQUE] < ranks[NDCG])),
        Sentence(where, "Many neural methods make relatively few or no unique contributions",
                 f"{few} of {neural.sum()} are below the median of BASELINE ({_number(base.median())}); the fewest: "
                 f"{unique[neural].idxmin()} {_number(unique[neural].min())}", few > neural.sum() / 2),
        Sentence(where, "Some traditional methods outperform all neural methods",
                 f"{best['traditional']} {_number(unique[best['traditional']])}, "
                 f"{best['neural']} {_number(unique[best['neural']])}; in whole lists "
                 f"{whole['traditional']} {_number(table[UNIQUE_WHOLE][whole['traditional']])}, "
                 f"{whole['neural']} {_number(table[UNIQUE_WHOLE][whole['neural']])}",
                 bool(unique[best["traditional"]] > unique[best["neural"]])),
    ]  # fmt: skip


def _of_others(table: pd.DataFrame) -> list[Sentence]:
    found = []
    ahead = table["neural"] & (table[NDCG] > table[NDCG][~table["neural"]].max())
    for number, measure in ((4, RARE), (5, TASC)):
        where, values = f"Appendix C, Figure {number}", table[measure]
        tau = kendalltau(values, table[NDCG])
        above = int((values[ahead] > values[~table["neural"]].max()).sum())
        found += [
            Sentence(where, f"{measure} is correlated with NDCG@10", f"tau = {tau.statistic:.2f}",
                     bool(tau.statistic > 0 and tau.pvalue < 0.01)),
            Sentence(where, f"{measure} suggests no distinction between traditional and neural methods",
                     f"{above} of the {ahead.sum()} neural runs that beat all traditional runs by NDCG@10 do so here",
                     above == ahead.sum()),
        ]  # fmt: skip
    return found
