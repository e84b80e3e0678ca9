"""The script that downloads the notebooks' data, on small files of the same layout."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path
from types import ModuleType

import pytest
from support.documentation import notebook_module

RUNS_PAGE = """# Runs - Round 2 2020 

#### first-run 
[**`Results`**](./results.md#first-run) | [**`Input`**]({}/first-run) | [**`Appendix`**](https://example.org/a.pdf) 

- :material-rename: **Run ID:** first-run 
- :fontawesome-solid-user-group: **Participant:** team_A 
- :fontawesome-solid-user-gear: **Type:** automatic 
- :material-text: **Run description:** With an [**`Appendix`**](x) of its own. 

---
#### Second.2 
[**`Results`**](./results.md#second2) | [**`Participants`**](./participants.md#b) | [**`Input`**]({}/Second.2) 

- :material-rename: **Run ID:** Second.2 
- :fontawesome-solid-user-group: **Participant:** b 

---
"""  # noqa: W291  as it stands there


@pytest.fixture
def get_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script, with files in the place of the internet."""
    script, web = notebook_module("get_data"), tmp_path / "web"
    (web / "runs").mkdir(parents=True)
    (web / "runs.md").write_text(RUNS_PAGE.format(web.as_uri(), web.as_uri()), encoding="utf-8")
    ranked = [f"1\tQ0\td{i}\t{i}\t{-i}\tfirst-run" for i in range(1, 151)]
    (web / "first-run").write_text("\n".join([*reversed(ranked), "2 Q0 x 1 0.5 first-run"]) + "\n\n", encoding="utf-8")
    (web / "Second.2").write_bytes(gzip.compress(b"1 Q0 a 1 1.00000001 s\n1 Q0 b 2 1.0 s\n1 Q0 c 3 2 s\n"))
    (web / "qrels").write_text("1 1.5  a 2\n", encoding="utf-8")
    for source in script.CASE_STUDY_FILES.values():
        (web / source).write_text(f"of {source}\n", encoding="utf-8")
    monkeypatch.setattr(script, "DATA", tmp_path / "data")
    monkeypatch.setattr(script, "CASE_STUDY", web.as_uri())
    monkeypatch.setattr(script, "LIST_OF_RUNS", (web / "runs.md").as_uri())
    monkeypatch.setattr(script, "JUDGEMENTS", (web / "qrels").as_uri())
    return script


def tar(path: Path, files: dict[str, bytes]) -> None:
    """Write an archive as GitHub makes them: all files in one folder."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"repository-commit/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


TREC_8_QRELS = b"401 0 a 1\n401 0 b 0\n431 0 x 1\n431 0 y 0\n"
DL_QRELS = b"7 0 p 3\n7 0 q 0\n"
OLD_RUNS_PAGE = """# Runs

#### one
[**`Results`**](./r.md#one), [**`Input`**](https://example.org/input.one.gz), [**`Summary`**](https://example.org/s)

- :material-rename: **Run ID:** one
- :fontawesome-solid-user-group: **Participant:** Team-A
- :material-upload: **Submission:** 8/1/1999
- :fontawesome-solid-user-gear: **Type:** manual

---
#### two
[**`Input`**](https://example.org/input.two.gz)

- :material-rename: **Run ID:** two
- :fontawesome-solid-user-group: **Participant:** b
- :material-upload: **Submission:** 8/2/1999
- :fontawesome-solid-user-gear: **Type:** automatic
"""


@pytest.fixture
def archives(get_data: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script, with the archives of TREC-8 and TREC DL 2019 in the place of the internet."""
    web = tmp_path / "web"
    long = "".join(f"401\tQ0\td{i:03}\t{i}\t{-i}\tone\n" for i in range(1, 151))
    inputs = {
        "inputs/input.one": f"{long}431 Q0 y 1 9 one\n431 Q0 x 2 8 one\n".encode(),
        "inputs/input.two": gzip.compress(b"401 Q0 a 1 2.0 two\n431 Q0 z 1 1.0 two\n"),
    }
    tar(web / "trec8.tar.gz", {**inputs, "results/one/t401": b"no run", "all-runs": b"one\ntwo\n"})
    tar(web / "qrels8.tar.gz", {"qrels.trec8.adhoc.parts1-5": TREC_8_QRELS})
    run, later = b"7 Q0 q 1 2 t\n7 Q0 p 2 3 t\n8 Q0 p 1 3 t\n", b"7 Q0 p 1 3 t\n"
    part = "runs/trec-dl-2019"
    official = {f"{part}/dl-19-official-input.{name}.gz": gzip.compress(run) for name in ("one", "two")}
    laters = [
        "maik-froebe-mono-t5-3b-run.txt",
        "colbert_x-base_msmarco-passage-trec-dl-2019-judged.run",
        "tirex_gpt-4o_-passage-trec-dl-2019-judged.run",
        "tirex_gpt-4o_msmarco-passage-trec-dl-2020-judged.run",
    ]
    tar(web / "dl.tar.gz", {**official, **{f"{part}/{name}": later for name in laters}, "README.md": b""})
    (web / "qrels19.txt").write_bytes(DL_QRELS)
    (web / "old.md").write_text(OLD_RUNS_PAGE, encoding="utf-8")
    addresses = {
        "ARCHIVES": ("trec8.tar.gz", "dl.tar.gz"),
        "QRELS": ("qrels8.tar.gz", "qrels19.txt"),
        "LISTS": ("old.md", "old.md"),
    }
    for name, files in addresses.items():
        for track, file in zip(("trec-8", "trec-dl-2019"), files, strict=True):
            monkeypatch.setitem(getattr(get_data, name), track, (web / file).as_uri())
    return get_data


@pytest.fixture
def unchecked(archives: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script without its checksums, which are those of the real data."""
    monkeypatch.setattr(archives, "check", lambda *_: None)
    return archives


def lines_of(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_trec_8_is_unpacked(unchecked: ModuleType) -> None:
    unchecked.main(["trec-8"])
    folder = unchecked.DATA / "trec-8"
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == [
        "groups.csv", "one.run.gz", "qrels.txt.gz", "topic431-relevant-retrieved.tsv.gz", "two.run.gz"
    ]  # fmt: skip
    assert (folder / "groups.csv").read_text().split() == ["run,group,type", "one,Team-A,manual", "two,b,automatic"]
    assert gzip.decompress((folder / "qrels.txt.gz").read_bytes()) == TREC_8_QRELS
    ranking = lines_of(folder / "runs" / "one.run.gz")
    assert (
        len(ranking) == 102 and ranking[0].split()[2] == "d001" and ranking[-1].split()[:4] == ["431", "Q0", "x", "2"]
    )
    assert lines_of(folder / "topic431-relevant-retrieved.tsv.gz") == ["run\tdoc_id", "one\tx"]


def test_trec_dl_2019_is_unpacked(unchecked: ModuleType) -> None:
    unchecked.main(["trec-dl-2019"])
    folder = unchecked.DATA / "trec-dl-2019"
    later = sorted(path.name for path in (folder / "later-runs").iterdir())
    assert later == ["colbert_x-base.run.gz", "mono-t5-3b.run.gz", "tirex_gpt-4o.run.gz"]
    assert lines_of(folder / "runs" / "two.run.gz") == ["7 Q0 p 1 3 t", "7 Q0 q 2 2 t"]  # judged topics, by score
    assert (folder / "groups.csv").read_text().split()[:2] == ["run,group,submitted,type", "one,Team-A,8/1/1999,manual"]


def test_other_content_than_the_notebooks_were_run_on_is_refused(
    archives: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        SystemExit, match="^get_data: the judgements of trec-8 are not those that the notebooks were run"
    ):
        archives.main(["trec-8"])
    sums = (archives.judgements_checksum(TREC_8_QRELS), archives.CHECKSUMS["trec-8"][1])
    monkeypatch.setitem(archives.CHECKSUMS, "trec-8", sums)
    with pytest.raises(SystemExit, match="^get_data: the rankings of trec-8 are not those") as told:
        archives.main(["trec-8"])
    assert str(archives.DATA / "trec-8.part") in str(told.value) and not (archives.DATA / "trec-8").exists()
    assert (archives.DATA / "trec-8.part" / "runs.tar.gz").exists()  # not downloaded again


def test_checksums_ignore_what_does_not_matter(get_data: ModuleType, tmp_path: Path) -> None:
    first = get_data.judgements_checksum(TREC_8_QRELS)
    assert first == get_data.judgements_checksum(b"\n".join(reversed(TREC_8_QRELS.split(b"\n"))))
    assert first != get_data.judgements_checksum(TREC_8_QRELS.replace(b"a 1", b"a 2"))
    found = set()
    for scores in ("3 2", "9 8", "2 3"):
        ranked = get_data.cut([f"1 Q0 d{i} 1 {score} t" for i, score in enumerate(scores.split())], 10, "")
        (tmp_path / "runs").mkdir(exist_ok=True)
        get_data.write_run(tmp_path / "runs" / "a.run.gz", ranked)
        found.add(get_data.rankings_checksum(tmp_path))
    assert len(found) == 2  # scores do not matter, the order does


@pytest.mark.full
@pytest.mark.parametrize("name", ["trec-8", "trec-dl-2019"])
def test_checksums_are_those_of_the_reference_data(shared: Path, get_data: ModuleType, name: str) -> None:
    folder = shared / "data" / name
    qrels = gzip.decompress((folder / "qrels.txt.gz").read_bytes())
    assert (get_data.judgements_checksum(qrels), get_data.rankings_checksum(folder)) == get_data.CHECKSUMS[name]


def test_archives_of_another_form_are_told(get_data: ModuleType, tmp_path: Path) -> None:
    tar(tmp_path / "other.tar.gz", {"runs/a": b""})
    with pytest.raises(SystemExit, match=r"other.tar.gz has no file whose path matches .*; has its form changed\?$"):
        list(get_data.members(tmp_path / "other.tar.gz", get_data.TREC_8_RUN))
    (tmp_path / "cut.tar.gz").write_bytes((tmp_path / "other.tar.gz").read_bytes()[:40])
    with pytest.raises(SystemExit, match=r"cut.tar.gz is damaged \(.*\); delete it and try again$"):
        list(get_data.members(tmp_path / "cut.tar.gz", get_data.TREC_8_RUN))
    with pytest.raises(SystemExit, match="^get_data: the list of runs lacks group, type of b$"):
        get_data.write_groups(tmp_path, {"a": {"run": "a", "group": "g", "type": "t"}}, ["a", "b"], ("group", "type"))
    with pytest.raises(SystemExit, match="^get_data: could not download .*nothing.tar.gz"):
        get_data.archive((tmp_path / "nothing.tar.gz").as_uri(), tmp_path / "target.tar.gz")


def test_runs_of_a_round_are_cut_as_trec_eval_orders_them(get_data: ModuleType) -> None:
    get_data.main(["trec-covid-round2"])
    folder = get_data.DATA / "trec-covid-round2"
    assert (folder / "groups.csv").read_text().split() == ["run,group", "first-run,team_A", "Second.2,b"]
    assert (folder / "qrels.txt").read_text() == "1 1.5  a 2\n"
    first = gzip.decompress((folder / "runs" / "first-run.run.gz").read_bytes()).decode().splitlines()
    assert len(first) == 101 and first[-1] == "2 Q0 x 1 0.5 first-run"
    assert first[:2] == ["1 Q0 d1 1 -1 first-run", "1 Q0 d2 2 -2 first-run"]
    # trec_eval holds scores in single precision, so that a and b tie, and puts the larger id first
    second = gzip.decompress((folder / "runs" / "Second.2.run.gz").read_bytes()).decode()
    assert [line.split()[2] for line in second.splitlines()] == ["c", "b", "a"]


def test_the_case_study_is_kept_as_published(get_data: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    get_data.main(["trec-covid"])
    for name, source in get_data.CASE_STUDY_FILES.items():
        assert gzip.decompress((get_data.DATA / "trec-covid" / name).read_bytes()).decode() == f"of {source}\n"
    get_data.main(["trec-covid"])
    assert "trec-covid: is there" in capsys.readouterr().out


def test_a_download_that_broke_off_goes_on(get_data: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "web" / "Second.2").rename(tmp_path / "later")
    with pytest.raises(SystemExit, match=r"^get_data: could not download file:.*Second.2 \(.*\); try again later$"):
        get_data.main(["trec-covid-round2"])
    assert not (get_data.DATA / "trec-covid-round2").exists()  # no notebook takes half a track for a whole one
    (tmp_path / "later").rename(tmp_path / "web" / "Second.2")
    (tmp_path / "web" / "first-run").unlink()  # which is there already
    get_data.main(["trec-covid-round2"])
    assert len(list((get_data.DATA / "trec-covid-round2" / "runs").iterdir())) == 2


@pytest.mark.parametrize("names", [[], ["trec-dl-2021"]])
def test_other_names_are_told(names: list[str], get_data: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"^usage: python get_data.py \[trec-covid\] \[trec-covid-round2\] \[trec-8\]"):
        get_data.main(names)


def test_files_of_another_form_are_told(get_data: ModuleType) -> None:
    with pytest.raises(SystemExit, match="line 2 of there is not 'topic Q0 document rank score tag': 1 Q0 b 2$"):
        get_data.cut(["1 Q0 a 1 3.5 tag", "1 Q0 b 2"], 100, "there")
    with pytest.raises(SystemExit, match="lists no runs"):
        get_data.runs_listed("# Runs\n", "there")
    with pytest.raises(SystemExit, match="without team or address: some-run"):
        get_data.runs_listed("#### some-run \n- **Run ID:** some-run \n", "there")
