"""Label models: the probability of each grade of an unjudged document.

Learned models are in `learned_labels`. A model is an immutable value with a short key, ``'name~8hex'``. The key of a
printed measure finds its model as long as a measure, a variable or a registered name refers to it.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from functools import cached_property
from numbers import Real
from threading import Lock
from typing import Any, Self, cast

import numpy as np
import pandas as pd

from ir_measures_relative._base import Contents, short_key, split_key
from ir_measures_relative._checks import WrongKind, did_you_mean, flag, is_real, is_whole, kind_of, shown, warn
from ir_measures_relative._input import FloatArray, IntArray, is_missing, run_columns
from ir_measures_relative._judged import JudgedRun
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments

LEARNED = "learned"  # what labels='learned' means is known in an experiment only
ACCEPTED = f"a label model (of learn_labels, LabelModel.shares or LabelModel.probabilities), its name, or {LEARNED!r}"
_SUM = 1e-6  # by which probabilities may miss 1
_HIGHEST = 1000  # grade of an unjudged document

_known: Contents[LabelModel] = Contents("label models")
_registered: dict[str, LabelModel] = {}
_registering = Lock()


class LabelModel(ABC):
    """Probabilities of an unjudged document's grades. Make one with `learn_labels`, `shares` or `probabilities`."""

    name: str = ""  #: the name under which it is registered, or ''
    cutoff: int | None = None  #: the cutoff that it was learned at; None if it fits any
    depth: int | None = None  #: the depth of the pool that it was learned from; None if it fits any
    calibrated: bool = False  #: True if it includes the variation between runs, from enough groups and documents
    highest: int = 0  #: the highest grade that it gives a document; 0 if it gives the grades of the judgements
    _kind = "labels"  # in the key of a model without a name

    @staticmethod
    def shares(shares: Mapping[int, float]) -> LabelModel:
        """Make a model with the same probabilities for every unjudged document.

        >>> import ir_measures_relative as imr
        >>> model = imr.LabelModel.shares({0: .8, 1: .15, 2: .05})
        >>> qrels, run = {'q1': {'a': 1, 'b': 0}}, {'q1': {'a': 2., 'x': 1.}}
        >>> round((imr.Imputed(labels=model) @ 10).calc_aggregate(qrels, run), 4)
        0.993
        """
        return GradeShares(shares)._kept()

    @staticmethod
    def probabilities(frame: pd.DataFrame) -> LabelModel:
        """Make a model from probabilities of each document's grades: columns query_id, doc_id, p0, p1, ....

        An unjudged document without a row counts as grade 0, with a warning that counts them.

        >>> import pandas as pd
        >>> import ir_measures_relative as imr
        >>> frame = pd.DataFrame({'query_id': ['q1'], 'doc_id': ['x'], 'p0': [.25], 'p1': [.75]})
        >>> imr.Imputed(labels=imr.LabelModel.probabilities(frame)) @ 10  # doctest: +ELLIPSIS
        Imputed(labels='probabilities~...')@10
        """
        return GradeProbabilities(frame)._kept()

    @abstractmethod
    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        """Label a run's open documents; ``group``: that of the run, ``name`` in warnings (None: no warnings)."""

    def _label_once(
        self, run: JudgedRun, cutoff: int | None, depth: int | None, group: str | None, name: str | None
    ) -> tuple[OpenDocuments, GradeLabels]:
        """The open documents of a run's top ``depth`` and their labels, which are made once for all measures."""
        part = OpenDocuments.of(run, cutoff, depth)
        return part, run.memo.once((self, cutoff, depth, group), lambda: self._label(part, group, name))

    @abstractmethod
    def _content(self) -> list[Any]:
        """Arrays, numbers and texts that the model depends on."""

    def check_cutoff(self, cutoff: int | None, where: str) -> None:
        """Reject a cutoff that the model was not learned at."""
        if self.cutoff is not None and self.cutoff != cutoff:
            raise ValueError(
                f"{where}: the label model was learned at cutoff {self.cutoff}, but the measure has "
                f"{'no cutoff' if cutoff is None else f'cutoff {cutoff}'}; learn it at that cutoff, or cut at "
                f"{self.cutoff}"
            )

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits of the content."""
        blake = hashlib.blake2b(digest_size=16)
        for part in (type(self).__name__, *self._content()):
            data = part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
            blake.update(len(data).to_bytes(8, "little") + data)
        return blake.hexdigest()

    @property
    def key(self) -> str:
        """The short text by which a printed measure names the model; without a name, its kind."""
        return short_key(self.name or self._kind, Contents.digits(self))

    def named(self, name: str) -> LabelModel:
        """Copy of the model under a name."""
        model = copy(self)
        vars(model).update(name=name, _original=vars(self).get("_original", self))  # so that its key stays known
        return model

    def _kept(self) -> Self:
        """Remember the model, which its key finds as long as something refers to it."""
        original = _known.keep(vars(self).get("_original", self))
        return cast(Self, original if original.name == self.name else original.named(self.name))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a label model is immutable")

    def __repr__(self) -> str:
        return repr(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelModel) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)


class GradeShares(LabelModel):
    """The same grade shares for every unjudged document."""

    grade: IntArray  # (L,)
    share: FloatArray  # (L,)
    _kind = "shares"

    def __init__(self, shares: Mapping[int, float]):
        if not isinstance(shares, Mapping):
            raise WrongKind(f"shares must be a dict of grade: share, got {shown(shares)}")
        for grade, share in shares.items():
            if not is_whole(grade, 0, _HIGHEST):
                raise ValueError(f"shares has the grade {shown(grade)}; grades must be integers from 0 to {_HIGHEST}")
            if not is_real(share, 0, 1):
                raise ValueError(f"shares gives grade {grade} the share {shown(share)}, not a number from 0 to 1")
        table = pd.Series({0: 0.0, **shares}, dtype=float).sort_index()
        if abs(table.sum() - 1) > _SUM:
            raise ValueError(f"shares={shown(dict(shares))} sum to {table.sum():.6g}; they must sum to 1")
        share = (table / table.sum()).to_numpy()
        vars(self).update(grade=table.index.to_numpy(np.int64), share=share, highest=int(table.index[share > 0].max()))

    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        return GradeLabels.of_probabilities(self.grade, np.tile(self.share, (int(part.mask.sum()), 1)))

    def _content(self) -> list[Any]:
        return [self.grade, self.share]

    def to_frame(self) -> pd.DataFrame:
        """A row per grade."""
        return pd.DataFrame({"grade": self.grade, "share": self.share})


class GradeProbabilities(LabelModel):
    """Given probabilities of each document's grades."""

    table: pd.DataFrame  # (N, L) columns p0, p1, ... by topic and document
    _kind = "probabilities"

    def __init__(self, frame: pd.DataFrame):
        table = _checked_table(frame)
        vars(self).update(table=table, highest=int(np.flatnonzero((table > 0).any()).max(initial=0)))

    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        topic_key = np.array(part.run.judgements.topic_keys, dtype=object)[part.topic]
        row = self.table.index.get_indexer(pd.MultiIndex.from_arrays([topic_key, part.doc_ids()]))  # (n,)
        if (row < 0).any() and name is not None:
            missing = f"{(row < 0).sum()} of {len(row)} unjudged documents of {name}"
            warn(f"{missing} have no row of probabilities, so they count as grade 0")
        grade = np.arange(self.table.shape[1])
        # the last row, non-relevant for sure, serves the row -1
        return GradeLabels.of_probabilities(grade, np.append(self.table, [grade == 0], axis=0)[row])

    def _content(self) -> list[Any]:
        table = self.table.sort_index()
        return [table.index.tolist(), table.shape, table.to_numpy()]

    def to_frame(self) -> pd.DataFrame:
        """A row per document, as given."""
        return self.table.reset_index()


