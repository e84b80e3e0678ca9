"""Contents by short key: held by others, found while they are, by any number of threads."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from ir_measures_relative._base.contents import Contents, short_key, split_key


class Model:
    def __init__(self, fingerprint: str):
        self.fingerprint = fingerprint


def test_a_content_is_known_while_somebody_holds_it() -> None:
    models: Contents[Model] = Contents("models")
    one = models.keep(Model("0123abcd" + "0" * 24))
    assert models.get("0123abcd") is one and len(models) == 1 and models.get("0123abce") is None
    del one
    gc.collect()
    assert models.get("0123abcd") is None and len(models) == 0


def test_the_same_content_is_held_once_and_another_with_its_digits_is_refused() -> None:
    models: Contents[Model] = Contents("label models")
    one = models.keep(Model("0123abcd00"))
    assert models.keep(Model("0123abcd00")) is one
    with pytest.raises(ValueError, match="^two different label models share the fingerprint 0123abcd; change one"):
        models.keep(Model("0123abcd01"))
    assert models.get("0123abcd") is one


def test_threads_that_bring_the_same_content_hold_the_same() -> None:
    models: Contents[Model] = Contents("models")
    with ThreadPoolExecutor(8) as pool:
        for round_ in range(200):
            found = list(pool.map(lambda _, r=round_: models.keep(Model(f"{r:08x}")), range(8)))
            assert len({id(model) for model in found}) == 1


@pytest.mark.parametrize("name", ["", "bm25", "BM25 (k1=0.9, b=0.4)", "a/b", "\u00e9"])
def test_a_key_is_read_back(name: str) -> None:
    assert split_key(short_key(name, "0123abcd")) == (name, "0123abcd")


@pytest.mark.parametrize(
    "text", ["", "bm25", "bm25~", "bm25~0123abc", "bm25~0123abcde", "bm25~0123ABCD", "a~b~0123abcd"]
)
def test_other_text_is_no_key(text: str) -> None:
    assert split_key(text) is None
