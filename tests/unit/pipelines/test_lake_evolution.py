"""Columns follow the data as far as Iceberg can without rewriting a file, and no further."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as t

from penstock.pipelines.decode.spellings import spellings
from penstock.pipelines.jobs.lake.columns import as_columns, column_of, data_columns, field_of, table_columns
from penstock.pipelines.jobs.lake.evolution import AddColumn, WidenColumn, after, changes, conflicts


def a_table(**columns: t.DataType) -> t.StructType:
    return t.StructType([t.StructField(name, kind) for name, kind in columns.items()])


LEAVES = st.sampled_from(
    [t.IntegerType(), t.LongType(), t.FloatType(), t.DoubleType(), t.StringType(), t.DecimalType(9, 2)]
)
STRUCTS = st.recursive(
    st.dictionaries(st.sampled_from("abcd"), LEAVES, min_size=1).map(lambda each: a_table(**each)),
    lambda inner: st.dictionaries(
        st.sampled_from("abcd"), st.one_of(LEAVES, inner, inner.map(t.ArrayType)), min_size=1
    ).map(lambda each: a_table(**each)),
    max_leaves=6,
)


@given(STRUCTS, STRUCTS)
def test_after_the_changes_nothing_more_is_to_change(table: t.StructType, wanted: t.StructType) -> None:
    evolved = after(table, changes(table, wanted))
    assert changes(evolved, wanted) == []
    assert conflicts(table, table) == [] and changes(table, table) == []


@given(STRUCTS, STRUCTS)
def test_no_column_goes_away_or_narrows(table: t.StructType, wanted: t.StructType) -> None:
    evolved = after(table, changes(table, wanted))
    assert conflicts(evolved, table) == []
    assert evolved.names[: len(table.names)] == table.names


def test_added_and_widened_columns_nested_ones_too() -> None:
    table = a_table(id=t.IntegerType(), lines=t.ArrayType(a_table(n=t.FloatType())), price=t.DecimalType(9, 2))
    wanted = a_table(
        id=t.LongType(),
        lines=t.ArrayType(a_table(n=t.DoubleType(), sku=t.StringType())),
        price=t.DecimalType(12, 2),
        note=t.StringType(),
    )
    assert changes(table, wanted) == [
        WidenColumn(("id",), t.LongType()),
        WidenColumn(("lines", "element", "n"), t.DoubleType()),
        AddColumn(("lines", "element", "sku"), t.StringType()),
        WidenColumn(("price",), t.DecimalType(12, 2)),
        AddColumn(("note",), t.StringType()),
    ]


def test_other_changes_of_type_are_conflicts_and_leave_the_column() -> None:
    table, wanted = a_table(id=t.LongType()), a_table(id=t.StringType())
    assert changes(table, wanted) == []
    assert conflicts(table, wanted) == ["id is BIGINT there and STRING here"]


def test_other_spellings_of_a_column_are_found() -> None:
    lines = t.ArrayType(a_table(sku=t.StringType()))
    table = a_table(id=t.LongType(), name=t.StringType(), lines=lines, by=t.MapType(t.StringType(), a_table(n=lines)))
    names = dict.fromkeys(("Id", "ID", "id", "Name", "x"), t.LongType())
    other = t.ArrayType(a_table(SKU=t.StringType(), sku=t.LongType()))
    wanted = a_table(**names, lines=other, by=t.MapType(t.StringType(), a_table(n=other, N=lines)))
    found = spellings(table, wanted)
    assert [".".join(each.path) for each in found] == [
        "Id", "ID", "Name", "lines.element.SKU", "by.value.n.element.SKU", "by.value.N",
    ]  # fmt: skip
    assert spellings(table, table) == []


def test_names_that_differ_only_in_case_stay_one_column() -> None:
    assert changes(a_table(id=t.LongType()), a_table(ID=t.LongType())) == []
    assert changes(a_table(), a_table(at=a_table(x=t.LongType(), X=t.StringType()))) == [
        AddColumn(("at",), a_table(x=t.LongType()))
    ]


@pytest.mark.parametrize(
    "name",
    [
        "record_offset",
        "RECORD_KEY",
        "_partition",
        "_file",
        "id",
        "data_x",
        "data_record_key",
        "DATA_record_key",
        "",
        "data_",
    ],
)
def test_names_that_are_taken_are_told_apart(name: str) -> None:
    assert field_of(column_of(name)) == name
    data = a_table(**{name: t.LongType()})
    assert data_columns(table_columns(data, event_time=True, keep_value=True)) == data
    assert as_columns(data).names[0] not in table_columns(a_table(), event_time=True, keep_value=True).names


def test_different_fields_never_become_one_column() -> None:
    names = (
        "record_key",
        "data_record_key",
        "data_data_record_key",
        "Data_x",
        "DATA_record_offset",
        "record_offset",
        "",
        "data_",
    )
    assert len({column_of(name).lower() for name in names}) == len(names)
