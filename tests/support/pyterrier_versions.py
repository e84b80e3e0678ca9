"""What the PyTerrier at hand can do: plans, dicts of systems, baselines by name and saved tables came with 1.1."""

from __future__ import annotations

import inspect

import pytest

pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")

IS_NEW = "plan" in inspect.signature(pt.Experiment).parameters
TABLES = ["aggregated.csv", "perquery.csv"] if IS_NEW else []  # what it saves beside runs
needs_new = pytest.mark.skipif(not IS_NEW, reason="this PyTerrier is older than 1.1")
