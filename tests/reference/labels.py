"""Learned labels, slowly: plain Python from the definition, loops and all.

Judgements are {topic: {document: grade}}, runs {name: {topic: [documents, best first]}}, groups {name: group}.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log, log2, prod, sqrt

from reference import boot, ordinary


def logit(share):
    share = min(max(share, 0.02), 0.98)
    return log(share / (1 - share))


def best_rank(runs, groups, group, topic, document):
    """Best rank, from 0, in the group's top 100; None if absent."""
    ranks = [
        runs[name][topic][:100].index(document)
        for name in runs
        if groups[name] == group and document in runs[name].get(topic, [])[:100]
    ]
    return min(ranks) if ranks else None


def found(runs, groups, own, topic, document):
    others = sorted({group for group in groups.values() if group != own})
    worths = []
    for group in others:
        rank = best_rank(runs, groups, group, topic, document)
        worths.append(0.0 if rank is None else 10 / (10 + rank))
    return sqrt(sum(worths) / len(others))


def share_of_relevant(qrels, ranking, topic, cutoff):
    """Relevant and judged documents of a run's top K."""
    judged = [qrels[topic][d] for d in ranking.get(topic, [])[:cutoff] if d in qrels[topic]]
    return sum(grade >= 1 for grade in judged), len(judged)


def features(qrels, ranking, runs, groups, own, topic, document, cutoff, judge=None):
    """x(d), before it is standardised."""
    grades = list(qrels[topic].values())
    pool = logit((sum(grade >= 1 for grade in grades) + 0.5) / (len(grades) + 1))
    counts = {t: share_of_relevant(qrels, ranking, t, cutoff) for t in qrels}
    relevant, judged = (sum(values) for values in zip(*counts.values(), strict=True))
    if not judged:
        relevant = sum(grade >= 1 for t in qrels for grade in qrels[t].values())
        judged = sum(len(qrels[t]) for t in qrels)
    share = relevant / judged
    here = counts[topic]
    run = logit((here[0] + 2 * share) / (here[1] + 2))
    x = [pool, run, found(runs, groups, own, topic, document)]
    if judge is not None:
        labels = [grade for of_topic in judge.values() for grade in of_topic.values()]
        x.append(judge.get(topic, {}).get(document, sum(labels) / len(labels)))
    return x


def without_group(qrels, runs, groups, group, depth):
    """The judgements, without documents that only this group has in its top `depth`."""
    left = {}
    for topic, documents in qrels.items():
        left[topic] = {}
        for document, grade in documents.items():
            having = {groups[name] for name in runs if document in runs[name].get(topic, [])[:depth]}
            if having != {group}:
                left[topic][document] = grade
    return left


def training(qrels, runs, groups, cutoff, depth, judge=None):
    """Rows of group, run, topic, document, x, grade, weight, discount."""
    rows = []
    for group in sorted(set(groups.values())):
        left = without_group(qrels, runs, groups, group, depth)
        own = [name for name in runs if groups[name] == group]
        for name in own:
            for topic in qrels:
                for rank, document in enumerate(runs[name].get(topic, [])[:cutoff], start=1):
                    if document in left[topic] or document not in qrels[topic]:
                        continue
                    x = features(left, runs[name], runs, groups, group, topic, document, cutoff, judge)
                    grade = max(qrels[topic][document], 0)
                    rows.append((group, name, topic, document, x, grade, 1 / len(own), 1 / log2(rank + 1)))
    return rows


def told_apart(rows):
    """Grade 0, and the grades that at least 3 documents reach."""
    grades = sorted({row[5] for row in rows} - {0})
    return [0] + [g for g in grades if len({(row[2], row[3]) for row in rows if row[5] >= g}) >= 3]


def standardised(rows):
    n = len(rows)
    centers, scales = [], []
    for column in zip(*(row[4] for row in rows), strict=True):
        mean = sum(column) / n
        deviation = sqrt(sum((value - mean) ** 2 for value in column) / n)
        centers.append(mean)
        scales.append(deviation if deviation > 1e-9 else 1.0)
    return centers, scales


def level_of(grade, grades):
    return max(level for level, g in enumerate(grades) if g <= grade)


