"""compare: runs beside each other, and every form of text that shows them."""

from __future__ import annotations

import math
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import P, nDCG
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests
from support.four_runs import QRELS, RUNS

import ir_measures_relative as imr
from ir_measures_relative import MED, NRG, UL, BootNDCG, compare, simulate
from ir_measures_relative._experiment.table_text import (
    TextTable,
    as_html,
    csv_text,
    jsonl,
    latex,
    latex_text,
    markdown,
    tsv,
    visible,
)

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K

GROUPS = {"dense": "neural", "late": "neural", "bm25": "lexical", "bm25+rm3": "feedback"}
TRACK = simulate.track(seed=0)
# every third judgement is removed
WORN = TRACK.qrels[TRACK.qrels.index % 3 != 1]


class TestResult:
    def test_means_of_the_table_of_calc_runs(self) -> None:
        found = compare(["nDCG(cutoff=10)", NRG @ 10], QRELS, RUNS)
        table = imr.calc_runs(["nDCG(cutoff=10)", NRG @ 10], QRELS, RUNS)
        pd.testing.assert_frame_equal(found.per_topic, table)
        frame = found.to_frame()
        assert list(frame.columns) == ["nDCG(cutoff=10)", "NRG@10"] and list(frame.index) == list(RUNS)
        for (name, text), rows in table.groupby(["name", "measure"]):
            assert frame.loc[name, text] == pytest.approx(math.fsum(rows["value"]) / len(rows), abs=1e-12)

    def test_groups_are_a_column(self) -> None:
        assert compare("P@1", QRELS, RUNS, groups=GROUPS).to_frame()["group"].to_dict() == GROUPS
        assert list(compare("P@1", QRELS, RUNS).to_frame().columns) == ["P@1"]

    def test_counts_are_added_up(self) -> None:
        frame = compare(["NumRet", "P@1"], QRELS, RUNS).to_frame()
        assert frame["NumRet"].to_dict() == {"dense": 5, "bm25": 5, "bm25+rm3": 5, "late": 1}
        lines = compare(["NumRet", "P@1"], QRELS, RUNS).to_markdown(places=2).splitlines()
        assert [line.split("|")[2].strip() for line in lines[2:]] == ["**5**", "**5**", "**5**", "1"]

    @pytest.mark.parametrize("measure", [nDCG @ 10, "nDCG@10", "nDCG(cutoff=10)"])
    def test_runs_by_topics_for_meta(self, measure: Any) -> None:
        found = compare(["P@1", "nDCG(cutoff=10)"], QRELS, RUNS, sort="P@1")
        rows = imr.calc_runs(nDCG @ 10, QRELS, RUNS)
        table = rows.pivot(index="name", columns="query_id", values="value").loc[list(RUNS), list(QRELS)]
        pd.testing.assert_frame_equal(found.table(measure), table, check_names=True)
        assert list(imr.meta.system_order(found.table(measure)))
        with pytest.raises(ValueError, match="measure must be one of the measures P@1, nDCG.*, got 'AP'"):
            found.table("AP")

    def test_sorted_best_first_by_the_direction_of_the_measure(self) -> None:
        by_name = compare(["P@2", "nDCG@10"], QRELS, RUNS)
        found = compare(["P@2", "nDCG@10"], QRELS, RUNS, sort=nDCG @ 10)
        assert found.to_frame()["nDCG@10"].is_monotonic_decreasing
        pd.testing.assert_frame_equal(found.to_frame().loc[list(RUNS)], by_name.to_frame())
        pd.testing.assert_frame_equal(found.per_topic, by_name.per_topic)
        with pytest.raises(ValueError, match="sort must be one of the measures P@2, nDCG@10, got 'AP'"):
            compare(["P@2", "nDCG@10"], QRELS, RUNS, sort="AP")

    def test_intervals_are_those_of_rank_intervals(self) -> None:
        frame = compare(["P@5", "nDCG@10"], TRACK.qrels, TRACK.runs, sort="nDCG@10", intervals=0.9).to_frame()
        table = imr.calc_runs("nDCG@10", TRACK.qrels, TRACK.runs).pivot(
            index="name", columns="query_id", values="value"
        )
        expected = imr.meta.rank_intervals(table, level=0.9).to_frame().set_index("system")
        for column in ("low", "high", "rank", "rank_low", "rank_high", "tier"):
            assert frame[column].to_dict() == expected[column].to_dict()

    def test_intervals_of_a_sum(self) -> None:
        """NumRet is added up over topics, so its interval is that of the sum, which holds it."""
        frame = compare(["NumRelRet"], TRACK.qrels, TRACK.runs, intervals=0.9).to_frame()
        table = compare(["NumRelRet"], TRACK.qrels, TRACK.runs).table("NumRelRet")
        means = imr.meta.rank_intervals(table, level=0.9).to_frame().set_index("system").loc[frame.index]
        np.testing.assert_allclose(frame[["low", "high"]], means[["low", "high"]] * table.shape[1], rtol=1e-12)
        assert ((frame.low <= frame.NumRelRet) & (frame.NumRelRet <= frame.high)).all()

    def test_intervals_need_a_measure_and_two_topics(self) -> None:
        with pytest.raises(ValueError, match="intervals= requires at least one measure"):
            compare([], QRELS, RUNS, intervals=0.9)
        with pytest.raises(ValueError, match="intervals= requires at least two topics"):
            compare(["P@1"], {"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}}, intervals=0.9)

    def test_refused_before_anything_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "no-run.txt").write_text("nothing\n")
        for options in ({"sort": "AP"}, {"intervals": 2.0}):
            with pytest.raises(ValueError, match="sort must be one of|intervals must be .*, got 2.0"):
                compare("P@1", QRELS, tmp_path, **options)  # type: ignore[arg-type]

    def test_it_shows_itself(self) -> None:
        found = compare("P@1", QRELS, {"a<b>\x1b": RUNS["dense"], "late": RUNS["late"]})
        assert "a<b>\\x1b" in repr(found) and "\x1b" not in repr(found)
        assert ">a&lt;b&gt;\\x1b</td>" in found._repr_html_()

    def test_no_topic(self) -> None:
        with pytest.raises(ValueError, match="qrels has no topic; at least one judgement is required"):
            compare("P@1", {}, RUNS)


class TestSignificance:
    def marks(self, text: str) -> dict[tuple[str, str], str]:
        """(run, measure) -> mark, from the lines of a LaTeX table."""
        lines = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if " & " in line]
        header, *rows = lines
        found = {}
        for row in rows:
            for name, cell in zip(header[1:], row[1:], strict=True):
                mark = re.search(r"\$\^\{\\mathrm\{([+-])\}\}\$", cell)
                found[row[0].replace("\\", ""), name] = mark.group(1) if mark else ""
        return found

    def test_marks_are_those_of_statsmodels(self) -> None:
        measures, baseline = ["nDCG@10", "P@5", "UL@10", "MED(reference='bm25')@10"], "bm25"
        table = imr.calc_runs(measures, TRACK.qrels, TRACK.runs)
        values = {key: rows["value"].to_numpy() for key, rows in table.groupby(["name", "measure"])}
        tested = [(name, text) for name in TRACK.runs for text in measures[:3] if name != baseline]  # MED: no direction
        raw = [ttest_rel(values[key], values[baseline, key[1]]).pvalue for key in tested]
        significant = multipletests(raw, alpha=0.05, method="holm")[0]
        expected = dict.fromkeys(((name, text) for name in TRACK.runs for text in measures), "")
        for key, is_significant in zip(tested, significant, strict=True):
            better = values[key].mean() > values[baseline, key[1]].mean()
            expected[key] = ("+" if better else "-") if is_significant else ""
        text = compare(measures, TRACK.qrels, TRACK.runs, sort="nDCG@10").to_latex(baseline=baseline)
        found = {(n, m.replace(r"\textquotesingle{}", "'")): mark for (n, m), mark in self.marks(text).items()}
        assert found == expected
        assert {"", "+", "-"} >= set(found.values()) and len(set(found.values())) > 1
        assert f"Holm correction for {len(tested)} tests" in text
        assert "only descriptive" not in text
        relative = compare(NRG @ 10, TRACK.qrels, TRACK.runs).to_latex(baseline=baseline)
        assert "depend on one another" in relative

    def test_runs_that_are_alike_have_no_mark(self) -> None:
        runs = {"a": RUNS["dense"], "b": RUNS["dense"]}
        assert set(self.marks(compare("nDCG@10", QRELS, runs).to_latex(baseline="a")).values()) == {""}

    def test_one_topic_says_nothing(self) -> None:
        runs = {"a": {"q": {"x": 1.0}}, "b": {"q": {"y": 1.0}}}
        assert set(self.marks(compare("P@1", {"q": {"x": 1}}, runs).to_latex(baseline="b")).values()) == {""}

    def test_an_unknown_baseline(self) -> None:
        with pytest.raises(ValueError, match="unknown run 'x' as baseline; names are dense, bm25"):
            compare("P@1", QRELS, RUNS).to_latex(baseline="x")


