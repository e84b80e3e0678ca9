"""Joint upper and lower bound normalisation (Karmaker Santu and Feng, 2022): from tables that the paper prints."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ir_measures_relative import meta

from .rows import Row, row

METHODS = ("ARank", "LNet", "RBoost", "RF", "RNet", "CA", "L2LR", "LMART")
# One line per method of METHODS, k = 5, 10, 15, 20, 30: Tables 2, 3, 12, 13 (one version) and 4, 5, 14, 15 (V1, V2)
PRINTED = {
    ("MSLR", "nDCG"): """
        0.3218 0.3492 0.3704 0.3896 0.4237
        0.1534 0.1827 0.2066 0.2288 0.2686
        0.3062 0.3346 0.3578 0.3777 0.4141
        0.3832 0.4118 0.4325 0.4493 0.4795
        0.154 0.1833 0.207 0.2292 0.269
        0.3985 0.4138 0.4288 0.4428 0.4707
        0.1977 0.2371 0.2696 0.2974 0.3444
        0.4365 0.454 0.4706 0.4856 0.513""",
    ("MQ2007", "nDCG"): """
        0.3881 0.4156 0.448 0.4797 0.5372
        0.3767 0.4035 0.4384 0.4687 0.5282
        0.3834 0.414 0.449 0.4807 0.5355
        0.4035 0.4286 0.4609 0.4914 0.5476
        0.3809 0.4131 0.4451 0.4764 0.536
        0.3928 0.4207 0.4544 0.4824 0.5399
        0.3873 0.4159 0.4474 0.4779 0.538
        0.3931 0.4206 0.4535 0.4857 0.5441""",
    ("MSLR", "MAP"): """
        0.5414 0.4948 0.4724 0.4598 0.4493
        0.3203 0.2994 0.293 0.2911 0.2943
        0.5449 0.4967 0.475 0.4618 0.452
        0.6216 0.5717 0.5433 0.5244 0.5053
        0.3212 0.3008 0.2939 0.2919 0.2956
        0.6235 0.5631 0.53 0.5107 0.4903
        0.356 0.3353 0.333 0.3353 0.3457
        0.6487 0.5928 0.5613 0.5414 0.5198""",
    ("MQ2007", "MAP"): """
        0.3066 0.2923 0.302 0.3173 0.3624
        0.3379 0.3233 0.3328 0.3468 0.3905
        0.3467 0.3366 0.3477 0.3636 0.4035
        0.3674 0.352 0.3585 0.3736 0.414
        0.3281 0.3175 0.3275 0.3443 0.3878
        0.3597 0.3457 0.356 0.3716 0.4127
        0.3543 0.3386 0.3458 0.3607 0.404
        0.3582 0.3459 0.3539 0.3692 0.4101""",
}
PRINTED_V1_V2 = {
    ("MSLR", "nDCG"): """
        0.249 0.2616 0.2719 0.2818 0.2995 0.2374 0.2531 0.2648 0.2761 0.2964
        0.0977 0.1124 0.1257 0.1384 0.1617 0.0469 0.0606 0.0721 0.0837 0.1048
        0.2327 0.2474 0.2601 0.2708 0.2907 0.2217 0.2374 0.2509 0.2626 0.2852
        0.3043 0.3187 0.3289 0.3365 0.3505 0.3086 0.3265 0.3385 0.3478 0.3652
        0.0982 0.113 0.126 0.1388 0.1621 0.0476 0.0614 0.0727 0.0843 0.1054
        0.3188 0.3208 0.3255 0.3306 0.3424 0.3259 0.3286 0.3341 0.3401 0.3545
        0.1373 0.1605 0.1809 0.1985 0.2278 0.0982 0.1248 0.1475 0.1671 0.1996
        0.3549 0.3588 0.3648 0.3706 0.3818 0.3677 0.3742 0.3824 0.3902 0.4056""",
    ("MQ2007", "nDCG"): """
        0.2882 0.2991 0.3157 0.3314 0.3558 0.1348 0.2092 0.2587 0.2995 0.3638
        0.2777 0.2886 0.3068 0.3213 0.3481 0.1141 0.1872 0.2485 0.284 0.3453
        0.2822 0.2975 0.3161 0.3317 0.3542 0.1359 0.2061 0.2633 0.3042 0.3635
        0.2992 0.3095 0.3262 0.3409 0.3642 0.1681 0.2356 0.2859 0.3223 0.3866
        0.2791 0.2957 0.3133 0.3271 0.3536 0.1177 0.2044 0.2554 0.2908 0.3573
        0.2911 0.3031 0.32 0.3335 0.3582 0.1512 0.2214 0.2762 0.3029 0.3666
        0.2858 0.2991 0.315 0.3295 0.3562 0.1331 0.2097 0.2599 0.3001 0.368
        0.2901 0.3019 0.3192 0.3355 0.361 0.1636 0.2311 0.2806 0.3183 0.3801""",
    ("MSLR", "MAP"): """
        0.3856 0.3387 0.3156 0.3017 0.2868 0.3472 0.3055 0.2799 0.2617 0.2373
        0.1978 0.1732 0.1641 0.1597 0.1572 -0.0721 -0.0573 -0.0508 -0.0452 -0.0389
        0.3905 0.3422 0.3196 0.305 0.2905 0.3502 0.3019 0.2754 0.2567 0.2339
        0.4579 0.4079 0.3791 0.3591 0.3363 0.4783 0.427 0.39 0.3608 0.322
        0.1988 0.1745 0.1651 0.1606 0.1585 -0.0718 -0.0551 -0.0498 -0.0452 -0.038
        0.4594 0.4001 0.3673 0.3471 0.3231 0.4836 0.4127 0.3676 0.3385 0.2977
        0.226 0.2018 0.1963 0.1951 0.1982 -0.0223 -0.004 0.0149 0.0312 0.055
        0.482 0.4265 0.3948 0.3741 0.3488 0.5259 0.4632 0.4211 0.3896 0.3466""",
    ("MQ2007", "MAP"): """
        0.2366 0.219 0.2222 0.2287 0.2478 0.0392 0.0778 0.0116 0.14 0.1905
        0.2676 0.2492 0.2519 0.257 0.2744 0.0909 0.1315 0.1638 0.1846 0.2257
        0.2738 0.2603 0.2647 0.2714 0.2853 0.123 0.154 0.188 0.213 0.2513
        0.2914 0.2732 0.2739 0.28 0.2941 0.1586 0.1904 0.206 0.226 0.2729
        0.259 0.2443 0.2476 0.2552 0.2724 0.085 0.1308 0.1567 0.1825 0.222
        0.2863 0.2689 0.2728 0.2794 0.2941 0.1422 0.1741 0.198 0.2204 0.2584
        0.2806 0.2622 0.2633 0.2693 0.2861 0.1232 0.1548 0.1846 0.2093 0.2543
        0.2829 0.2673 0.2691 0.2755 0.2905 0.1541 0.1949 0.2138 0.2369 0.2725""",
}
# Numbers of significant pairs by the plain measure, V1, V2 for All, uninformative and ideal queries (Tables 8 and 18),
# and of pairs on which V1 and V2 disagree with the plain measure (Tables 7 and 17)
SIGNIFICANT = {
    ("MSLR", "nDCG"): ((133, 33, 130), (133, 51, 130), (133, 78, 130)),
    ("MQ2007", "nDCG"): ((0, 9, 7), (0, 29, 8), (6, 33, 15)),
    ("MSLR", "MAP"): ((129, 61, 122), (129, 76, 124), (129, 81, 122)),
    ("MQ2007", "MAP"): ((45, 0, 71), (50, 2, 74), (59, 21, 88)),
}
CONFLICTS = {
    ("MSLR", "nDCG"): ((0, 18, 0), (0, 46, 0)),
    ("MQ2007", "nDCG"): ((0, 20, 1), (6, 24, 8)),
    ("MSLR", "MAP"): ((0, 15, 2), (0, 36, 4)),
    ("MQ2007", "MAP"): ((1, 2, 3), (8, 21, 17)),
}
QUERY_SETS = ("All", "uninformative", "ideal")


def scores(data_set: str, measure: str, version: str | None = None) -> pd.DataFrame:
    """Methods x cutoffs as the paper prints them; version None is the plain measure."""
    if version is None:
        lines, columns = PRINTED[data_set, measure], slice(0, 5)
    else:
        lines, columns = PRINTED_V1_V2[data_set, measure], slice(0, 5) if version == "V1" else slice(5, 10)
    cells = [[float(cell) for cell in line.split()] for line in lines.split("\n")[1:]]
    return pd.DataFrame(np.array(cells)[:, columns], index=pd.Index(METHODS), columns=[5, 10, 15, 20, 30])


def means(data_set: str, measure: str, version: str | None = None) -> pd.Series:
    """Each method's mean over the five cutoffs, which the paper takes for PAD."""
    return scores(data_set, measure, version).mean(axis=1)


