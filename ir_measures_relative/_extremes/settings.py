"""What MED is asked, checked once: shared by the measure and the functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ir_measures_relative._base import (
    ERR,
    SDCG,
    AveragePrecision,
    UserModel,
    canonical_base,
    label_grades,
    refuse_grades_above,
    user_model,
)
from ir_measures_relative._checks import choice, flag, whole
from ir_measures_relative._extremes.labellings import BASES, Question
from ir_measures_relative._judged import Judgements

JUDGED = ("qrels", "none")
NORMS = ("R", "min", "k")
_MOST_UNSEEN = 10**7  # without a cutoff; nDCG adds up as many discounts


@dataclass(frozen=True)
class MedSettings:
    """The ordinary measure, and what is left open; the fields are MED's parameters in canonical form."""

    base: str  # text without cutoff
    cutoff: int | None = None
    judged: str = "qrels"
    max_rel: int | None = None
    unseen: int = 0
    norm: str = "R"
    residual: bool = True

    @classmethod
    def of(
        cls,
        base: Any,
        *,
        judged: Any = "qrels",
        max_rel: Any = None,
        unseen: Any = 0,
        norm: Any = "R",
        residual: Any = True,
    ) -> MedSettings:
        """From what a caller gives; ``base`` with its cutoff."""
        text, cutoff = canonical_base(base, BASES)
        settings = cls(
            text,
            cutoff,
            choice(judged, "judged", JUDGED),
            None if max_rel is None else whole(max_rel, "max_rel", 1),
            whole(unseen, "unseen", 0),
            choice(norm, "norm", NORMS),
            flag(residual, "residual"),
        )
        if settings.needs_cutoff and cutoff is None:
            raise ValueError(f"base={base} requires a cutoff, as in {base}@10")
        return settings

    def __post_init__(self) -> None:
        """Refuses what does not go together."""
        own, highest = self._max_rel_of_base, self.max_rel or self._max_rel_of_base
        if highest is not None and not self.model().binary:
            label_grades(highest)  # refuses more grades than can be tried
        if own is not None and highest is not None and highest > own:
            raise ValueError(f"max_rel={highest} is above the highest of base={self.base}")
        most = _MOST_UNSEEN if self.cutoff is None else self.cutoff
        if self.unseen > most:
            accepted = f"at most {most}" + ("" if self.cutoff is None else ", the cutoff")
            raise ValueError(f"unseen must be {accepted}, got {self.unseen}")

    @property
    def _max_rel_of_base(self) -> int | None:
        """SDCG divides by its own highest grade, which no label may exceed."""
        model = self.model()
        return model.max_rel if isinstance(model, SDCG) else None

    @property
    def needs_qrels(self) -> bool:
        """Whether the highest grade of a free document is that of the qrels."""
        return not (self.max_rel or self._max_rel_of_base or self.model().binary)

    @property
    def needs_cutoff(self) -> bool:
        model = self.model()
        return model.needs_cutoff or (isinstance(model, AveragePrecision) and self.norm == "k")

    def model(self, max_rel: int | None = None) -> UserModel:
        """The ordinary measure underneath, cut at K."""
        return user_model(self.base, self.cutoff, max_rel)

    def question(self, judgements: Judgements, where: str = "med") -> Question:
        """What is compared and what is left open, for these judgements; ``where`` begins error sentences."""
        max_rel = self.max_rel or self._max_rel_of_base or judgements.max_grade
        if not self.model().binary:
            label_grades(max_rel)
        model, known = self.model(max_rel), judgements if self.judged == "qrels" else None
        if isinstance(model, ERR) and known is not None:
            refuse_grades_above(model.max_rel, known, where)
        return Question(model, known, judgements.n_topics, max_rel, self.unseen, self.norm, self.residual)
