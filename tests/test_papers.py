"""Two papers on their own data: the strongest results of the page of reproductions, in seconds.

The other numbers of that page are recomputed by test_reproductions.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.documentation import load

trec8: Any = load("reproductions.trec8")
dl2019: Any = load("reproductions.dl2019")


@pytest.mark.full
def test_the_twelve_cells_of_table_1(shared: Path) -> None:
    found = [int(number) for row in trec8.table_1(shared) for number in row.ours]
    printed = [int(number) for row in trec8.table_1(shared) for number in row.printed]
    assert printed == [3666, 2973, 3778, 3050, 3825, 3079, 3731, 2976, 3915, 3209, 4048, 3363]
    assert found == [3666, 2973, 3779, 3050, 3827, 3079, 3731, 2976, 3915, 3209, 4048, 3363]


def test_figure_2_has_no_cutoff(shared: Path) -> None:
    table = dl2019.points(shared)
    assert [sentence.true for sentence in dl2019._of_nrg(table, dl2019.WHOLE, "")] == [True] * 5
    assert [sentence.true for sentence in dl2019._of_nrg(table, dl2019.CUT, "")].count(True) == 1
    baseline = table[dl2019.WHOLE][table["group"] == "BASELINE"]
    ours = [table[dl2019.WHOLE]["idst_bert_pr1"], table[dl2019.WHOLE]["srchvrs_ps_run3"], baseline.min()]
    assert ours == pytest.approx([0.223, 0.247, 0.261], abs=0.0005) and len(baseline) == 8
