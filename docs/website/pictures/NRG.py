"""Table 1 of the paper: A, E, F and J (blue) are relevant, the prior run is A to J, the run is its reverse. A user
of the prior run has seen A with certainty and J with probability .29. So J keeps most of its gain and A none. The
parts on the right add up to NRG.
"""

from math import log2

from drawing import BLUE, GREEN, GREY, ORANGE, bar, box, panels
from ir_measures import nDCG

import ir_measures_relative as imr

PRIOR, RUN, RELEVANT = "ABCDEFGHIJ", "JIHGFEDCBA", "AEFJ"


def ranked(text: str) -> dict[str, dict[str, float]]:
    return {"q": {document: float(-rank) for rank, document in enumerate(text)}}


qrels = {"q": {document: int(document in RELEVANT) for document in PRIOR}}
credited = imr.credited(qrels, ranked(RUN), prior=ranked(PRIOR), by="residual", base=nDCG @ 10)
credit = dict(zip(credited["doc_id"], credited["credit"], strict=True))
before, left, parts = panels(3, 10)
for rank, (prior, document) in enumerate(zip(PRIOR, RUN, strict=True), 1):
    box(before, rank, prior, BLUE if prior in RELEVANT else GREY)
    bar(before, rank, 1 / log2(rank + 1), ORANGE, f"{1 / log2(rank + 1):.2f}")
    for ax in (left, parts):
        box(ax, rank, document, BLUE if document in RELEVANT else GREY)
    if document in RELEVANT:
        residual = 1 - 1 / log2(PRIOR.index(document) + 2)
        bar(left, rank, residual, BLUE, f"{residual:.2f}")
        bar(parts, rank, credit.get(document, 0.0), GREEN, f"{credit.get(document, 0.0):.2f}")
value = (imr.NRG(prior=ranked(PRIOR)) @ 10).calc_aggregate(qrels, ranked(RUN))
before.set_title("1. The prior run:\nprobability of being seen", fontsize=10)
left.set_title("2. The run:\nresidual gain", fontsize=10)
parts.set_title(f"3. Discounted and normalised:\nNRG@10 = {value:.3f}", fontsize=10)