class TestBaseline:
    LABELS = imr.LabelModel.shares({0: 0.9, 1: 0.1})

    def found(self, **options: Any) -> imr.Comparison:
        return compare(["nDCG@10", "P@5", "RR", "NRG@10"], WORN, TRACK.runs, baseline="bm25", **options)

    def test_decisions_are_those_of_pairs(self) -> None:
        found = self.found(labels=self.LABELS)
        assert found.decisions is not None
        runs = {**{name: run for name, run in TRACK.runs.items() if name != "bm25"}, "bm25": TRACK.runs["bm25"]}
        for measure, labels in (("nDCG@10", self.LABELS), ("P@5", self.LABELS), ("RR", None)):
            expected = imr.pairs(WORN, runs, measure, labels=labels)
            expected = expected[expected["b"] == "bm25"].rename(columns={"a": "name"}).reset_index(drop=True)
            rows = found.decisions[found.decisions["measure"] == measure].reset_index(drop=True)
            columns = ["name", "difference", "low", "high", "settled"]
            columns += [] if labels is None else ["p_better", "p_better_topics", "decision"]
            pd.testing.assert_frame_equal(rows[columns], expected[columns], rtol=0, atol=1e-12)
        assert set(found.decisions["measure"]) == {"nDCG@10", "P@5", "RR"}  # labels have no known effect on NRG
        assert {"settled", "likely", "undecided"} & set(found.decisions["decision"].dropna())

    @pytest.mark.parametrize("form", ["__repr__", "to_markdown", "to_latex", "to_html"])
    def test_marks_and_legend_in_every_format(self, form: str) -> None:
        found = self.found(labels=self.LABELS, level=0.8)
        text = getattr(found, form)()
        assert found.decisions is not None
        row = found.decisions.set_index(["measure", "name"]).loc["nDCG@10"]
        for word, mark in (("settled", "S"), ("likely", "[LR]")):
            names = row.index[row["decision"] == word]
            lines = [
                line
                for line in text.splitlines()
                if any(n.replace("_", "") in line.replace("\\_", "").replace("_", "") for n in names)
            ]
            assert all(re.search(rf"[+-]?{mark}", line) for line in lines)
        for sentence in (
            "significantly better and worse than bm25",
            "S: settled, no labels",
            "L: likely, the order stays with a prob",
        ):
            assert sentence in text.replace("\n", " ")
        assert "S: settled" not in getattr(compare("nDCG@10", WORN, TRACK.runs), form)()

    def test_marks_are_columns_where_programs_read(self, tmp_path: Path) -> None:
        found = self.found()
        text = found.to_csv()
        assert found.to_csv(tmp_path / "table.csv") is None and (tmp_path / "table.csv").read_text() == text
        frame = pd.read_csv(tmp_path / "table.csv", index_col="name", keep_default_na=False)
        assert list(frame.columns)[:2] == ["nDCG@10", "nDCG@10 marks"]
        assert (frame["P@5"] - found.to_frame()["P@5"]).abs().max() < 1e-12
        assert set("".join(frame["nDCG@10 marks"])) <= set("+-S") and frame.loc["bm25", "P@5 marks"] == ""

    def test_one_topic_claims_no_test(self) -> None:
        runs = {"a": {"q": {"x": 1.0}}, "b": {"q": {"y": 1.0}}}
        found = compare("P@1", {"q": {"x": 1, "y": 0}}, runs, baseline="b")
        assert "test" not in repr(found) and "S: settled" in repr(found) and " S" in repr(found)
        assert "test" not in found.to_markdown(marks="letters")

    def test_refused(self) -> None:
        for options, sentence in [
            ({"labels": self.LABELS}, "labels= requires baseline="),
            ({"baseline": "bm52"}, "unknown run 'bm52' as baseline; did you mean 'bm25'"),
            ({"baseline": "bm25", "labels": self.LABELS, "level": 2}, "level must be a number from 0 to 1, got 2"),
        ]:
            with pytest.raises(ValueError, match=sentence):
                compare("P@1", TRACK.qrels, TRACK.runs, **options)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="labels= requires a measure among nDCG, P, RBP, SDCG, got NRG@10"):
            compare("NRG@10", TRACK.qrels, TRACK.runs, baseline="bm25", labels=self.LABELS)


