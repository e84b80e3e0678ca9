"""Run the tests with other versions of Python and of the dependencies: ``nox``, or ``nox -s oldest newest``."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False  # missing interpreters are skipped with a message

OLDEST = ["numpy==1.26.*", "pandas==2.2.*", "scipy==1.11.*", "ir_measures==0.4.1", "joblib==1.4.*", "matplotlib==3.8.*"]


def tested(session: nox.Session, pins: list[str], extras: str = "plots,pytest") -> None:
    """Install the package with pinned dependencies and run its tests; further arguments go to pytest."""
    session.install(*pins, f".[{extras}]")
    parallel = ["-n", "2", "--dist", "worksteal", "--timeout", "900"]
    session.run("pytest", "-q", *parallel, "-m", "not slow and not spark", "tests", *session.posargs)


@nox.session(python="3.11")
def oldest(session: nox.Session) -> None:
    """Oldest versions that pyproject.toml allows."""
    tested(session, OLDEST)


@nox.session(python="3.11")
def pandas2(session: nox.Session) -> None:
    """numpy 2 with pandas 2, and the oldest supported PyTerrier."""
    tested(session, ["numpy==2.*", "pandas==2.2.*", "ir_measures==0.4.1", "pyterrier==1.0.0"], "all,pytest")


@nox.session(python="3.12")
def numpy1(session: nox.Session) -> None:
    """The last numpy 1."""
    tested(session, ["numpy==1.26.*", "pandas==2.2.*", "ir_measures==0.4.3"])


@nox.session(python="3.12")
def pyterrier(session: nox.Session) -> None:
    """The newest PyTerrier."""
    tested(session, ["ir_measures==0.4.3"], "all,pytest")


@nox.session(python="3.11")
def bare(session: nox.Session) -> None:
    """Without any extra."""
    tested(session, [], "pytest")


@nox.session(python=["3.13", "3.14"])
def newest(session: nox.Session) -> None:
    """Newest versions: numpy 2.5 and scipy 1.18 or later, with pyarrow, which pandas then uses for strings."""
    tested(session, ["numpy>=2.5", "scipy>=1.18", "pyarrow"])