class PoolShares(LabelModel):
    """Grade shares of the topic's judgements, to which one document of the shares over all topics is added."""

    relevant: int  # the smallest grade that counts

    def __init__(self, relevant: int = 1):
        vars(self).update(relevant=relevant)

    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        judgements = part.run.judgements
        grades = np.maximum(judgements.grade[part.visible], 0)
        # an unjudged document may be relevant even if no judged one is
        least = [0] if (grades >= self.relevant).any() else [0, self.relevant]
        grade = np.unique([*least, *grades])  # (L,), the first is 0
        cell = judgements.topic[part.visible] * len(grade) + np.searchsorted(grade, grades)
        count = np.bincount(cell, minlength=judgements.n_topics * len(grade)).reshape(-1, len(grade))  # (Q, L)
        overall = (count.sum(axis=0) + 1.0 / len(grade)) / (count.sum() + 1.0)  # (L,)
        share = (count + overall) / (count.sum(axis=1, keepdims=True) + 1.0)
        return GradeLabels.of_probabilities(grade, share[part.topic])

    def _content(self) -> list[Any]:
        return [self.relevant]


def _checked_table(frame: Any) -> pd.DataFrame:
    """(N, L) columns p0, p1, ... of a frame by topic and document."""
    if not isinstance(frame, pd.DataFrame):
        raise WrongKind(f"probabilities must be a pandas DataFrame, not {kind_of(frame)}")
    frame = frame.rename(columns={"qid": "query_id", "docno": "doc_id"})  # PyTerrier's names
    columns = [str(column) for column in frame.columns]
    grades = [column for column in columns if re.fullmatch("p[0-9]{1,4}", column)]
    wanted = [f"p{grade}" for grade in range(max(len(grades), 1))]
    if sorted(grades) != sorted(wanted) or not {"query_id", "doc_id"} <= set(columns):
        raise ValueError(
            f"probabilities has the columns {', '.join(columns) or 'none':.200}; it must have query_id, doc_id and one "
            "column p0, p1, ... for every grade from 0 to the highest"
        )
    cells = frame[wanted].select_dtypes(exclude=["integer", "floating", "bool"]).to_numpy(dtype=object).ravel()
    # text is not a number, even if it could be read as one
    odd = [value for value in cells if not isinstance(value, Real) and not is_missing(value)]
    if odd:
        raise ValueError(
            f"probabilities has {shown(odd[0], 60)} in a column p0, p1, ...; every probability must be a number"
        )
    ids = run_columns(frame[["query_id", "doc_id"]].assign(score=0.0), "probabilities")
    topics = np.array([*map(str, ids.topics), None], dtype=object)[ids.topic]
    index = pd.MultiIndex.from_arrays([topics, ids.doc_id], names=["query_id", "doc_id"])
    values = frame[wanted].to_numpy(dtype=np.float64, na_value=np.nan)  # (N, L)
    total = values.sum(axis=1)
    faults = {
        "has a probability that is negative, missing or far above 1": ~((values >= 0) & (values <= 2)).all(axis=1),
        "has probabilities that do not sum to 1": ~(np.abs(total - 1) <= _SUM),
        "has two rows": index.duplicated(),
    }
    for fault, rows in faults.items():
        if rows.any():
            topic, document = index[int(np.argmax(rows))]
            raise ValueError(f"probabilities: document {document!r:.200} of topic {topic!r:.200} {fault}")
    return pd.DataFrame(values / total[:, None], index, wanted)


