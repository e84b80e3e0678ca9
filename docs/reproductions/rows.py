"""A printed number and ours: are they the same to the last printed digit?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

EDGE = 1e-9  # a value this close to the midpoint of two printed numbers may be rounded to either
ROUNDING, CUT = "within rounding", "if digits are truncated"
SAMPLING = "within the sampling error"


@dataclass(frozen=True)
class Row:
    """Some numbers of one place of a paper.

    ``printed`` contains the numbers as text, so that their digits are known, and ``ours`` our values. ``slack`` is the
    error of our values if they are computed from other printed numbers, which are rounded. ``cut`` means that the paper
    seems to truncate digits, ``why`` explains a difference, and ``noise`` is two standard errors of the difference
    between the values of two random samples.
    """

    where: str
    what: str
    printed: tuple[str, ...]
    ours: tuple[float, ...]
    why: str = ""
    slack: tuple[float, ...] = ()
    cut: bool = False
    noise: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.ours)
        if len(self.printed) != count or len(self.slack) not in (0, count) or len(self.noise) not in (0, count):
            raise ValueError(f"{self.where}: {len(self.printed)} printed numbers and {len(self.ours)} of ours")

    @property
    def verdicts(self) -> list[str]:
        """'yes', 'rounding', 'sampling', 'cut' (digits truncated instead of rounded) or 'no' for every number."""
        slack, noise = (given or (0.0,) * len(self.ours) for given in (self.slack, self.noise))
        return [_verdict(*each, self.cut) for each in zip(self.printed, self.ours, slack, noise, strict=True)]

    @property
    def ours_as_printed(self) -> list[str]:
        """Our values with as many digits as the paper prints, and one more where they differ and are not counts."""
        each = zip(self.printed, self.ours, self.verdicts, strict=True)
        return [
            _rounded(ours, printed, more=int(verdict == "no" and not ours.is_integer()))
            for printed, ours, verdict in each
        ]

    @property
    def same(self) -> str:
        """'yes', 'no', or how many of the numbers are the same, and why the others are not."""
        found, count = self.verdicts, len(self.printed)
        agree = count - found.count("no")
        words = "yes" if agree == count else "no" if agree == 0 else f"{agree} of {count}"
        notes = [_note(found, "rounding", ROUNDING), _note(found, "sampling", SAMPLING), _note(found, "cut", CUT)]
        words = ", ".join([words, *filter(None, notes)])
        return f"{words}. {self.why}" if self.why else words


def row(
    where: str,
    what: str,
    printed: str,
    ours: Iterable[float],
    why: str = "",
    slack: Iterable[float] = (),
    cut: bool = False,
    noise: Iterable[float] = (),
) -> Row:
    """A row whose printed numbers are given as one text with spaces between them."""
    values, spare, spread = (tuple(float(value) for value in several) for several in (ours, slack, noise))
    return Row(where, what, tuple(printed.split()), values, why, spare, cut, spread)


def _number(printed: str) -> Decimal:
    return Decimal(printed.rstrip("%").replace(",", ""))


def _step(printed: str) -> Decimal:
    """One unit of the last printed digit."""
    return Decimal(1).scaleb(int(_number(printed).as_tuple().exponent))


def _verdict(printed: str, ours: float, slack: float, noise: float, cut: bool) -> str:
    value, step = float(_number(printed)), float(_step(printed))
    if abs(value - ours) <= step / 2 + EDGE:
        return "yes"
    if abs(value - ours) <= step / 2 + slack + EDGE:
        return "rounding"
    if abs(value - ours) <= step / 2 + noise + EDGE:
        return "sampling"
    beyond = abs(ours) - abs(value)
    return "cut" if cut and 0 <= beyond < step and ours * value > 0 else "no"


def _rounded(value: float, like: str, more: int) -> str:
    """Half away from zero, as people round; with percent sign, commas and leading zero as the printed number has."""
    near = Decimal(repr(round(value, 12))).quantize(_step(like).scaleb(-more), rounding=ROUND_HALF_UP)
    near = near if near else abs(near)
    text = f"{near:,}" if "," in like else str(near)
    if like.lstrip("+-").startswith("."):
        text = text.replace("0.", ".", 1)
    return ("+" if like.startswith("+") and near > 0 else "") + text + ("%" if like.endswith("%") else "")


def _note(found: list[str], verdict: str, words: str) -> str:
    some = found.count(verdict)
    return "" if not some else words if some == len(found) else f"{some} {words}"


def counted(rows: Sequence[Row]) -> str:
    """Say how many of the printed numbers are the same."""
    found = [verdict for r in rows for verdict in r.verdicts]
    words = [f"{found.count('yes')} of {len(found)} printed numbers are the same"]
    words += [f"{found.count('rounding')} more {ROUNDING}"] if "rounding" in found else []
    words += [f"{found.count('sampling')} more {SAMPLING}"] if "sampling" in found else []
    words += [f"{found.count('cut')} more {CUT}"] if "cut" in found else []
    return ", ".join(words) + "."


def table(rows: Sequence[Row]) -> str:
    """The rows as reStructuredText, with their count above."""
    cells = [[r.where, r.what, ", ".join(r.printed), ", ".join(r.ours_as_printed), r.same] for r in rows]
    return counted(rows) + "\n\n" + list_table(["Where", "What", "Printed", "Ours", "Same?"], cells)


def list_table(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table in reStructuredText."""
    lines = [".. list-table::", "    :header-rows: 1", ""]
    for texts in [head, *cells]:
        lines += [f"    {'*' if place == 0 else ' '} - {_plain(text)}" for place, text in enumerate(texts)]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Escape the @ of NDCG@10, which is not an e-mail address; leave code as it is."""
    return text if text.startswith("``") else text.replace("@", r"\@")


def as_text(rows: Sequence[Row]) -> str:
    """The rows for a terminal."""
    lines = []
    for r in rows:
        lines += [f"{r.where}: {r.what}", f"    printed  {' '.join(r.printed)}"]
        lines += [f"    ours     {' '.join(r.ours_as_printed)}", f"    same?    {r.same}"]
    return "\n".join([*lines, counted(rows)])
