"""Orders in Protobuf: a descriptor set made here, with every kind of field that has a column type of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from google.protobuf import descriptor_pool, message_factory, timestamp_pb2, wrappers_pb2
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet

FDP = FieldDescriptorProto
FRAME = b"\x00\x00\x00\x00\x09\x02\x02"
"""A registry's prefix with the message indexes of an order: the second type of its file."""
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
