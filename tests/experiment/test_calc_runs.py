"""calc_runs: rows, symbols, groups, names of runs as priors, forms of input, bad input."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR, RR, P, R, nDCG
from support.four_runs import QRELS, RUNS, column
from support.small_collections import Qrels, Run, run_of

from ir_measures_relative import NRG, UL, BootNDCG, TaSC, UniqueRel, calc_runs, register_prior, simulate
from ir_measures_relative._experiment.request import Request

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K

needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl program")
GROUPS = {"dense": "neural", "late": "neural", "bm25": "lexical", "bm25+rm3": "feedback"}


def explicit(measure: Any, run: Run, priors: list[Run], qrels: Qrels = QRELS) -> list[float]:
    """The measure of one run against priors given as objects."""
    measure = measure(prior=priors)
    found = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    return [found[topic] for topic in qrels]


def write(path: Path, run: Run) -> Path:
    text = "".join(
        f"{topic} Q0 {document} 0 {score} tag\n" for topic, scores in run.items() for document, score in scores.items()
    )
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The runs as files, their names in another order than RUNS."""
    place = tmp_path / "runs"
    place.mkdir()
    for name, run in RUNS.items():
        write(place / f"{name}.run{'.gz' if name == 'late' else ''}", run)
    (place / ".hidden").write_text("no run")
    return place


class TestRows:
    def test_order_and_columns(self) -> None:
        measures = [P @ 2, "NRG@10", nDCG @ 10]
        table = calc_runs(measures, QRELS, RUNS)
        assert list(table.columns) == ["name", "query_id", "measure", "value"]
        expected = [(name, topic, measure) for name in RUNS for topic in QRELS for measure in map(str, measures)]
        assert list(table[["name", "query_id", "measure"]].itertuples(index=False, name=None)) == expected
        assert np.isfinite(table["value"]).all()

    def test_one_measure_needs_no_list(self) -> None:
        pd.testing.assert_frame_equal(calc_runs(NRG @ 10, QRELS, RUNS), calc_runs(["NRG@10"], QRELS, RUNS))
        pd.testing.assert_frame_equal(calc_runs("NRG@10", QRELS, RUNS), calc_runs(["NRG@10"], QRELS, RUNS))

    def test_pivot(self) -> None:
        table = calc_runs([nDCG @ 10, NRG @ 10], QRELS, RUNS)
        wide = table.pivot(index="name", columns=["measure", "query_id"], values="value")
        assert wide.shape == (len(RUNS), 2 * len(QRELS))

    def test_topic_ids_come_back_as_the_qrels_gave_them(self) -> None:
        qrels = pd.DataFrame({"query_id": [7, 3, 7], "doc_id": [1, 2, 2], "relevance": [1, 1, 1]})
        runs = {
            "a": pd.DataFrame({"qid": ["7", "3"], "docno": ["1", "2"], "score": [1.0, 2.0]}),
            "b": pd.DataFrame({"query_id": [7, 7, 3], "doc_id": [2, 1, 5], "score": [3, 2, 1]}),
        }
        table = calc_runs([nDCG @ 10, UniqueRel @ 10], qrels, runs)
        assert table["query_id"].tolist() == [7, 7, 3, 3] * 2
        assert all(isinstance(topic, int) for topic in table["query_id"])
        unique = table[table["measure"] == "UniqueRel@10"]
        assert unique["value"].tolist() == [0, 1, 1, 0]
        ideal = 1 + 1 / np.log2(3)
        assert table[table["measure"] == "nDCG@10"]["value"].tolist() == pytest.approx([1 / ideal, 1, 1, 0], abs=1e-12)

    def test_no_topics(self) -> None:
        with pytest.raises(ValueError, match="qrels has no topic; at least one judgement is required"):
            calc_runs([nDCG @ 10, NRG @ 10], {}, RUNS)

    def test_inputs_are_not_changed(self) -> None:
        track = simulate.track(seed=3)
        qrels, runs = track.qrels.copy(), {name: run.copy() for name, run in track.runs.items()}
        calc_runs([nDCG @ 10, NRG @ 10], track.qrels, track.runs)
        pd.testing.assert_frame_equal(track.qrels, qrels)
        for name, run in runs.items():
            pd.testing.assert_frame_equal(track.runs[name], run)


