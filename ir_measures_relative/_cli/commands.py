"""Every command of the command line, with its arguments and the checks of their combinations.

This module, ``arguments``, ``command_line`` and ``streams`` import nothing heavy, so that ``--help``, ``--version`` and
usage errors answer at once. A new command is an entry of COMMANDS and the function that does its work.
"""

import argparse

from ir_measures_relative._cli import arguments as shared
from ir_measures_relative._cli.arguments import LEARNED, SYMBOLS, Argument, Command
from ir_measures_relative._version import __version__

DECISIONS = ("settled", "likely", "tied", "undecided")
_NO_JUDGE = "--labels judge requires --judge FILE"


def _check_compare(options: argparse.Namespace) -> dict[str, bool]:
    symbols = [prior for prior in options.prior if isinstance(prior, str)]
    return {
        f"--prior must be one of {', '.join(SYMBOLS)}, got {', '.join(symbols)}": len(symbols) > 1,
        _NO_JUDGE: options.labels == "judge" and options.judge is None,
    }


def _check_labels(options: argparse.Namespace) -> dict[str, bool]:
    return {
        "--judge requires --labels learned or --labels judge": options.labels is None and options.judge is not None,
        _NO_JUDGE: options.labels == "judge" and options.judge is None,
    }


def _check_pairs(options: argparse.Namespace) -> dict[str, bool]:
    first, second = getattr(options, "explain", None) or ("", None)
    return {
        f"--explain requires two runs, got {first} twice": first == second,
        "give --top or --only, not both": options.top is not None and options.only is not None,
        "--margin requires --labels": options.labels is None and options.margin != 0,
        **_check_labels(options),
    }


def _check_judges(options: argparse.Namespace) -> dict[str, bool]:
    names = [name for name, _ in options.judges]
    twice = [name for name in names if names.count(name) > 1]
    unknown = [name for name, _ in options.rel if name and name not in names]
    return {
        f"two judges are named '{''.join(twice[:1])}'; names must differ": bool(twice),
        "at least two judges are required, as in human=qrels.txt llm=llm.qrels": len(names) < 2,
        f"--rel: unknown judge '{''.join(unknown[:1])}'; there are {', '.join(names)}": bool(unknown),
    }


EVALUATE = Command(
    "", "scores:evaluate", "QRELS RUN MEASURE...", "measures of one run",
    "Compute measures for one run.",
    [
        Argument("--version", action="version", version=__version__),
        shared.QRELS,
        Argument("run", help="TREC run file (.gz too) or Parquet file"),
        Argument("measures", nargs="+", help="such as nDCG@10 or 'NRG(prior=\"bm25\")@10'"),
        shared.flag("--no_summary", "-n", help="with -q: omit the means"),
        Argument("--prior", type=shared.named, action="append", default=[], metavar="NAME=PATH",
                 help="a prior run, for measures that name it or name no prior run; may be repeated"),
        shared.judge("to learn the label model of Imputed from"),
        shared.BY_QUERY, *shared.TABLE, shared.BIBTEX,
    ],
    """\
  ir_measures_relative qrels.txt dense.run nDCG@10 NRG@10 --prior bm25=bm25.run
  ir_measures_relative cord19/trec-covid dense.run 'BootNDCG@10' -q
""",
    lambda options: {"--no_summary (-n) requires --by_query (-q)": options.no_summary and not options.by_query},
)  # fmt: skip

COMPARE = Command(
    "compare", "scores:compare_runs", "QRELS RUNS MEASURE...", "what each run of a folder adds to the others",
    "Compute measures for many runs, each relative to the others.",
    [
        shared.QRELS, *shared.RUNS,
        Argument("measures", nargs="+", help="such as nDCG@10 NRG@10 UniqueRel@10"),
        Argument("--prior", type=shared.prior, action="append", default=[], metavar="RUNS",
                 help=f"prior runs of measures that name none: {', '.join(SYMBOLS)} (default others); NAME=PATH adds "
                 "a run that a measure may name"),
        Argument("--labels", choices=(LEARNED, "judge"),
                 help="label model of Imputed and of likely differences from --baseline: learned from the other "
                 "groups' runs (default of Imputed), or from --judge alone"),
        shared.judge("to learn labels from, together with the runs"),
        shared.DEPTH,
        Argument("--by", default="nDCG@10", metavar="MEASURE", help="measure that selects the best run of a group"),
        Argument("--sort", metavar="MEASURE", help="sort the runs by this measure, best first"),
        Argument("--intervals", type=float, metavar="LEVEL",
                 help="topic intervals of mean and rank, such as .95, by the first (or --sort) measure"),
        Argument("--baseline", metavar="RUN",
                 help="mark significant, settled and, with --labels, likely differences from this run"),
        Argument("--letters", action="store_const", const="letters", dest="marks",
                 help="mark each value with the letters of the runs that it is significantly better than"),
        Argument("--jobs", type=int, default=1, metavar="N", help="number of workers (-1: one per core)"),
        shared.flag("--raw_csv", help="with --format csv: no apostrophe before names that look like formulas"),
        shared.BY_QUERY, *shared.TABLE, shared.BIBTEX,
    ],
    """\
  ir_measures_relative compare qrels.txt runs/ nDCG@10 NRG@10 --sort NRG@10
  ir_measures_relative compare qrels.txt 'runs/*.run.gz' NRG@10 --prior groups \\
    --groups groups.csv --format markdown
""",
    _check_compare,
)  # fmt: skip