class TestLetters:
    def test_letters_are_those_of_the_tests(self) -> None:
        found = compare(["nDCG@10", "UL@10"], TRACK.qrels, TRACK.runs, sort="nDCG@10")
        table = found.text_table(marks="letters", correction="bonferroni", level=0.01)
        assert table.header == ["#", "name", "nDCG@10", "UL@10"]
        order = [row[1] for row in table.rows]
        assert [row[0] for row in table.rows] == list("abcdefgh")
        n_tests = 2 * len(order) * (len(order) - 1) // 2
        for column, measure in ((2, "nDCG@10"), (3, "UL@10")):
            scores = found.table(measure)
            for row, name in enumerate(order):
                worse = ""
                for letter, other in zip("abcdefgh", order, strict=True):
                    p = ttest_rel(scores.loc[name], scores.loc[other]).pvalue * n_tests if other != name else 1.0
                    worse += letter if p < 0.01 and scores.loc[name].mean() > scores.loc[other].mean() else ""
                assert table.marks[column][row] == worse
        assert any(map(any, table.marks.values()))
        assert table.legend == [
            "Letters name the runs that a value is significantly better than (paired t-test over topics, level 0.01, "
            f"Bonferroni correction for {n_tests} tests)."
        ]

    @pytest.mark.parametrize("test", ["tukey", "bootstrap", "randomized_tukey"])
    def test_the_test_is_named(self, test: str) -> None:
        found = compare("nDCG@10", TRACK.qrels, TRACK.runs)
        power = imr.meta.discriminative_power(found.table("nDCG@10"), test=test)
        table = found.text_table(marks="letters", test=test, correction=None)
        assert len("".join(table.marks[2])) == int((power.p_value < 0.05).sum())
        assert {"tukey": "Tukey HSD", "bootstrap": "bootstrap", "randomized_tukey": "randomised"}[test] in table.legend[
            0
        ]

    def test_too_many_runs_for_letters(self) -> None:
        runs = {f"run{place}": RUNS["dense"] for place in range(53)}
        with pytest.raises(ValueError, match="marks='letters' requires at most 52 runs, got 53; use baseline="):
            compare("P@1", QRELS, runs).to_latex(marks="letters")