class TestSymbols:
    MEASURES = [
        NRG @ 10,
        NRG(normalizer="absolute") @ 2,
        NRG(base="RR"),
        UniqueRel @ 2,
        TaSC @ 10,
        TaSC(base=AP, agg="mean"),
    ]

    @pytest.mark.parametrize("measure", MEASURES, ids=str)
    def test_others(self, measure: Any) -> None:
        for name, values in column(measure, RUNS).items():
            others = [run for other, run in RUNS.items() if other != name]
            assert values == pytest.approx(explicit(measure, RUNS[name], others), abs=1e-13)
        assert column(measure(prior="others"), RUNS) == column(measure, RUNS)

    @pytest.mark.parametrize("measure", MEASURES, ids=str)
    def test_others_do_not_depend_on_the_order_of_runs(self, measure: Any) -> None:
        backwards = dict(reversed(RUNS.items()))
        assert column(measure, RUNS) == column(measure, backwards)

    @pytest.mark.parametrize("measure", MEASURES, ids=str)
    def test_previous(self, measure: Any) -> None:
        before: list[Run] = []
        for name, values in column(measure(prior="previous"), RUNS).items():
            assert values == pytest.approx(explicit(measure, RUNS[name], before), abs=1e-13)
            before.append(RUNS[name])

    @pytest.mark.parametrize("measure", MEASURES, ids=str)
    def test_groups(self, measure: Any) -> None:
        """The best of the others' groups; 'dense' is the best neural run, so it counts for bm25 but not for late."""
        best = {"neural": "dense", "lexical": "bm25", "feedback": "bm25+rm3"}
        for name, values in column(measure(prior="groups"), RUNS, groups=GROUPS).items():
            priors = [RUNS[run] for group, run in best.items() if group != GROUPS[name]]
            assert values == pytest.approx(explicit(measure, RUNS[name], priors), abs=1e-13)

    def test_by_decides_which_run_is_the_best_of_its_group(self) -> None:
        runs = {"early": run_of("axy"), "full": run_of("xab"), "other": run_of("ab")}
        groups = {"early": 1, "full": 1, "other": 2}
        qrels = {"q1": {"a": 1, "b": 1}}
        measure = UniqueRel(prior="groups") @ 3
        assert column(measure, runs, qrels, groups=groups, by=RR)["other"] == [1]  # early shows a
        assert column(measure, runs, qrels, groups=groups, by="R@3")["other"] == [0]  # full shows both
        assert column(measure, runs, qrels, groups=groups, by=TaSC(prior=[], base=R @ 3))["other"] == [0]
        assert column(measure, runs, qrels, groups=groups, by=UniqueRel @ 3)["other"] == [1]  # a draw: the first

    def test_of_equally_good_runs_the_first_is_the_best_of_its_group(self) -> None:
        """As plain sums .1 + .2 + .3 is more than .3 + .2 + .1."""
        qrels = {topic: {document: 1 for document in "abc"} for topic in ("q1", "q2", "q3")}
        falling, rising = (
            {topic: dict.fromkeys(documents, 1.0) for topic, documents in zip(qrels, found, strict=True)}
            for found in (("abc", "ab", "a"), ("a", "ab", "abc"))
        )
        runs = {"falling": falling, "rising": rising, "own": falling}
        groups = {"falling": "g", "rising": "g", "own": "h"}
        measure = UniqueRel(prior="groups") @ 10
        assert column(measure, runs, qrels, groups=groups, by="P@10")["own"] == [0, 0, 0]

    def test_groups_from_a_file(self, tmp_path: Path) -> None:
        file = tmp_path / "groups.csv"
        file.write_text("run,group\n" + "".join(f"{run}, {group}\n" for run, group in GROUPS.items()) + "\n")
        measure = NRG(prior="groups") @ 10
        assert column(measure, RUNS, groups=file) == column(measure, RUNS, groups=GROUPS)
        assert column(measure, RUNS, groups=str(file)) == column(measure, RUNS, groups=GROUPS)

    def test_groups_from_a_file_in_the_home_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
        (tmp_path / "groups.csv").write_text(
            "run,group\n" + "".join(f"{run},{group}\n" for run, group in GROUPS.items())
        )
        measure = NRG(prior="groups") @ 10
        assert column(measure, RUNS, groups="~/groups.csv") == column(measure, RUNS, groups=GROUPS)

    def test_names_of_runs(self) -> None:
        measure = NRG(prior="bm25,bm25+rm3") @ 10
        for name, values in column(measure, RUNS).items():
            # a named run is not taken out of its own priors; only symbols do that
            assert values == pytest.approx(explicit(measure, RUNS[name], [RUNS["bm25"], RUNS["bm25+rm3"]]), abs=1e-13)

    def test_a_run_of_the_experiment_comes_before_a_registered_name(self) -> None:
        register_prior("dense", run_of("zzz"[:1]), overwrite=True)
        register_prior("outside", RUNS["bm25"], overwrite=True)
        assert column(UniqueRel(prior="dense") @ 10, RUNS)["dense"] == [0, 0, 0]
        assert column(UniqueRel(prior="outside") @ 10, RUNS) == column(UniqueRel(prior="bm25") @ 10, RUNS)

    def test_an_object_and_none(self) -> None:
        assert column(NRG(prior=RUNS["bm25"]) @ 10, RUNS) == column(NRG(prior="bm25") @ 10, RUNS)
        for name, values in column(NRG(prior=[]) @ 10, RUNS).items():
            assert values == pytest.approx(column(nDCG @ 10, RUNS)[name], abs=1e-12)

    def test_a_single_run_against_the_others_is_the_base_measure(self) -> None:
        only = {"dense": RUNS["dense"]}
        assert column(NRG @ 10, only)["dense"] == pytest.approx(column(nDCG @ 10, only)["dense"], abs=1e-12)


