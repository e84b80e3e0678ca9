"""Slow, obvious twins of the functions of ``ir_measures_relative.meta``, in plain Python.

Tables are lists of rows: ``table[system][topic]``. Written from the papers and SPEC section 6, without numpy.
"""

from __future__ import annotations

import math
from itertools import combinations, groupby, permutations, product


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def sign(x):
    return (x > 0) - (x < 0)


def kendall_tau_b(x, y):
    concordant = discordant = tied_x = tied_y = 0
    pairs = list(combinations(range(len(x)), 2))
    for i, j in pairs:
        s, t = sign(x[i] - x[j]), sign(y[i] - y[j])
        concordant += s * t > 0
        discordant += s * t < 0
        tied_x += s == 0
        tied_y += t == 0
    return (concordant - discordant) / math.sqrt((len(pairs) - tied_x) * (len(pairs) - tied_y))


def tau_ap_of_order(truth, order):
    """Yilmaz et al.; order = systems from best to worst by the estimate; a true tie counts half."""
    total = 0.0
    for i in range(1, len(order)):
        right = sum(
            1.0 if truth[j] > truth[order[i]] else 0.5 if truth[j] == truth[order[i]] else 0.0 for j in order[:i]
        )
        total += right / i
    return 2 * total / (len(order) - 1) - 1


def tau_ap(estimate, truth):
    """The mean over every order that agrees with the estimate; as tau_AP,b where both have ties."""
    if len(set(estimate)) < len(estimate) and len(set(truth)) < len(truth):
        return tau_ap_b_along(estimate, truth)
    by_score = sorted(range(len(estimate)), key=lambda i: -estimate[i])
    groups = [list(g) for _, g in groupby(by_score, key=lambda i: estimate[i])]
    orders = [sum(map(list, parts), []) for parts in product(*(permutations(g) for g in groups))]
    return mean(tau_ap_of_order(truth, order) for order in orders)


def tau_ap_b_along(estimate, truth):
    """The half of Urbano and Marrero's tau_AP,b that walks the order of the estimate.

    A system counts unless it is tied for the top; its share is that of the systems strictly above it which the truth
    too has strictly above it.
    """
    shares = []
    for own in range(len(estimate)):
        above = [other for other in range(len(estimate)) if estimate[other] > estimate[own]]
        if above:
            shares.append(mean(truth[other] > truth[own] for other in above))
    if not shares:  # all tie in the estimate
        return 1.0 if len(set(truth)) == 1 else 0.0
    return 2 * mean(shares) - 1


def discordant_pairs(x, y):
    pairs = list(combinations(range(len(x)), 2))
    return sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in pairs) / len(pairs)


def percentage_absolute_difference(values, sign_safe=False):
    def share(a, b):
        larger = max(abs(a), abs(b)) if sign_safe else max(a, b)
        return 0.0 if a == b == 0 else 100 * abs(a - b) / larger

    return mean(share(a, b) for a, b in combinations(values, 2))


def paired_t_statistic(x, y):
    d = [a - b for a, b in zip(x, y, strict=True)]
    variance = sum((v - mean(d)) ** 2 for v in d) / (len(d) - 1)
    return mean(d) / math.sqrt(variance / len(d))


def two_way_residual_mean_square(table):
    """Of the additive model score = grand mean + system effect + topic effect."""
    grand = mean(v for row in table for v in row)
    topic = [mean(column) for column in zip(*table, strict=True)]
    square = sum((v - mean(row) - topic[t] + grand) ** 2 for row in table for t, v in enumerate(row))
    return square / ((len(table) - 1) * (len(topic) - 1))


def holm(p_values):
    """Largest of the products of the smaller p-values with the number of hypotheses not rejected before them."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    found = [0.0] * len(p_values)
    for place, i in enumerate(order):
        found[i] = min(1.0, max((len(order) - k) * p_values[order[k]] for k in range(place + 1)))
    return found


def bootstrap_p(x, y, resamples):
    """Sakai's paired bootstrap test: differences shifted to mean 0, |t| of each resample against |t| of the sample."""

    def t(values):
        centre = mean(values)
        spread = math.sqrt(mean((v - centre) ** 2 for v in values))
        if spread > 1e-12:
            return abs(centre) / spread
        return math.inf if abs(centre) > 1e-12 else 0.0

    d = [a - b for a, b in zip(x, y, strict=True)]
    shifted = [v - mean(d) for v in d]
    reached = sum(t([shifted[i] for i in r]) >= t(d) - 1e-9 for r in resamples) if t(d) < math.inf else 0
    return (reached + 1) / (len(resamples) + 1) if t(d) > 0 else 1.0


