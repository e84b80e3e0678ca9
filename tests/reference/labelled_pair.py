"""The difference of two runs whose unjudged documents have labels of a model, slowly: every effect, every labelling.

A run is {topic: [documents, best first]}. Labels of a run are its effects, all equally likely, and
{topic: {document: [logit of reaching each grade 1, 2, ...]}}; an effect is added to every logit of the run.
"""

from __future__ import annotations

from itertools import product
from math import exp, prod

from reference import ordinary


def reached(logits, effect):
    """P(grade >= 1), P(grade >= 2), ..."""
    return [1 / (1 + exp(-(logit + effect))) for logit in logits]


def open_documents(judged, ranking, k, depth=None):
    """The documents of a run's list that get labels: unjudged ones of its top ``depth``."""
    return [document for document in ranking[: min(k, depth or k)] if document not in judged]


def of_topic(judged, list_a, list_b, labels_a, labels_b, effect_a, effect_b, k, depth=None):
    """[(chance, score of a, score of b)] of every labelling of a topic's open documents.

    A label counts for both runs, wherever they rank the document; unjudged documents without a label count 0.
    """
    open_a, open_b = (open_documents(judged, ranking, k, depth) for ranking in (list_a, list_b))
    free = sorted({*open_a, *open_b})
    chances = []
    for document in free:
        if document in open_a and document in open_b:
            mean = [(x + y) / 2 for x, y in zip(labels_a[document], labels_b[document], strict=True)]
            chances.append(reached(mean, (effect_a + effect_b) / 2))
        elif document in open_a:
            chances.append(reached(labels_a[document], effect_a))
        else:
            chances.append(reached(labels_b[document], effect_b))
    outcomes = []
    for grades in product(*(range(len(r) + 1) for r in chances)):
        chance = prod(
            (1.0 if g == 0 else r[g - 1]) - (r[g] if g < len(r) else 0.0) for g, r in zip(grades, chances, strict=True)
        )
        labels = {**judged, **dict(zip(free, grades, strict=True))}
        outcomes.append((chance, *(float(ordinary.ndcg(ranking[:k], labels, k)) for ranking in (list_a, list_b))))
    return outcomes


def prob_better(qrels, run_a, run_b, labels_a, labels_b, k, margin=0.0, depth=None):
    """(P(a - b > margin), P(b - a > margin), the rest, mean of a, mean of b) of the means over topics.

    Labels of a run are (effects, logits); effects of the two runs are independent.
    """
    above = below = mean_a = mean_b = 0.0
    effects = list(product(labels_a[0], labels_b[0]))
    for effect_a, effect_b in effects:
        topics = [
            of_topic(
                qrels[q], run_a.get(q, []), run_b.get(q, []), labels_a[1].get(q, {}), labels_b[1].get(q, {}),
                effect_a, effect_b, k, depth,
            )
            for q in qrels
        ]  # fmt: skip
        for outcome in product(*topics):
            chance = prod(row[0] for row in outcome) / len(effects)
            a, b = (sum(row[side] for row in outcome) / len(qrels) for side in (1, 2))
            mean_a, mean_b = mean_a + chance * a, mean_b + chance * b
            above += chance * (a - b > margin + 1e-12)
            below += chance * (b - a > margin + 1e-12)
    return above, below, 1 - above - below, mean_a, mean_b
