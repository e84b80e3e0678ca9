"""Slow twin of prob_better: every target of every unjudged document is tried, probabilities are fractions.

Runs are lists of document ids, best first; ``qrels`` is {document: grade}; ``k`` is None for no cutoff.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

from reference import boot
from reference.bounds import dcg_of, ndcg_of, top_of

TIE = 1e-12


def level(grade):
    return max(grade, 0)


def shares(grades):
    """{grade: share}; nothing judged: grade 0 for sure."""
    counts = Counter(map(level, grades)) or Counter([0])
    return {grade: Fraction(count, sum(counts.values())) for grade, count in counts.items()}


def average(one, other):
    return {grade: (one.get(grade, Fraction(0)) + other.get(grade, Fraction(0))) / 2 for grade in {**one, **other}}


def target_prior(run, qrels, k, prior, pool_grades):
    """Chance of each target grade for an unjudged document of the run."""
    pool = shares(pool_grades)
    judged = [qrels[doc] for doc in run[:k] if doc in qrels]
    if prior == "pool" or not judged:
        return pool
    return shares(judged) if prior == "run" else average(pool, shares(judged))


def supply(run, qrels, k):
    """{positive grade: documents of the pool outside the top k}; grade 0 never runs out."""
    return Counter(grade for doc, grade in qrels.items() if doc not in run[:k] and grade > 0)


def in_both(run_a, run_b, qrels, k):
    """Unjudged documents of both tops, in the order in which they get their labels."""

    def order(doc):
        ranks = sorted([run_a.index(doc), run_b.index(doc)])
        return (*ranks, doc)

    return sorted(set(top_of(run_a, qrels, k)) & set(top_of(run_b, qrels, k)), key=order)


def assign(targets, supplies):
    """One label after another: the highest grade <= target left in every supply, taken from all of them."""
    labels = []
    for target in targets:
        label = target
        while label > 0 and not all(left[label] > 0 for left in supplies):
            label -= 1
        if label > 0:
            for left in supplies:
                left[label] -= 1
        labels.append(label)
    return labels


def joint(run_a, run_b, qrels, k, prior="pool+run", pool_grades=None):
    """(probability, {document: label}) for every sequence of targets."""
    pool_grades = list(qrels.values()) if pool_grades is None else pool_grades
    prior_a = target_prior(run_a, qrels, k, prior, pool_grades)
    prior_b = target_prior(run_b, qrels, k, prior, pool_grades)
    shared = in_both(run_a, run_b, qrels, k)
    only_a = [doc for doc in top_of(run_a, qrels, k) if doc not in shared]
    only_b = [doc for doc in top_of(run_b, qrels, k) if doc not in shared]
    chances = [average(prior_a, prior_b)] * len(shared) + [prior_a] * len(only_a) + [prior_b] * len(only_b)
    first, second = len(shared), len(shared) + len(only_a)
    for targets in product(*(sorted(chance) for chance in chances)):
        probability = Fraction(1)
        for target, chance in zip(targets, chances, strict=True):
            probability *= chance[target]
        left_a, left_b = supply(run_a, qrels, k), supply(run_b, qrels, k)
        labels = assign(targets[:first], [left_a, left_b])
        labels += assign(targets[first:second], [left_a])
        labels += assign(targets[second:], [left_b])
        yield probability, dict(zip(shared + only_a + only_b, labels, strict=True))


def scores(run_a, run_b, qrels, k, gain, labels):
    """nDCG of both runs over the pool's own ideal."""
    ideal = dcg_of(sorted(map(gain, qrels.values()), reverse=True)[:k])
    both = {**qrels, **labels}
    return tuple(dcg_of(gain(both[doc]) for doc in run[:k]) / ideal if ideal else 0.0 for run in (run_a, run_b))


def topic_atoms(run_a, run_b, qrels, k, gain, prior="pool+run", pool_grades=None):
    """[(probability, nDCG of a, nDCG of b)], and a check that nothing unjudged means ordinary nDCG."""
    atoms = [
        (probability, *scores(run_a, run_b, qrels, k, gain, labels))
        for probability, labels in joint(run_a, run_b, qrels, k, prior, pool_grades)
    ]
    if not top_of(run_a, qrels, k):
        assert all(abs(a - ndcg_of(run_a, qrels, k, gain)) < TIE for _, a, _ in atoms)
    return atoms


def prob_better(topics, k, gain, prior="pool+run", pool="topic"):
    """(P(a > b), P(b > a), P(tie), mean of a, mean of b); topics = [(run_a, run_b, qrels)], all combinations.

    The means are those of bootstrapped nDCG of each run alone.
    """
    grades = [grade for _, _, qrels in topics for grade in qrels.values()] if pool == "collection" else None
    atoms = [topic_atoms(*topic, k, gain, prior, grades) for topic in topics]
    better = {1: Fraction(0), -1: Fraction(0), 0: Fraction(0)}
    for combination in product(*atoms):
        probability, difference = Fraction(1), 0.0
        for chance, a, b in combination:
            probability *= chance
            difference += a - b
        better[(difference > TIE * len(topics)) - (difference < -TIE * len(topics))] += probability
    means = [
        sum(boot.mean(boot.distribution(topic[which], topic[2], k, prior, gain, grades)) for topic in topics)
        / len(topics)
        for which in (0, 1)
    ]
    return float(better[1]), float(better[-1]), float(better[0]), *means


def drawn_difference(run_a, run_b, qrels, k, gain, source, prior="pool+run"):
    """nDCG of a minus that of b with labels drawn once; ``source`` is a random.Random."""
    prior_a = target_prior(run_a, qrels, k, prior, list(qrels.values()))
    prior_b = target_prior(run_b, qrels, k, prior, list(qrels.values()))

    def targets(documents, chance):
        return source.choices(list(chance), [float(p) for p in chance.values()], k=len(documents))

    shared = in_both(run_a, run_b, qrels, k)
    only_a = [doc for doc in top_of(run_a, qrels, k) if doc not in shared]
    only_b = [doc for doc in top_of(run_b, qrels, k) if doc not in shared]
    left_a, left_b = supply(run_a, qrels, k), supply(run_b, qrels, k)
    labels = assign(targets(shared, average(prior_a, prior_b)), [left_a, left_b])
    labels += assign(targets(only_a, prior_a), [left_a])
    labels += assign(targets(only_b, prior_b), [left_b])
    a, b = scores(run_a, run_b, qrels, k, gain, dict(zip(shared + only_a + only_b, labels, strict=True)))
    return a - b
