"""Records in another spelling are read by the columns', and nothing else of them changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as t

from penstock.pipelines.decode.json_renaming import names_of, respelled


def a_struct(**fields: t.DataType) -> t.StructType:
    return t.StructType([t.StructField(name, kind) for name, kind in fields.items()])


COLUMNS = a_struct(
    id=t.LongType(),
    at=a_struct(city=t.StringType()),
    lines=t.ArrayType(a_struct(sku=t.StringType())),
    by=t.MapType(t.StringType(), a_struct(n=t.LongType())),
)


def read(text: str) -> str | None:
    names = names_of(COLUMNS)
    assert names is not None
    return respelled(text, names)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('{"ID": 1.10}', '{"id": 1.10}'),
        (r'{"\u0049D" : 1}', '{"id" : 1}'),
        ('{"AT":{"City":"ID","x":"City"}}', '{"at":{"city":"ID","x":"City"}}'),
        ('{"lines":[{"sku":"a"},{"SKU":"b"}]}', '{"lines":[{"sku":"a"},{"sku":"b"}]}'),
        ('{"by":{"ID":{"N":1},"id":{"n":2}}}', '{"by":{"ID":{"n":1},"id":{"n":2}}}'),
        ('{"x":{"ID":1},"Id":2}', '{"x":{"ID":1},"id":2}'),
        ('{"x":["ID",{"ID":1}],"ID":2}', '{"x":["ID",{"ID":1}],"id":2}'),
    ],
)
def test_names_are_brought_to_the_columns(text: str, made: str) -> None:
    assert read(text) == made


@pytest.mark.parametrize(
    "text", ['{"id":1}', '{"x":"ID"}', '{"id":1,"ID":null}', '{"x":"a \\" \\"ID\\": 1"}', "[]", ""]
)
def test_what_needs_no_other_name_is_left_alone(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text", ['{"id":1,"ID":2}', '{"ID":2,"id":1}', '{"ID":2,"Id":1}', '{"at":{"city":"a","City":"b"}}']
)
def test_two_fields_never_become_one(text: str) -> None:
    with pytest.raises(ValueError, match="in two spellings"):
        read(text)


LEAVES = st.one_of(st.none(), st.integers(), st.text(max_size=6), st.floats(allow_nan=False))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["id", "at", "lines", "city", "sku", 'q"', "\\", ""]), inner, max_size=3),
    ),
)


def lifted(value: Any, kind: t.DataType | None) -> Any:
    """With every name that is a column's in capitals."""
    match value, kind:
        case dict(), t.StructType():
            inner = {each.name: each.dataType for each in kind.fields}
            return {
                name.upper() if name in inner else name: lifted(each, inner.get(name)) for name, each in value.items()
            }
        case list(), t.ArrayType():
            return [lifted(each, kind.elementType) for each in value]
    return value


@given(st.dictionaries(st.sampled_from(["id", "at", "lines", "x", ""]), TREES, max_size=4))
def test_capitals_are_undone_whatever_the_record_holds(record: dict[str, Any]) -> None:
    text = json.dumps(lifted(record, COLUMNS))
    found = json.loads(read(text) or text)

    def without_nulls(value: Any, other: Any) -> Any:
        """A null keeps its spelling: it is nothing to read."""
        if isinstance(value, dict):
            assert isinstance(other, dict)
            return {name: without_nulls(each, other.get(name)) for name, each in value.items() if each is not None}
        return [without_nulls(a, b) for a, b in zip(value, other, strict=True)] if isinstance(value, list) else value

    assert without_nulls(found, found) == without_nulls(record, record)