def level_probabilities(thresholds, predictor):
    reached = [1.0] + [1 / (1 + exp(-(a + predictor))) for a in thresholds] + [0.0]
    return [reached[level] - reached[level + 1] for level in range(len(thresholds) + 1)]


def gradient(thresholds, slopes, data, ridge=2.0):
    """Of the log likelihood minus ridge / 2 times the sum of the squared slopes."""
    n_levels = len(thresholds)
    by_threshold, by_slope = [0.0] * n_levels, [-ridge * b for b in slopes]
    for x, level, weight in data:
        predictor = sum(b * value for b, value in zip(slopes, x, strict=True))
        reached = [1.0] + [1 / (1 + exp(-(a + predictor))) for a in thresholds] + [0.0]
        chance = reached[level] - reached[level + 1]
        rise = reached[level] * (1 - reached[level]) / chance
        fall = reached[level + 1] * (1 - reached[level + 1]) / chance
        if level >= 1:
            by_threshold[level - 1] += weight * rise
        if level < n_levels:
            by_threshold[level] -= weight * fall
        for f, value in enumerate(x):
            by_slope[f] += weight * (rise - fall) * value
    return by_threshold + by_slope


def solve(matrix, right):
    """Gaussian elimination."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def fit_odds(data, n_levels, n_features):
    """Newton's method on the gradient, its derivative by differences; half a step where thresholds would cross."""
    total = sum(weight for _, _, weight in data)
    share = [sum(w for _, level, w in data if level >= c) / total for c in range(1, n_levels + 1)]
    at = [log(s / (1 - s)) - 0.01 * c for c, s in enumerate(share)] + [0.0] * n_features
    for _ in range(200):
        here = gradient(at[:n_levels], at[n_levels:], data)
        if max(abs(g) for g in here) < 1e-10:
            break
        columns = []
        for i in range(len(at)):
            above, below = list(at), list(at)
            above[i] += 1e-5
            below[i] -= 1e-5
            high = gradient(above[:n_levels], above[n_levels:], data)
            low = gradient(below[:n_levels], below[n_levels:], data)
            columns.append([(a - b) / 2e-5 for a, b in zip(high, low, strict=True)])
        step = solve([list(row) for row in zip(*columns, strict=True)], [-g for g in here])
        size = 1.0
        while True:
            moved = [a + size * s for a, s in zip(at, step, strict=True)]
            falling = all(a > b for a, b in zip(moved[: n_levels - 1], moved[1:n_levels], strict=True))
            if falling and max(abs(size * s) for s in step) < 2:
                break
            size /= 2
        at = moved
    return at[:n_levels], at[n_levels:]


def offset(thresholds, grades, documents):
    """u in [-4, 4] with expected = actual discounted gain, and its variance; of (predictor, level, discount)."""

    def expected(u):
        return sum(
            discount * sum(p * g for p, g in zip(level_probabilities(thresholds, x + u), grades, strict=True))
            for x, _, discount in documents
        )

    actual = sum(discount * grades[level] for _, level, discount in documents)
    low, high = -4.0, 4.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if expected(middle) > actual else (middle, high)
    u = (low + high) / 2
    variance = 0.0
    for x, _, discount in documents:
        p = level_probabilities(thresholds, x + u)
        mean = sum(a * g for a, g in zip(p, grades, strict=True))
        variance += discount**2 * sum(a * (g - mean) ** 2 for a, g in zip(p, grades, strict=True))
    growth = (expected(u + 1e-5) - expected(u - 1e-5)) / 2e-5
    return u, variance / growth**2


def effect(found_offsets, weights):
    """m and tau >= .05 by maximum likelihood of u_r ~ N(m, tau^2 + variance_r): a fine search."""

    def mean(tau):
        precision = [w / (tau**2 + v) for (_, v), w in zip(found_offsets, weights, strict=True)]
        return sum(p * u for p, (u, _) in zip(precision, found_offsets, strict=True)) / sum(precision)

    def loss(tau):
        m = mean(tau)
        return sum(
            w * (log(tau**2 + v) + (u - m) ** 2 / (tau**2 + v))
            for (u, v), w in zip(found_offsets, weights, strict=True)
        )

    low, high = 0.05, 5.0
    for _ in range(8):
        steps = [low + (high - low) * i / 400 for i in range(401)]
        best = min(range(401), key=lambda i: loss(steps[i]))
        low, high = steps[max(best - 1, 0)], steps[min(best + 1, 400)]
    tau = steps[best]
    return mean(tau), tau


