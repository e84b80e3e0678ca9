"""Learned labels, slowly: plain Python from the definition, loops and all.

Judgements are {topic: {document: grade}}, runs {name: {topic: [documents, best first]}}, groups {name: group}.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log, prod, sqrt

from scipy import stats

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
    """Rows of group, run, topic, document, x, grade, weight: what the top `depth` of each left-out run teaches."""
    rows = []
    for group in sorted(set(groups.values())):
        left = without_group(qrels, runs, groups, group, depth)
        of_group = []
        for name in sorted(name for name in runs if groups[name] == group):
            for topic in qrels:
                for document in runs[name].get(topic, [])[:depth]:
                    if document in left[topic] or document not in qrels[topic]:
                        continue
                    x = features(left, runs[name], runs, groups, group, topic, document, cutoff, judge)
                    of_group.append((group, name, topic, document, x, max(qrels[topic][document], 0)))
        teaching = {row[1] for row in of_group}  # runs of which nothing is hidden teach nothing
        rows += [(*row, 1 / len(teaching)) for row in of_group]
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


def learn(qrels, runs, groups, cutoff=10, depth=None, judge=None):
    """Training rows, and the odds of all groups (None) and without each of them, as a dict."""
    rows = training(qrels, runs, groups, cutoff, depth or cutoff, judge)
    grades = told_apart(rows)
    centers, scales = standardised(rows)

    def x_of(row):
        return [(value - c) / s for value, c, s in zip(row[4], centers, scales, strict=True)]

    odds = {}
    for left_out in (None, *sorted({row[0] for row in rows})):
        data = [(x_of(row), level_of(row[5], grades), row[6]) for row in rows if row[0] != left_out]
        odds[left_out] = fit_odds(data, len(grades) - 1, len(centers))
    return {"rows": rows, "grades": grades, "centers": centers, "scales": scales, "odds": odds}


def grade_chances(twin, x, group, effect):
    """{grade: probability} of a document with features x, by the fit without a group, given a run's effect."""
    thresholds, slopes = twin["odds"][group]
    predictor = effect + sum(
        b * (v - c) / s for b, v, c, s in zip(slopes, x, twin["centers"], twin["scales"], strict=True)
    )
    return dict(zip(twin["grades"], level_probabilities(thresholds, predictor), strict=True))


def effects(mean, spread, n_groups, count):
    """The middles of `count` equally likely parts of mean + spread sqrt(1 + 1/n) t_v, v = min(n - 1, 6)."""
    t = stats.t(min(n_groups - 1, 6))
    return [mean + spread * sqrt(1 + 1 / n_groups) * t.ppf((i + 0.5) / count) for i in range(count)]


def left_out_errors(twin, qrels, runs, groups, cutoff, depth, mean, spread, nodes=51):
    """(group, true mean - estimate, stated sd) of every left-out run, by enumeration of labellings and effects.

    Only documents whose judgement was hidden get labels; documents that were never judged count 0 on both sides.
    """
    values = effects(mean, spread, len({row[0] for row in twin["rows"]}), nodes)
    found_errors = []
    for group, name in sorted({(row[0], row[1]) for row in twin["rows"]}):
        left = without_group(qrels, runs, groups, group, depth)
        truth, means, variances = 0.0, [0.0] * nodes, [0.0] * nodes
        for topic, judged in qrels.items():
            ranking = runs[name].get(topic, [])
            truth += float(ordinary.ndcg(ranking, judged, cutoff))
            hidden = [row for row in twin["rows"] if row[1:3] == (name, topic)]
            every = labellings([row[3] for row in hidden], twin["grades"])
            scores = [float(ordinary.ndcg(ranking, {**left[topic], **labels}, cutoff)) for labels in every]
            for at, u in enumerate(values):
                of_document = {row[3]: grade_chances(twin, row[4], group, u) for row in hidden}
                chances = [prod(of_document[d][g] for d, g in labels.items()) for labels in every]
                first = sum(p * s for p, s in zip(chances, scores, strict=True))
                means[at] += first
                variances[at] += sum(p * s * s for p, s in zip(chances, scores, strict=True)) - first**2
        n = len(qrels)
        estimate = sum(means) / nodes
        variance = sum(variances) / nodes + sum((m - estimate) ** 2 for m in means) / nodes
        found_errors.append((group, (truth - estimate) / n, sqrt(max(variance, 0.0)) / n))
    return found_errors


def labellings(documents, grades):
    """Every way to give documents grades."""
    return [dict(zip(documents, drawn, strict=True)) for drawn in product(grades, repeat=len(documents))]


def share_judged(qrels, runs):
    """The curve of the pool's depth: mean over runs of the share of judged documents at each rank.

    A rank counts for a run if at least half of the topics have so long a list.
    """
    longest = max(len(ranking) for run in runs.values() for ranking in run.values())
    curve = []
    for rank in range(longest):
        shares = []
        for run in runs.values():
            reached = [topic for topic in qrels if len(run.get(topic, [])) > rank]
            if len(reached) >= len(qrels) / 2:
                shares.append(sum(run[topic][rank] in qrels[topic] for topic in reached) / len(reached))
        if not shares:
            break
        curve.append(sum(shares) / len(shares))
    return curve


def pool_depth(curve):
    """The rank after which the curve drops most: by .06 at least, and 1.5 times as much as anywhere else; or None."""
    drops = [(here - after, rank) for rank, (here, after) in enumerate(zip(curve, curve[1:], strict=False), start=1)]
    if not drops:
        return None
    (largest, rank), *others = sorted(drops, key=lambda drop: (-drop[0], drop[1]))
    return rank if largest >= 0.06 and all(largest >= 1.5 * other for other, _ in others) else None


def learn_from_judge(qrels, judge):
    """Only another judge: all judged documents, pool and judge, no effect."""
    labels = [grade for of_topic in judge.values() for grade in of_topic.values()]
    rows = []
    for topic, documents in qrels.items():
        pool = logit((sum(g >= 1 for g in documents.values()) + 0.5) / (len(documents) + 1))
        for document, grade in documents.items():
            x = [pool, judge.get(topic, {}).get(document, sum(labels) / len(labels))]
            rows.append(("", "", topic, document, x, max(grade, 0), 1.0))
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
