"""Draws the picture of the README from the table above it: what eight systems score, and what each adds to the others.

A test computes the table anew where the runs over Vaswani are at hand.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import pandas as pd

from ir_measures_relative import plots

README = Path(__file__).resolve().parents[1] / "README.md"
FAMILIES = {
    "bm25": "lexical",
    "pisa_bm25": "lexical",
    "pisa_dph": "lexical",
    "pisa_qld": "lexical",
    "bm25+rm3": "expansion",
    "lsa": "latent",
    "minilm": "dense",
    "rrf": "fusion",
}


def first_table(page: str) -> pd.DataFrame:
    """The first table of results on the README."""
    shown = re.search(r"^```text\n(name .*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown, "the README shows no table of results"
    return pd.read_csv(io.StringIO(shown[1]), sep=r"\s+")


def main(folder: Path = Path(__file__).parent) -> Path:
    ax = plots.scatter(first_table(README.read_text(encoding="utf-8")), "nDCG@10", "NRG@10", FAMILIES)
    ax.set_title("Vaswani: minilm is fourth by nDCG, and adds most to the others", fontsize="medium", loc="left")
    return plots.save(ax, folder / "scatter.png", dpi=110)


if __name__ == "__main__":
    print(main())