PAIRS = Command(
    "pairs", "decisions:all_pairs", "QRELS RUNS [MEASURE]", "which pairs are settled, significant, likely",
    "Compare every pair of runs: difference, possible differences over all labels of unjudged documents, p-value, "
    "decision.",
    [
        shared.QRELS, *shared.RUNS, shared.MEASURE, *shared.DECISIONS, *shared.OF_INTEREST,
        Argument("--explain", nargs=2, metavar=("A", "B"), help="describe this pair of runs in sentences"),
        Argument("--decision", choices=DECISIONS, help="only pairs with this decision"),
        Argument("--only-undecided", action="store_const", const="undecided", dest="decision",
                 help="only undecided pairs"),
        *shared.TABLE,
    ],
    """\
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --top 10
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --labels learned \\
    --groups groups.csv --margin .01 --only-undecided
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --explain bm25 dense
""",
    _check_pairs,
)  # fmt: skip

JUDGE_NEXT = Command(
    "judge-next", "decisions:next_to_judge", "QRELS RUNS [MEASURE]", "which documents to judge next",
    "List the unjudged documents whose judgements decide the order of the runs soonest.",
    [
        shared.QRELS, *shared.RUNS, shared.MEASURE,
        Argument("--n", type=shared.integer(1), default=20, metavar="N", help="number of documents (default 20)"),
        Argument("--number", type=shared.integer(1), dest="n", help=argparse.SUPPRESS),
        Argument("--judged", metavar="FILE", help="judgements made since, as TREC qrels; see below"),
        *shared.DECISIONS, *shared.OF_INTEREST, shared.PLACES, *shared.output(*shared.FORMATS, shared.POOL),
    ],
    """\
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 --n 50 --top 10
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 --labels learned \\
    --groups groups.csv --format pool

--format pool prints lines of topic and document, for assessors.

--judged NEW.txt adds judgements made since and reports which pairs they
decided; labels are learned from QRELS alone. An empty NEW.txt starts the loop.
The exit code is then 0 if every pair is decided, 3 if some are undecided, and
2 for bad input.
""",
    _check_pairs,
)  # fmt: skip

GATE = Command(
    "gate", "decisions:gate_verdict", "QRELS BASE NEW MEASURE", "is a new run worse than an old one?",
    "Test whether a new run is worse than an old one. The exit code is the verdict, for continuous integration.",
    [
        shared.QRELS,
        Argument("base", help="run file of the old system"),
        Argument("new", help="run file of the new system"),
        Argument("measure", help="such as nDCG@10"),
        *shared.DECISIONS,
        Argument("--runs", help="with --labels learned: folder or glob of the pooled runs to learn from"),
        shared.GROUPS, *shared.output("text", "json"),
    ],
    """\
  ir_measures_relative gate qrels.txt main.run branch.run P@10 --margin .01
  ir_measures_relative gate qrels.txt main.run branch.run nDCG@10 --json \\
    --labels judge --judge llm.qrels

exit code: 0 pass (better, or not worse), 1 fail (worse by more than the
margin), 2 bad input, 3 warn (undecided, with the expected number of
judgements until it is decided)
""",
    lambda options: {
        "--labels learned requires --runs, the pooled runs to learn from, and --groups":
        options.labels == LEARNED and options.runs is None, **_check_labels(options),
    },
    has_verdict=True,
)  # fmt: skip

REPORT = Command(
    "report", "pages:write_page", "QRELS RUNS -o FILE", "one HTML page about the runs of a folder",
    "Write one self-contained HTML page about many runs: leaderboard, topics, pairs, rankings.",
    [
        shared.QRELS, *shared.RUNS,
        Argument("measures", nargs="*", help="the first sorts and compares (default: nDCG@10, NRG@10, ...)"),
        Argument("--output", "-o", required=True, metavar="FILE", dest="page", help="the page to write"),
        Argument("--labels", choices=[LEARNED], help="label model of unjudged documents, learned from these runs"),
        shared.DEPTH,
        shared.flag("--check-labels", help="report how often label intervals contain the true score"),
        Argument("--baseline", metavar="RUN", help="run that the others are compared with at first"),
        Argument("--texts", metavar="FILE", help="texts of documents, a line each: id, tab, text"),
        Argument("--queries", metavar="FILE", help="texts of topics, a line each: id, tab, text"),
        Argument("--title", help="title of the page"),
    ],
    """\
  ir_measures_relative report qrels.txt runs/ -o report.html
  ir_measures_relative report qrels.txt 'runs/*.run.gz' nDCG@20 NRG@20 \\
    --groups groups.csv -o report.html
""",
)  # fmt: skip