def learn(qrels, runs, groups, cutoff=10, depth=None, judge=None):
    """Everything that is learned, as a dict."""
    rows = training(qrels, runs, groups, cutoff, depth or cutoff, judge)
    grades = told_apart(rows)
    centers, scales = standardised(rows)

    def x_of(row):
        return [(value - c) / s for value, c, s in zip(row[4], centers, scales, strict=True)]

    data = [(x_of(row), level_of(row[5], grades), row[6]) for row in rows]
    thresholds, slopes = fit_odds(data, len(grades) - 1, len(centers))
    names = sorted({(row[0], row[1]) for row in rows})
    offsets = []
    for group, name in names:
        documents = [
            (sum(b * value for b, value in zip(slopes, x, strict=True)), level, row[7])
            for row, (x, level, _) in zip(rows, data, strict=True)
            if (row[0], row[1]) == (group, name)
        ]
        offsets.append(offset(thresholds, grades, documents))
    weights = [1 / sum(g == group for g, _ in names) for group, _ in names]
    m, tau = effect(offsets, weights)
    return {
        "grades": grades, "thresholds": thresholds, "slopes": slopes, "centers": centers, "scales": scales,
        "runs": names, "offsets": offsets, "mean": m, "spread": tau, "n": len({group for group, _ in names}),
    }  # fmt: skip


def learn_from_judge(qrels, judge):
    """Only another judge: all judged documents, pool and judge, no effect."""
    labels = [grade for of_topic in judge.values() for grade in of_topic.values()]
    rows = []
    for topic, documents in qrels.items():
        pool = logit((sum(g >= 1 for g in documents.values()) + 0.5) / (len(documents) + 1))
        for document, grade in documents.items():
            x = [pool, judge.get(topic, {}).get(document, sum(labels) / len(labels))]
            rows.append(("", "", topic, document, x, max(grade, 0), 1.0, 1.0))
    grades = told_apart(rows)
    centers, scales = standardised(rows)
    data = [
        ([(v - c) / s for v, c, s in zip(row[4], centers, scales, strict=True)], level_of(row[5], grades), 1.0)
        for row in rows
    ]
    thresholds, slopes = fit_odds(data, len(grades) - 1, 2)
    return {"grades": grades, "thresholds": thresholds, "slopes": slopes, "centers": centers, "scales": scales}


def labelled_score(ranking, judged, labels, k, base="nDCG", ideal="all", **options):
    """The base measure, the unjudged documents of the top K having labels."""
    known = {**judged, **labels}
    if base == "nDCG" and ideal == "judged":
        best = sorted((ordinary.gain(grade, **options) for grade in judged.values()), reverse=True)
        best = ordinary.discounted(best if k is None else best[:k])
        gains = [ordinary.gain(known.get(document), **options) for document in ordinary.cut(ranking, k)]
        return ordinary.discounted(gains) / best if best else 0.0
    measures = {"nDCG": ordinary.ndcg, "P": ordinary.precision, "RBP": ordinary.rbp, "SDCG": ordinary.sdcg}
    return measures[base](ranking, known, k, **options)


def imputed(ranking, judged, chances, k, base="nDCG", ideal="all", **options):
    """Every labelling that can happen: [(score, probability)], ascending, equal scores merged.

    ``chances`` {unjudged document: {grade: probability}}; fractions stay exact.
    """
    free = [document for document in ordinary.cut(ranking, k) if document not in judged]
    found_scores = []
    for drawn in product(*([(g, p) for g, p in chances[document].items() if p > 0] for document in free)):
        labels = {document: grade for document, (grade, _) in zip(free, drawn, strict=True)}
        chance = prod((p for _, p in drawn), start=Fraction(1))
        found_scores.append((labelled_score(ranking, judged, labels, k, base, ideal, **options), chance))
    return boot.merge(found_scores)
