"""Grades of unjudged documents without a label model: as frequent as among the topic's judged documents."""

import numpy as np

from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments


class PoolShares(LabelModel):
    """Grade shares of the topic's judgements, to which one document of the shares over all topics is added."""

    relevant: int  # the smallest grade that counts

    def __init__(self, relevant: int = 1):
        vars(self).update(relevant=relevant)

    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        judgements = part.run.judgements
        grades = np.maximum(judgements.grade[part.visible], 0)
        # without a document judged relevant, an unjudged one may still be
        least = [0] if (grades >= self.relevant).any() else [0, self.relevant]
        grade, level = np.unique(np.append(least, grades), return_inverse=True)  # (L,), the first is 0
        level = level.ravel()[len(least) :]
        count = np.zeros((judgements.n_topics, len(grade)))  # (Q, L)
        np.add.at(count, (judgements.topic[part.visible], level), 1.0)
        overall = (count.sum(axis=0) + 1.0 / len(grade)) / (count.sum() + 1.0)  # (L,)
        share = (count + overall) / (count.sum(axis=1, keepdims=True) + 1.0)
        return GradeLabels.of_probabilities(grade, share[part.topic])

    def _content(self) -> list[bytes]:
        return [repr(self.relevant).encode()]
