"""Recompute the numbers that the papers print, and write the tables and figures of the page of reproductions.

``make reproduce``, or ``python docs/reproduce.py NAME ...`` for some of them. Without the reference data (a folder
``shared`` next to the repository, or the one that ``IR_MEASURES_RELATIVE_SHARED`` names) the tables and figures that
need it are not changed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from reproductions import (
    boot_ndcg,
    boot_priors,
    dl2019,
    figures,
    med,
    nrg,
    rare_and_common,
    rareness,
    rows,
    sentences,
    trec8,
    upper_lower,
)
from reproductions.rows import Row, list_table
from reproductions.sentences import Sentence

REPOSITORY = Path(__file__).resolve().parents[1]
TABLES = REPOSITORY / "ir_measures_relative" / "pt_docs" / "reproductions"

FROM_PAPER: dict[str, Callable[[], list[Row]]] = {
    "nrg": nrg.from_paper,
    "med": med.from_paper,
    "rareness": rareness.from_paper,
    "upper_lower": upper_lower.from_paper,
    "boot_ndcg": boot_ndcg.from_paper,
}
FROM_DATA: dict[str, Callable[[Path], list[Row]]] = {
    "nrg_data": nrg.from_data,
    "rareness_trec8": trec8.from_data,
    "boot_ndcg_data": boot_ndcg.from_data,
}
# Means over random subsets, which take longer
SAMPLED: dict[str, Callable[[Path], list[Row]]] = {"rareness_trec8_samples": trec8.sampled}
SENTENCES: dict[str, Callable[[Path], list[Sentence]]] = {
    "nrg_sentences": dl2019.sentences,
    "rareness_sentences": trec8.sentences,
}
# The papers' experiments on other data or with other methods: nothing printed to compare with
OTHER_DATA: dict[str, tuple[list[str], Callable[[Path], list[list[str]]]]] = {
    "rareness_trec8_tests": (trec8.TESTS_HEAD, trec8.other_tests),
    "rareness_trec8_ties": (trec8.TIES_HEAD, trec8.other_ties),
    "rareness_other_data": (rareness.HEAD, rareness.other_data),
    "rareness_figure_1": (rare_and_common.HEAD, rare_and_common.other_data),
    "boot_ndcg_other_data": (boot_priors.HEAD, boot_priors.other_data),
}
ALL = [*FROM_PAPER, *FROM_DATA, *SAMPLED, *SENTENCES, *OTHER_DATA, *figures.FIGURES]


def shared_folder() -> Path | None:
    """Return the folder of the reference data, if there is one."""
    named = os.environ.get("IR_MEASURES_RELATIVE_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    return folder if folder.is_dir() else None


def write(name: str, text: str, shown: str) -> None:
    TABLES.mkdir(exist_ok=True)
    (TABLES / f"{name}.inc").write_text(text, encoding="utf-8")
    print(f"== {name}\n{shown}\n")


def table_of(name: str, folder: Path) -> tuple[str, str]:
    """Compute a table that needs data: as reStructuredText and for a terminal."""
    if name in SENTENCES:
        claims = SENTENCES[name](folder)
        return sentences.table(claims), sentences.as_text(claims)
    if name in OTHER_DATA:
        head, of_data = OTHER_DATA[name]
        text = list_table(head, of_data(folder))
        return text, text
    numbers = {**FROM_DATA, **SAMPLED}[name](folder)
    return rows.table(numbers), rows.as_text(numbers)


def main(names: list[str]) -> None:
    if unknown := set(names) - set(ALL):
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; expected some of {', '.join(ALL)}")
    wanted = [name for name in ALL if not names or name in names]
    for name in wanted:
        if name in FROM_PAPER:
            numbers = FROM_PAPER[name]()
            write(name, rows.table(numbers), rows.as_text(numbers))
    need_data = [name for name in wanted if name not in FROM_PAPER]
    folder = shared_folder()
    if folder is None:
        print("There is no folder 'shared' next to the repository, and IR_MEASURES_RELATIVE_SHARED names none:")
        print(f"these tables and figures need real runs and were not changed: {', '.join(need_data)}.")
        return
    for name in need_data:
        if name in figures.FIGURES:
            print(f"== {figures.save(name, folder, TABLES)}")
        else:
            write(name, *table_of(name, folder))


if __name__ == "__main__":
    main(sys.argv[1:])