def randomized_tukey_p(table, shuffles, plus_one=True):
    """shuffles[b][t][s]: whose score system s gets on topic t. plus_one: the table itself is one of the shuffles."""
    ranges = []
    for shuffle in shuffles:
        means = [mean(table[shuffle[t][s]][t] for t in range(len(table[0]))) for s in range(len(table))]
        ranges.append(max(means) - min(means))
    return {
        (i, j): (sum(r >= abs(mean(table[i]) - mean(table[j])) - 1e-12 for r in ranges) + plus_one)
        / (len(ranges) + plus_one)
        for i, j in combinations(range(len(table)), 2)
    }


def stability(table, subsets, fuzziness, relative):
    majority = minority = ties = 0
    for a, b in combinations(table, 2):
        wins = [0, 0]
        for subset in subsets:
            x, y = mean(a[t] for t in subset), mean(b[t] for t in subset)
            margin = fuzziness * max(abs(x), abs(y)) if relative else fuzziness
            if x - y > margin + 1e-12:
                wins[0] += 1
            elif y - x > margin + 1e-12:
                wins[1] += 1
            else:
                ties += 1
        majority += max(wins)
        minority += min(wins)
    comparisons = math.comb(len(table), 2) * len(subsets)
    return majority / comparisons, minority / comparisons, ties / comparisons


def swap_rate(table, pairs_of_subsets, width=0.01, bins=22, zero_swaps=False):
    """zero_swaps: D D' <= 0 is a swap (Sakai's bootstrap), else only opposite signs (disjoint halves)."""
    count, swaps = [0] * bins, [0] * bins
    for a, b in combinations(table, 2):
        for one, two in pairs_of_subsets:
            first = mean(a[t] for t in one) - mean(b[t] for t in one)
            second = mean(a[t] for t in two) - mean(b[t] for t in two)
            place = min(int((abs(first) + 1e-12) / width), bins - 1)
            count[place] += 1
            if zero_swaps:
                swaps[place] += not (min(first, second) > 1e-12 or max(first, second) < -1e-12)
            else:
                swaps[place] += min(first, second) < -1e-12 and max(first, second) > 1e-12
    return count, swaps


def difference_needed(low, count, swaps, rate):
    """Lower end of the first bin from which on no bin swaps more often, and the share of comparisons in those bins."""
    for first in range(len(low)):
        rest = range(first, len(low))
        if count[first] and all(swaps[b] <= rate * count[b] for b in rest):
            return low[first], sum(count[b] for b in rest) / sum(count)
    return None


def query_types(actual, expected, n):
    rising = sorted(actual, key=lambda q: (round(actual[q] - expected[q], 10), q))
    falling = sorted(actual, key=lambda q: (-round(actual[q] - expected[q], 10), q))
    return rising[:n], falling[:n]


def ranking(run_of_topic, depth):
    """Score descending, ties by document id descending as text."""
    return [d for d, _ in sorted(run_of_topic.items(), key=lambda x: (x[1], str(x[0])), reverse=True)][:depth]


def leave_group_out(qrels, runs, groups, depth):
    remaining = {}
    for left_out in groups.values():
        kept = {}
        for topic, judged in qrels.items():
            own, others = set(), set()
            for name, run in runs.items():
                (own if groups[name] == left_out else others).update(ranking(run.get(topic, {}), depth))
            for doc, grade in judged.items():
                if doc not in own or doc in others:
                    kept[topic, doc] = grade
        remaining[left_out] = kept
    return remaining


def estimation_error(estimate, truth):
    def rms(errors):
        return math.sqrt(mean(e * e for e in errors))

    errors = [e - t for e, t in zip(estimate, truth, strict=True)]
    return rms(errors), rms([e if e > 0 else 0 for e in errors]), rms([e if e < 0 else 0 for e in errors])


def preference_reconstruction(lower, upper, truth):
    """{topic: {system: score}} each; only systems in lower are estimated. Means over topics."""
    values = []
    for topic in truth:
        said, true = set(), set()
        for a in lower[topic]:
            for b in truth[topic]:
                if a == b:
                    continue
                # (a, b, winner): a estimated against b known, which is not b estimated against a known
                if lower[topic][a] - truth[topic][b] > 1e-12:
                    said.add((a, b, a))
                if truth[topic][b] - upper[topic][a] > 1e-12:
                    said.add((a, b, b))
                if abs(truth[topic][a] - truth[topic][b]) > 1e-12:
                    true.add((a, b, a if truth[topic][a] > truth[topic][b] else b))
        if true:
            precision = len(said & true) / len(said) if said else 0.0
            recall = len(said & true) / len(true)
            values.append((precision, recall, 2 * precision * recall / (precision + recall) if said & true else 0.0))
    return tuple(mean(column) for column in zip(*values, strict=True))


