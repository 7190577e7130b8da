"""What the generated messages are made of: varints, strings, arrays, tagged fields, and what all of them can do.

A compact length is an unsigned varint of the length plus one, 0 being null; a plain one is an int16 (strings) or int32,
-1 being null. Readers take the data and a position, which may lie past the end: see Message.decode.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Self

import msgspec

from penstock.wire.malformed import Malformed, Unencodable, absurd_count, negative_length, null_refused

Buffer = bytes | bytearray | memoryview
Push = Callable[[Buffer], None]

ZERO_UUID = bytes(16)
NULL_COUNT = b"\xff\xff\xff\xff"
STRING_MAX = 0x7FFF  # bytes; Kafka holds compact strings to it as well

BYTE = [bytes((value,)) for value in range(256)]

# Replica lists are short and many: a packer for each count saves parsing a format.
_COUNTS = range(17)
COMPACT_INT32S = [struct.Struct(f">B{count}i").pack for count in _COUNTS]
PLAIN_INT32S = [struct.Struct(f">i{count}i").pack for count in _COUNTS]
UNPACK_INT32S = [struct.Struct(f">{count}i").unpack_from for count in _COUNTS]


class Codec:
    """The functions that read and write one message, by version; imported when it is first read or written.

    Nine tenths of the generated code is in them, and a broker meets half of the messages never: 2.3 MB and a
    twentieth of its start. `keep` makes of a buffer what they read: a view where records are left in it.
    """

    __slots__ = ("_module", "decoders", "encoders", "keep")

    decoders: Mapping[int, Callable[[Any, int], tuple[Any, int]]]
    encoders: Mapping[int, Callable[[Push, Any], None]]

    def __init__(self, module: str, keep: type[bytes] | type[memoryview] = bytes) -> None:
        self._module = module
        self.keep = keep

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet, so once."""
        functions = import_module(f"penstock.wire.codecs.{self._module}")
        self.decoders, self.encoders = functions.DECODERS, functions.ENCODERS
        return object.__getattribute__(self, name)


class Message(msgspec.Struct, gc=False):
    """What all generated messages can do. Here, as two methods of each would be a quarter of a broker's messages."""

    api_key: ClassVar[int]
    """Of requests and responses; records of internal topics have none."""
    versions: ClassVar[tuple[int, int]]
    flexible_from: ClassVar[int | None]
    codec: ClassVar[Codec]

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> Self:
        """Bytes after the message's end are let be, as by Kafka: librdkafka ends Metadata v13 with three too many.

        A length that reaches past the end is not checked where it is read: what follows it fails, or the end does.
        """
        codec = cls.codec
        try:
            decoder = codec.decoders[version]
        except KeyError:
            raise Malformed(f"{cls.__name__} has no version {version}") from None
        message: Self
        try:
            message, end = decoder(data if isinstance(data, bytes) else codec.keep(data), position)
        except (IndexError, struct.error):
            raise Malformed(f"{cls.__name__} v{version} is truncated: {len(data) - position} bytes") from None
        except UnicodeDecodeError:
            raise Malformed(f"{cls.__name__} v{version} has a string that is not UTF-8") from None
        except Malformed as error:
            raise Malformed(f"{cls.__name__} v{version}: {error}") from None
        if end > len(data):
            raise Malformed(f"{cls.__name__} v{version} is truncated: {len(data) - position} bytes")
        return message

    def encode(self, version: int) -> bytes:
        try:
            encoder = self.codec.encoders[version]
        except KeyError:
            raise Unencodable(f"{type(self).__name__} has no version {version}") from None
        pieces: list[Buffer] = []
        try:
            encoder(pieces.append, self)
            return b"".join(pieces)
        except (AttributeError, TypeError, ValueError, struct.error) as error:
            raise Unencodable(f"{type(self).__name__} v{version}: {error}") from error


def long_varint(data: Buffer, pos: int) -> tuple[int, int]:
    """Read on from the second byte of an unsigned varint whose first, just before pos, said that there are more."""
    value = data[pos - 1] & 0x7F
    for shift in (7, 14, 21, 28):
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 128:
            if value > 0x7FFFFFFF:
                break
            return value, pos
    raise Malformed("a varint does not fit into 31 bits")


def long_string_length(data: Buffer, pos: int) -> tuple[int, int]:
    value, pos = long_varint(data, pos)
    if value > STRING_MAX + 1:
        raise Malformed(f"a string claims {value - 1} bytes")
    return value, pos


