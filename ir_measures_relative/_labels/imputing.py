"""`impute`: the scores of a run once its unjudged documents have labels."""

from __future__ import annotations

from typing import Any

import ir_measures
from ir_measures import nDCG

from ir_measures_relative._base import NDCG, UserModel, canonical_base, divide, user_model
from ir_measures_relative._checks import choice
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
from ir_measures_relative._labels.imputed_scores import ImputedScores, ImputedTopic
from ir_measures_relative._labels.label_chances import LabelChances
from ir_measures_relative._labels.label_model import LEARNED, LabelModel, labels_of
from ir_measures_relative._labels.labelled_run import labelled_topics
from ir_measures_relative._labels.partly_judged import PartlyJudged

BASES = ("nDCG", "P", "RBP", "SDCG")
IDEALS = ("all", "judged")
ONLY_RELEVANT = (  # what follows from qrels without a judged non-relevant document
    "what unjudged documents are worth rests on the label model alone, and a learned one takes nearly all for relevant"
)


def impute(
    qrels: QrelsLike,
    run: RunLike,
    labels: LabelModel | str,
    base: ir_measures.Measure | str = nDCG @ 10,
    *,
    ideal: str = "all",
    group: str | None = None,
) -> ImputedScores:
    """What is a run's score, given what its unjudged documents are likely to be worth?

    Parameters
    ----------
    qrels, run : in any accepted form; TREC files too
    labels : a label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`), or its registered name
    base : the ordinary measure: nDCG, P, RBP or SDCG
    ideal : nDCG: 'all' (unjudged documents of the list join the ideal by their grade) or 'judged'
    group : the group that the run belongs to, if the labels were learned from runs of that group too; a run that they
        were learned from is recognised by its content

    Returns
    -------
    ImputedScores
        Per topic (``scores['q1'].interval(.9)``) and of the mean over topics: mean, std, quantile, interval, parts.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0}, 'q2': {'a': 1, 'b': 0}}
    >>> run = {'q1': {'a': 3., 'x': 2., 'c': 1.}, 'q2': {'y': 2., 'a': 1.}}
    >>> scores = imr.impute(qrels, run, imr.LabelModel.shares({0: .7, 1: .3}), 'nDCG@3')
    >>> scores
    ImputedScores(nDCG@3: 2 topics, 2 unjudged documents, plain 0.6220, mean 0.7002, std 0.0915, calibrated=False)
    >>> [round(end, 4) for end in scores.interval(.9)]
    [0.622, 0.8827]
    """
    choice(ideal, "ideal", IDEALS)
    model = base_model(base)
    labels = known_labels(labels, "labels")
    labels.check_cutoff(model.cutoff, "impute")
    judged = JudgedRun(Judgements.of(qrels), Run.of(run))
    warn_of_other_topics(judged.run, judged.judgements)
    warn_without_nonrelevant(judged.judgements, "impute", ONLY_RELEVANT)
    part = PartlyJudged.of(judged, model.cutoff)
    return imputed_scores(part, labels.chances(part, group, "run"), model, ideal, base_text(base))


def imputed_scores(part: PartlyJudged, chances: LabelChances, model: UserModel, ideal: str, name: str) -> ImputedScores:
    """The scores of a partly judged run; ``name`` is that of the measure."""
    topics = labelled_topics(part, chances, model, ideal)
    gain = model.gain(part.run.judgements.grade) * part.judged  # (J,)
    plain = divide(model.total(part.known(gain)), model.normalizer(gain, part.run.judgements))  # (Q,)
    found = [
        ImputedTopic(query_id, score, labelled, len(chances.probability))
        for query_id, score, labelled in zip(part.run.judgements.topics, plain.tolist(), topics, strict=True)
    ]
    return ImputedScores(name, found, chances.calibrated)


def known_labels(labels: Any, where: str) -> LabelModel:
    """A model, where there are no other runs to learn one from."""
    found = labels_of(labels, where)
    if isinstance(found, LabelModel):
        return found
    raise ValueError(
        f"{where}={LEARNED!r} means that labels are learned from the other runs of an experiment: use calc_runs, "
        "compare, Experiment or the command line's compare, or give the model that learn_labels returns"
    )


def base_model(base: Any) -> UserModel:
    """The ordinary measure as mathematics; refuses one that gives non-relevant documents a gain."""
    text, cutoff = canonical_base(base, BASES)
    model = user_model(text, cutoff)
    if model.needs_cutoff and cutoff is None:
        raise ValueError(f"base={text} needs a cutoff, as in {text}@10")
    refuse_gain_of_nothing(model, f"base={text}")
    return model


def base_text(base: Any) -> str:
    """How a base prints: with its cutoff."""
    text, cutoff = canonical_base(base, BASES)
    return text if cutoff is None else f"{text}@{cutoff}"


def refuse_gain_of_nothing(model: UserModel, where: str) -> None:
    """A document that is not relevant must gain nothing: unjudged ones of other topics would too."""
    gains = (model.gains or {}) if isinstance(model, NDCG) else {}
    odd = next((grade for grade, gain in gains.items() if grade <= 0 and gain > 0), None)
    if odd is not None:
        raise ValueError(f"{where}: gains gives grade {odd} the gain {gains[odd]}; a grade up to 0 must gain 0")
