"""The command ``judges``: can one judge, such as a language model, replace another?"""

import argparse
from itertools import combinations

import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._cli import reading
from ir_measures_relative._cli.arguments import Outcome


def agreement(options: argparse.Namespace) -> Outcome:
    judges = dict(options.judges)
    relevant = dict.fromkeys(judges, 1)  # judge -> smallest relevant grade
    for name, grade in options.rel:
        relevant.update({name: grade} if name else dict.fromkeys(judges, grade))
    comparison = meta.compare_judges(
        {name: reading.read_qrels(path) for name, path in judges.items()},
        reading.read_runs(options),
        reading.read_measure(options.measure),
        groups=options.groups,
        top=options.top,
        rel=relevant,
        documents="common" if options.common else "all",
        level=options.level,
    )
    if options.figure:
        from ir_measures_relative import plots  # late: matplotlib is optional

        plots.save(plots.judges(comparison), options.figure)
    if options.table == "confusion":
        counts = {pair: comparison.confusion(*pair).stack().items() for pair in combinations(judges, 2)}
        rows = [(*pair, *grades, int(count)) for pair, cells in counts.items() for grades, count in cells]
        table = pd.DataFrame(rows, columns=["first", "second", "grade_first", "grade_second", "documents"])
    else:
        table = comparison.to_frame() if options.table == "agreement" else comparison.shifts
    return Outcome(reading.table_text(table, options))