def read_uvarint(data: Buffer, pos: int) -> tuple[int, int]:
    value = data[pos]
    pos += 1
    return long_varint(data, pos) if value > 127 else (value, pos)


def uvarint(value: int) -> bytes:
    if value < 128:
        return BYTE[value]
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def string_length(length_plus_one: int) -> bytes:
    if length_plus_one > STRING_MAX + 1:
        raise Unencodable(f"a string of {length_plus_one - 1} bytes is too long")
    return uvarint(length_plus_one)


def read_tag(data: Buffer, pos: int) -> tuple[int, int, int]:
    """A tagged field's tag, where it ends, and where its value starts."""
    tag, pos = read_uvarint(data, pos)
    size, pos = read_uvarint(data, pos)
    if size > len(data) - pos:
        raise Malformed(f"tagged field {tag} claims {size} bytes, more than are left")
    return tag, pos + size, pos


def skip_tags(data: Buffer, pos: int, count: int) -> int:
    """Pass over tagged fields that nobody here knows; count is the first byte of their number, just before pos."""
    if count > 127:
        count, pos = long_varint(data, pos)
    for _ in range(count):
        _, pos, _ = read_tag(data, pos)
    return pos


def skip_tag_section(data: Buffer, pos: int) -> int:
    """Pass over a whole tagged section, its count included."""
    count = data[pos]
    return skip_tags(data, pos + 1, count) if count else pos + 1


def tagged_field(tag: int, pieces: Sequence[Buffer]) -> bytes:
    value = b"".join(pieces)
    return uvarint(tag) + uvarint(len(value)) + value


def tag_section(fields: Sequence[bytes]) -> bytes:
    return uvarint(len(fields)) + b"".join(fields)


def read_ints(letter: str, data: Buffer, pos: int, count: int) -> list[int]:
    return list(struct.unpack_from(f">{count}{letter}", data, pos))


def read_uuids(data: Buffer, pos: int, count: int) -> list[bytes]:
    if 16 * count > len(data) - pos:
        raise absurd_count("an array of ids", count)
    return [bytes(data[start : start + 16]) for start in range(pos, pos + 16 * count, 16)]


def read_compact_strings(data: Buffer, pos: int, count: int) -> tuple[list[str], int]:
    if count > len(data) - pos:
        raise absurd_count("an array of strings", count)
    strings = []
    for _ in range(count):
        n = data[pos]
        pos += 1
        if n > 127:
            n, pos = long_string_length(data, pos)
        if not n:
            raise null_refused("a string in an array")
        end = pos + n - 1
        strings.append(str(data[pos:end], "utf-8"))
        pos = end
    return strings, pos


_read_int16 = struct.Struct(">h").unpack_from


def read_strings(data: Buffer, pos: int, count: int) -> tuple[list[str], int]:
    if 2 * count > len(data) - pos:
        raise absurd_count("an array of strings", count)
    strings = []
    for _ in range(count):
        (n,) = _read_int16(data, pos)
        if n < 0:
            raise negative_length("a string in an array", n)
        pos += 2
        end = pos + n
        strings.append(str(data[pos:end], "utf-8"))
        pos = end
    return strings, pos


def compact_ints(letter: str, values: Sequence[int]) -> bytes:
    return uvarint(len(values) + 1) + struct.pack(f">{len(values)}{letter}", *values)


def plain_ints(letter: str, values: Sequence[int]) -> bytes:
    return struct.pack(f">i{len(values)}{letter}", len(values), *values)


def compact_uuids(values: Sequence[bytes]) -> bytes:
    return uvarint(len(values) + 1) + _joined_uuids(values)


def plain_uuids(values: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(values)) + _joined_uuids(values)


def _joined_uuids(values: Sequence[bytes]) -> bytes:
    joined = b"".join(values)
    if len(joined) != 16 * len(values):
        raise Unencodable("an id has 16 bytes")
    return joined


def compact_strings(values: Sequence[str]) -> bytes:
    pieces = [uvarint(len(values) + 1)]
    for value in values:
        encoded = value.encode()
        pieces += string_length(len(encoded) + 1), encoded
    return b"".join(pieces)


def plain_strings(values: Sequence[str]) -> bytes:
    pieces = [struct.pack(">i", len(values))]
    for value in values:
        encoded = value.encode()
        pieces += struct.pack(">h", len(encoded)), encoded
    return b"".join(pieces)
