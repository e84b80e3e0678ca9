"""Prior runs of copied and pickled measures, in this process and in others."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.prior_cases import BM25, DENSE, NRG, QRELS, RUN, digest, scored
from support.repository import INSTALLED

import ir_measures_relative as imr
from ir_measures_relative._priors import prior_runs
from ir_measures_relative._priors.prior_runs import register_prior

pytestmark = [
    pytest.mark.usefixtures("fresh_priors"),
    pytest.mark.filterwarnings("ignore:prior run"),  # the priors of these tests are short
]


def forget() -> None:
    """As in a process that has seen none of it."""
    for store in (prior_runs._registered, prior_runs._received, prior_runs._contents):
        store.clear()


def test_copies_are_equal_and_compute_the_same() -> None:
    register_prior("known", DENSE)
    measure = NRG(prior=[{"bm25": BM25}, "known"]) @ 2
    for made in (copy.copy(measure), copy.deepcopy(measure), pickle.loads(pickle.dumps(measure)), measure()):
        assert made == measure and hash(made) == hash(measure) and scored(made) == scored(measure)


def test_pickling_carries_the_prior_runs() -> None:
    register_prior("known", DENSE)
    measure = NRG(prior=[{"bm25": BM25}, "known"]) @ 2
    values, data = scored(measure), pickle.dumps(measure)
    forget()
    loaded = pickle.loads(data)
    assert str(loaded) == str(measure) and scored(loaded) == values
    assert scored(imr.parse_measure(str(loaded))) == values  # what it prints computes the same here
    again = pickle.dumps(loaded)
    forget()
    assert scored(pickle.loads(again)) == values


def test_an_unpickled_name_that_means_something_else_here_is_pinned() -> None:
    register_prior("bm25", BM25)
    measure = NRG(prior="bm25") @ 2
    values, data = scored(measure), pickle.dumps(measure)
    register_prior("bm25", DENSE, overwrite=True)
    loaded = pickle.loads(data)
    assert scored(loaded) == values != scored(measure)
    assert loaded != measure and str(loaded) == f"NRG(prior='bm25~{digest(BM25)}')@2"


def test_a_name_that_only_a_pickle_brought_follows_the_next_pickle_and_yields_to_the_user() -> None:
    data = {}
    for name, run in (("one", BM25), ("two", DENSE)):
        register_prior("bm25", run, overwrite=True)
        data[name] = pickle.dumps(NRG(prior="bm25") @ 2)
    forget()
    assert scored(pickle.loads(data["one"])) == scored(NRG(prior=BM25) @ 2)
    later = pickle.loads(data["two"])
    assert str(later) == "NRG(prior='bm25')@2" and scored(later) == scored(NRG(prior=DENSE) @ 2)
    register_prior("bm25", BM25)  # no error: nobody registered it in this process
    assert scored(later) == scored(NRG(prior=BM25) @ 2)
    assert str(pickle.loads(data["two"])) == f"NRG(prior='bm25~{digest(DENSE)}')@2"


def test_symbols_none_and_unknown_names_survive_pickling() -> None:
    for prior in ("others", [], "unknown", "~12345678"):
        assert pickle.loads(pickle.dumps(NRG(prior=prior))) == NRG(prior=prior)


def test_an_unknown_fingerprint_is_an_error_at_evaluation() -> None:
    measure = imr.parse_measure("NRG(prior='bm25~0123abcd')@10")
    with pytest.raises(ValueError, match="'bm25~0123abcd' is not known in this process"):
        scored(measure)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Any]:
    """Runs a script in a fresh process with another hash seed; returns what it prints."""

    def run(script: str, *arguments: str) -> list[str]:
        environment = os.environ | {"PYTHONHASHSEED": "4321", "PYTHONPATH": str(INSTALLED)}
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    yield run


LOAD = """
import pickle, sys
with open(sys.argv[1], 'rb') as file:
    measures, qrels, run = pickle.load(file)
import ir_measures_relative as imr
for m in measures:
    assert hash(m) == hash(str(m)) and m in {imr.parse_measure(str(m))}, m
    print(str(m), [v.value.hex() for v in m.iter_calc(qrels, run)])
try:
    (imr.parse_measure(sys.argv[2]) @ 2).calc_aggregate(qrels, run)
except ValueError as error:
    print(error)
"""


def test_a_fresh_process_computes_the_same(tmp_path: Path, elsewhere: Any) -> None:
    register_prior("known", DENSE)
    measures = [NRG(prior=[{"bm25": BM25}, "known"]) @ 2, imr.TaSC(prior=BM25, base="RBP"), imr.UniqueRel(prior=[])]
    (tmp_path / "measures.pickle").write_bytes(pickle.dumps((measures, QRELS, RUN)))
    *found, error = elsewhere(LOAD, "measures.pickle", "NRG(prior='bm25~0123abcd')")
    assert found == [f"{m} {[v.value.hex() for v in m.iter_calc(QRELS, RUN)]}" for m in measures]
    assert error == (
        "NRG(prior='bm25~0123abcd')@2: prior: the content 'bm25~0123abcd' is not known in this process; "
        "make the measure from the run itself"
    )


def test_a_fingerprint_is_the_same_in_every_process(elsewhere: Any) -> None:
    script = f"import ir_measures_relative as imr; print(imr.NRG(prior={BM25!r}))"
    assert elsewhere(script) == [str(NRG(prior=BM25))]
