"""The commands that decide: pairs and judge-next print what the functions say, gate answers by its exit code."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import exit_code
from support.pooled_tracks import pooled_track, worn

import ir_measures_relative as imr
from ir_measures_relative._cli import main

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:.* is unlike")
TRACK = worn(pooled_track(4, n_groups=7, n_topics=8, depth=3))
SOME = list(TRACK.runs)[:3]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("track")
    lines = [f"{t} 0 {d} {g}" for t, judged in TRACK.qrels.items() for d, g in judged.items()]
    for name in ("qrels.txt", "llm.qrels"):
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "groups.csv").write_text("run,group\n" + "".join(f"{r},{g}\n" for r, g in TRACK.groups.items()))
    (folder / "runs").mkdir()
    for name, run in TRACK.runs.items():
        write_run(folder / "runs" / f"{name}.run", run)
    return folder


def write_run(path: Path, run: dict[str, dict[str, float]]) -> None:
    rows = [f"{t} Q0 {d} 0 {s} tag" for t, documents in run.items() for d, s in documents.items()]
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture
def printed(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(files)

    def run(line: str) -> tuple[int, str, str]:
        code = exit_code(shlex.split(line))
        return code, *capsys.readouterr()

    return run


def test_pairs(printed: Callable[..., tuple[int, str, str]]) -> None:
    only = " ".join(f"--only {name}" for name in SOME)
    code, out, _ = printed(f"pairs qrels.txt runs nDCG@6 {only} -o jsonl")
    assert code == 0
    want = imr.pairs(TRACK.qrels, TRACK.runs, "nDCG@6", runs_of_interest=SOME)
    assert [json.loads(line) for line in out.splitlines()] == want.to_dict("records")
    header, *rows = printed(f"pairs qrels.txt runs nDCG@6 {only}")[1].splitlines()
    assert header.split("\t") == list(want.columns) and len(rows) == 3
    _, out, _ = printed(f"pairs qrels.txt runs nDCG@6 {only} --labels learned --groups groups.csv --margin .02 -o csv")
    labels = imr.learn_labels(TRACK.qrels, TRACK.runs, TRACK.groups, cutoff=6)
    table = imr.pairs(TRACK.qrels, TRACK.runs, "nDCG@6", runs_of_interest=SOME, labels=labels, margin=0.02)
    assert [line.rsplit(",", 1)[1] for line in out.splitlines()] == ["decision", *table.decision]
    assert (
        "| decision" in printed(f"pairs qrels.txt runs nDCG@6 {only} --labels judge --judge llm.qrels -o markdown")[1]
    )
    assert r"\toprule" in printed(f"pairs qrels.txt runs nDCG@6 {only} -o latex")[1]


def test_a_base_that_only_the_functions_know(printed: Callable[..., tuple[int, str, str]]) -> None:
    """Q exists as a base measure alone, so the commands read a base as the functions do."""
    want = imr.pairs(TRACK.qrels, TRACK.runs, "Q(beta=1)@5", runs_of_interest=SOME)
    only = " ".join(f"--only {name}" for name in SOME)
    rows = [json.loads(line) for line in printed(f"pairs qrels.txt runs 'Q(beta=1)@5' {only} --json")[1].splitlines()]
    assert rows == want.to_dict("records")
    assert len(printed("pairs qrels.txt runs 'Q(beta=1)@5' --top 3 --json")[1].splitlines()) == 3
    a, b = (f"runs/{name}.run" for name in SOME[:2])
    found = json.loads(printed(f"gate qrels.txt {a} {b} 'Q(beta=1)@5' --json")[1])
    assert found["difference"] == pytest.approx(-want.difference[0], abs=1e-12)


def test_the_best_runs(printed: Callable[..., tuple[int, str, str]]) -> None:
    means = imr.compare(["nDCG@6"], TRACK.qrels, TRACK.runs, sort="nDCG@6").to_frame()
    _, out, _ = printed("pairs qrels.txt runs nDCG@6 --top 3 -o jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert {row["a"] for row in rows} | {row["b"] for row in rows} == set(means.index[:3])


def test_judge_next(printed: Callable[..., tuple[int, str, str]]) -> None:
    labels = imr.learn_labels(TRACK.qrels, TRACK.runs, TRACK.groups, cutoff=6)
    want = imr.judge_next(TRACK.qrels, TRACK.runs, 7, base="nDCG@6", labels=labels)
    asked = "judge-next qrels.txt runs nDCG@6 --n 7 --labels learned --groups groups.csv"
    code, out, _ = printed(f"{asked} -o jsonl")
    assert code == 0 and [json.loads(line) for line in out.splitlines()] == want.to_dict("records")
    header, first, *_ = printed(asked)[1].splitlines()
    assert header.split("\t") == list(want.columns) and first.split("\t")[1] == want.doc_id[0]
    assert first.split("\t")[2] == f"{want.effect[0]:.4g}"  # four decimal places would leave nothing of it
    pool = printed(f"{asked} -o pool")[1].splitlines()
    assert [tuple(line.split("\t")) for line in pool] == list(zip(want.query_id, want.doc_id, strict=True))


def test_nothing_to_judge(printed: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = printed("judge-next qrels.txt runs nDCG@6 --labels judge --judge llm.qrels --level 0 -o pool")
    assert (code, out) == (0, "") and "every pair of runs is decided" in err


@pytest.fixture
def two(files: Path) -> Callable[..., str]:
    """Writes two runs and gives their names for a command line."""

    def write(base: dict[str, dict[str, float]], new: dict[str, dict[str, float]]) -> str:
        write_run(files / "main.run", base)
        write_run(files / "branch.run", new)
        (files / "small.txt").write_text("".join(f"{q} 0 x 1\n{q} 0 y 0\n" for q in "12"))
        return "gate small.txt main.run branch.run P@1"

    return write


GOOD, BAD, OPEN = ({q: {d: 1.0} for q in "12"} for d in "xyu")
HALF = {"1": {"x": 1.0}, "2": {"u": 1.0}}


def test_exit_codes(printed: Callable[..., tuple[int, str, str]], two: Callable[..., str]) -> None:
    for base, new, options, code, word in (
        (BAD, GOOD, "", 0, "better: P@1 differs by +1.0000 over 2 topics"),
        (GOOD, GOOD, "", 0, "not worse"),
        (GOOD, BAD, "", 1, "worse: P@1 differs by -1.0000"),
        (GOOD, BAD, "--margin 1", 0, "not worse"),
        (GOOD, OPEN, "", 3, "undecided"),
        (BAD, OPEN, "", 0, "not worse"),
        (GOOD, HALF, "--margin .5", 0, "not worse"),
        (
            GOOD,
            HALF,
            "--margin .4",
            3,
            "; 1 unjudged document, about 1 judgement expected until it is decided (judge-next lists them)",
        ),
    ):
        got, out, _ = printed(f"{two(base, new)} {options}")
        assert (got, word in out) == (code, True), out
        assert out.count("\n") == 1


def test_gate_sends_nobody_to_judge_next_with_a_measure_that_it_refuses(
    printed: Callable[..., tuple[int, str, str]], two: Callable[..., str]
) -> None:
    code, out, _ = printed(two(GOOD, HALF).replace("P@1", "AP@1"))
    assert code == 3 and out.endswith("; 1 unjudged document\n")


def test_gate_tells_of_topics_that_a_run_lacks(
    printed: Callable[..., tuple[int, str, str]], two: Callable[..., str]
) -> None:
    """Each counts as an empty ranking, on either side."""
    first = {"1": GOOD["1"]}
    code, out, _ = printed(two(GOOD, first))
    assert code == 1 and "over 2 topics (the new run lacks 1 topic and scores 0 there)" in out
    code, out, _ = printed(two(first, GOOD))
    assert code == 0 and "over 2 topics (the base run lacks 1 topic and scores 0 there)" in out
    found = json.loads(printed(f"{two(first, GOOD)} --json")[1])
    assert (found["base_lacks"], found["new_lacks"]) == (1, 0)


def test_gate_as_json(printed: Callable[..., tuple[int, str, str]], two: Callable[..., str]) -> None:
    code, out, _ = printed(f"{two(GOOD, HALF)} --json")
    found = json.loads(out)
    assert code == 3 and found["verdict"] == "undecided"
    assert (found["difference"], found["low"], found["high"]) == (-0.5, -0.5, 0.0)
    assert (found["unjudged"], found["expected_left"], found["topics"], found["status"]) == (1, 1, 2, "warn")
    assert found["p_not_worse"] is None


def test_gate_with_labels(printed: Callable[..., tuple[int, str, str]]) -> None:
    """As prob_better says; how many judgements settle it is at most all that matter."""
    a, b = SOME[0], SOME[1]
    labels = imr.learn_labels(TRACK.qrels, TRACK.runs, TRACK.groups, cutoff=6)
    want = imr.prob_better(TRACK.qrels, TRACK.runs[a], TRACK.runs[b], cutoff=6, labels=labels)
    asked = f"gate qrels.txt runs/{a}.run runs/{b}.run nDCG@6 --labels learned --runs runs --groups groups.csv --json"
    code, out, _ = printed(asked)
    found = json.loads(out)
    assert found["p_not_worse"] == pytest.approx(min(max(1 - want.a_better, 0.0005), 0.9995), abs=1e-9)
    chance = found["p_not_worse"]
    assert code == (0 if chance >= 0.95 else 1 if chance <= 0.05 else 3)
    code, out, _ = printed(f"{asked} --level 1")
    found = json.loads(out)
    assert code == 3 and 1 <= found["expected_left"] <= found["unjudged"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("gate small.txt main.run empty.run P@1", "has no document for any topic of the qrels; it cannot be compared"),
        ("gate small.txt main.run other.run P@1", "has no document for any topic of the qrels; it cannot be compared"),
        ("gate small.txt main.run nowhere.run P@1", "'nowhere.run'"),
        ("gate small.txt main.run main.run P@1 --margin -1", "margin must be a number of at least 0, got -1.0"),
        ("gate small.txt main.run main.run P@1 --level 3", "level must be a number from 0 to 1, got 3.0"),
        ("gate small.txt main.run main.run 'P@1 P@2'", "expected one measure, such as nDCG@10, but found 2"),
        (
            "gate qrels.txt runs/g0r0.run runs/g1r0.run AP@6 --labels judge --judge llm.qrels",
            "base must be one of nDCG, P, RBP, SDCG, got AP@6",
        ),
        ("gate small.txt main.run main.run P@1 --labels learned", "--labels learned requires --runs"),
        ("gate small.txt main.run main.run P@1 --judge llm.qrels", "--judge requires --labels"),
        ("pairs qrels.txt runs --labels judge", "--labels judge requires --judge FILE"),
        ("pairs qrels.txt runs nDCG --labels learned --groups groups.csv", "requires a measure with a cutoff"),
        ("pairs qrels.txt runs --margin .1", "--margin requires --labels"),
        (
            "pairs qrels.txt runs --margin -1 --labels judge --judge llm.qrels",
            "margin must be a number of at least 0, got -1.0",
        ),
        ("pairs qrels.txt runs --top 1", "argument --top: must be an integer of at least 2, got 1"),
        ("pairs qrels.txt runs --top 3 --only g0r0", "give --top or --only, not both"),
        ("pairs qrels.txt runs --only nobody", "pairs: unknown run 'nobody'; names are"),
        ("pairs qrels.txt runs/g0r0.run", "pairs: runs must be at least 2 runs, got 1"),
        ("judge-next qrels.txt runs --n 0", "argument --n: must be an integer of at least 1, got 0"),
    ],
)
def test_sentence(
    line: str, sentence: str, printed: Callable[..., tuple[int, str, str]], files: Path, two: Callable[..., str]
) -> None:
    two(GOOD, BAD)
    (files / "empty.run").write_text("")
    write_run(files / "other.run", {"77": {"x": 1.0}})
    code, out, err = printed(line)
    assert (code, out) == (2, "") and sentence in err, err
    assert err.startswith(("ir_measures_relative: ", "usage: "))


@pytest.mark.parametrize("command", ["pairs", "judge-next", "gate"])
def test_examples_of_the_help_are_commands_that_work(
    command: str,
    printed: Callable[..., tuple[int, str, str]],
    two: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    two(TRACK.runs[SOME[0]], TRACK.runs[SOME[1]])
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = capsys.readouterr().out.split("examples:\n")[1].split("\n\n")[0].replace("\\\n", " ")
    examples = [line.strip() for line in text.splitlines() if line.strip()]
    assert len(examples) >= 2
    for example in examples:
        program, rest = example.replace("bm25 dense", " ".join(SOME[:2])).split(" ", 1)
        code, out, err = printed(rest)
        assert program == "ir_measures_relative" and code in (0, 1, 3) and out, err
