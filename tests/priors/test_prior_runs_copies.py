"""Prior runs of copied and pickled measures, in this process and in others."""

from __future__ import annotations

import copy
import gc
import itertools
import os
import pickle
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.prior_cases import BM25, DENSE, NRG, QRELS, RUN, digest, scored
from support.repository import INSTALLED

import ir_measures_relative as imr
from ir_measures_relative._base.contents import Contents
from ir_measures_relative._priors import prior_runs
from ir_measures_relative._priors.prior_runs import register_prior

pytestmark = [
    pytest.mark.usefixtures("fresh_priors"),
    pytest.mark.filterwarnings("ignore:prior run"),  # the priors of these tests are short
]


def forget() -> None:
    """As in a process that has seen none of it."""
    prior_runs._registered.clear()
    prior_runs._contents = Contents("prior runs")


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
    assert scored(loaded) == values
    assert str(loaded) == f"NRG(prior='bm25~{digest(BM25)},known~{digest(DENSE)}')@2"  # 'known' is not known here
    assert scored(imr.parse_measure(str(loaded))) == values  # what it prints computes the same here
    again = pickle.dumps(loaded)
    forget()
    assert scored(pickle.loads(again)) == values and pickle.loads(again) == loaded


def test_an_unpickled_name_that_means_something_else_here_is_pinned() -> None:
    register_prior("bm25", BM25)
    measure = NRG(prior="bm25") @ 2
    values, data = scored(measure), pickle.dumps(measure)
    assert str(pickle.loads(data)) == "NRG(prior='bm25')@2"  # it means the same here
    register_prior("bm25", DENSE, overwrite=True)
    loaded = pickle.loads(data)
    assert scored(loaded) == values != scored(measure)
    assert loaded != measure and str(loaded) == f"NRG(prior='bm25~{digest(BM25)}')@2"


def test_a_pickle_writes_no_names() -> None:
    data = {}
    for name, run in (("one", BM25), ("two", DENSE)):
        register_prior("bm25", run, overwrite=True)
        data[name] = pickle.dumps(NRG(prior="bm25") @ 2)
    forget()
    one, two = (pickle.loads(data[name]) for name in ("one", "two"))
    assert prior_runs._registered == {}
    assert scored(one) == scored(NRG(prior=BM25) @ 2) and scored(two) == scored(NRG(prior=DENSE) @ 2)
    assert one != two and scored(pickle.loads(data["one"])) == scored(one)
    with pytest.raises(ValueError, match="unknown prior run 'bm25'"):
        scored(NRG(prior="bm25"))
    register_prior("bm25", BM25)
    assert scored(two) == scored(NRG(prior=DENSE) @ 2)


def test_names_of_several_runs_and_of_none_survive_too() -> None:
    register_prior("pool", [BM25, DENSE])
    register_prior("nothing", [])
    values = {name: scored(NRG(prior=name) @ 2) for name in ("pool", "nothing")}
    data = {name: pickle.dumps(NRG(prior=name) @ 2) for name in values}
    forget()
    assert {name: scored(pickle.loads(pickled)) for name, pickled in data.items()} == values


def test_workers_of_one_process_do_not_disturb_each_other() -> None:
    """As in a dask worker: threads that receive the same name with different contents."""
    runs = [{"q": {doc: float(score) for score, doc in enumerate(order)}} for order in itertools.permutations("abcx")]
    data, expected = [], []
    for run in runs:
        register_prior("bm25", run, overwrite=True)
        data.append(pickle.dumps(NRG(prior="bm25") @ 4))
        expected.append(scored(NRG(prior="bm25") @ 4))
    forget()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda pickled: scored(pickle.loads(pickled)), data)) == expected


# ---- how long a content lives


def test_a_content_lives_as_long_as_a_measure_or_a_name_holds_it() -> None:
    measure = NRG(prior={"bm25": BM25}) @ 2
    text, values = str(measure), scored(measure)
    kept = [copy.copy(measure), copy.deepcopy(measure), measure @ 3, pickle.loads(pickle.dumps(measure))]
    del measure
    while kept:
        assert scored(imr.parse_measure(text)) == values
        kept.pop()
    gc.collect()
    assert len(prior_runs._contents) == 0
    unknown = imr.parse_measure(text)
    with pytest.raises(ValueError, match="is not known in this process"):
        scored(unknown)
    register_prior("other name", BM25)
    assert scored(unknown) == scored(imr.parse_measure(text)) == values
    register_prior("other name", DENSE, overwrite=True)
    with pytest.raises(ValueError, match="is not known in this process"):
        scored(imr.parse_measure(text))


def test_a_parsed_measure_holds_its_content_too() -> None:
    measure = NRG(prior=BM25) @ 2
    parsed, values = imr.parse_measure(str(measure)), scored(measure)
    del measure
    gc.collect()
    assert scored(parsed) == values


@pytest.mark.full
def test_a_thousand_measures_made_and_dropped_leave_nothing_behind() -> None:
    documents = [f"d{i}" for i in range(100)]

    def made_and_dropped(first: int, last: int) -> int:
        for place in range(first, last):
            run = {f"q{place}": dict(zip(documents, range(100), strict=True))}
            measure = NRG(prior={f"run {place}": run}) @ 10
            pickle.loads(pickle.dumps(measure))
            assert imr.parse_measure(str(measure)) == measure
        del measure, run
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = made_and_dropped(0, 50)
        after = made_and_dropped(50, 1_000)
    finally:
        tracemalloc.stop()
    assert len(prior_runs._contents) == 0
    assert after - before < 50_000  # bytes; one run that stays takes 10,000


def test_equal_contents_are_held_once() -> None:
    measures = [NRG(prior=copy.deepcopy(BM25)) @ k for k in (1, 2)]
    (one,), (other,) = ([run for _, run in measure.named_runs()] for measure in measures)
    assert one is other


def test_prior_runs_are_a_frozen_value() -> None:
    one, same, other = (imr.NRG(prior=p)["prior"] for p in (BM25, BM25, DENSE))
    assert one == same != other and hash(one) == hash(same) and not isinstance(one, str)
    assert repr(one) == f"'run~{digest(BM25)}'" and str(one) == f"run~{digest(BM25)}"
    assert one != str(one)
    with pytest.raises(AttributeError):
        one.parts = ()


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
    pinned = [str(m).replace("known", f"known~{digest(DENSE)}") for m in measures]  # no name is known there
    values = [[v.value.hex() for v in m.iter_calc(QRELS, RUN)] for m in measures]
    assert found == [f"{text} {value}" for text, value in zip(pinned, values, strict=True)]
    assert error == (
        "NRG(prior='bm25~0123abcd')@2: prior: the content 'bm25~0123abcd' is not known in this process; "
        "make the measure from the run itself"
    )


def test_a_fingerprint_is_the_same_in_every_process(elsewhere: Any) -> None:
    script = f"import ir_measures_relative as imr; print(imr.NRG(prior={BM25!r}))"
    assert elsewhere(script) == [str(NRG(prior=BM25))]