def bootstrap_ranks(table, resamples):
    """ranks[b][s]: 1 + the number of systems whose mean over the topics resamples[b] is larger."""
    ranks = []
    for resample in resamples:
        means = [mean(row[t] for t in resample) for row in table]
        ranks.append([1 + sum(other - own > 1e-12 for other in means) for own in means])
    return ranks


def rank_interval(ranks, level):
    """Smallest rank that more than (1 - level)/2 of the ranks reach from below, and the same from above."""
    tail = (1 - level) / 2
    share = {r: sum(x <= r for x in ranks) / len(ranks) for r in set(ranks)}
    low = min(r for r in share if share[r] >= tail - 1e-12)
    return low, min(r for r in share if share[r] >= 1 - tail - 1e-12)


def tiers(table, resamples, level):
    """Down the order of means: a system that lies below all heads of the tier in 1 - (1 - level)/2 of the resamples
    (as do those it ties with) begins the next tier, as its head."""
    means = [mean(row) for row in table]
    below = [
        [
            sum(mean(h[t] for t in r) - mean(x[t] for t in r) > 1e-12 for r in resamples) / len(resamples)
            >= 1 - (1 - level) / 2 - 1e-12
            for x in table
        ]
        for h in table
    ]
    rank = [1 + sum(other - own > 1e-12 for other in means) for own in means]
    found, heads, number = [0] * len(table), [], 0
    for place in sorted(set(rank)):
        tied = [s for s in range(len(table)) if rank[s] == place]
        if all(below[h][s] for h in heads for s in tied):
            number, heads = number + 1, tied
        for s in tied:
            found[s] = number
    return found


def ties_with_best(table, resamples, level):
    """Whether each system is below some system of the best mean in fewer than 1 - (1 - level)/2 of the resamples."""
    means = [mean(row) for row in table]
    best = [row for row, own in zip(table, means, strict=True) if max(means) - own <= 1e-12]
    share = [
        [sum(mean(h[t] for t in r) - mean(x[t] for t in r) > 1e-12 for r in resamples) / len(resamples) for h in best]
        for x in table
    ]
    return [any(s < 1 - (1 - level) / 2 - 1e-12 for s in row) for row in share]


def pearson(x, y):
    for values in (x, y):
        if max(values) - min(values) <= 1e-12 * max(map(abs, values)):
            return math.nan
    a = [(v - mean(x)) / (max(x) - min(x)) for v in x]
    b = [(v - mean(y)) / (max(y) - min(y)) for v in y]
    norm = math.sqrt(mean(v * v for v in a) * mean(v * v for v in b))
    return mean(u * v for u, v in zip(a, b, strict=True)) / norm


def spearman(x, y):
    """Pearson of the ranks; tied values share the mean of theirs."""

    def ranks(values):
        return [mean(1 + i for i, v in enumerate(sorted(values)) if v == own) for own in values]

    return pearson(ranks(x), ranks(y))


def label_shares(qrels, runs, groups, depth):
    """{group: (shares of grades in the pool left, shares among its top documents that are judged only thanks to it)}"""
    shares = {}
    for group, kept in leave_group_out(qrels, runs, groups, depth).items():
        lost = [max(0, g) for q, docs in qrels.items() for d, g in docs.items() if (q, d) not in kept]
        pool = [max(0, g) for g in kept.values()]
        shares[group] = tuple({g: part.count(g) / len(part) for g in set(part)} for part in (pool, lost))
    return shares


def reusability(score, qrels, runs, groups, depth):
    """{run: (score, score without its group, rank, rank without)}; score(qrels, run) -> mean over the topics."""
    found = {}
    full = {name: score(qrels, run) for name, run in runs.items()}
    for group, kept in leave_group_out(qrels, runs, groups, depth).items():
        reduced = {q: {d: g for d, g in docs.items() if (q, d) in kept} for q, docs in qrels.items()}
        without = {name: score(reduced, run) for name, run in runs.items()}
        for name in runs:
            if groups[name] == group:
                ranks = [1 + sum(x - scores[name] > 1e-12 for x in scores.values()) for scores in (full, without)]
                found[name] = (full[name], without[name], *ranks)
    return found
