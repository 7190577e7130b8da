"""The five-byte prefix that schema registries' serializers put before a value: a zero byte and the schema's id.

Protobuf has the path to the record's message type after it: a count and that many indexes, as zigzag varints, where a
single zero stands for the first message of the file.
"""

from __future__ import annotations

from typing import NamedTuple

MAGIC = 0
PREFIX_BYTES = 5
INDEXES_MAX = 32
"""No message type is nested deeper; more is a value that is no Protobuf frame."""
VARINT_BYTES_MAX = 5


class NotFramed(ValueError):
    """The value does not begin with a registry's prefix."""


class Framed(NamedTuple):
    schema_id: int
    payload: bytes


class MessageIndexes(NamedTuple):
    indexes: tuple[int, ...]
    payload: bytes


def unframe(value: bytes) -> Framed:
    if len(value) < PREFIX_BYTES:
        raise NotFramed(f"{len(value)} bytes are too few for a registry's prefix")
    if value[0] != MAGIC:
        raise NotFramed(f"begins with byte {value[0]}, a registry's prefix with 0")
    return Framed(int.from_bytes(value[1:PREFIX_BYTES], "big"), value[PREFIX_BYTES:])


def message_indexes(payload: bytes) -> MessageIndexes:
    count, position = _zigzag(payload, 0)
    if count == 0:
        return MessageIndexes((0,), payload[position:])
    if not 0 < count <= INDEXES_MAX:
        raise NotFramed(f"{count} message indexes")
    indexes = []
    for _ in range(count):
        index, position = _zigzag(payload, position)
        if index < 0:
            raise NotFramed(f"message index {index}")
        indexes.append(index)
    return MessageIndexes(tuple(indexes), payload[position:])


def _zigzag(data: bytes, position: int) -> tuple[int, int]:
    number = 0
    for count, byte in enumerate(data[position : position + VARINT_BYTES_MAX]):
        number |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1), position + count + 1
    raise NotFramed("message indexes are cut off or too large")
