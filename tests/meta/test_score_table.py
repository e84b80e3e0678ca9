"""The score table: every form it is read from, every way it can be broken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ir_measures_relative.meta import ScoreTable, discriminative_power, stability, swap_rate

LONG = pd.DataFrame(
    [
        ("b", "q2", "NRG@10", 0.4),
        ("b", "q10", "NRG@10", 0.5),
        ("a", "q2", "NRG@10", 0.1),
        ("a", "q10", "NRG@10", 0.3),
    ],
    columns=["name", "query_id", "measure", "value"],
)
WIDE = pd.DataFrame([[0.4, 0.5], [0.1, 0.3]], index=["b", "a"], columns=["q2", "q10"])


@pytest.mark.parametrize(
    "table",
    [
        LONG,
        LONG.rename(columns={"query_id": "qid"}),
        LONG.drop(columns="measure"),
        WIDE,
        {"b": {"q2": 0.4, "q10": 0.5}, "a": {"q10": 0.3, "q2": 0.1}},
        {"b": WIDE.loc["b"], "a": WIDE.loc["a"]},
        WIDE.astype(object),
        WIDE.astype("Float64"),
        LONG.pivot(index="query_id", columns="name", values="value").loc[["q2", "q10"], ["b", "a"]],
        WIDE.T.rename_axis("qid"),
    ],
)
def test_named_forms_keep_names_and_order(table):
    read = ScoreTable.of(table)
    assert (read.systems, read.topics, read.labelled) == (["b", "a"], ["q2", "q10"], True)
    np.testing.assert_array_equal(read.scores, [[0.4, 0.5], [0.1, 0.3]])
    pd.testing.assert_frame_equal(read.to_frame(), WIDE, check_names=False)


@pytest.mark.parametrize("table", [WIDE.to_numpy(), WIDE.to_numpy().tolist(), tuple(map(tuple, WIDE.to_numpy()))])
def test_arrays_and_lists_are_named_by_position(table):
    read = ScoreTable.of(table)
    assert (read.systems, read.topics, read.labelled) == ([0, 1], [0, 1], False)
    np.testing.assert_array_equal(read.scores, WIDE.to_numpy())


def test_a_dict_of_lists_names_its_systems():
    read = ScoreTable.of({"b": [0.4, 0.5], "a": [0.1, 0.3]})
    assert (read.systems, read.topics, read.labelled) == (["b", "a"], [0, 1], True)


def test_the_canonical_table_is_sorted_numbers_by_size_and_text_as_text():
    table = ScoreTable.of(pd.DataFrame(np.arange(6.0).reshape(2, 3), index=["z", "y"], columns=[10, 9, "1"]))
    canonical = table.canonical()
    assert (canonical.systems, canonical.topics) == (["y", "z"], [9, 10, "1"])
    np.testing.assert_array_equal(canonical.scores, [[4, 3, 5], [1, 0, 2]])
    assert table.systems == ["z", "y"], "the table itself is not changed"


def test_means():
    table = ScoreTable.of(LONG)
    np.testing.assert_allclose(table.means(), [0.45, 0.2])
    np.testing.assert_allclose(table.topic_means(), [0.25, 0.4])


def test_the_input_is_not_changed():
    before = LONG.copy()
    stability(LONG, trials=3)
    discriminative_power(LONG)
    pd.testing.assert_frame_equal(LONG, before)


def broken(**cells):
    frame = WIDE.astype(object)
    for topic, value in cells.items():
        frame.loc["a", topic] = value
    return frame


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (broken(q2=np.nan), "table: topic 'q2' of system 'a' has no score; every score must be a finite number"),
        (broken(q2=None), "table: topic 'q2' of system 'a' has no score"),
        (broken(q10=np.inf), "table: topic 'q10' of system 'a' has the score inf; every score must be a finite number"),
        (
            broken(q10="0.3"),
            "table: topic 'q10' of system 'a' has the score '0.3'; every score must be",
        ),
        (broken(q2=1j), "table: topic 'q2' of system 'a' has the score 1j; every score must be a finite number"),
        (
            WIDE.rename_axis("name").reset_index(),
            "table: the DataFrame has a column 'name', but not all of name, query_id, measure, value; without these, "
            "the systems must be its index and the topics its columns",
        ),
        (WIDE.T.rename_axis("qid").reset_index(), "table: the DataFrame has a column 'qid', but not all of name"),
        (LONG.rename(columns={"value": "score"}), "table: the DataFrame has a column 'name', but not all of name"),
        (
            LONG.set_index(["name", "query_id"])[["value"]],
            "table: expected one name for each system and topic, got names of 2 levels",
        ),
        (
            LONG.pivot(index="name", columns=["measure", "query_id"], values="value"),
            "table: expected one name for each system and topic, got names of 2 levels",
        ),
        ({}, "table: requires at least 2 systems, got 0"),
        (pd.DataFrame(), "table: requires at least 2 systems, got 0"),
        (LONG.iloc[:3], "table: topic 'q10' of system 'a' has no score"),
        (
            pd.concat([LONG, LONG.iloc[2:3]]),
            "table: system 'a' has two scores for topic 'q2'; expected one",
        ),
        (
            pd.concat([LONG, LONG.assign(measure="nDCG@10")]),
            "table: the DataFrame has several measures (NRG@10, nDCG@10); pass the rows of one",
        ),
        (LONG.drop(columns="query_id"), "table: the DataFrame has no column 'query_id' or 'qid'"),
        (WIDE.rename(index={"a": "b"}), "table: system 'b' occurs twice; each system must occur once"),
        (
            pd.DataFrame([[1, 2]], columns=[1, "1"]),
            "table: topic '1' occurs twice; each topic must occur once",
        ),
        ([[0.1, 0.2], [0.3]], "table: the rows have different lengths"),
        ({"a": [0.1, 0.2], "b": [0.3]}, "table: the rows have different lengths"),
        (WIDE.rename(index={"a": np.nan}), "table: a system has no name (it is nan); each system requires one"),
        (LONG.replace({"query_id": {LONG["query_id"][0]: None}}), "table: a topic has no name"),
        ([[0.1, 0.2]], "table: requires at least 2 systems, got 1"),
        ([[0.1], [0.2]], "table: requires at least 2 topics, got 1"),
        (LONG.iloc[:0], "table: requires at least 2 systems, got 0"),
    ],
)
def test_a_broken_table_is_a_sentence_everywhere(table, sentence):
    for function in (stability, swap_rate, discriminative_power):
        with pytest.raises(ValueError) as error:
            function(table)
        assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "table",
    [
        3,
        "scores.csv",
        [0.1, 0.2],
        {"a": 0.1},
        {"a": [0.1], "b": {"q": 1}},
        None,
        [{"q": 1}, {"q": 2}],
        [WIDE.loc["a"], WIDE.loc["b"]],
    ],
)
def test_a_wrong_kind_is_a_type_error(table):
    with pytest.raises(TypeError, match="^table: "):
        ScoreTable.of(table)
