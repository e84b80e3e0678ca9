"""The commands that decide which run is better: pairs, judge-next and gate."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from ir_measures_relative._checks import counted
from ir_measures_relative._cli import reading
from ir_measures_relative._cli.arguments import POOL, Outcome
from ir_measures_relative._cli.commands import DECISIONS
from ir_measures_relative._cli.streams import say
from ir_measures_relative._experiment import Gate, gate, judge_next, pair_sentence, pairs, read_pairs
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import Judgements, Run

SIGNIFICANT = 0.05
LEFT = 3  # exit code while pairs are undecided
CODES = {"better": 0, "not worse": 0, "worse": 1, "undecided": 3}  # of gate; 2 is bad input
_MOST_NAMED = 20  # decided pairs that are named
_SPARE = (["p_better_topics"], ["low", "high"], ["p_value"])  # left out on a narrow terminal, in this order
_SMALL = ("difference", "low", "high", "p_value", "p_better", "p_better_topics")  # significant digits, not 0.0000


def all_pairs(options: argparse.Namespace) -> Outcome:
    asked = reading.read_decisions(options)
    if options.explain is not None:
        return Outcome(_explained(options, **asked))
    table = pairs(**asked)
    word = _decisions(table)
    counts = ", ".join(f"{int((word == one).sum())} {one}" for one in DECISIONS if (word == one).any())
    significant = int((table["p_value"] < SIGNIFICANT).sum())
    say(f"{counted(len(table), 'pair')}: {counts}; {significant} significant")  # not among lines that programs read
    if options.decision is not None:
        table = table[word == options.decision]
    return Outcome(reading.table_text(table, options, spare=_SPARE, small=_SMALL))


def _decisions(table: pd.DataFrame) -> pd.Series:
    """Return the decision about each pair; without labels 'settled' or 'undecided'."""
    return table.get("decision", table["settled"].map(lambda word: "undecided" if word == "no" else "settled"))


def _explained(options: argparse.Namespace, **asked: Any) -> str:
    """Sentences about one pair."""
    asked["of_interest"] = options.explain
    del asked["runs_of_interest"]
    table = read_pairs("--explain", depth=options.depth, **asked)
    better, worse = (None, None) if table.labels is None else (float(p) for p in table.probabilities[:, 0])
    text = pair_sentence(
        table.runs.names[0], table.runs.names[1], float(table.difference[0]), table.runs.judgements.n_topics,
        settled=table.settled[0], probability=better, probability_worse=worse, p_value=float(table.p_value[0]),
        level=options.level, margin=options.margin,
    )  # fmt: skip
    return f"{reading.wrapped(text, reading.terminal_width(options))}\n"


def next_to_judge(options: argparse.Namespace) -> Outcome:
    asked = reading.read_decisions(options)
    before = asked.pop("qrels")
    qrels = before if options.judged is None else _added(before, options.judged)
    documents = judge_next(qrels, n=options.n, **asked)
    has_pairs = len(asked["runs"]) > 1
    if has_pairs and options.judged is not None:
        for line in _changes(pairs(before, **asked), pairs(qrels, **asked)):
            say(line)
    if has_pairs and not documents.n_undecided:
        say("every pair of runs is decided; there is nothing to judge")
    elif documents.empty:
        say("no document above the depth of the pool can decide the remaining pairs")
    elif has_pairs:
        say(f"about {counted(round(documents.expected_left), 'judgement')} expected to be left")
    code = LEFT if options.judged is not None and documents.n_undecided else 0
    if options.format == POOL:
        options.format = "tsv"
        return Outcome(reading.table_text(documents[["query_id", "doc_id"]], options, has_header=False), code)
    return Outcome(reading.table_text(documents, options, small=["effect"]), code)


def _added(qrels: Judgements, path: str) -> Judgements:
    """Add the judgements of a file, which must be of the same topics and must not contradict the qrels."""
    if not Path(path).read_bytes().strip():
        return qrels
    all_judged = qrels.to_dict()
    topics = {str(topic): topic for topic in all_judged}
    for topic, documents in Judgements.of(Path(path), "judged").to_dict().items():
        if str(topic) not in topics:
            raise ValueError(f"--judged: the qrels have no topic {topic!r}; judge documents of their topics")
        grades = all_judged[topics[str(topic)]]
        for document, grade in documents.items():
            if grades.setdefault(document, grade) != grade:
                raise ValueError(
                    f"--judged: document {document!r} of topic {topic!r} has grade {grade}, but {grades[document]} in "
                    "the qrels; remove one of the two"
                )
    return Judgements.of(all_judged)


def _changes(before: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    """Sentences about the number of decided pairs and those decided since."""
    open_before, open_now = (_decisions(table) == "undecided" for table in (before, now))
    since = open_before & ~open_now
    decided = f"{int((~open_now).sum())} of {counted(len(now), 'pair')} decided"
    yield f"{decided}, {int(since.sum())} of them by the new judgements"
    for row in now[since].head(_MOST_NAMED).to_dict("records"):
        word = row.get("decision", "settled")
        is_better = row.get("p_better", float(row["settled"] == "better")) > 0.5
        first, second = (row["a"], row["b"]) if is_better else (row["b"], row["a"])
        tied = word == "tied" or row["settled"] == "equal"
        relation = f"{first} and {second} are tied" if tied else f"{first} is better than {second} ({word})"
        yield f"decided now: {relation}"


def gate_verdict(options: argparse.Namespace) -> Outcome:
    cutoff = reading.read_base(options.measure).cutoff
    qrels = reading.read_qrels(options.qrels)
    old, new = (Run.of(path) for path in (options.base, options.new))
    for path, run in ((options.base, old), (options.new, new)):
        if not set(run.topic_keys) & set(qrels.topic_keys):
            raise ValueError(f"the run '{path}' has no document for any topic of the qrels; it cannot be compared")
    pooled = {} if options.runs is None else run_sources(options.runs)
    labels = reading.read_labels(options, qrels, pooled, cutoff)
    verdict = gate(qrels, old, new, options.measure, margin=options.margin, labels=labels, level=options.level)
    text = reading.wrapped(_sentence(verdict), reading.terminal_width(options))
    if options.format == "json":
        text = json.dumps(asdict(verdict))
    return Outcome(f"{text}\n", CODES[verdict.verdict])


def _sentence(gate: Gate) -> str:
    text = f"{gate.verdict}: {gate.measure} differs by {gate.difference:+.4f} over {counted(gate.topics, 'topic')}"
    for run, lacks in (("base", gate.base_lacks), ("new", gate.new_lacks)):
        text += f" (the {run} run lacks {counted(lacks, 'topic')} and scores 0 there)" if lacks else ""
    if gate.low != gate.high:
        text += f", by {gate.low:+.4f} to {gate.high:+.4f} over all labels of unjudged documents"
    text += f"; margin {gate.margin:g}"
    if gate.p_not_worse is not None:
        is_rounded = gate.p_not_worse > 0.999 and gate.low < -gate.margin  # an open question is never certain
        text += f"; probability of not being worse {'>.999' if is_rounded else f'{gate.p_not_worse:.3f}'}"
    if gate.verdict == "undecided":
        text += f"; {counted(gate.unjudged, 'unjudged document')}"
        if gate.expected_left is not None:
            left = counted(round(gate.expected_left), "judgement")
            text += f", about {left} expected until it is decided (judge-next lists them)"
    return text
