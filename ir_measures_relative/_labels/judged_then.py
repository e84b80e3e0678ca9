"""The judgements that labels were learned from, so that later ones can be recognised."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray
from ir_measures_relative._judged import Judgements
from ir_measures_relative._labels.open_documents import OpenDocuments


class JudgedThen(NamedTuple):
    """The judgements that labels were learned from."""

    judgements: Judgements
    judged: BoolArray  # (J,) False = hidden

    def before(self, part: OpenDocuments) -> OpenDocuments:
        """The run at the time of learning: documents judged since are open. New topics stay as they are."""
        judgements = part.run.judgements
        if judgements is self.judgements:
            visible = part.visible & self.judged
        else:
            key = ("judged then", self.content())
            visible = part.visible & judgements.memo.once(key, lambda: self._among(judgements))
        if (visible == part.visible).all():
            return part
        row = part.row
        since = (row >= 0) & ~visible[row]
        return OpenDocuments(part.run, visible, part.mask | since)

    def _among(self, judgements: Judgements) -> BoolArray:
        """(J',) which of other judgements existed at the time of learning, or belong to new topics."""
        number = {key: topic for topic, key in enumerate(self.judgements.topic_keys)}
        topic = np.array([number.get(key, -1) for key in judgements.topic_keys], dtype=np.int64)[judgements.topic]
        existed: BoolArray = topic < 0  # (J',)
        row = self.judgements.rows_of(topic[~existed], judgements.document_ids()[~existed])
        existed[~existed] = (row >= 0) & self.judged[row]
        return existed

    def content(self) -> bytes:
        """A digest of topics and documents, whatever their order."""
        return self.judgements.memo.once(("digest", self.judged.tobytes()), self._digest)

    def _digest(self) -> bytes:
        keys = np.array(self.judgements.topic_keys, dtype=object)[self.judgements.topic[self.judged]]
        documents = self.judgements.document_ids()[self.judged]
        listed = repr(sorted(zip(keys.tolist(), documents.tolist(), strict=True)))
        return hashlib.blake2b(listed.encode("utf-8", "surrogatepass"), digest_size=16).digest()
