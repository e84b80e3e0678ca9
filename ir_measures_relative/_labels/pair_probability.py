"""How likely one run is better than another, given what is not judged."""

from __future__ import annotations

import numpy as np

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import WrongKind, flag, real, shown
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun, Judgements, QrelsLike, Run, RunLike, warn_of_other_topics
from ir_measures_relative._labels.bootstrapped import BootSettings
from ir_measures_relative._labels.bootstrapped_pair import ProbBetter, TopicBetter, boot_prob_better
from ir_measures_relative._labels.imputing import known_labels
from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.pair_outcomes import PairOutcomes
from ir_measures_relative._labels.sampling import chance_range

DRAWN = 20_100  # labellings for the probabilities of single topics


def prob_better(
    qrels: QrelsLike,
    run_a: RunLike,
    run_b: RunLike,
    cutoff: int | None = 10,
    *,
    prior: str = "pool+run",
    dcg: str = "log2",
    gains: dict[int, float] | None = None,
    pool: str = "topic",
    labels: LabelModel | str | None = None,
    margin: float = 0.0,
    topics: bool = False,
    groups: tuple[str | None, str | None] | None = None,
) -> ProbBetter:
    """Return how likely the mean nDCG of run a is above that of run b, given what is not judged.

    A document that both runs have unjudged in their tops gets one label for both. A run against itself is a tie;
    swapping the runs swaps the answers. If one run has nothing unjudged, the other one's scores are those of
    `boot_ndcg`, or with labels those of `impute`.

    Parameters
    ----------
    qrels, run_a, run_b : QrelsLike, RunLike
        In any accepted form; TREC files too. If a run lacks a topic, it scores 0 there.
    cutoff : int or None
        K; None counts the whole lists.
    prior, dcg, gains, pool
        As in `BootNDCG`. A document in both tops has the average of the two runs' grade priors.
    labels : LabelModel or str, optional
        A label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`) or its registered name. It
        replaces ``prior`` and ``pool``. The unjudged documents of both lists join the ideal; a document in both lists
        has the mean of the two logits; the effects of the two runs are independent.
    margin : float
        With ``labels``: ``a_better`` is the probability that a is better by more than this, ``tie`` that neither is.
    topics : bool
        With ``labels``: answer for topics like these; Student's t of the expected differences is added.
    groups : tuple, optional
        With ``labels``: the groups of the two runs. A run that the labels were learned from is recognised.

    Returns
    -------
    ProbBetter
        The three probabilities with their bracket, the expected means, and the same per topic (``.to_frame()``).

    Notes
    -----
    ``form`` says how exact the answer is: 'exact' where labellings are listed, 'bracket' where topics are combined on a
    grid, 'band' where labellings are sampled with a fixed seed. ``error`` is the standard error of a sampled
    probability: at most .0036 without labels, .008 with labels, .0025 if at most 16 documents are unjudged.

    References
    ----------
    Froebe, Gienapp, Potthast, Hagen: Bootstrapped nDCG Estimation in the Presence of Unjudged Documents. ECIR 2023.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}}
    >>> one, other = {'q1': {'a': 3., 'x': 2., 'c': 1.}}, {'q1': {'a': 3., 'c': 2., 'x': 1.}}
    >>> imr.prob_better(qrels, one, other, cutoff=3)
    ProbBetter(a 0.5000, b 0.0000, tie 0.5000 (exact), expected means 0.8066 and 0.7664, 1 topic)
    >>> labels = imr.LabelModel.shares({0: .9, 1: .1})
    >>> better = imr.prob_better(qrels, one, other, cutoff=3, labels=labels)
    >>> round(better.a_better, 2), better.b_better, round(better.tie, 2)
    (0.1, 0.0, 0.9)
    """
    if labels is None:
        if margin != 0 or topics is not False or groups is not None:
            raise ValueError("prob_better: margin=, topics= and groups= require labels=, such as those of learn_labels")
        return boot_prob_better(qrels, run_a, run_b, cutoff, prior, dcg, gains, pool)
    if (prior, pool) != ("pool+run", "topic"):
        raise ValueError("prob_better: labels= replaces prior= and pool=; give one or the other")
    settings = BootSettings.checked("prob_better", cutoff, dcg=dcg, gains=gains)
    model = known_labels(labels, "prob_better: labels")
    model.check_cutoff(settings.cutoff, "prob_better")
    margin, topics = real(margin, "prob_better: margin", 0.0), flag(topics, "prob_better: topics")
    judgements = Judgements.of(qrels)
    labelled = []
    for what, run, group in zip(("run_a", "run_b"), (run_a, run_b), _checked_groups(groups), strict=True):
        judged = JudgedRun(judgements, Run.of(run, what))
        warn_of_other_topics(judged.run, judgements, what)
        part = OpenDocuments.unjudged(judged, settings.cutoff, model.depth)
        labelled.append(LabelledRun(part, model._label(part, group, what), settings.model))
    return labelled_prob_better(PairOutcomes(labelled[0], labelled[1]), margin, topics)


