"""The columns of a lake table: where a record came from, and what was in it. Pure."""

from __future__ import annotations

from pyspark.sql import types as t

HEADERS = t.ArrayType(t.StructType([t.StructField("key", t.StringType()), t.StructField("value", t.BinaryType())]))
ORIGIN = t.StructType(
    [
        t.StructField("record_topic", t.StringType()),
        t.StructField("record_partition", t.IntegerType()),
        t.StructField("record_offset", t.LongType()),
        t.StructField("record_timestamp", t.TimestampType()),
        t.StructField("record_key", t.BinaryType()),
        t.StructField("record_headers", HEADERS),
    ]
)
EVENT_TIME = t.StructField("record_event_time", t.TimestampType())
VALUE = t.StructField("record_value", t.BinaryType())
DEAD_LETTERS = t.StructType(
    [*ORIGIN.fields, VALUE, t.StructField("record_error", t.StringType()), t.StructField("record_job", t.StringType())]
)
OWN = frozenset([*ORIGIN.names, EVENT_TIME.name, VALUE.name])
# The names of Iceberg's own hidden columns: a table that has them cannot be read.
ICEBERGS = frozenset(
    ["_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number"]
)
# JSON has fields without a name, SQL no columns without one.
RESERVED = OWN | ICEBERGS | {""}


PREFIX = "data_"


def column_of(field: str) -> str:
    """A field of the data that is named like one of our columns or Iceberg's, or not at all, gets `data_` before its
    name, and so does one that is named like such a column already."""
    return PREFIX + field if _taken(field) else field


def field_of(column: str) -> str:
    return column.removeprefix(PREFIX) if _taken(column) else column


def _taken(name: str) -> bool:
    name = name.lower()  # as columns, names that differ only in case are one
    while name.startswith(PREFIX):
        name = name.removeprefix(PREFIX)
    return name in RESERVED


def data_columns(table: t.StructType) -> t.StructType:
    """The table's columns that come from the data, under the data's own names."""
    return t.StructType(
        [t.StructField(field_of(each.name), each.dataType) for each in table.fields if each.name not in OWN]
    )


def table_columns(data: t.StructType, *, event_time: bool, keep_value: bool) -> t.StructType:
    own = [*ORIGIN.fields, *([EVENT_TIME] if event_time else []), *([VALUE] if keep_value else [])]
    return t.StructType([*own, *as_columns(data).fields])


def as_columns(data: t.StructType) -> t.StructType:
    return t.StructType([t.StructField(column_of(each.name), each.dataType) for each in data.fields])


def held(data: t.StructType) -> t.StructType:
    """Without the fields whose types have no fields, such as google.protobuf.Empty: Parquet has no group of nothing.
    And without those within others that have no name."""
    found = [(each.name, _held(each.dataType)) for each in data.fields]
    return t.StructType([t.StructField(name, kind) for name, kind in found if kind is not None])


def not_held(data: t.DataType, path: tuple[str, ...] = ()) -> list[str]:
    """The names of those."""
    match data:
        case t.StructType():
            return [
                name
                for each in data.fields
                for name in (
                    [".".join((*path, each.name))]
                    if _held(each.dataType) is None or (path and not each.name)
                    else not_held(each.dataType, (*path, each.name))
                )
            ]
        case t.ArrayType():
            return not_held(data.elementType, (*path, "element"))
        case t.MapType():
            return not_held(data.valueType, (*path, "value"))
    return []


def _held(kind: t.DataType) -> t.DataType | None:
    match kind:
        case t.StructType():
            found = [(each.name, _held(each.dataType)) for each in kind.fields]
            kept = [t.StructField(name, inner) for name, inner in found if inner is not None and name]
            return t.StructType(kept) if kept else None
        case t.ArrayType():
            element = _held(kind.elementType)
            return None if element is None else t.ArrayType(element)
        case t.MapType():
            value = _held(kind.valueType)
            return None if value is None else t.MapType(kind.keyType, value)
    return kind
