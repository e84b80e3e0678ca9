"""Small retrieval systems for the notebooks, as PyTerrier transformers. Nothing is downloaded and no Java is needed.

    from example_systems import fusion, latent_semantics, pisa_systems

    systems = pisa_systems(dataset)             # BM25, DPH and QL; empty without pyterrier-pisa
    tfidf, lsa = latent_semantics(dataset)      # two ways to look at the same terms
    both = fusion(tfidf, lsa)                   # reciprocal rank fusion

`dataset` is one of ir_datasets. Import example_data before this module, see there.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from scipy import sparse


def pisa_systems(dataset: Any, depth: int = 100) -> dict[str, pt.Transformer]:
    """BM25, DPH and query likelihood over a PISA index in a temporary folder; none where PISA is not installed."""
    try:
        from pyterrier_pisa import PisaIndex
    except ImportError:
        print("pyterrier-pisa is not installed: pip install pyterrier-pisa (Linux)")
        return {}
    folder = tempfile.mkdtemp(prefix="pisa_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    index = PisaIndex(os.path.join(folder, "index"), text_field="text")
    with _quiet():
        index.index({"docno": doc.doc_id, "text": doc.text} for doc in dataset.docs_iter())
        return {
            name: make(num_results=depth)
            for name, make in (("BM25", index.bm25), ("DPH", index.dph), ("QL", index.qld))
        }


def latent_semantics(dataset: Any, dimensions: int = 100) -> tuple[pt.Transformer, pt.Transformer]:
    """TF-IDF, and the same after latent semantic analysis: documents by topic rather than by word."""
    docno, counts = zip(*((doc.doc_id, Counter(_words(doc.text))) for doc in dataset.docs_iter()), strict=True)
    documents_with = Counter(word for count in counts for word in count)
    useful = sorted(word for word, n in documents_with.items() if 2 <= n <= len(docno) / 10)
    place = {word: column for column, word in enumerate(useful)}
    idf = np.log([len(docno) / documents_with[word] for word in useful])  # (V,)

    def weights(counted: Sequence[Counter]) -> sparse.csr_matrix:
        known = ((row, place.get(word), n) for row, count in enumerate(counted) for word, n in count.items())
        cells = [cell for cell in known if cell[1] is not None]
        row, column, n = np.array(cells, dtype=int).reshape(-1, 3).T
        return sparse.csr_matrix(((1 + np.log(n)) * idf[column], (row, column)), (len(counted), len(place)))

    terms = _unit(weights(counts))  # (N, V)
    latent = _leading_directions(terms, dimensions)  # (V, dimensions)
    names = np.array(docno)
    return _Ranker(names, terms, weights), _Ranker(names, _unit(terms @ latent), lambda query: weights(query) @ latent)


def _leading_directions(terms: sparse.csr_matrix, dimensions: int) -> np.ndarray:
    """Right singular vectors of the largest singular values, by subspace iteration."""
    found = np.random.default_rng(0).standard_normal((terms.shape[1], dimensions + 10))  # (V, D)
    for _ in range(2):
        found, _ = np.linalg.qr(terms.T @ (terms @ found))
    seen = terms @ found  # (N, D)
    _, rotation = np.linalg.eigh(seen.T @ seen)  # smallest first
    return found @ rotation[:, : -dimensions - 1 : -1]


def fusion(*systems: pt.Transformer, depth: int = 100) -> pt.Transformer:
    """Reciprocal rank fusion with the usual k = 60."""
    return _Fusion(systems, depth)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hides what compiled code writes to the terminal, such as the progress of PISA."""
    kept = {number: os.dup(number) for number in (1, 2)}
    with open(os.devnull, "w") as nowhere:
        for number in kept:
            os.dup2(nowhere.fileno(), number)
    try:
        yield
    finally:
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)


class _Ranker(pt.Transformer):
    """Documents by the cosine of their vectors with the query's."""

    def __init__(
        self, docno: np.ndarray, vectors: Any, of_queries: Callable[[Sequence[Counter]], Any], depth: int = 100
    ):
        self._docno, self._vectors, self._of_queries, self._depth = docno, vectors, of_queries, depth

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        score = self._of_queries([Counter(_words(query)) for query in topics["query"]]) @ self._vectors.T  # (Q, N)
        score = score.toarray() if sparse.issparse(score) else score
        best = np.argsort(-score, axis=1, kind="stable")[:, : self._depth]
        found = topics.loc[topics.index.repeat(best.shape[1])].reset_index(drop=True)
        found["docno"] = self._docno[best].ravel()
        found["score"] = np.take_along_axis(score, best, axis=1).ravel()
        return pt.model.add_ranks(found)


class _Fusion(pt.Transformer):
    def __init__(self, systems: tuple[pt.Transformer, ...], depth: int):
        self._systems, self._depth = systems, depth

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        found = pd.concat([pt.model.add_ranks(system(topics)) for system in self._systems])
        found["score"] = 1 / (60 + 1 + found["rank"])
        fused = pt.model.add_ranks(found.groupby(["qid", "docno"], as_index=False)["score"].sum())
        return topics.merge(fused[fused["rank"] < self._depth], on="qid")


def _words(text: str) -> list[str]:
    return [word.rstrip("s") for word in re.findall(r"[a-z]+", text.lower())]


def _unit(vectors: Any) -> Any:
    """Rows of length 1."""
    squares = vectors.multiply(vectors) if sparse.issparse(vectors) else vectors**2
    length = np.maximum(np.sqrt(np.asarray(squares.sum(axis=1)).ravel()), 1e-12)
    scaled = sparse.diags(1 / length) @ vectors
    return sparse.csr_matrix(scaled) if sparse.issparse(vectors) else scaled