JUDGES = Command(
    "judges", "meta_commands:agreement", "RUNS NAME=QRELS...", "can one judge replace another?",
    "Compare judges: do they give the same labels and the same order of runs, and do they favour some groups?",
    [
        *shared.RUNS,
        Argument("judges", nargs="+", type=shared.named, metavar="NAME=QRELS",
                 help="two or more judges; the first is the reference"),
        Argument("--measure", default="nDCG@10", help="the measure to compare by (default nDCG@10)"),
        Argument("--top", type=shared.integer(2), metavar="N", help="also compute Kendall's tau over the N best runs"),
        Argument("--rel", type=shared.grade, action="append", default=[], metavar="[NAME=]GRADE",
                 help="smallest relevant grade, of all judges or of one; may be repeated (default 1)"),
        shared.flag("--common", help="score only by documents that both judges graded"),
        Argument("--table", choices=("agreement", "shifts", "confusion"), default="agreement",
                 help="agreement of labels and orders, shifts of groups, or counts of grades"),
        shared.LEVEL,
        Argument("--figure", metavar="FILE", help="draw the shifts of the first two judges (png, pdf, svg)"),
        *shared.TABLE,
    ],
    """\
  ir_measures_relative judges runs/ human=qrels.txt llm=llm.qrels --top 10
  ir_measures_relative judges runs/ human=qrels.txt llm=llm.qrels \\
    --groups groups.csv --table shifts
""",
    _check_judges,
)  # fmt: skip

TIERS = Command(
    "tiers", "meta_commands:tiers", "SCORES.csv", "which systems can be distinguished",
    "Compute ranks of systems with intervals, tiers, and ties with the best, from any table of scores.",
    [
        Argument("scores", help="CSV or TSV file: a row per system, its name first, a column per topic or task"),
        shared.DROP, shared.LEVEL,
        Argument("--trials", type=shared.integer(1), default=10_000, metavar="N",
                 help="resamples of the topics (default 10000)"),
        Argument("--seed", type=int, default=0, metavar="N", help="seed of the resamples (default 0)"),
        shared.flag("--smaller", help="smaller scores are better"),
        *shared.TABLE,
    ],
    """\
  ir_measures_relative tiers scores.csv
  ir_measures_relative tiers scores.csv --drop Average --format markdown
""",
)  # fmt: skip

PLAN = Command(
    "plan", "meta_commands:plan", "SCORES.csv", "how many topics a comparison requires",
    "Compute how many topics detect a difference, which difference a number of topics can detect, or the power. "
    "Prints a row per quantile (10%, 50%, 90%) of the spread over pairs of systems.",
    [
        Argument("scores", help="CSV or TSV file, a row per system; qrels, if runs follow; or the standard deviation "
                 "of differences"),
        Argument("runs", nargs="?", help="folder or glob of TREC run files, if the first argument is qrels"),
        shared.MEASURE,
        Argument("--difference", type=float, metavar="D", help="the difference in mean scores to detect"),
        Argument("--topics", type=int, metavar="N", help="number of topics"),
        Argument("--power", type=float, default=0.8, metavar="SHARE",
                 help="probability of detecting the difference (default .8)"),
        Argument("--level", type=float, default=0.05, metavar="SHARE", help="significance level (default .05)"),
        Argument("--comparisons", type=int, default=1, metavar="N", help="number of tests (default 1)"),
        Argument("--pairs", choices=("all", "top"), default="all", help="all pairs, or those with the best run"),
        Argument("--design", choices=("paired", "anova", "interval"), default="paired",
                 help="paired t-test (default), analysis of variance, or width of the interval"),
        Argument("--systems", type=int, metavar="N", help="number of systems, for --design anova"),
        shared.DROP, *shared.TABLE,
    ],
    """\
  ir_measures_relative plan scores.csv --difference .02
  ir_measures_relative plan qrels.txt runs/ nDCG@10 --topics 50
  ir_measures_relative plan .2 --topics 50 --difference .05
""",
    lambda options: {
        "give --difference (how many topics?), --topics (which difference?) or both (which power?)":
        options.difference is None and options.topics is None,
    },
)  # fmt: skip

DEMO = Command(
    "demo", "pages:demonstrate", "", "a tour on a simulated track",
    "Evaluate the systems of a simulated track.",
    [
        Argument("--seed", type=int, default=0, metavar="N", help="seed of the simulated track (default 0)"),
        Argument("--figures", default="demo-figures", metavar="FOLDER", help="folder for the figures"),
        Argument("--report", default="demo-report.html", metavar="FILE", help="the page to write"),
    ],
)  # fmt: skip

COMMANDS = [COMPARE, PAIRS, JUDGE_NEXT, GATE, REPORT, JUDGES, TIERS, PLAN, DEMO]
