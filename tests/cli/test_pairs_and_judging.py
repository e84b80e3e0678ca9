"""pairs: sentences, summary and filters; judge-next --judged: the loop of judging until every pair is decided."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from reference import labels as slow
from support.pooled_tracks import pooled_track

import ir_measures_relative as imr
from ir_measures_relative._cli import main
from ir_measures_relative._experiment import pair_sentence

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run .* is unlike")
TRACK = pooled_track(4, n_groups=7, n_topics=8, depth=3)
SOME = list(TRACK.runs)[:3]
ONLY = " ".join(f"--only {name}" for name in SOME)
LEARNED = "--labels learned --groups groups.csv"
Printed = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Printed:
    monkeypatch.chdir(tmp_path)
    lines = [f"{t} 0 {d} {g}\n" for t, judged in TRACK.qrels.items() for d, g in judged.items()]
    Path("qrels.txt").write_text("".join(lines))
    Path("groups.csv").write_text("run,group\n" + "".join(f"{r},{g}\n" for r, g in TRACK.groups.items()))
    Path("runs").mkdir()
    for name, run in TRACK.runs.items():
        rows = [f"{t} Q0 {d} 0 {s} tag\n" for t, documents in run.items() for d, s in documents.items()]
        (Path("runs") / f"{name}.run").write_text("".join(rows))

    def run_line(line: str) -> tuple[int, str, str]:
        code = main(shlex.split(line))
        return code, *capsys.readouterr()

    return run_line


def test_explain_prints_the_sentences_of_the_pair(printed: Printed) -> None:
    a, b, _ = SOME
    row = imr.pairs(TRACK.qrels, TRACK.runs, "nDCG@6", runs_of_interest=[a, b]).iloc[0]
    want = pair_sentence(a, b, row.difference, 8, settled=row.settled, p_value=row.p_value)
    assert printed(f"pairs qrels.txt runs nDCG@6 --explain {b} {a}")[:2] == (0, want + "\n")
    code, out, _ = printed(f"pairs qrels.txt runs nDCG@6 --explain {a} {b} {LEARNED}")
    assert code == 0 and ("probability" in out or "settled: no labels" in out)
    assert printed(f"pairs qrels.txt runs nDCG@6 --explain {a} {a}")[0] == 2
    assert "unknown run 'nobody'" in printed(f"pairs qrels.txt runs nDCG@6 --explain {a} nobody")[2]


def test_filters_and_summary(printed: Printed) -> None:
    labels = imr.learn_labels(TRACK.qrels, TRACK.runs, TRACK.groups, cutoff=6)
    want = imr.pairs(TRACK.qrels, TRACK.runs, "nDCG@6", labels=labels, groups=TRACK.groups)
    counts = want.decision.value_counts()
    assert len(counts) > 1
    for word in ("settled", "likely", "tied", "undecided"):
        _, out, err = printed(f"pairs qrels.txt runs nDCG@6 {LEARNED} --decision {word} --json")
        assert [json.loads(line)["decision"] for line in out.splitlines()] == [word] * counts.get(word, 0)
        assert f"{len(want)} pairs: " in err and all(f"{n} {w}" in err for w, n in counts.items())
    one, other = (printed(f"pairs qrels.txt runs nDCG@6 {o}")[1] for o in ("--only-undecided", "--decision undecided"))
    assert one == other and {line.split("\t")[5] for line in one.splitlines()[1:]} == {"no"}


def test_small_numbers_have_significant_digits(printed: Printed) -> None:
    want = imr.pairs(TRACK.qrels, TRACK.runs, "nDCG@6")
    lines = printed("pairs qrels.txt runs nDCG@6 --places 3")[1].splitlines()[1:]
    assert [line.split("\t")[6] for line in lines] == [f"{p:.3g}" for p in want.p_value]


def test_a_narrow_terminal_gets_fewer_columns(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line fits; piped, and where a format is asked for, all columns are printed."""
    asked = f"pairs qrels.txt runs nDCG@6 {LEARNED}"
    columns = printed(asked)[1].splitlines()[0].split("\t")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for width, left_out in (("120", []), ("95", ["p_better_topics"]), ("80", ["p_better_topics", "low", "high"])):
        monkeypatch.setenv("COLUMNS", width)
        _, out, err = printed(asked)
        assert out.splitlines()[0].split() == [column for column in columns if column not in left_out]
        assert max(map(len, out.splitlines())) <= int(width)
        assert (f"left out {', '.join(left_out)} (--format text" in err) == bool(left_out)
        assert printed(f"{asked} --format text")[1].splitlines()[0].split() == columns


def test_the_loop_ends(printed: Printed) -> None:
    """A new group is judged. Labels stay those of the qrels; the code is 3 until every pair is decided, then 0."""
    qrels = slow.without_group(TRACK.qrels, TRACK.rankings, TRACK.groups, "G0", 3)
    Path("before.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in qrels.items() for d, g in of.items()))
    Path("new.txt").write_text("")
    labels = imr.learn_labels(qrels, TRACK.runs, TRACK.groups, cutoff=6, depth=3)
    table = imr.pairs(qrels, TRACK.runs, "nDCG@6", labels=labels)
    row = table[table.decision == "undecided"].iloc[0]
    some = [row.a, row.b, next(name for name in TRACK.runs if name not in (row.a, row.b))]
    only = " ".join(f"--only {name}" for name in some)
    asked = f"judge-next before.txt runs nDCG@6 {only} {LEARNED} --depth 3 --judged new.txt --n 3 --format pool"
    codes, text = [], ""
    for _ in range(60):
        code, out, err = printed(asked)
        codes.append(code)
        want = imr.judge_next(qrels, TRACK.runs, 3, base="nDCG@6", labels=labels, runs_of_interest=some)
        rows = [tuple(line.split("\t")) for line in out.splitlines()]
        assert rows == list(zip(want.query_id, want.doc_id, strict=True))
        assert f"{3 - want.n_undecided} of 3 pairs decided" in err
        text += err
        if code == 0:
            break
        assert f"about {round(want.expected_left)} judgement" in err
        with Path("new.txt").open("a") as file:
            for topic, document in rows:
                qrels[topic][document] = TRACK.qrels[topic].get(document, 0)
                file.write(f"{topic} 0 {document} {qrels[topic][document]}\n")
    assert codes[-1] == 0 and set(codes[:-1]) == {3}
    assert "decided now: " in text and "every pair of runs is decided; there is nothing to judge" in text


def test_judgements_that_do_not_fit(printed: Printed) -> None:
    topic, judged = next(iter(TRACK.qrels.items()))
    document, grade = next(iter(judged.items()))
    for line, sentence in (
        ("nowhere 0 d 1\n", "--judged: the qrels have no topic 'nowhere'"),
        (f"{topic} 0 {document} {grade + 1}\n", f"has grade {grade + 1}, but {grade} in the qrels"),
    ):
        Path("new.txt").write_text(line)
        code, out, err = printed(f"judge-next qrels.txt runs nDCG@6 {ONLY} --judged new.txt")
        assert (code, out) == (2, "") and sentence in err
