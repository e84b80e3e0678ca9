"""Can one judge, such as a language model, replace another?"""

from __future__ import annotations

import argparse
from itertools import combinations

from ir_measures_relative._cli.arguments import add_output, add_places, add_runs
from ir_measures_relative._cli.command import Command, Outcome, UsageError

_EXAMPLES = """\
  ir_measures_relative judges runs/ human=qrels.txt llm=llm.qrels --top 10
  ir_measures_relative judges runs/ human=qrels.txt llm=llm.qrels \\
    --groups groups.csv --table shifts
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_runs(parser)
    parser.add_argument(
        "judges", nargs="+", metavar="NAME=QRELS", help="two or more judges; the first is the reference"
    )
    parser.add_argument("--measure", default="nDCG@10", help="the measure to compare by (default nDCG@10)")
    parser.add_argument("--top", type=int, metavar="N", help="also Kendall's tau over the N best runs")
    parser.add_argument(
        "--rel", action="append", default=[], metavar="[NAME=]GRADE",
        help="smallest relevant grade, of all judges or of one; may be repeated (default 1)",
    )  # fmt: skip
    parser.add_argument("--common", action="store_true", help="score by documents that both judges graded")
    parser.add_argument(
        "--table", choices=("agreement", "shifts", "confusion"), default="agreement",
        help="agreement of labels and orders, shifts of groups, or counts of grades",
    )  # fmt: skip
    parser.add_argument("--level", type=float, default=0.95, metavar="SHARE", help="of the intervals (default .95)")
    parser.add_argument("--figure", metavar="FILE", help="draw the shifts of the first two judges (png, pdf, svg)")
    add_places(parser)
    add_output(parser)


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative import meta
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable
    from ir_measures_relative._input import run_sources

    paths = _named(options.judges)
    found = meta.compare_judges(
        {name: reading.read_qrels(path) for name, path in paths.items()},
        dict(run_sources(options.runs, names=options.names)),
        reading.read_measure(options.measure),
        groups=options.groups,
        top=options.top,
        rel=_smallest_relevant(options.rel, list(paths)),
        documents="common" if options.common else "all",
        level=options.level,
    )
    if options.figure:
        from ir_measures_relative import plots

        plots.save(plots.judges(found), options.figure)
    header = ["first", "second", "grade_first", "grade_second", "documents"]
    if options.table == "confusion":
        counts = {pair: found.confusion(*pair).stack().items() for pair in combinations(paths, 2)}
        rows = [(*pair, *grades, int(count)) for pair, cells in counts.items() for grades, count in cells]
    else:
        frame = found.to_frame() if options.table == "agreement" else found.shifts
        header, rows = list(frame.columns), list(frame.itertuples(index=False, name=None))
    return Outcome(reading.table_text(TextTable(header, rows, places=options.places), options))


def _named(texts: list[str]) -> dict[str, str]:
    """NAME=QRELS, each name once."""
    named: dict[str, str] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not name or not path:
            raise UsageError(f"'{text}' must be NAME=QRELS, as in human=qrels.txt")
        if name in named:
            raise UsageError(f"two judges are named '{name}'; names must differ")
        named[name] = path
    if len(named) < 2:
        raise UsageError("give at least two judges, as in human=qrels.txt llm=llm.qrels")
    return named


def _smallest_relevant(texts: list[str], judges: list[str]) -> int | dict[str, int]:
    """--rel 2, or --rel human=2 --rel llm=1; 1 where nothing is given."""
    grades = dict.fromkeys(judges, 1)
    for text in texts:
        name, mark, grade = text.rpartition("=")
        if mark and name not in grades:
            raise UsageError(f"--rel {text}: unknown judge '{name}'; there are {', '.join(judges)}")
        if not grade.lstrip("-").isdigit():
            raise UsageError(f"--rel {text} must be GRADE or NAME=GRADE, with an integer")
        grades.update({name: int(grade)} if mark else dict.fromkeys(judges, int(grade)))
    return grades


JUDGES = Command(
    "judges",
    "Compare judges: do they give the same labels and the same order of runs, and do they favour some groups?",
    ("judges RUNS NAME=QRELS...", "can one judge replace another?"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
