"""Zigzag varints, the numbers inside a record: small ones of either sign take a byte.

Reading past the end is an IndexError, which the caller turns into its own complaint.
"""

from penstock.wire.malformed import Malformed

_INT32_LIMIT = 1 << 32
_INT64_LIMIT = 1 << 64


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """An int32 and the position after it."""
    byte = data[position]
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), position + 1
    second = data[position + 1]
    if second < 0x80:
        return ((byte & 0x7F) >> 1 | second << 6) ^ -(byte & 1), position + 2
    value, position = _read_long_form(data, position)
    if value >= _INT32_LIMIT:
        raise Malformed("a varint that no int32 holds")
    return (value >> 1) ^ -(value & 1), position


def read_varlong(data: bytes, position: int) -> tuple[int, int]:
    """An int64 and the position after it."""
    byte = data[position]
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), position + 1
    second = data[position + 1]
    if second < 0x80:
        return ((byte & 0x7F) >> 1 | second << 6) ^ -(byte & 1), position + 2
    value, position = _read_long_form(data, position)
    if value >= _INT64_LIMIT:
        raise Malformed("a varint that no int64 holds")
    return (value >> 1) ^ -(value & 1), position


def _read_long_form(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise Malformed("a varint of more than ten bytes")


def put_varint(out: bytearray, number: int) -> None:
    """Append a number of up to 64 bits."""
    value = (number << 1) ^ (number >> 63)
    while value > 0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
