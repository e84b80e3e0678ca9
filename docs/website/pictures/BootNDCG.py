"""One topic: two of five documents are unjudged (hatched). Every labelling has a probability, and so has every
score. nDCG, which counts unjudged documents as non-relevant, is the lowest possible score.
"""

import matplotlib.pyplot as plt
from drawing import BLUE, GREY, ORANGE, box
from ir_measures import nDCG

import ir_measures_relative as imr

qrels = {"q": {"A": 2, "C": 0, "E": 1, "F": 2, "G": 1, "H": 0, "I": 0}}
run = {"q": {"A": 5.0, "B": 4.0, "C": 3.0, "D": 2.0, "E": 1.0}}
topic = imr.boot_ndcg(qrels, run, cutoff=5)["q"]
_, (ranking, ax) = plt.subplots(1, 2, figsize=(7, 2.6), width_ratios=[1, 3.4], layout="constrained")
ranking.set(xlim=(-0.05, 0.9), ylim=(5.6, 0.4))
ranking.axis("off")
for rank, document in enumerate(run["q"], 1):
    grade = qrels["q"].get(document)
    box(ranking, rank, document, BLUE if grade else GREY, hatched=grade is None)
    ranking.text(0.28, rank, "unjudged" if grade is None else f"grade {grade}", va="center", fontsize=9)
ax.bar(topic.support, topic.probability, width=0.012, color=BLUE)
ax.axvline(topic.mean, color=ORANGE)
ax.annotate(f" mean {topic.mean:.2f}", (topic.mean, 1), xycoords=("data", "axes fraction"), va="top", color=ORANGE)
plain = (nDCG @ 5).calc_aggregate(qrels, run)
ax.annotate(
    f"nDCG@5 = {plain:.2f}",
    (plain, 0),
    (plain, -0.33),
    xycoords=("data", "axes fraction"),
    textcoords=("data", "axes fraction"),
    ha="center",
    arrowprops={"arrowstyle": "->"},
)
ax.set(ylabel="probability", xlabel="score")
ax.spines[["top", "right"]].set_visible(False)
