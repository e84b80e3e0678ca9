"""Bootstrapped nDCG: the distribution of nDCG, per topic and on average, given unjudged documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    best_values_left,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
from ir_measures_relative._labels.boot_scores import BootScores
from ir_measures_relative._labels.boot_settings import BootSettings
from ir_measures_relative._labels.grade_prior import GradePrior, grade_prior_of
from ir_measures_relative._labels.label_draws import LabelDraws, label_draws
from ir_measures_relative._labels.pool_bounds import naive_bounds
from ir_measures_relative._labels.score_forms import TopicScores


def topic_scores(run: JudgedRun, settings: BootSettings, grades: GradePrior | None = None) -> list[TopicScores]:
    """Return the distribution of nDCG of every topic; ``grades`` replaces the grade probabilities of the settings."""
    model = settings.model
    if grades is None:
        grades = grade_prior_of(run, settings.cutoff, settings.prior, settings.pool)
    top = run.top(model.cutoff)
    gain_of_row = model.gain(run.judgements.grade)  # (J,)
    ideal = model.normalizer(gain_of_row, run.judgements)  # (Q,)
    unjudged = top.unjudged  # (Q, W)
    seen = model.seen(unjudged.shape[1])  # (W,)
    gain = model.gain(grades.levels)  # (L,)
    left = best_values_left(gain_of_row, run, model.cutoff)  # (Q, D), by gain, not by grade: a table may fall
    lower, upper = naive_bounds(top.values(gain_of_row), unjudged, left, seen, ideal)  # (Q,) each
    exponent = int(np.frexp(gain.max(initial=0.0))[1])  # gains in units near the highest: tiny ones have squares too
    gain, unit = np.ldexp(gain, -exponent), np.ldexp(ideal, -exponent)
    scores = []
    alike: dict[tuple[Any, ...], LabelDraws] = {}  # thousands of topics with one relevant document have few labellings
    for q, topic in enumerate(run.judgements.topics):
        place = np.flatnonzero(unjudged[q])
        low = float(lower[q])
        if len(place) == 0 or ideal[q] == 0:
            scores.append(TopicScores(topic, low, low, None, place + 1))
            continue
        probability, supply = grades.probability[q], grades.supply[q]  # (L,) each
        key = place.tobytes(), float(ideal[q]), probability.tobytes(), supply.tobytes()
        if key not in alike:
            alike[key] = label_draws(seen[place] / unit[q], gain, probability, supply)
        scores.append(TopicScores(topic, low, float(upper[q]), alike[key], place + 1))
    return scores


def expected_scores(run: JudgedRun, settings: BootSettings) -> FloatArray:
    """Return the mean of every topic. (Q,)"""
    return np.array([scores.mean for scores in topic_scores(run, settings)], dtype=np.float64)


def boot_ndcg(
    qrels: QrelsLike,
    run: RunLike,
    cutoff: int | None = 10,
    *,
    prior: str = "pool+run",
    dcg: str = "log2",
    gains: dict[int, float] | None = None,
    pool: str = "topic",
) -> BootScores:
    """Return the distribution of nDCG, per topic and on average, given unjudged documents.

    Parameters
    ----------
    qrels, run
        In any accepted form; TREC files too.
    cutoff : int or None
        K; None counts the whole list.
    prior, dcg, gains, pool
        As in `BootNDCG`.

    Returns
    -------
    BootScores
        The distribution of every topic (``scores['q1'].interval(.9)``) and that of the mean over topics.

    References
    ----------
    Froebe, Gienapp, Potthast, Hagen: Bootstrapped nDCG Estimation in the Presence of Unjudged Documents. ECIR 2023.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}, 'q2': {'a': 1, 'b': 0}}
    >>> scores = imr.boot_ndcg(qrels, {'q1': {'a': 3., 'x': 2., 'c': 1.}, 'q2': {'a': 1.}}, cutoff=3)
    >>> scores['q1'].support.round(3).tolist(), scores['q1'].probability.tolist()
    ([0.613, 1.0], [0.5, 0.5])
    >>> round(scores.mean, 4), scores.interval(0.9)[1]
    (0.9033, 1.0)
    """
    settings = BootSettings.checked("boot_ndcg", cutoff, prior, dcg, gains, pool)
    judged = JudgedRun(Judgements.of(qrels), Run.of(run))
    warn_of_other_topics(judged.run, judged.judgements)
    warn_without_nonrelevant(judged.judgements, "boot_ndcg")
    return BootScores(str(settings), topic_scores(judged, settings))
