"""What every test file shares: reference data, deterministic hypothesis, the summary of skips."""

from __future__ import annotations

import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings
from support.fuzzing import USUAL
from support.real_tracks import RealTrack
from support.repository import REPOSITORY

from ir_measures_relative._base.contents import Contents
from ir_measures_relative._priors import prior_runs

SHARED_VARIABLE = "IR_MEASURES_RELATIVE_SHARED"

settings.register_profile("deterministic", derandomize=True, database=None, deadline=None, max_examples=USUAL)
settings.load_profile("deterministic")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real runs and judgements beside the repository; skips where it is absent."""
    named = os.environ.get(SHARED_VARIABLE)
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the reference data: no folder {folder} (set {SHARED_VARIABLE} to name another)")
    return folder


@pytest.fixture(scope="session")
def covid_round2(shared: Path) -> RealTrack:
    """TREC-COVID round 2: 136 runs of 51 groups."""
    return RealTrack(shared / "data" / "trec-covid-round2")


# What cannot even be imported without an extra, and docstrings whose examples need one
NEEDED_BY_FILES = {
    "ir_measures_relative/plots/*.py": "matplotlib",
    "tests/support/figures.py": "matplotlib",
    "tests/plots/*.py": "matplotlib",
}
# scripts that the documentation runs (test_docs builds it), and that tests run
SCRIPTS = ["docs/website/*.py", "tests/support/pisa_pipelines.py"]
NEEDED_BY_EXAMPLES = {
    "ir_measures_relative._hosts.pyterrier_experiment": "pyterrier",
}


def missing(needed: dict[str, str]) -> dict[str, str]:
    return {what: package for what, package in needed.items() if find_spec(package) is None}


class LeftOut:
    """Leaves out files that need a package that is not installed, in all of the repository, not only in this folder."""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        left_out = [*missing(NEEDED_BY_FILES), *SCRIPTS]
        return any(collection_path.match(pattern) for pattern in left_out) or None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(LeftOut())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for module, package in missing(NEEDED_BY_EXAMPLES).items():
            if isinstance(item, pytest.DoctestItem) and item.name.startswith(module):
                item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))


@pytest.fixture
def fresh_priors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is registered: no test sees what another one registered."""
    monkeypatch.setattr(prior_runs, "_registered", {})
    monkeypatch.setattr(prior_runs, "_contents", Contents("prior runs"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped and why, also when none was."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[reason.removeprefix("Skipped: ")] += 1
    terminalreporter.write_line(f"tests skipped: {reasons.total()}")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"  {count} because: {reason}")
    for pattern, package in missing(NEEDED_BY_FILES).items():
        terminalreporter.write_line(f"  {pattern} left out because: {package} is not installed")