class TestForms:
    def test_a_file_whose_name_would_be_a_glob(self, tmp_path: Path) -> None:
        file = write(tmp_path / "bm25[k1].run", RUNS["bm25"])
        assert calc_runs([nDCG @ 10], QRELS, file)["name"].unique().tolist() == ["bm25[k1]"]

    def test_folder_glob_and_list_are_the_same_as_a_dict(self, folder: Path) -> None:
        by_file_name = {name: RUNS[name] for name in ("bm25+rm3", "bm25", "dense", "late")}
        expected = calc_runs(["NRG(prior='previous')@10", "nDCG@10"], QRELS, by_file_name)
        assert sorted(f"{name}.run" for name in by_file_name) == [f"{name}.run" for name in by_file_name]
        deep = f"{folder}/**/*.run*"
        for runs in (folder, str(folder), str(folder / "*.run*"), deep, sorted(folder.glob("*.run*"))):
            found = calc_runs(["NRG(prior='previous')@10", "nDCG@10"], QRELS, runs)
            pd.testing.assert_frame_equal(found, expected)

    def test_a_list_keeps_its_order(self, folder: Path) -> None:
        paths = [str(folder / "late.run.gz"), folder / "bm25.run"]
        assert list(column(NRG @ 10, paths)) == ["late", "bm25"]

    def test_a_qrels_file(self, folder: Path, tmp_path: Path) -> None:
        file = tmp_path / "qrels"
        file.write_text(
            "".join(
                f"{topic} 0 {document} {grade}\n"
                for topic, judged in QRELS.items()
                for document, grade in judged.items()
            )
        )
        assert column(NRG @ 10, folder, file) == column(NRG @ 10, folder)

    def test_generators_of_named_tuples(self) -> None:
        runs = {
            name: (
                ir_measures.ScoredDoc(topic, document, score)
                for topic, scores in run.items()
                for document, score in scores.items()
            )
            for name, run in RUNS.items()
        }
        assert column(NRG @ 10, runs) == column(NRG @ 10, RUNS)

    def test_parallel_work_changes_no_bit(self) -> None:
        measures = [nDCG @ 10, NRG @ 10, NRG(prior="previous") @ 10, UniqueRel @ 10, TaSC @ 10]
        serial = calc_runs(measures, QRELS, RUNS)
        pd.testing.assert_frame_equal(serial, calc_runs(measures, QRELS, RUNS, n_jobs=2), check_exact=True)


