"""Interrupted work and outputs that cannot be written: whole or not at all, no worker left behind, one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from support.pages import run_command
from support.repository import INSTALLED

from ir_measures_relative import simulate

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")

CALC_RUNS = """
import ir_measures_relative as imr

if __name__ == "__main__":
    track = imr.simulate.track(topics=4)
    print("started", flush=True)
    while True:
        imr.calc_runs([imr.NRG @ 10, imr.UL(base="ERR") @ 10], track.qrels, track.runs, n_jobs=2)
"""


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    """The package in a session of its own, so that an interrupt reaches it as Ctrl-C does in a terminal."""
    environment = {**os.environ, "PYTHONPATH": str(INSTALLED), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heed_interrupts,
        env=environment,
        **options,
    )  # type: ignore[call-overload]


def _heed_interrupts() -> None:
    """A shell lets what it runs in the background ignore Ctrl-C, and so would all that the tests start there."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def alive(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, of_session = (place / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has ended meanwhile
            continue
        if int(of_session) == session and state not in "ZX":
            found.append(int(place.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C once workers are at work; what was printed."""
    try:
        wait_until(lambda: len(alive(process.pid)) >= 3)
        time.sleep(2)  # joblib 1.4 can lose an interrupt while it starts them
        os.killpg(process.pid, signal.SIGINT)
        return process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.full
@linux
def test_ctrl_c_in_calc_runs_leaves_no_worker(tmp_path: Path) -> None:
    code = tmp_path / "work.py"
    code.write_text(CALC_RUNS)
    process = start(str(code))
    printed, _ = interrupt(process)
    assert process.returncode != 0
    assert printed.startswith("started\n")
    wait_until(lambda: not alive(process.pid), 20)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """qrels.txt and a folder runs, enough work for some seconds."""
    folder = tmp_path_factory.mktemp("track")
    track = simulate.track(topics=150)
    rows = zip(track.qrels.query_id, track.qrels.doc_id, track.qrels.relevance, strict=True)
    (folder / "qrels.txt").write_text("".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in rows))
    (folder / "runs").mkdir()
    for name, run in track.runs.items():
        lines = (f"{t} Q0 {d} 0 {s} x\n" for t, d, s in zip(run.query_id, run.doc_id, run.score, strict=True))
        (folder / "runs" / f"{name}.run").write_text("".join(lines))
    return folder


COMPARE = ["-m", "ir_measures_relative", "compare", "qrels.txt", "runs", "NRG@10", "BootNDCG(estimate='q5')@50"]


@linux
def test_ctrl_c_in_a_command_leaves_no_worker_and_no_half_of_an_output(place: Path) -> None:
    process = start(*COMPARE, "--jobs", "2", "-q", cwd=place)
    printed, complaint = interrupt(process)
    assert process.returncode == 130
    # a worker that is still starting says so too: joblib's, on either stream
    assert "\t" not in printed, "a row of the table"
    assert "interrupted\n" in complaint
    assert "UserWarning" not in complaint
    wait_until(lambda: not alive(process.pid), 20)
    assert sorted(path.name for path in place.iterdir()) == ["qrels.txt", "runs"]


def run(*arguments: str, cwd: Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ir_measures_relative", *arguments],
        cwd=cwd,
        text=True,
        timeout=120,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(INSTALLED)},
        **options,
    )  # type: ignore[call-overload]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("by_query", [[], ["-q"]], ids=["few lines", "more than a buffer"])
def test_a_full_disk_is_one_line(place: Path, by_query: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = run("qrels.txt", "runs/bm25.run", "nDCG@10", "P@5", "UL@10", *by_query, cwd=place, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "ir_measures_relative: standard output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="closes a standard stream")
def test_a_closed_output_is_one_line(place: Path) -> None:
    code = "import sys; sys.stdout = None; from ir_measures_relative._cli import main; sys.exit(main(sys.argv[1:]))"
    process = start("-c", code, "qrels.txt", "runs/bm25.run", "nDCG@10", cwd=place)
    assert process.communicate(timeout=60) == ("", "ir_measures_relative: there is no standard output to write to\n")
    assert process.returncode == 2


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "file").write_text("")
    code, _, complaint = run_command(["demo", "--figures", "file/figures"], tmp_path)
    assert code == 2
    assert complaint == "ir_measures_relative: 'file/figures' cannot be read or written: Not a directory\n"


def test_a_figure_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = pytest.importorskip("matplotlib.figure")
    from ir_measures_relative import plots

    file = plots.save(plots.tau_curve([0, 1], [1, 0.8]), tmp_path / "tau.png")
    before = file.read_bytes()

    def cut_short(self: object, path: Path, **options: object) -> None:
        Path(path).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(figure.Figure, "savefig", cut_short)
    with pytest.raises(KeyboardInterrupt):
        plots.save(plots.tau_curve([0, 1], [1, 0.8]), file)
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]


@pytest.mark.full
@linux
def test_workers_end_with_a_command_that_is_terminated(place: Path) -> None:
    """A scheduler ends the command alone, not its session: its workers were left at work for hours."""
    process = start(*COMPARE, "--jobs", "2", "-q", cwd=place)
    try:
        wait_until(lambda: len(workers(process.pid)) >= 2)
        time.sleep(2)
        os.kill(process.pid, signal.SIGTERM)
        printed, complaint = process.communicate(timeout=60)
        wait_until(lambda: not workers(process.pid), 60)
    finally:
        end(process.pid)
    assert process.returncode == 128 + signal.SIGTERM
    assert "\t" not in printed, "a row of the table"
    assert "terminated\n" in complaint and "Traceback" not in complaint
    assert sorted(path.name for path in place.iterdir()) == ["qrels.txt", "runs"]


@pytest.mark.full
@linux
def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    code = tmp_path / "work.py"
    code.write_text(CALC_RUNS.replace("n_jobs=2)", 'n_jobs=2)\n        print("at work", flush=True)'))
    process = start(str(code))
    assert process.stdout is not None
    try:
        assert [process.stdout.readline() for _ in range(2)] == ["started\n", "at work\n"]
        assert len(workers(process.pid)) == 2
        os.kill(process.pid, signal.SIGKILL)
        wait_until(lambda: not workers(process.pid), 60)
    finally:
        end(process.pid)
        process.wait(60)


def end(session: int) -> None:
    """Ends what a test left running."""
    for left in alive(session):
        try:
            os.kill(left, signal.SIGKILL)
        except ProcessLookupError:  # it has ended meanwhile
            continue


def workers(session: int) -> list[int]:
    """Worker processes of a session."""
    found = []
    for process in alive(session):
        try:
            command = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            continue
        if b"LokyProcess" in command:
            found.append(process)
    return found


@pytest.mark.full
@linux
def test_a_killed_worker_is_one_line(place: Path) -> None:
    process = start(*COMPARE, "--jobs", "2", "-q", cwd=place)
    try:
        wait_until(lambda: len(workers(process.pid)) >= 2)
        time.sleep(2)
        os.kill(workers(process.pid)[0], signal.SIGKILL)
        printed, complaint = process.communicate(timeout=120)
    finally:
        end(process.pid)
    assert process.returncode == 2 and "\t" not in printed
    assert "ir_measures_relative: a worker process was killed, perhaps because memory ran out" in complaint
    assert "Traceback" not in complaint


@pytest.mark.full
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-"])
def test_a_full_or_closed_standard_error(place: Path, redirected: str) -> None:
    """Nobody can be told: the results and the exit code still are right."""
    for arguments, code in [
        ("qrels.txt runs/bm25.run nDCG@10 --bibtex", 0),
        ("qrels.txt runs/bm25.run nDCGG", 2),
        ("compare qrels.txt runs nDCG@10 --jobs 2", 0),
    ]:
        command = f"{sys.executable} -m ir_measures_relative {arguments} {redirected}"
        environment = {**os.environ, "PYTHONPATH": str(INSTALLED)}
        done = subprocess.run(
            ["sh", "-c", command], cwd=place, stdout=subprocess.PIPE, text=True, timeout=120, env=environment
        )
        assert done.returncode == code
        assert done.stdout.startswith(("nDCG@10\t", "name\tnDCG@10\n")) if code == 0 else done.stdout == ""


def test_too_little_memory_is_one_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = (
        "import sys, ir_measures_relative._cli.reading as reading\n"
        "from ir_measures_relative._cli import main\n"
        "def full(*_): raise MemoryError\n"
        "reading.read_qrels = full\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    process = start("-c", code, "compare", "qrels.txt", "runs", "nDCG@10", cwd=place)
    printed, complaint = process.communicate(timeout=60)
    assert (process.returncode, printed) == (2, "")
    assert complaint.startswith("ir_measures_relative: not enough memory") and complaint.count("\n") == 1


def test_no_bar_where_nobody_sees_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_measures_relative import _checks

    monkeypatch.setattr(_checks, "_BAR_AFTER", 0.0)
    made: list[object] = []
    monkeypatch.setattr(_checks, "_bar", lambda: lambda items, **options: made.append(options) or items)
    track = simulate.track(topics=2)

    def bars(is_terminal: bool, progress: bool | None) -> int:
        made.clear()
        monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
        import ir_measures_relative as imr

        imr.calc_runs("NRG@10", track.qrels, track.runs, progress=progress)
        return len(made)

    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    assert bars(False, None) == 0 and bars(True, None) == 2
    assert bars(False, True) == 2 and bars(True, False) == 0


def test_a_report_shows_its_progress_on_a_terminal(place: Path) -> None:
    termios = pytest.importorskip("termios", reason="needs a pseudo-terminal")
    code = (
        "import sys; from ir_measures_relative import _checks; from ir_measures_relative._cli import main; "
        "_checks._BAR_AFTER = 0.0; sys.exit(main(sys.argv[1:]))"
    )
    ours, its = os.openpty()
    termios.tcsetwinsize(its, (24, 80))  # a new one has 0 columns, where tqdm draws nothing
    command = [sys.executable, "-c", code, "report", "qrels.txt", "runs", "-o", "page.html"]
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    shown = b""
    with suppress(OSError):  # Linux raises it at the end
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"reading runs: " in shown and b"preparing the page: " in shown and b"it/s]" in shown
