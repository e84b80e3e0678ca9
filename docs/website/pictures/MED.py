"""Two rankings of the paper's kind: blue is relevant, grey is not, hatched documents are unjudged. The middle
and the right show the labels with the smallest and the largest difference. All possible differences are between them.
"""

from drawing import BLUE, GREY, box, panels
from ir_measures import nDCG

import ir_measures_relative as imr

RUN, REFERENCE, GRADES = "ABCDE", "BCFDA", {"A": 0, "C": 1, "F": 0}


def ranked(text: str) -> dict[str, dict[str, float]]:
    return {"q": {document: float(-rank) for rank, document in enumerate(text)}}


result = imr.med({"q": GRADES}, ranked(RUN), ranked(REFERENCE), base=nDCG @ 5)
(row,) = result.to_frame().itertuples()
ends = [("as judged", {}), (f"lowest: {row.below:.3f}", "below"), (f"highest: {row.above:.3f}", "above")]
axes = panels(6, 5, width=1.3)
for place, (title, end) in enumerate(ends):
    labels = {**GRADES, **(dict(result.witness("q", value=end)) if end else {})}
    for ax, ranking, name in zip(axes[2 * place :], (RUN, REFERENCE), ("run", "reference"), strict=False):
        for rank, document in enumerate(ranking, 1):
            box(ax, rank, document, BLUE if labels.get(document) else GREY, hatched=document not in labels)
        ax.set_title(f"{title if name == 'run' else ''}\n{name}", fontsize=9, loc="left")
