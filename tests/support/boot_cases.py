"""Small random topics for the tests of bootstrapped nDCG."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st
from reference import boot as twin

# name: (parameters of the measure, gain of a grade for the twin); the last is not monotone
GAINS = {
    "linear": ({}, twin.linear),
    "exponential": ({"dcg": "exp-log2"}, twin.exponential),
    "table": ({"gains": {1: 5, 3: 5}}, lambda grade: {1: 5, 3: 5}.get(grade, grade)),
}


class Case(NamedTuple):
    run: list  # document ids, best first
    qrels: dict  # {doc: grade}
    k: int
    prior: str
    gains: str  # key of GAINS

    @property
    def parameters(self) -> dict:
        return {"cutoff": self.k, "prior": self.prior, **GAINS[self.gains][0]}

    @property
    def gain(self):  # noqa: ANN201
        return GAINS[self.gains][1]

    @property
    def scored_run(self) -> dict:
        return {doc: -float(rank) for rank, doc in enumerate(self.run)}

    def points(self) -> list:
        """The twin's distribution."""
        return twin.distribution(self.run, self.qrels, self.k, self.prior, self.gain)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Up to 4 unjudged documents in the top K, grades with gaps and negatives, pools that run out."""
    grades = draw(st.lists(st.sampled_from([-1, 0, 0, 1, 1, 2, 3, 5]), max_size=7))
    qrels = {f"d{i}": grade for i, grade in enumerate(grades)}
    judged = draw(st.lists(st.sampled_from(sorted(qrels)), unique=True, max_size=4)) if qrels else []
    unjudged = [f"u{i}" for i in range(draw(st.integers(0, 4)))]
    run = draw(st.permutations(judged + unjudged))
    k = draw(st.integers(1, 9))
    prior = draw(st.sampled_from(["pool", "run", "pool+run"]))
    return Case(run, qrels, k, prior, draw(st.sampled_from(sorted(GAINS))))