class TestBadInput:
    """One sentence each, and nothing is returned."""

    def refused(self, sentence: str, call: Callable[[], Any], kind: type[Exception] = ValueError) -> None:
        with pytest.raises(kind) as error:
            call()
        assert sentence in str(error.value)
        assert "\n" not in str(error.value)

    def test_a_file_that_is_no_run(self, folder: Path) -> None:
        (folder / "notes.txt").write_text("q1 Q0 a 1 2.5 tag\n# comment\nsee the wiki\n")
        self.refused(
            f"file '{folder / 'notes.txt'}', line 3: 'see the wiki' is not 'topic Q0 document rank score tag'",
            lambda: calc_runs([NRG @ 10], QRELS, folder),
        )

    def test_two_runs_with_one_name(self, folder: Path, tmp_path: Path) -> None:
        again = write(tmp_path / "bm25.txt", RUNS["bm25"])
        self.refused(
            f"two runs have the name 'bm25' ('{folder / 'bm25.run'}' and '{again}')",
            lambda: calc_runs([NRG @ 10], QRELS, [folder / "bm25.run", again]),
        )
        write(folder / "bm25.txt", RUNS["bm25"])
        self.refused("two runs have the name 'bm25'", lambda: calc_runs([NRG @ 10], QRELS, folder))

    def test_files_that_differ_in_what_looks_like_an_ending(self, tmp_path: Path) -> None:
        for name in ("input.bm25", "input.dense.gz", "k0.7", "k0.9", "late.run"):
            write(tmp_path / name, RUNS["bm25"])
        table = calc_runs([NRG @ 10], QRELS, tmp_path)
        assert list(table["name"].unique()) == ["bm25", "dense", "k0.7", "k0.9", "late"]

    def test_a_run_without_topics_in_common(self) -> None:
        runs = {**RUNS, "elsewhere": {"q77": {"a": 1.0}}}
        self.refused(
            "run 'elsewhere' has no topic in common with the qrels", lambda: calc_runs([NRG @ 10], QRELS, runs)
        )

    def test_no_worker(self) -> None:
        self.refused(
            "n_jobs must be a number of workers, or -1 for one per core, got 0",
            lambda: calc_runs([NRG @ 10], QRELS, RUNS, n_jobs=0),
        )

    @pytest.mark.parametrize("n_jobs", ["2", True, 2.0, [2], float("inf"), pd.DataFrame({"a": [1, 2]})])
    def test_a_number_of_workers_that_is_none(self, n_jobs: Any) -> None:
        with pytest.raises(TypeError, match="n_jobs must be .*, got .*"):
            calc_runs([NRG @ 10], QRELS, RUNS, n_jobs=n_jobs)

    def test_groups_that_miss_a_run(self, tmp_path: Path) -> None:
        file = tmp_path / "groups.csv"
        file.write_text("run,group\nbm25,lexical\n")
        for groups in ({"bm25": "lexical"}, file):
            self.refused(
                "the runs 'dense', 'bm25+rm3', 'late' have no group",
                lambda groups=groups: calc_runs([NRG(prior="groups") @ 10], QRELS, RUNS, groups=groups),
            )

    def test_a_group_file_with_a_bad_line(self, tmp_path: Path) -> None:
        file = tmp_path / "groups.csv"
        for text, sentence in [
            ("run,group\nbm25\n", "line 2: 'bm25' has fewer fields than the header"),
            ("run,group\nbm25,a\nbm25,b\n", "line 3: the run 'bm25' has two groups"),
            ("bm25,a\n", "line 1, lacks a column: it has 'bm25, a'; expected a header"),
        ]:
            file.write_text(text)
            self.refused(sentence, lambda: calc_runs([NRG(prior="groups") @ 10], QRELS, RUNS, groups=file))
        self.refused("cannot be read", lambda: calc_runs([NRG @ 10], QRELS, RUNS, groups=tmp_path / "absent.csv"))

    @pytest.mark.parametrize("group", [None, float("nan"), pd.NA])
    def test_a_group_that_is_missing(self, group: Any) -> None:
        """As a merge of tables leaves it: runs without a group must not become one group named nan."""
        self.refused(
            "the run 'bm25' has no group",
            lambda: calc_runs([NRG(prior="groups") @ 10], QRELS, RUNS, groups=GROUPS | {"bm25": group}),
        )

    @pytest.mark.parametrize("name", ["groups\0.csv", "\ud800"])
    def test_a_name_that_no_group_file_can_have(self, name: str) -> None:
        self.refused(
            "cannot be read: no file can have this name", lambda: calc_runs([NRG @ 10], QRELS, RUNS, groups=name)
        )

    def test_the_symbol_groups_without_groups(self) -> None:
        self.refused("prior='groups' requires groups", lambda: calc_runs([NRG(prior="groups") @ 10], QRELS, RUNS))

    def test_a_measure_that_cannot_say_which_run_is_the_best_of_its_group(self) -> None:
        measure = NRG(prior="groups") @ 10
        self.refused(
            "by=NRG(prior='groups')@10 cannot select the best run of a group",
            lambda: calc_runs([measure], QRELS, RUNS, groups=GROUPS, by=measure),
        )

    def test_an_unknown_name(self) -> None:
        for name, hint in (("xyz", "names are dense, bm25, bm25+rm3, late"), ("bm52", "did you mean 'bm25'?")):
            self.refused(
                f"unknown prior run '{name}'; {hint}",
                lambda name=name: calc_runs([NRG(prior=name) @ 10], QRELS, RUNS),
            )

    @pytest.mark.parametrize("measure", ["P", "NRG(prior='splade')@10", "NRG(prior='groups')@10"])
    def test_a_measure_is_refused_before_a_run_is_read(self, measure: str, tmp_path: Path) -> None:
        (tmp_path / "no-run.txt").write_text("nothing\n")
        with pytest.raises(ValueError, match="requires cutoff|unknown prior run|requires groups"):
            calc_runs([measure], QRELS, tmp_path)

    @pytest.mark.parametrize("progress", ["no", 0, 1.0])
    def test_a_progress_that_is_no_answer(self, progress: Any) -> None:
        self.refused(
            f"progress must be True or False, got {progress!r}",
            lambda: calc_runs([NRG @ 10], QRELS, RUNS, progress=progress),
            TypeError,
        )

    def test_a_run_without_documents(self) -> None:
        self.refused(
            "run 'empty' has no topic in common with the qrels (it has no documents)",
            lambda: calc_runs([NRG @ 10], QRELS, RUNS | {"empty": {}}),
        )

    def test_duplicates_and_nan(self) -> None:
        twice = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["a", "a"], "score": [1.0, 2.0]})
        self.refused(
            "run 'twice': document 'a' of topic 'q1' occurs twice",
            lambda: calc_runs([NRG @ 10], QRELS, {"twice": twice}),
        )
        self.refused(
            "run 'odd': document 'a' of topic 'q1' has the score NaN",
            lambda: calc_runs([NRG @ 10], QRELS, {"odd": {"q1": {"a": float("nan")}}}),
        )

    @needs_perl
    def test_grades_that_gdeval_refuses(self) -> None:
        runs = {"bm25": {"q1": {"a": 1.0}}}
        self.refused("it supports grades up to 4", lambda: calc_runs([ERR @ 5], {"q1": {"a": 5}}, runs))

    @pytest.mark.parametrize(("measure", "sentence"), [
        ("P", "P requires cutoff, as in P@10"),
        ("BPM@5", "BPM@5 requires max_rel, maximum relevance"),
        ("nDCG@0", "nDCG@0: cutoff must be an integer of at least 1, got 0"),
        ("RR@-1", "RR@-1: cutoff must be an integer of at least 1, got -1"),
    ])  # fmt: skip
    def test_measures_of_ir_measures_without_what_they_need(self, measure: str, sentence: str) -> None:
        self.refused(sentence, lambda: calc_runs([measure], QRELS, RUNS))

    def test_no_runs(self, tmp_path: Path) -> None:
        self.refused("runs must contain at least one run", lambda: calc_runs([NRG @ 10], QRELS, {}))
        self.refused(f"the folder '{tmp_path}' contains no file", lambda: calc_runs([NRG @ 10], QRELS, tmp_path))
        self.refused("is not a folder and matches no file", lambda: calc_runs([NRG @ 10], QRELS, tmp_path / "*.run"))

    def test_wrong_kinds(self) -> None:
        self.refused(
            "a list must contain paths, not a dict",
            lambda: calc_runs([NRG @ 10], QRELS, list(RUNS.values())),
            TypeError,
        )
        self.refused("runs: cannot read an int", lambda: calc_runs([NRG @ 10], QRELS, 7), TypeError)
        self.refused("a list must contain paths, not None", lambda: calc_runs([NRG @ 10], QRELS, [None]), TypeError)
        self.refused(
            "measures: expected measures or their text",
            lambda: calc_runs(None, QRELS, RUNS),
            TypeError,
        )
        self.refused("groups: cannot read a list", lambda: calc_runs([NRG @ 10], QRELS, RUNS, groups=["a"]), TypeError)

    def test_reserved_names(self) -> None:
        self.refused("'others' cannot name a run", lambda: calc_runs([NRG @ 10], QRELS, {"others": RUNS["bm25"]}))

    def test_unknown_measures(self) -> None:
        self.refused("unknown measure 'NRGG'", lambda: calc_runs(["NRGG@10"], QRELS, RUNS))
        self.refused("requires a cutoff", lambda: calc_runs([NRG(base="P")], QRELS, RUNS))


