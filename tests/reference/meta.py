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


def tau_ap(truth, estimate):
    """The mean over every order that agrees with the estimate."""
    by_score = sorted(range(len(estimate)), key=lambda i: -estimate[i])
    groups = [list(g) for _, g in groupby(by_score, key=lambda i: estimate[i])]
    orders = [sum(map(list, parts), []) for parts in product(*(permutations(g) for g in groups))]
    return mean(tau_ap_of_order(truth, order) for order in orders)


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


def randomized_tukey_p(table, shuffles):
    """shuffles[b][t][s]: whose score system s gets on topic t."""
    ranges = []
    for shuffle in shuffles:
        means = [mean(table[shuffle[t][s]][t] for t in range(len(table[0]))) for s in range(len(table))]
        ranges.append(max(means) - min(means))
    return {
        (i, j): sum(r >= abs(mean(table[i]) - mean(table[j])) - 1e-12 for r in ranges) / len(ranges)
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


def swap_rate(table, pairs_of_subsets, width=0.01, bins=22):
    count, swaps = [0] * bins, [0] * bins
    for a, b in combinations(table, 2):
        for one, two in pairs_of_subsets:
            first = mean(a[t] for t in one) - mean(b[t] for t in one)
            second = mean(a[t] for t in two) - mean(b[t] for t in two)
            place = min(int((abs(first) + 1e-12) / width), bins - 1)
            count[place] += 1
            swaps[place] += min(first, second) < -1e-12 and max(first, second) > 1e-12
    return count, swaps


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