VERSIONS = (None, "V1", "V2")


def from_paper() -> list[Row]:
    """All for the query set 'All'; the paper prints no scores of the other sets."""
    return [*_growth(), *_orders(), *_apart(), *_swaps(), *_counts()]


def _growth() -> list[Row]:
    net = scores("MSLR", "nDCG").loc["RNet"]
    grown = 100 * (net[30] / net[5] - 1)
    return [row("Section 4.4", "Growth of RankNet's nDCG from k = 5 to 30 (Table 2)", "74.6%", [grown], cut=True)]


def _orders() -> list[Row]:
    printed = {("MSLR", "nDCG"): "1.0 1.0", ("MQ2007", "nDCG"): "1.0 0.785", ("MSLR", "MAP"): "1.0 0.928",
               ("MQ2007", "MAP"): "1.0 0.785"}  # fmt: skip
    found = []
    for (data_set, measure), numbers in printed.items():
        plain = means(data_set, measure)
        taus = [meta.kendall_tau(means(data_set, measure, version), plain) for version in ("V1", "V2")]
        place = "Table 6" if measure == "nDCG" else "Table 16"
        found.append(row(place, f"{data_set}: tau of {measure} with V1, with V2", numbers, taus, cut=True))
    nearest = min(((28 - 2 * swapped) / 28 for swapped in range(29)), key=lambda tau: abs(tau - 0.624))
    why = "Eight methods without ties form 28 pairs; this is the nearest value that tau can have"
    return [*found, row("Table 16", "MQ2007, uninformative: tau of MAP with V2", "0.624", [nearest], why)]


