"""Runs the tests with other versions of Python and of what the package builds on.

    python tools/matrix.py                  every environment
    python tools/matrix.py oldest newest    some of them

Interpreters are found on the path by their names, python3.10 and so on, or named by variables like PYTHON3_10. An
environment whose interpreter is missing is left out, and said to be.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / ".venv-matrix"


class Environment(NamedTuple):
    """An interpreter, versions that are pinned, and the extras of the package."""

    python: str
    pins: tuple[str, ...] = ()
    extras: str = "plots,pytest"


ENVIRONMENTS = {
    "oldest": Environment(
        "3.10",
        ("numpy==1.26.*", "pandas==2.2.*", "scipy==1.11.*", "ir_measures==0.4.1", "joblib==1.4.*", "matplotlib==3.8.*"),
    ),
    "pandas2": Environment("3.11", ("numpy==2.*", "pandas==2.2.*", "ir_measures==0.4.1"), "all,pytest"),
    "numpy1": Environment("3.12", ("numpy==1.26.*", "pandas==2.2.*", "ir_measures==0.4.3")),
    "pyterrier": Environment("3.12", ("ir_measures==0.4.3",), "all,pytest"),
    "bare": Environment("3.11", (), "pytest"),  # without any extra
    "newest": Environment("3.13", ("pyarrow",)),  # which pandas then holds text with
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="ENVIRONMENT", help=", ".join(ENVIRONMENTS))
    parser.add_argument("--jobs", default="2", help="test processes")
    options = parser.parse_args()
    for name in options.names:
        if name not in ENVIRONMENTS:
            parser.error(f"there is no environment {name!r}; there are {', '.join(ENVIRONMENTS)}")
    outcomes = {}
    for name in options.names or ENVIRONMENTS:
        start = time.monotonic()
        outcome = tested(name, ENVIRONMENTS[name], options.jobs)
        outcomes[name] = f"{outcome} ({time.monotonic() - start:.0f} s)"
        print(f"== {name}: {outcomes[name]}", flush=True)
    print("\n" + "\n".join(f"{name:10} {outcome}" for name, outcome in outcomes.items()))
    failed = any(outcome.startswith("failed") for outcome in outcomes.values())
    return int(failed or not any(outcome.startswith("passed") for outcome in outcomes.values()))


def tested(name: str, environment: Environment, jobs: str) -> str:
    """'passed', 'failed: ...' or 'left out: ...'."""
    interpreter = found(environment.python)
    if interpreter is None:
        return f"left out: there is no python{environment.python} (nor PYTHON{environment.python.replace('.', '_')})"
    print(f"== {name}: Python {environment.python}, {', '.join(environment.pins) or 'newest versions'}", flush=True)
    place = FOLDER / name
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    package = f"{REPOSITORY}[{environment.extras}]"
    install = [str(python), "-m", "pip", "install", "--quiet", *environment.pins, package]
    test = [
        str(python),
        "-m",
        "pytest",
        "-q",
        "-n",
        jobs,
        "--dist",
        "worksteal",
        "--timeout",
        "900",
        "-p",
        "no:cacheprovider",
    ]
    for step in ([interpreter, "-m", "venv", "--clear", str(place)], install, test):
        code = subprocess.run(step, cwd=REPOSITORY).returncode
        if code:
            return f"failed: {' '.join(step[1:4])} ended with {code}"
    return "passed"


def found(version: str) -> str | None:
    """An interpreter of this version that runs."""
    for candidate in (os.environ.get(f"PYTHON{version.replace('.', '_')}"), f"python{version}", sys.executable):
        if candidate:
            code = "import sys; print('%d.%d' % sys.version_info[:2])"
            try:
                done = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
            except OSError:
                continue
            if done.stdout.strip() == version:
                return candidate
    return None


if __name__ == "__main__":
    sys.exit(main())
