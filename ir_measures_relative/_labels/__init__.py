"""Labels of unjudged documents, learned from the collection: a label model, and the scores that follow from it."""

from ir_measures_relative._labels.label_model import LabelModel, register_labels
from ir_measures_relative._labels.learning import learn_labels

__all__ = ["LabelModel", "learn_labels", "register_labels"]
