"""Protobuf by Google's own library, from a descriptor set: `protoc --include_imports --descriptor_set_out=FILE ...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from penstock.pipelines.decode.framing import message_indexes, unframe
from penstock.pipelines.decode.protobuf_types import as_values, spark_type
from penstock.pipelines.decode.rows import Decode, decode_rows

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


def decode_protobuf(
    records: DataFrame, descriptors: bytes, message: str, *, framed: bool = False, columns: StructType | None = None
) -> DataFrame:
    """`message` is the full name of the records' type. With `framed`, values have the registry's prefix and message
    indexes; a record whose indexes lead to another type of the same file is a bad row that names it."""
    wanted = message_columns(descriptors, message) if columns is None else columns

    def decoder() -> Decode:
        return _decoder(descriptors, message, framed=framed)

    return decode_rows(records, wanted, decoder)


def message_columns(descriptors: bytes, message: str) -> StructType:
    return spark_type(_message(descriptors, message))


def _decoder(descriptors: bytes, message: str, *, framed: bool) -> Decode:
    wanted = _message(descriptors, message)
    kind = message_factory.GetMessageClass(wanted)

    def decode(value: bytes) -> dict[str, Any]:
        payload = _unframed(value, wanted) if framed else value
        record = kind()
        try:
            record.ParseFromString(payload)
        except DecodeError as error:
            raise ValueError(f"not Protobuf of {message}: {error}") from error
        return as_values(record)

    return decode


def _unframed(value: bytes, wanted: Descriptor) -> bytes:
    indexes, payload = message_indexes(unframe(value).payload)
    if indexes != path_of(wanted):
        raise ValueError(f"message indexes {list(indexes)} are not those of {wanted.full_name}: another type")
    return payload


def path_of(message: Descriptor) -> tuple[int, ...]:
    """The message indexes of a type: its place in its file, from the outermost message on."""
    outer = message.containing_type
    if outer is None:
        return (list(message.file.message_types_by_name.values()).index(message),)
    return (*path_of(outer), list(outer.nested_types).index(message))


def _message(descriptors: bytes, name: str) -> Descriptor:
    pool = descriptor_pool.DescriptorPool()
    try:
        files = FileDescriptorSet.FromString(descriptors).file
    except DecodeError:
        raise ValueError("not a descriptor set: make one with protoc --descriptor_set_out") from None
    for file in files:
        try:
            pool.AddSerializedFile(file.SerializeToString())
        except TypeError as error:
            words = f"{file.name} cannot be understood: {error}: protoc needs --include_imports as well"
            raise ValueError(words) from None
    try:
        return pool.FindMessageTypeByName(name)
    except KeyError:
        raise ValueError(f"the descriptor set has no message {name}") from None