def labelled_prob_better(pair: PairOutcomes, margin: float = 0.0, topics: bool = False) -> ProbBetter:
    """The answer of `prob_better` for two labelled runs."""
    if topics and pair.n_topics < 2:
        raise ValueError("topics=True requires at least two topics, got 1")
    above, below = pair.chances_over_topics(margin) if topics else pair.chances(margin)
    size = 0 if pair.drawn.probability is not None else len(pair.drawn.difference)
    chances = above, below, max(1.0 - above - below, 0.0)
    ranges = [_range(chance, size) for chance in chances]
    undecided = max(high - low for low, high in ranges)
    drawn = pair.drawn
    scores_a = pair.expected_scores()
    means = mean_over_topics(scores_a), mean_over_topics(scores_a - drawn.by_topic)
    bracket = dict(zip(("a_better", "b_better", "tie"), ranges, strict=True))
    form = "band" if undecided else "exact"
    # single topics get more draws: the pair as a whole may need few
    thorough = PairOutcomes(pair.a, pair.b, size=DRAWN)
    return ProbBetter(*chances, *means, form, undecided, bracket, _by_topic(thorough, margin, scores_a))


def _by_topic(pair: PairOutcomes, margin: float, scores_a: FloatArray) -> list[TopicBetter]:
    """Probabilities for every topic."""
    drawn, judgements = pair.drawn, pair.a.open.run.judgements
    cell = {int(topic): at for at, topic in enumerate(drawn.topics)}
    both = np.bincount(pair.a.open.topic[pair.both_a], minlength=judgements.n_topics)
    rows = []
    for q, query_id in enumerate(judgements.topics):
        size = 0 if q not in cell or drawn.probability is not None else len(drawn.difference)
        if q in cell:
            alone = drawn._replace(difference=drawn.by_cell[cell[q]])
        else:
            alone = drawn._replace(difference=drawn.by_topic[q : q + 1], probability=np.ones(1))
        above, below = alone.chance(margin), alone._replace(difference=-alone.difference).chance(margin)
        chances = above, below, max(1.0 - above - below, 0.0)
        undecided = max(high - low for low, high in (_range(chance, size) for chance in chances))
        means = float(scores_a[q]), float(scores_a[q] - drawn.by_topic[q])
        n_a, n_b = (int(run.n_open[q]) for run in (pair.a, pair.b))
        form = "band" if undecided else "exact"
        rows.append(TopicBetter(query_id, *chances, undecided, form, *means, n_a, n_b, int(both[q])))
    return rows


def _range(chance: float, size: int) -> tuple[float, float]:
    """The range that contains a probability seen in ``size`` draws with probability 1 - 1e-6; 0 draws: exact."""
    if not size:
        return chance, chance
    low, high = chance_range(chance, chance, size)
    return float(low), float(high)


def _checked_groups(groups: tuple[str | None, str | None] | None) -> tuple[str | None, str | None]:
    if groups is None:
        return None, None
    if not isinstance(groups, (tuple, list)) or len(groups) != 2:
        raise WrongKind(f"prob_better: groups must be the groups of a and b, got {shown(groups)}")
    return groups[0], groups[1]
