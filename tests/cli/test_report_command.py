"""The command `report`: one page, one line about it, and one line about what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.report_pages import data_of, footer_of

from ir_measures_relative import simulate
from ir_measures_relative._cli import main


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: qrels.txt, groups.csv, texts and a folder runs."""
    (tmp_path / "qrels.txt").write_text("1 0 a 2\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "groups.csv").write_text("run,group\nbm25,lexical\ndense,neural\n")
    (tmp_path / "documents.tsv").write_text("a\tabout apples\nz\tnowhere\n")
    (tmp_path / "topics.tsv").write_text("1\twhat is an apple\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text("1 Q0 a 0 2 t\n1 Q0 c 0 1 t\n2 Q0 a 0 1 t\n")
    (tmp_path / "runs" / "dense.run").write_text("1 Q0 b 0 2 t\n1 Q0 a 0 1 t\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_writes_a_page(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "qrels.txt", "runs", "-o", "page.html"]) == 0
    assert capsys.readouterr().out == "page.html: 2 runs, 2 topics, 0.1 MB; open it in a browser\n"
    foot = footer_of(place / "page.html")
    assert "ir_measures_relative report qrels.txt runs -o page.html" in foot
    for name, file in (("qrels", "qrels.txt"), ("bm25", "bm25.run"), ("dense", "dense.run")):
        assert foot[foot.index(name) : foot.index(name) + 3] == [name, file, "SHA-256"]


def test_all_options(place: Path) -> None:
    options = ["--groups", "groups.csv", "--baseline", "bm25", "--texts", "documents.tsv", "--queries", "topics.tsv"]
    asked = ["report", "qrels.txt", "runs/*.run", "P@5", "UniqueRel@5 NRG@5", *options, "--title", "T", "-o", "p.html"]
    assert main(asked) == 0
    data = data_of(place / "p.html")
    assert data["runs"]["name"] == ["bm25", "dense"]
    assert [measure["name"] for measure in data["measures"]] == ["P@5", "UniqueRel@5", "NRG@5"]
    assert (data["title"], data["baseline"], data["cutoff"], data["groups"]) == ("T", 0, 5, ["lexical", "neural"])
    assert data["topics"]["text"] == ["what is an apple", None]
    assert data["lists"]["text"][0] == {"0": "about apples"}


def test_runs_named_by_their_tags(place: Path) -> None:
    for number, run in enumerate(sorted((place / "runs").iterdir())):
        run.write_text(run.read_text().replace(" t\n", f" tag{number}\n"))
    assert main(["report", "qrels.txt", "runs", "--names", "tag", "-o", "p.html"]) == 0
    assert data_of(place / "p.html")["runs"]["name"] == ["tag0", "tag1"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["qrels.txt", "runs", "-o", "runs"], "'runs' is a folder; expected a file, such as "),
        (["qrels.txt", "runs", "-o", "~nosuchuser/p.html"], "'~nosuchuser/p.html' cannot be written: there is no"),
        (["qrels.txt", "runs", "-o", "no/page.html"], "'no/page.html' cannot be written: there is no folder "),
        (["qrels.txt", "runs", "-o", "p.html", "--baseline", "x"], "unknown baseline 'x'; names are bm25, dense"),
        (["qrels.txt", "runs", "-o", "p.html", "--texts", "/dev/zero"], "texts file '/dev/zero' cannot be read: it is"),
        (["qrels.txt", "runs", "-o", "p.html", "--texts", "no"], "texts file 'no' cannot be read: No such file"),
        (
            ["qrels.txt", "runs", "-o", "p.html", "--texts", "qrels.txt"],
            "'qrels.txt', line 1: expected 'id<TAB>text' but found no tab",
        ),
        (["qrels.txt", "runs", "nDGC@10", "-o", "p.html"], "nDGC"),
        (["no.txt", "runs", "-o", "p.html"], "'no.txt' is not a qrels file"),
        (["qrels.txt", "no", "-o", "p.html"], "runs: 'no' is not a folder and matches no file"),
    ],
)
def test_one_line_about_what_is_wrong(
    place: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(place.iterdir())
    assert main(["report", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and sentence in err and len(err.splitlines()) == 1
    assert sorted(place.iterdir()) == before


def test_labels_are_learned_from_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    track = simulate.track(seed=0, topics=20)
    monkeypatch.chdir(tmp_path)
    judged = [f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in track.qrels.itertuples(index=False)]
    Path("qrels.txt").write_text("".join(judged))
    Path("runs").mkdir()
    for name, run in track.runs.items():
        lines = [f"{topic} Q0 {doc} 0 {score} t\n" for topic, doc, score in run.itertuples(index=False)]
        Path("runs", f"{name}.run").write_text("".join(lines))
    assert main(["report", "qrels.txt", "runs", "--labels", "learned", "-o", "page.html"]) == 0
    imputed = data_of(Path("page.html"))["imputed"]
    assert [text for text in footer_of(Path("page.html")) if "not calibrated" in text]  # there are no groups
    assert all(
        low <= mean <= high for low, mean, high in zip(imputed["low"], imputed["mean"], imputed["high"], strict=True)
    )
