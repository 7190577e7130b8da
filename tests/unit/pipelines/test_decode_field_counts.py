"""What a batch's JSON is taken for: the commonest spelling and the commonest kind of each field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as t

from penstock.pipelines.decode.field_counts import FieldCounts
from penstock.pipelines.decode.inference import count


def counted(*values: Any) -> FieldCounts:
    found = FieldCounts()
    for value in values:
        count(found, value if isinstance(value, bytes | None) else json.dumps(value).encode())
    return found


def columns(*values: Any) -> str:
    return counted(*values).columns().simpleString()


def test_the_commonest_spelling_comes_first_whatever_the_alphabet_says() -> None:
    assert columns(*[{"id": n} for n in range(3)], {"ID": 1}) == "struct<id:bigint,ID:bigint>"
    assert columns({"id": 1}, {"ID": 1}, {"ID": 2}) == "struct<ID:bigint,id:bigint>"
    assert columns({"at": {"n": 1}}, {"At": {"N": 1}}, {"at": {"n": 1}}) == (
        "struct<at:struct<n:bigint,N:bigint>,At:struct<n:bigint,N:bigint>>"
    )


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, "x"], "bigint"),
        (["x", "y", 1], "string"),
        ([1, "x"], "string"),  # as common as each other: texts hold both
        ([1, 2, 2.5], "double"),
        ([2**60, 2**61, 2.5], "bigint"),  # a double would alter them
        ([2**60, 2.5, 3.5], "double"),
        ([2**70, 2**71, 1], "decimal(38,0)"),
        ([1, 2, 2**70], "bigint"),
        ([10**40], "double"),
        ([True, False, 1], "boolean"),
        ([{"a": 1}, {"b": "x"}, 5], "struct<a:bigint,b:string>"),
        ([[1], [], [2.5], None], "array<double>"),
        ([[{"a": 1}], [{"a": "x"}, {"a": 2}]], "array<struct<a:bigint>>"),
    ],
)
def test_the_commonest_kind_is_the_columns(values: list[Any], kind: str) -> None:
    assert columns(*({"f": value} for value in values)) == f"struct<f:{kind}>"


def test_what_holds_nothing_has_no_column_and_what_is_no_object_counts_for_none() -> None:
    assert columns({"a": None, "b": [], "c": {}, "d": {"e": None}}, b"{", b'"x"', b"\xff{}", None) == "struct<>"


def test_a_field_without_a_name_is_a_field() -> None:
    assert counted({"": 5}).columns() == t.StructType([t.StructField("", t.LongType())])


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "A", "b", ""]), inner, max_size=3)
    ),
    max_leaves=8,
)
DOCUMENTS = st.lists(st.dictionaries(st.sampled_from(["a", "A", "b", ""]), VALUES, max_size=3), max_size=6)


@given(DOCUMENTS, DOCUMENTS)
def test_counts_of_two_tasks_are_those_of_one(one: list[Any], other: list[Any]) -> None:
    merged = FieldCounts.from_json(json.loads(json.dumps(counted(*one).to_json())))
    merged.merge(FieldCounts.from_json(json.loads(json.dumps(counted(*other).to_json()))))
    assert merged.to_json() == counted(*one, *other).to_json()