class TestAsAResult:
    FOUND = compare({"gain": "nDCG@10", "new": NRG @ 10}, TRACK.qrels, TRACK.runs, sort="gain")

    def test_rows_columns_and_length(self) -> None:
        frame = self.FOUND.to_frame()
        assert len(self.FOUND) == len(TRACK.runs) and list(self.FOUND) == list(frame.index)
        pd.testing.assert_series_equal(self.FOUND["bm25"], frame.loc["bm25"])
        for key in ("gain", "nDCG@10", nDCG @ 10, "nDCG(cutoff=10)"):
            pd.testing.assert_series_equal(self.FOUND[key], frame["gain"])
        with pytest.raises(KeyError, match="unknown run or measure 'bm52'; did you mean 'bm25'"):
            self.FOUND["bm52"]

    def test_titles(self) -> None:
        assert list(self.FOUND.to_frame().columns) == ["gain", "new"]
        assert set(self.FOUND.per_topic["measure"]) == {"gain", "new"}
        assert set(imr.calc_runs({"gain": "nDCG@10"}, TRACK.qrels, TRACK.runs)["measure"]) == {"gain"}
        assert r"name & G & new \\" in self.FOUND.to_latex(titles={nDCG @ 10: "G"})
        latex_lines = self.FOUND.to_latex(titles=["G", "N"], label="tab:x", baseline="bm25").splitlines()
        assert r"name & G & N \\" in latex_lines and r"\label{tab:x}" in latex_lines
        with pytest.raises(ValueError, match="titles must be a list of 2 titles, got"):
            self.FOUND.to_markdown(titles=["G"])

    def test_it_can_be_pickled(self) -> None:
        groups = dict.fromkeys(TRACK.runs, "g")
        copy = pickle.loads(pickle.dumps(compare("P@1", TRACK.qrels, TRACK.runs, groups=groups)))
        assert copy.groups == groups and len(copy) == len(groups)

    def test_titles_in_a_report_and_in_parts(self, tmp_path: Path) -> None:
        imr.report(TRACK.qrels, TRACK.runs, tmp_path / "page.html", measures={"gain @ ten": "nDCG@10", "new": "NRG@10"})
        assert "gain @ ten" in (tmp_path / "page.html").read_text()
        table = imr.iter_runs({"gain": "nDCG@10"}, TRACK.qrels, TRACK.runs, aggregate=True)
        assert set(table["measure"]) == {"gain"}

    def test_meta_accepts_it(self) -> None:
        found = compare(["nDCG@10", "NRG@10"], TRACK.qrels, TRACK.runs)
        assert imr.meta.kendall_tau(compare("nDCG@10", TRACK.qrels, TRACK.runs), found.table("NRG@10")) is not None


