"""As much of the protobuf encoding as etcd's messages need: integers, byte strings, and messages within messages.

A field is its number and wire type as a varint, then its value. Integers are varints of seven bits a byte, a negative
one as its 64-bit two's complement; everything else here is a length and that many bytes. A field with its default is
left out, except inside a oneof, where being there is the message.
"""

from collections.abc import Iterator

VARINT = 0
FIXED_64 = 1
BYTES = 2
FIXED_32 = 5

_WORD = 1 << 64
_SIGN = 1 << 63


class Malformed(ValueError):
    """Bytes that are no protobuf message."""


def varint(value: int) -> bytes:
    value &= _WORD - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(number: int, value: int) -> bytes:
    return varint(number << 3 | VARINT) + varint(value) if value else b""


def integer_always(number: int, value: int) -> bytes:
    """For a member of a oneof, which says something even when it is 0."""
    return varint(number << 3 | VARINT) + varint(value)


def chunk(number: int, value: bytes) -> bytes:
    return message(number, value) if value else b""


def text(number: int, value: str) -> bytes:
    return chunk(number, value.encode())


def message(number: int, body: bytes) -> bytes:
    """Present even when it is empty: an empty message is not the same as none."""
    return varint(number << 3 | BYTES) + varint(len(body)) + body


def signed(value: int) -> int:
    return value - _WORD if value & _SIGN else value


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Each field's number and value, in the order of the bytes. Fields of newer versions pass through here too."""
    position, end = 0, len(data)
    while position < end:
        tag, position = read_varint(data, position)
        kind = tag & 7
        if kind == VARINT:
            value, position = read_varint(data, position)
            yield tag >> 3, value
        elif kind == BYTES:
            length, position = read_varint(data, position)
            if position + length > end:
                raise Malformed("a field ends after its message")
            yield tag >> 3, data[position : position + length]
            position += length
        elif kind in (FIXED_64, FIXED_32):
            position += 8 if kind == FIXED_64 else 4
        else:
            raise Malformed(f"wire type {kind}")


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """The value, and where the next thing begins."""
    value = shift = 0
    try:
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, position
            shift += 7
            if shift >= 70:
                raise Malformed("a varint of more than ten bytes")
    except IndexError:
        raise Malformed("the message ends within a varint") from None
