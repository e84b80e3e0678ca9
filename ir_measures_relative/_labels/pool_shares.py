"""Without a label model: an unjudged document may have any grade, each as often as the topic's judged documents."""

from __future__ import annotations

import numpy as np

from ir_measures_relative._labels.label_chances import LabelChances
from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.partly_judged import PartlyJudged


class PoolShares(LabelModel):
    """Grade shares of the topic's judgements, to which one document of the shares over all topics is added."""

    relevant: int  # the smallest grade that counts

    def __init__(self, relevant: int = 1):
        vars(self).update(relevant=relevant)

    def chances(self, part: PartlyJudged, group: str | None = None, name: str | None = None) -> LabelChances:
        judgements = part.run.judgements
        known = np.maximum(judgements.grade[part.judged], 0)
        # where nothing is judged relevant, a document may be all the same
        least = [0] if (known >= self.relevant).any() else [0, self.relevant]
        grade, level = np.unique(np.append(least, known), return_inverse=True)  # (L,), the first is 0
        level = level.ravel()[len(least) :]
        count = np.zeros((judgements.n_topics, len(grade)))  # (Q, L)
        np.add.at(count, (judgements.topic[part.judged], level), 1.0)
        overall = (count.sum(axis=0) + 1.0 / len(grade)) / (count.sum() + 1.0)  # (L,)
        share = (count + overall) / (count.sum(axis=1, keepdims=True) + 1.0)
        return LabelChances(grade, share[part.topic][None], False)

    def _content(self) -> list[bytes]:
        return [repr(self.relevant).encode()]