class TestText:
    TABLE = TextTable(
        ["name", "up", "down", "neither"],
        [["a", 0.50001, 0.1, 3.0], ["b", 0.5, 0.2, 2.0], ["c", 0.4, 0.1, 1.0]],
        {"up": "larger", "down": "smaller", "neither": "neither"},
        places=2,
    )

    def test_best_and_second_as_they_are_printed(self) -> None:
        assert self.TABLE.cells(str, "best %s", "second %s", "%s") == [
            ["a", "best 0.50", "best 0.10", "3.00"],
            ["b", "best 0.50", "second 0.20", "2.00"],
            ["c", "second 0.40", "best 0.10", "1.00"],
        ]
        alike = TextTable(["name", "x"], [["a", 1.0], ["b", 1.0]], {"x": "larger"}, places=0)
        assert alike.cells(str, "best %s", "second %s", "%s") == [["a", "1"], ["b", "1"]]

    def test_latex(self) -> None:
        assert latex(self.TABLE).splitlines() == [
            r"% requires \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            r"\begin{tabular}{lrrr}",
            r"\toprule",
            r"name & up & down & neither \\",
            r"\midrule",
            r"a & \textbf{0.50} & \textbf{0.10} & 3.00 \\",
            r"b & \textbf{0.50} & \underline{0.20} & 2.00 \\",
            r"c & \underline{0.40} & \textbf{0.10} & 1.00 \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]

    def test_latex_shows_names_as_they_are(self) -> None:
        assert latex_text("a_b & 100% {x} #1 $2 ~ ^ \\") == (
            r"a\_b \& 100\% \{x\} \#1 \$2 \textasciitilde{} \textasciicircum{} \textbackslash{}"
        )
        assert latex_text("---x--`y`") == r"-{}-{}-x-{}-\textasciigrave{}y\textasciigrave{}"  # no dash, no quotes

    def test_a_name_is_no_option_of_the_row_before_it(self) -> None:
        r"""LaTeX takes * and [...] after \\\\, on the next line too, for its own."""
        rows = latex(TextTable(["name", "x"], [["[1cm]", 1.0], ["*", 2.0]])).splitlines()[7:9]
        assert rows == [r"{}[1cm] & 1.0000 \\", r"{}* & 2.0000 \\"]

    def test_markdown_cells(self) -> None:
        text = markdown(TextTable(["name", "x"], [["a|b", 1.0], ["<script>", 2.0], ["\\|", 3.0], ["x\ny", 4.0]]))
        assert [line.split("|", 1)[1].rsplit("|", 2)[0].strip() for line in text.splitlines()[2:]] == [
            "a\\|b", "\\<script>", "\\\\\\|", "x\\\\ny",
        ]  # fmt: skip
        names = {
            "bm25_k1": "bm25_k1", "_x_": r"\_x\_", "*x*": r"\*x\*", "`x`": r"\`x\`", "[x](y)": r"\[x](y)",
            "&lt;": r"\&lt;", "~~x~~": r"\~~x\~~", "a~1": "a~1", "__x": r"\_\_x",
        }  # fmt: skip
        for name, shown in names.items():
            assert markdown(TextTable(["name"], [[name]])).splitlines()[2].strip("| ") == shown

    def test_html_is_data_and_never_markup(self) -> None:
        text = as_html(TextTable(["name", "x"], [["<script>alert(1)</script>", 1.0], ["&", 2.0]], {"x": "larger"}))
        assert "<script" not in text and "&lt;script&gt;" in text and ">&amp;</td>" in text
        assert "<b>2.0000</b>" in text and "<u>1.0000</u>" in text

    @pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "plain", 'with "quotes", and commas'])
    def test_csv_cells_are_no_formulas(self, name: str) -> None:
        table = TextTable(["name", "x"], [[name, -0.5]], places=1)
        guarded, raw = (
            pd.read_csv(pd.io.common.StringIO(csv_text(table, guard)), dtype=str) for guard in (True, False)
        )
        assert raw["name"].tolist() == [name]
        assert guarded["name"].tolist() == [name if name[0] in "pw" else f"'{name}"]
        assert guarded["x"].tolist() == ["-0.5"]  # a negative number is a number

    def test_control_characters(self) -> None:
        for text, shown in [
            ("a\x1b[2Jb", "a\\x1b[2Jb"),
            ("\u202egnp", "\\u202egnp"), ("a\u2028b", "a\\u2028b"), ("caf\u00e9", "caf\u00e9"),
            ("\ud800", "\\ud800"), ("\x00", "\\x00"), ("a\tb\nc", "a\\tb\\nc"), ("\U0001f600 x", "\U0001f600 x"),
        ]:  # fmt: skip
            assert visible(text) == shown
        rows = tsv(TextTable(["name", "x"], [["a\tb\nc", 1.0]], places=1))
        assert rows == "name\tx\na\\tb\\nc\t1.0\n"
        assert jsonl(TextTable(["name"], [["a\x1b"]])) == '{"name": "a\\u001b"}\n'

    def test_json_has_no_nan(self) -> None:
        assert jsonl(TextTable(["name", "p_value"], [["a", math.nan]])) == '{"name": "a", "p_value": null}\n'

    def test_numbers_near_0_keep_significant_digits(self) -> None:
        table = TextTable(["name", "effect", "x"], [["a", 8.7131e-05, 8.7131e-05]], small=["effect"], places=3)
        assert tsv(table) == "name\teffect\tx\na\t8.71e-05\t0.000\n"
        assert csv_text(table).endswith("a,8.71e-05,0.000\n") and "| 8.71e-05 | 0.000 |" in markdown(table)


