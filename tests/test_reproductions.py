"""The page of reproductions: its tables are what the package computes, and what it says was found can be checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ir_measures import AP
from scipy.stats import kendalltau, spearmanr, ttest_ind, tukey_hsd
from support.documentation import load
from support.repository import INSTALLED

from ir_measures_relative import compare, expected_random, meta, read_qrels, read_run, read_runs

PAGE = INSTALLED / "ir_measures_relative" / "pt_docs" / "reproductions.rst"
TABLES = PAGE.with_suffix("")
pytestmark = pytest.mark.full

OUT_OF_DATE = "the table of the page is not what is computed: run make reproduce, and look at what changed"


pytest.importorskip("matplotlib", reason="the figures of the page need matplotlib")
reproduce: Any = load("reproduce")
rows: Any = load("reproductions.rows")
sentences: Any = load("reproductions.sentences")


def stored(name: str) -> str:
    return (TABLES / f"{name}.inc").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", reproduce.FROM_PAPER)
def test_tables_that_need_the_paper_alone(name: str) -> None:
    assert stored(name) == rows.table(reproduce.FROM_PAPER[name]()), OUT_OF_DATE


@pytest.mark.parametrize("name", reproduce.FROM_DATA)
def test_tables_that_need_runs(shared: Path, name: str) -> None:
    assert stored(name) == rows.table(reproduce.FROM_DATA[name](shared)), OUT_OF_DATE


def test_sentences_about_trec_dl_2019(shared: Path) -> None:
    claims = reproduce.SENTENCES["nrg_sentences"](shared)
    assert stored("nrg_sentences") == sentences.table(claims), OUT_OF_DATE


def test_sentences_about_trec_8(shared: Path) -> None:
    claims = reproduce.SENTENCES["rareness_sentences"](shared)
    assert stored("rareness_sentences") == sentences.table(claims), OUT_OF_DATE


@pytest.mark.parametrize("name", reproduce.SAMPLED)
def test_means_over_random_subsets(shared: Path, name: str) -> None:
    assert stored(name) == rows.table(reproduce.SAMPLED[name](shared)), OUT_OF_DATE


def test_rareness_on_vaswani(shared: Path) -> None:
    cells = reproduce.rareness.other_data(shared, ("Vaswani",))
    assert len(cells) == 6
    assert rows.list_table(reproduce.rareness.HEAD, cells) == stored("rareness_other_data")[: _after(cells)], (
        OUT_OF_DATE
    )


def _after(cells: list[list[str]]) -> int:
    return len(rows.list_table(reproduce.rareness.HEAD, cells))


@pytest.mark.slow
@pytest.mark.parametrize("name", reproduce.OTHER_DATA)
def test_experiments_on_other_data(shared: Path, name: str) -> None:
    head, of_data = reproduce.OTHER_DATA[name]
    assert stored(name) == rows.list_table(head, of_data(shared)), OUT_OF_DATE


def test_the_page_shows_every_table() -> None:
    shown = re.findall(r"^\.\. include:: reproductions/(\w+)\.inc$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    figures = list(reproduce.figures.FIGURES)
    tables = [name for name in reproduce.ALL if name not in figures]
    assert sorted(shown) == sorted(tables) == sorted(table.stem for table in TABLES.glob("*.inc"))
    drawn = re.findall(r"figure:: reproductions/(\w+)\.png$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(drawn) == sorted(figures) == sorted(figure.stem for figure in TABLES.glob("*.png"))


def test_some_tables_can_be_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[str, str] = {}
    monkeypatch.setattr(reproduce, "write", lambda name, text, shown: written.update({name: text}))
    monkeypatch.setattr(reproduce, "shared_folder", lambda: None)
    reproduce.main(["nrg", "nrg_data", "nrg_figure_2"])
    assert written == {"nrg": stored("nrg")}
    assert capsys.readouterr().out.endswith("need real runs and were not changed: nrg_data, nrg_figure_2.\n")
    with pytest.raises(SystemExit, match=r"^unknown: nrg_dat; expected some of nrg, med, "):
        reproduce.main(["nrg_dat"])


def test_a_figure_is_drawn(shared: Path, tmp_path: Path) -> None:
    path = reproduce.figures.save("nrg_figure_2", shared, tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("printed", "ours", "slack", "cut", "verdict", "shown"),
    [
        ("0.235", 0.2349, 0, False, "yes", "0.235"),
        ("0.235", 0.2356, 0, False, "no", "0.2356"),
        ("0.235", 0.2356, 0.0002, False, "rounding", "0.236"),
        ("0.785", 0.7857, 0, True, "cut", "0.786"),
        ("0.785", 0.7857, 0, False, "no", "0.7857"),
        ("0.785", 0.7842, 0, True, "no", "0.7842"),
        ("-.411", -0.4109, 0, False, "yes", "-.411"),
        ("+0.010", 0.0099, 0, False, "yes", "+0.010"),
        ("0.063", 0.0625, 0, False, "yes", "0.063"),
        ("9,260", 9260, 0, False, "yes", "9,260"),
        ("35.6%", 35.56, 0, False, "yes", "35.6%"),
    ],
)
def test_when_a_number_is_the_same(
    printed: str, ours: float, slack: float, cut: bool, verdict: str, shown: str
) -> None:
    row = rows.row("Table 0", "a number", printed, [ours], slack=[slack], cut=cut)
    assert row.verdicts == [verdict] and row.ours_as_printed == [shown]
    assert row.same.startswith("no" if verdict == "no" else "yes")


@pytest.mark.parametrize(("ours", "verdict"), [(0.6214, "sampling"), (0.6225, "yes"), (0.6190, "no")])
def test_means_of_random_samples_may_differ(ours: float, verdict: str) -> None:
    row = rows.row("Table 0", "a mean", "0.623", [ours], noise=[0.002])
    assert row.verdicts == [verdict]
    assert ("within the sampling error" in row.same) == (verdict == "sampling")


def test_a_count_has_no_decimals() -> None:
    assert rows.row("Table 0", "pairs", "3825", [3827]).ours_as_printed == ["3827"]


def test_a_false_sentence_is_marked() -> None:
    claims = [sentences.Sentence("Section 1", "a > b", "1, 2", False), sentences.Sentence("Section 1", "b", "2", True)]
    assert sentences.table(claims).startswith("Our numbers confirm 1 of 2 claims.")
    assert sentences.table(claims).count("**no**") == 1


def test_as_many_numbers_of_ours_as_printed() -> None:
    with pytest.raises(ValueError, match="Table 0: 2 printed numbers and 1 of ours"):
        rows.row("Table 0", "two", "1 2", [1.0])


class TestWhatWasFound:
    """Each sentence of the page that follows from the papers or the data."""

    def test_tau_and_rho_of_table_5_are_not_of_the_same_orders(self) -> None:
        """Daniels' inequality, by every permutation of few systems; and the printed pair breaks it for any number."""

        def between(tau: float, rho: float, n: float) -> float:
            return (3 * n * tau - 2 * (n + 1) * rho) / (n - 2)

        for n in range(3, 7):
            found = [
                between(kendalltau(range(n), order).statistic, spearmanr(range(n), order).statistic, n)
                for order in permutations(range(n))
            ]
            assert max(found) == pytest.approx(1) and min(found) == pytest.approx(-1)
        tau, rho = 0.189 - 0.0005, -0.268 + 0.0005  # the nearest that the digits allow
        values = [between(tau, rho, n) for n in (3, 10, 83, 1000, 1e9)]
        assert values == sorted(values, reverse=True) and values[-1] > 1.1

    def test_tukey_of_two_systems_is_the_unpaired_t_test(self) -> None:
        rng = np.random.default_rng(1)
        a, b = rng.random(20), rng.random(20) + 0.2
        assert tukey_hsd(a, b).pvalue[0, 1] == pytest.approx(ttest_ind(a, b).pvalue, abs=1e-9)

    def test_stability_below_a_half_needs_ties(self) -> None:
        rng = np.random.default_rng(2)
        result = meta.stability(rng.random((5, 8)), fuzziness=0.0)
        assert result.ties == 0 and result.stability >= 0.5
        result = meta.stability(0.1 * rng.random((5, 8)), fuzziness=0.05, relative=False)
        assert result.stability < 0.5 and result.ties >= 1 - 2 * result.stability

    def test_percentage_absolute_difference_of_table_14(self) -> None:
        means = reproduce.upper_lower.means("MSLR", "MAP", "V2")
        assert sorted(means.index[means < 0]) == ["LNet", "RNet"]
        assert meta.percentage_absolute_difference(means[["L2LR", "LNet"]]) == pytest.approx(453, abs=0.5)
        assert meta.percentage_absolute_difference(means[["RNet", "LNet"]]) < 0
        assert meta.percentage_absolute_difference(means) == pytest.approx(97.4, abs=0.05)
        assert meta.percentage_absolute_difference(means, sign_safe=True) == pytest.approx(74.5, abs=0.05)

    def test_a_misprint_of_table_15(self) -> None:
        scores = reproduce.upper_lower.scores("MQ2007", "MAP", "V2")
        assert scores.loc["ARank", 15] == 0.0116
        scores.loc["ARank", 15] = 0.116
        assert meta.percentage_absolute_difference(scores.mean(axis=1)) == pytest.approx(20.02, abs=0.005)

    def test_disagreements_of_table_17(self) -> None:
        assert reproduce.upper_lower.impossible_conflicts() == [
            ("MQ2007", "MAP", "V1", "All", 1, 5),
            ("MQ2007", "MAP", "V2", "All", 8, 14),
        ]

    def test_the_best_estimate_of_table_7(self) -> None:
        """default, condensed, bootstrap: which is nearest to the last column?"""
        nearest = {}
        for row, printed in reproduce.boot_ndcg.ERRORS_7.items():
            errors = [abs(float(number)) for number in printed.split()[:3]]
            nearest.setdefault(row[0], set()).add(("default", "condensed", "bootstrap")[int(np.argmin(errors))])
        assert nearest == {"ANCE": {"bootstrap"}, "ColBERT": {"bootstrap"}, "TAS-B": {"default"}}

    @pytest.mark.parametrize("log", [math.log2, math.log, math.log10])
    def test_the_discount_of_the_text_does_not_give_table_1(self, log: Callable[[float], float]) -> None:
        """nDCG@10 of a list with relevant documents at ranks 1, 5, 6 and 10 is printed as 0.7933."""

        def ratio(seen: Callable[[int], float]) -> float:
            return sum(map(seen, (1, 5, 6, 10))) / sum(map(seen, range(1, 5)))

        assert abs(ratio(lambda rank: 1 / (log(rank) + 1)) - 0.7933) > 0.02
        assert ratio(lambda rank: 1 / math.log2(rank + 1)) == pytest.approx(0.7933, abs=5e-5)

    def test_precision_and_relevance_at_a_rank_are_not_independent(self) -> None:
        """E[SP@1] of two relevant documents of four: by all orders, by us, and by section 4.5.1."""
        by_hand = np.mean([order[0] for order in permutations((1, 1, 0, 0))])
        qrels = {"q": {"a": 1, "b": 1, "c": 0, "d": 0}}
        exact, paper = (
            2 * expected_random(qrels, base=AP @ 1, expected=expected)["expected"][0] for expected in ("exact", "paper")
        )
        assert (by_hand, exact, paper) == pytest.approx((1 / 2, 1 / 2, 1 / 4))

    def test_table_7_has_shares_of_all_topics_together(self, shared: Path) -> None:
        """The 95th percentiles, of which a sample is less restless than of the mode."""
        table, folder = reproduce.boot_ndcg, shared / "data" / "trec-covid"
        off = {}
        for pool in ("collection", "topic"):
            rows_of_models = [row for row in table.TABLE_7 if row[0] != "1st@TREC"]
            ours = [table.means_of_table_7(folder, *row, pool)[5] for row in rows_of_models]
            printed = [float(table.TABLE_7[row].split()[5]) for row in rows_of_models]
            off[pool] = np.abs(np.array(ours) - printed).max()
        assert off == pytest.approx({"collection": 0.008, "topic": 0.022}, abs=0.0006)

    def test_grades_of_unjudged_documents_in_the_case_study(self, shared: Path) -> None:
        folder = shared / "data" / "trec-covid"
        incomplete, complete = (
            read_qrels(folder / f"qrels.{kind}.txt.gz").to_dict() for kind in ("incomplete", "complete")
        )
        judged, later, never = [], [], {}
        for name in ("ANCE", "ColBERT", "TAS-B"):
            run = read_run(folder / reproduce.boot_ndcg.FILES[name])
            for topic, known in incomplete.items():
                for document in run.ranking(topic)[:10]:
                    if document in known:
                        judged.append(known[document])
                    elif document in complete[topic]:
                        later.append(complete[topic][document])
                    else:
                        never[name] = never.get(name, 0) + 1
        assert never == {"ColBERT": 8, "ANCE": 1}
        assert len(judged) + len(later) + 9 == 1500
        shares = [np.mean(np.array(grades) <= 0) for grades in (later, judged)]
        assert shares == pytest.approx([0.70, 0.13], abs=0.005)


