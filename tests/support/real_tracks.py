"""A track of the shared folder, read once, and label models learned from it, each once."""

from __future__ import annotations

from pathlib import Path

import ir_measures_relative as imr


class RealTrack:
    """Qrels, runs and groups of one track."""

    def __init__(self, folder: Path):
        self.qrels = imr.read_qrels(folder / "qrels.txt")
        self.runs = imr.read_runs(folder / "runs")
        self.groups = folder / "groups.csv"
        self._models: dict[int | None, imr.LearnedLabels] = {}

    def labels(self, depth: int | None = None) -> imr.LearnedLabels:
        """The labels learned from all runs, for the cutoff 10."""
        if depth not in self._models:
            self._models[depth] = imr.learn_labels(self.qrels, self.runs, self.groups, depth=depth)
        return self._models[depth]