def register_labels(name: str, model: LabelModel, *, overwrite: bool = False) -> None:
    """Register a label model under a name, for ``Imputed(labels=name)``.

    Registering the same content again has no effect. Other content under a used name requires ``overwrite=True``.

    >>> import ir_measures_relative as imr
    >>> imr.register_labels('mostly bad', imr.LabelModel.shares({0: .9, 1: .1}), overwrite=True)
    >>> imr.Imputed(labels='mostly bad')  # doctest: +ELLIPSIS
    Imputed(labels='mostly bad~...')
    """
    if not isinstance(name, str):
        raise WrongKind(f"register_labels: name must be text, got {shown(name)}")
    if not name.strip() or name != name.strip() or not name.isprintable() or "~" in name or name == LEARNED:
        raise ValueError(
            f"register_labels: {shown(name)} cannot name a label model; a name is printable text without '~' and "
            f"without blanks at its ends, and not {LEARNED!r}"
        )
    if not isinstance(model, LabelModel):
        raise WrongKind(f"register_labels: expected a label model, such as that of learn_labels, got {shown(model)}")
    flag(overwrite, "overwrite")
    with _registering:
        if _registered.get(name, model) != model and not overwrite:
            raise ValueError(f"the labels {name!r} are registered with other content; overwrite=True replaces them")
        _registered[name] = model.named(name)._kept()


def labels_of(value: Any, where: str) -> LabelModel | str:
    """The model that a model, its key or a registered name means; 'learned' stays as it is."""
    if isinstance(value, LabelModel):
        return value._kept()
    if not isinstance(value, str):
        raise WrongKind(f"{where} must be {ACCEPTED}, got {shown(value)}")
    if value == LEARNED:
        return LEARNED
    if (pinned := split_key(value)) is not None:
        name, digits = pinned
        if (model := _known.get(digits)) is None:
            unknown = f"{where}: the label model {shown(value)} is not known in this process"
            raise ValueError(f"{unknown}; make the measure from the model itself")
        return model.named(name) if name not in ("", model._kind) else model
    if value not in _registered:
        meant = did_you_mean(value, [LEARNED, *sorted(_registered)])
        raise ValueError(f"{where}: unknown label model {shown(value)}{meant} (register_labels makes one known)")
    return _registered[value]
