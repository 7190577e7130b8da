"""Protobuf with every kind of field that has a column type of its own."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from tests.pipelines.decode.orders import AT, DESCRIPTORS, FRAME, an_order

from penstock.pipelines.decode import decode_protobuf, split

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
    prefix = FRAME[:5]
    values = (FRAME + payload, prefix + b"\x00" + payload, payload, prefix)
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
    without_imports = FileDescriptorSet(file=FileDescriptorSet.FromString(DESCRIPTORS).file[-1:]).SerializeToString()
    with pytest.raises(ValueError, match=r"shop\.proto cannot be understood: .*timestamp\.proto.* --include_imports"):
        decode_protobuf(records(spark), without_imports, "shop.Order")
