"""Rows in the order of their topics, a batch at a time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_relative._stream.topic_streams import ArrowBatches, TopicOrder, TopicStream, by_numbers

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

keys = st.lists(st.text("019aq-", min_size=1, max_size=5), unique=True)


@given(keys)
def test_an_order_is_found_where_there_is_one(ids: list[str]) -> None:
    for key in (str, by_numbers):
        order = TopicOrder("topic")
        order.check(sorted(ids, key=key), "run")
        assert order.n_until(sorted(ids, key=key), max(ids, key=key, default="")) == {len(ids)}


@given(keys.filter(lambda ids: len(ids) > 1), st.randoms())
def test_what_is_in_no_order_is_refused(ids: list[str], stream: random.Random) -> None:
    stream.shuffle(ids)
    ordered = ids in (sorted(ids), sorted(ids, key=by_numbers))
    try:
        TopicOrder("topic").check(ids, "run")
        assert ordered
    except ValueError as error:
        assert not ordered and "run: the topic" in str(error)


def test_an_order_holds_for_all_inputs_and_for_what_comes_later() -> None:
    order = TopicOrder("topic")
    order.check(["1", "2", "3"], "qrels")  # both orders are possible
    order.check(["9", "10"], "run 'a'")  # now one
    with pytest.raises(ValueError, match="run 'b': the topic '2' comes after '10'"):
        order.check(["1", "10", "2"], "run 'b'")


def table(n_topics: int, depth: int) -> pa.Table:
    topics = [f"{topic:06}" for topic in range(n_topics) for _ in range(depth)]
    documents = [f"document {place}" for _ in range(n_topics) for place in range(depth)]
    return pa.table({"query_id": topics, "doc_id": documents, "score": [1.0 * (n % 7) for n in range(len(topics))]})


@pytest.mark.parametrize("batch", [1, 3, 10, 1000])
@pytest.mark.parametrize("n", [1, 4, 7, 100])
def test_all_rows_come_once_and_topics_stay_together(n: int, batch: int) -> None:
    rows = table(20, 4)
    stream = TopicStream(ArrowBatches(rows.to_reader(max_chunksize=batch), "score", "run", 1), TopicOrder("topic"))
    parts = []
    while (last := stream.nth_key(n)) is not None:
        parts.append(stream.batches.table(list(stream.until(last))))
        assert parts[-1]["query_id"][-1].as_py() == last
    assert pa.concat_tables(parts).combine_chunks().equals(rows.combine_chunks())
    assert {len(part) for part in parts[:-1]} <= {4 * n} and stream.has_ended


def test_no_more_of_a_file_than_a_few_batches_is_in_memory(tmp_path: Path) -> None:
    rows = table(20_000, 10)
    parquet.write_table(rows, tmp_path / "run.parquet", row_group_size=2_000)
    size = rows.nbytes
    del rows
    before, most = pa.total_allocated_bytes(), 0
    for _ in ArrowBatches(tmp_path / "run.parquet", "score", "run", 1_000):
        most = max(most, pa.total_allocated_bytes() - before)
    assert 0 < most < size / 5