def test_the_table_holds_every_text_once() -> None:
    """Text of a fixed width took gigabytes: a thousand priors make long texts."""
    long = ir_measures.define(lambda qrels, run: [], name="X" * 100_000, support_cutoff=False)
    table = imr.calc_runs([long, P @ 1], QRELS, RUNS)
    texts = {id(text) for text in table["measure"].to_numpy(dtype=object)}
    assert len(texts) <= 2 * len(QRELS) * len(RUNS) and table["measure"].map(len).max() == 100_000
    code = (
        "import resource, ir_measures, ir_measures_relative as imr\n"
        "long = [ir_measures.define(lambda qrels, run: [], name=c * 100_000, support_cutoff=False) for c in 'XYZ']\n"
        "qrels = {str(q): {'a': 1} for q in range(300)}\n"
        "runs = {str(r): {str(q): {'a': 1.} for q in range(300)} for r in range(3)}\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "imr.calc_runs(long, qrels, runs)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert int(done.stdout) < 200_000, done.stderr  # KB; 2,700 texts of 100,000 characters are 1.08 GB


def test_the_mean_is_the_same_through_every_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from ir_measures_relative._cli import main

    draw = np.random.default_rng(3)
    qrels = {str(q): {f"d{i}": int(g) for i, g in enumerate(draw.integers(0, 3, 8))} for q in range(41)}
    run = {q: {f"d{i}": float(s) for i, s in enumerate(draw.random(8))} for q in qrels}
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q in qrels for d, g in qrels[q].items()))
    (tmp_path / "x.run").write_text("".join(f"{q} Q0 {d} 0 {s!r} t\n" for q in run for d, s in run[q].items()))
    for measure in (nDCG @ 5, UL @ 5, MED(reference="x") @ 5):
        values: list[Any] = imr.calc_runs(measure, qrels, {"x": run})["value"].tolist()
        exact = pytest.approx(math.fsum(values) / len(values), abs=1e-12)
        assert compare(measure, qrels, {"x": run}).to_frame().iloc[0, 0] == exact
        command = [str(tmp_path / "qrels"), str(tmp_path / "x.run"), str(measure), "-p", "-1"]
        assert main(["compare", *command]) == 0
        assert float(capsys.readouterr().out.split()[-1]) == exact
        if measure != MED(reference="x") @ 5:
            assert main(command) == 0
            assert float(capsys.readouterr().out.split()[-1]) == exact
            assert ir_measures.calc_aggregate([nDCG @ 5, measure], qrels, run)[measure] == exact
    some = {q: dict(list(judged.items())[:4]) for q, judged in qrels.items()}
    scores = imr.boot_ndcg(some, run, 5)
    assert (BootNDCG(estimate="mean") @ 5).calc_aggregate(some, run) == pytest.approx(scores.mean, abs=1e-12)
    found = imr.prob_better(some, run, qrels, 5)
    assert found.mean_a == scores.mean and found.mean_b == imr.boot_ndcg(some, qrels, 5).mean
    assert math.isnan((UL @ 5).calc_aggregate({}, run))  # as ir_measures says it of its own