def test_a_single_frame_is_not_many_runs() -> None:
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    with pytest.raises(TypeError, match="expected runs by name"):
        calc_runs(["nDCG@10"], {"q": {"d": 1}}, frame)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_runs_are_held_no_deeper_than_measures_look(n_jobs: int) -> None:
    """Values do not change by a bit when a measure that needs whole runs is asked in the same call."""
    track = simulate.track(seed=1)
    measures = [NRG @ 5, UniqueRel @ 10, TaSC(prior="previous") @ 3, UL @ 5, BootNDCG(estimate="mean") @ 5]
    cut = calc_runs(measures, track.qrels, track.runs, n_jobs=n_jobs)
    for deep in (nDCG, NRG, UL(universe="retrieved") @ 5, NRG(prior="bm25") @ 5):
        whole = calc_runs([*measures, deep], track.qrels, track.runs, n_jobs=n_jobs)
        whole = whole[whole["measure"] != str(deep)].reset_index(drop=True)
        pd.testing.assert_frame_equal(cut, whole, check_exact=True)


def test_how_much_of_a_run_is_held() -> None:
    """What ir_measures computes is computed while a run is read; named runs too are held no deeper."""

    def depth(*measures: Any, **options: Any) -> int | None:
        return Request.of(measures, RUNS, groups=GROUPS, **options).depth

    assert depth(NRG @ 5, UniqueRel @ 10, nDCG @ 20, AP) == 10
    assert depth(NRG(prior="groups") @ 5) == 5
    assert depth(NRG(prior="groups") @ 5, by=TaSC(prior="none") @ 20) == 20
    assert depth(NRG(prior="bm25,dense") @ 5) == 5
    assert depth(nDCG @ 20) == 0
    assert [depth(NRG @ 5, depth=held) for held in (3, 7, None)] == [5, 7, None]
    for deep in (NRG, UL(universe="retrieved") @ 5):
        assert depth(NRG @ 5, deep) is None