class TestTrec8:
    """The rareness paper on its own data."""

    def test_scores_of_some_systems_are_those_of_the_measures(self, shared: Path) -> None:
        """The matrix product of Table 3 against calc_runs on five systems."""
        place = shared / "data" / "trec-8"
        documents = reproduce.trec8.RelevantRetrieved(shared)
        chosen = documents.systems[::30]
        runs = {name: place / "runs" / f"{name}.run.gz" for name in chosen}
        means = compare(["RareP@100", "RareAP@100"], place / "qrels.txt.gz", runs).to_frame()
        for kind in ("P", "AP"):
            ours = documents.score(kind, chosen)
            assert ours.to_numpy() == pytest.approx(means.loc[chosen, f"Rare{kind}@100"].to_numpy(), abs=1e-12)

    def test_table_4_is_of_whole_lists(self, shared: Path) -> None:
        runs = read_runs(shared / "data" / "trec-8" / "runs")
        tops = [set(run.ranking("431")[:100]) for run in runs.values()]
        rareness = [1 - np.mean([document in top for top in tops]) for document in ("FBIS3-38782", "FBIS4-44815")]
        assert rareness == pytest.approx([0.992, 0.147], abs=0.0005)  # printed: .81 and .08

    def test_what_ties_do_to_stability(self, shared: Path) -> None:
        trec8 = reproduce.trec8
        gains = [
            np.subtract(trec8.stabilities(shared, (kind, 1.0))[1:], trec8.stabilities(shared, (kind, 0.0))[1:])
            for kind in ("P", "AP")
        ]
        assert gains == [
            pytest.approx([0.140, 0.030, 0.010, 0], abs=0.0015),
            pytest.approx([0.076, 0.016, 0.004, 0], abs=0.0015),
        ]


class TestTrecDl2019:
    """The NRG paper on its own data."""

    def test_the_sentences_hold_with_all_other_runs_as_prior_runs(self, shared: Path) -> None:
        dl2019, place = reproduce.dl2019, shared / "data" / "trec-dl-2019"
        table = dl2019.points(shared).copy()
        table["NRG"] = compare(["NRG"], place / "qrels.txt.gz", place / "runs").to_frame()["NRG"]
        assert all(sentence.true for sentence in dl2019._of_nrg(table, "NRG", ""))

    def test_short_lists_have_a_low_nrg_without_a_cutoff(self, shared: Path) -> None:
        dl2019 = reproduce.dl2019
        table, runs = dl2019.points(shared), read_runs(shared / "data" / "trec-dl-2019" / "runs")
        short = [name for name, run in runs.items() if len(run.ranking("19335")) <= 50]
        assert set(short) == set(table.index[table["group"] == "ICTNET"])
        assert set(table[dl2019.WHOLE].nsmallest(4).index) == {*short, "UNH_exDL_bm25"}
        assert set(table[dl2019.UNIQUE].nlargest(3).index) == set(short)
