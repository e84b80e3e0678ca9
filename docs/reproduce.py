"""Works out again the numbers that the papers print, and writes the tables of the page of reproductions.

``make reproduce``. Without the reference data (a folder ``shared`` beside the repository, or the one that
``IR_MEASURES_RELATIVE_SHARED`` names) the tables that need it stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from reproductions import boot_ndcg, boot_priors, med, nrg, rare_and_common, rareness, upper_lower
from reproductions.rows import Row, as_text, list_table, table

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
    "boot_ndcg_data": boot_ndcg.from_data,
}
# The papers' experiments on other data: nothing printed to compare with
OTHER_DATA: dict[str, tuple[list[str], Callable[[Path], list[list[str]]]]] = {
    "rareness_other_data": (rareness.HEAD, rareness.other_data),
    "rareness_figure_1": (rare_and_common.HEAD, rare_and_common.other_data),
    "boot_ndcg_other_data": (boot_priors.HEAD, boot_priors.other_data),
}


def shared_folder() -> Path | None:
    """The reference data, if it is there."""
    named = os.environ.get("IR_MEASURES_RELATIVE_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    return folder if folder.is_dir() else None


def write(name: str, text: str) -> None:
    TABLES.mkdir(exist_ok=True)
    (TABLES / f"{name}.inc").write_text(text, encoding="utf-8")


def main() -> None:
    for name, of_paper in FROM_PAPER.items():
        rows = of_paper()
        write(name, table(rows))
        print(f"== {name}\n{as_text(rows)}\n")
    folder = shared_folder()
    if folder is None:
        print("There is no folder 'shared' beside the repository, and IR_MEASURES_RELATIVE_SHARED names none:")
        print(f"the tables that need real runs stay as they are ({', '.join([*FROM_DATA, *OTHER_DATA])}).")
        return
    for name, of_data in FROM_DATA.items():
        rows = of_data(folder)
        write(name, table(rows))
        print(f"== {name}\n{as_text(rows)}\n")
    for name, (head, of_other_data) in OTHER_DATA.items():
        text = list_table(head, of_other_data(folder))
        write(name, text)
        print(f"== {name}\n{text}")


if __name__ == "__main__":
    main()
