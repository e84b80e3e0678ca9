"""Four runs, relevant documents in blue. A document that all four find has weight 1, one that a single run finds has
weight 1.75 (alpha = 1, S = 4).
"""

from drawing import BLUE, GREEN, GREY, bar, box, panels

import ir_measures_relative as imr

RANKINGS = {"run": "ABCD", "other 1": "AEBF", "other 2": "AFGB", "other 3": "GAHE"}
RELEVANT = "ABC"
runs = {name: {"q": {d: float(-rank) for rank, d in enumerate(text)}} for name, text in RANKINGS.items()}
qrels = {"q": {document: int(document in RELEVANT) for document in "ABCDEFGH"}}
prior = [run for name, run in runs.items() if name != "run"]
axes = panels(4, 4, width=1.7)
for ax, (name, text) in zip(axes, [*list(RANKINGS.items())[1:], ("run", RANKINGS["run"])], strict=True):
    for rank, document in enumerate(text, 1):
        box(ax, rank, document, BLUE if document in RELEVANT else GREY)
    ax.set_title(f"{name}\n", fontsize=9, loc="left")
for rank, document in enumerate(RELEVANT, 1):
    found = sum(document in text for text in RANKINGS.values())
    weight = 1 + 1 - found / len(RANKINGS)
    bar(axes[3], rank, weight / 2, GREEN, f"{weight:.2f}")
value = (imr.RareP(prior=prior) @ 4).calc_aggregate(qrels, runs["run"])
axes[3].set_title(f"run, with weights\nRareP@4 = {value:.3f}", fontsize=9, loc="left")
