"""One topic with 4 relevant documents of 12. Scores of random orders of the same documents vary around their
expectation L. UL places the score A of the ranking between L (0) and the best score U (1).
"""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from drawing import BLUE, GREY, ORANGE
from ir_measures import nDCG

import ir_measures_relative as imr

DOCUMENTS, RELEVANT = "ABCDEFGHIJKL", "ACDH"
qrels = {"q": {document: int(document in RELEVANT) for document in DOCUMENTS}}
run = {"q": {document: float(-rank) for rank, document in enumerate(DOCUMENTS)}}
discount = 1 / np.log2(np.arange(2, 14))
ideal = discount[:4].sum()
random = [discount[list(ranks)].sum() / ideal for ranks in combinations(range(12), 4)]  # every order counts alike
score = nDCG.calc_aggregate(qrels, run)
expected = float(imr.expected_random(qrels, base=nDCG)["expected"].iloc[0])
_, ax = plt.subplots(figsize=(6.4, 2.4), layout="constrained")
ax.hist(random, bins=40, color=GREY)
marks = [(expected, "L", ORANGE), (score, "A", BLUE), (1.0, "U", "black")]
for value, name, colour in marks:
    ax.axvline(value, color=colour)
    ax.annotate(f" {name} = {value:.2f}", (value, 1), xycoords=("data", "axes fraction"), va="top", color=colour)
ax.set(xlabel="nDCG of all orders of the 12 documents", yticks=[], xlim=(None, 1.09))
ax.set_title(f"UL = (A - L) / (U - L) = {imr.UL.calc_aggregate(qrels, run):.2f}", fontsize=10)
ax.spines[["top", "right", "left"]].set_visible(False)
