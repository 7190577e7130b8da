"""Protobuf from a descriptor set made here, with every kind of field that has a column type of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf import descriptor_pool, message_factory, timestamp_pb2, wrappers_pb2
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet

from penstock.pipelines.decode import decode_protobuf, split

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FDP = FieldDescriptorProto
AT = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)


def field(number: int, name: str, kind: int, *, of: str = "", repeated: bool = False) -> FieldDescriptorProto:
    label = FDP.LABEL_REPEATED if repeated else FDP.LABEL_OPTIONAL
    made = FDP(name=name, number=number, type=kind, label=label)
    if of:  # set at all, even to nothing, it says that the field is a message
        made.type_name = of
    return made


def descriptors() -> bytes:
    order = DescriptorProto(
        name="Order",
        field=[
            field(1, "id", FDP.TYPE_INT64),
            field(2, "big", FDP.TYPE_UINT64),
            field(3, "kind", FDP.TYPE_ENUM, of=".shop.Kind"),
            field(4, "at", FDP.TYPE_MESSAGE, of=".google.protobuf.Timestamp"),
            field(5, "note", FDP.TYPE_MESSAGE, of=".google.protobuf.StringValue"),
            field(6, "lines", FDP.TYPE_MESSAGE, of=".shop.Order.Line", repeated=True),
            field(7, "counts", FDP.TYPE_MESSAGE, of=".shop.Order.CountsEntry", repeated=True),
            field(8, "raw", FDP.TYPE_BYTES),
        ],
    )
    order.nested_type.add(name="Line", field=[field(1, "sku", FDP.TYPE_STRING), field(2, "n", FDP.TYPE_INT32)])
    entry = order.nested_type.add(
        name="CountsEntry", field=[field(1, "key", FDP.TYPE_STRING), field(2, "value", FDP.TYPE_INT32)]
    )
    entry.options.map_entry = True
    file = FileDescriptorProto(
        name="shop.proto", package="shop", syntax="proto3", message_type=[DescriptorProto(name="First"), order]
    )
    file.dependency.extend(["google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto"])
    kind = file.enum_type.add(name="Kind")
    kind.value.add(name="NEW", number=0)
    kind.value.add(name="OLD", number=1)
    known = [FileDescriptorProto.FromString(each.DESCRIPTOR.serialized_pb) for each in (timestamp_pb2, wrappers_pb2)]
    whole: bytes = FileDescriptorSet(file=[*known, file]).SerializeToString()
    return whole


DESCRIPTORS = descriptors()


def an_order() -> Any:
    pool = descriptor_pool.DescriptorPool()
    for file in FileDescriptorSet.FromString(DESCRIPTORS).file:
        pool.AddSerializedFile(file.SerializeToString())
    order: Any = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order"))()
    order.id, order.big, order.kind, order.raw = 7, 2**64 - 1, 1, b"\x00\xff"
    order.at.FromDatetime(AT)
    order.lines.add(sku="x", n=3)
    order.counts["y"] = 4
    return order


def records(spark: SparkSession, *values: bytes | None) -> DataFrame:
    return spark.createDataFrame([(n, v) for n, v in enumerate(values)], "n INT, value BINARY")


def test_every_kind_of_field_becomes_its_column(spark: SparkSession) -> None:
    good, bad = split(decode_protobuf(records(spark, an_order().SerializeToString(), None), DESCRIPTORS, "shop.Order"))
    data = good.orderBy("n").collect()[0].data
    assert (data.id, data.big, data.kind, bytes(data.raw)) == (7, Decimal(2**64 - 1), "OLD", b"\x00\xff")
    assert (data.note, [tuple(line) for line in data.lines], data.counts) == (None, [("x", 3)], {"y": 4})
    assert good.selectExpr("unix_millis(data.at)").first()[0] == int(AT.timestamp() * 1000)  # type: ignore[index]
    assert bad.count() == 0


def test_frames_lead_to_the_type_by_its_indexes(spark: SparkSession) -> None:
    payload = an_order().SerializeToString()
    prefix = b"\x00\x00\x00\x00\x09"
    values = (prefix + b"\x02\x02" + payload, prefix + b"\x00" + payload, payload, prefix)
    rows = decode_protobuf(records(spark, *values), DESCRIPTORS, "shop.Order", framed=True).orderBy("n").collect()
    assert rows[0].data.id == 7 and rows[0].error is None
    assert rows[1].error == "message indexes [0] are not those of shop.Order: another type"
    assert [row.data for row in rows[1:]] == [None, None, None]
    assert all(row.error for row in rows[1:])


def test_bytes_that_are_no_protobuf_are_bad_rows(spark: SparkSession) -> None:
    _, bad = split(decode_protobuf(records(spark, b"\x08", b"\xff\xff\xff"), DESCRIPTORS, "shop.Order"))
    assert [row.error.partition(":")[0] for row in bad.collect()] == ["not Protobuf of shop.Order"] * 2


def test_what_is_not_a_descriptor_set_or_not_in_it_is_said(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match=r"no message shop\.Nothing"):
        decode_protobuf(records(spark), DESCRIPTORS, "shop.Nothing")
    with pytest.raises(ValueError, match="not a descriptor set"):
        decode_protobuf(records(spark), b"\xff\xff", "shop.Order")