def _apart() -> list[Row]:
    printed = {
        ("MSLR", "nDCG"): ("31 35.7 46.7", "nDCG: the printed scores give 29.8"),
        ("MQ2007", "nDCG"): ("1.74 3.6 6.42", "V1: the printed scores give 2.1"),
        ("MSLR", "MAP"): ("25.57 31.84 97.63", "V2: two methods have negative means (see below)"),
        ("MQ2007", "MAP"): ("5.91 6.86 20.01", "V2: 20.02 with .116 instead of .0116 for AdaRank at k = 15"),
    }
    found = []
    for (data_set, measure), (numbers, why) in printed.items():
        values = [meta.percentage_absolute_difference(means(data_set, measure, version)) for version in VERSIONS]
        slack = [_slack(means(data_set, measure, version)) for version in VERSIONS]
        place = "Table 9" if measure == "nDCG" else "Table 19"
        found.append(row(place, f"{data_set}: PAD of {measure}, V1, V2", numbers, values, why, slack, cut=True))
    return found


def _slack(values: pd.Series, half: float = 0.00005) -> float:
    """How far the mean of PAD can be off if a and b are off by `half`, to first order."""
    x = values.to_numpy()
    one, other = np.triu_indices(len(x), k=1)
    larger, smaller = np.maximum(x[one], x[other]), np.minimum(x[one], x[other])
    return float(np.mean(100 * half * (np.abs(1 / larger) + np.abs(smaller) / larger**2)))


def _swaps() -> list[Row]:
    printed = {
        "nDCG": ("Table 10", "0.107 0.107 0.107", "We rank the methods by their means over k"),
        "MAP": ("Table 20", "0.25 0.25 0.178", ""),
    }
    found = []
    for measure, (place, numbers, why) in printed.items():
        values = [meta.discordant_pairs(means("MSLR", measure, v), means("MQ2007", measure, v)) for v in VERSIONS]
        found.append(row(place, f"Swap rate between the data sets: {measure}, V1, V2", numbers, values, why, cut=True))
    return found


def _counts() -> list[Row]:
    shares = [100 * count / 140 for count in (46, 24, 33, 78, 36, 61, 81)]
    what = "46, 24, 33, 78, 36, 61 and 81 of the 140 comparisons, as percentages"
    return [
        row("Section 4.4.2", "Pairs of methods, comparisons at five k", "28 140", [8 * 7 / 2, 5 * 8 * 7 / 2]),
        row("Sections 4.4, 4.5", what, "32% 17% 23% 55% 26% 43% 57%", shares, cut=True),
    ]


def impossible_conflicts() -> list[tuple[str, str, str, str, int, int]]:
    """Fewer disagreements than the numbers of significant pairs allow: where, printed, and the least possible.

    If one measure finds a pairs significant and another b of the same pairs, they disagree on at least the
    difference of a and b.
    """
    found = []
    for (data_set, measure), counts in CONFLICTS.items():
        plain, *versions = SIGNIFICANT[data_set, measure]
        for version, printed, significant in zip(("V1", "V2"), counts, versions, strict=True):
            for queries, one, a, b in zip(QUERY_SETS, printed, plain, significant, strict=True):
                if one < abs(a - b):
                    found.append((data_set, measure, version, queries, one, abs(a - b)))
    return found
