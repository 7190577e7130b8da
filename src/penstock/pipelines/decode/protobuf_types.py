"""Protobuf messages to Spark types and to Python values of those types.

Enums are their names, unsigned 64-bit numbers DECIMAL(20,0), Timestamp a timestamp, and the wrapper types the number or
text they wrap. A field with presence that is not set is null.
"""

from __future__ import annotations

from datetime import UTC
from decimal import Decimal
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from pyspark.sql import types as t

from penstock.pipelines.decode.avro_types import NoColumnType

_FD = FieldDescriptor
_PLAIN: dict[int, t.DataType] = {
    **dict.fromkeys((_FD.TYPE_INT32, _FD.TYPE_SINT32, _FD.TYPE_SFIXED32), t.IntegerType()),
    **dict.fromkeys((_FD.TYPE_INT64, _FD.TYPE_SINT64, _FD.TYPE_SFIXED64), t.LongType()),
    **dict.fromkeys((_FD.TYPE_UINT32, _FD.TYPE_FIXED32), t.LongType()),
    **dict.fromkeys((_FD.TYPE_UINT64, _FD.TYPE_FIXED64), t.DecimalType(20, 0)),
    _FD.TYPE_BOOL: t.BooleanType(),
    _FD.TYPE_FLOAT: t.FloatType(),
    _FD.TYPE_DOUBLE: t.DoubleType(),
    _FD.TYPE_STRING: t.StringType(),
    _FD.TYPE_BYTES: t.BinaryType(),
    _FD.TYPE_ENUM: t.StringType(),
}
_TIMESTAMP = "google.protobuf.Timestamp"
_WRAPPERS = frozenset(
    f"google.protobuf.{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)


def spark_type(message: Descriptor, within: tuple[str, ...] = ()) -> t.StructType:
    if message.full_name in within:
        raise NoColumnType(f"{message.full_name} contains itself; no column can hold that")
    within = (*within, message.full_name)
    return t.StructType([t.StructField(each.name, _field_type(each, within)) for each in message.fields])


def _field_type(field: FieldDescriptor, within: tuple[str, ...]) -> t.DataType:
    if _is_map(field):
        key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
        return t.MapType(_one_type(key, within), _one_type(value, within))
    kind = _one_type(field, within)
    return t.ArrayType(kind) if field.is_repeated else kind


def _one_type(field: FieldDescriptor, within: tuple[str, ...]) -> t.DataType:
    if field.message_type is None:
        return _PLAIN[field.type]
    if field.message_type.full_name == _TIMESTAMP:
        return t.TimestampType()
    if field.message_type.full_name in _WRAPPERS:
        return _PLAIN[field.message_type.fields_by_name["value"].type]
    return spark_type(field.message_type, within)


def as_values(message: Message) -> dict[str, Any]:
    return {field.name: _field_value(message, field) for field in message.DESCRIPTOR.fields}


def _field_value(message: Message, field: FieldDescriptor) -> Any:
    value = getattr(message, field.name)
    if _is_map(field):
        of = field.message_type.fields_by_name["value"]
        key_of = field.message_type.fields_by_name["key"]
        return [(_one_value(key, key_of), _one_value(value[key], of)) for key in value]
    if field.is_repeated:
        return [_one_value(each, field) for each in value]
    if field.has_presence and not message.HasField(field.name):
        return None
    return _one_value(value, field)


def _one_value(value: Any, field: FieldDescriptor) -> Any:
    if field.message_type is not None:
        name = field.message_type.full_name
        if name == _TIMESTAMP:
            return value.ToDatetime(tzinfo=UTC)
        if name in _WRAPPERS:
            return _one_value(value.value, field.message_type.fields_by_name["value"])
        return as_values(value)
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known is not None else str(value)
    if field.type in (_FD.TYPE_UINT64, _FD.TYPE_FIXED64):
        return Decimal(value)
    return value


def _is_map(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return field.is_repeated and kind is not None and kind.GetOptions().map_entry
