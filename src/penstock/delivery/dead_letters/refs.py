"""What a share partition keeps of its relay: what is open, and which records each intent names. Pure.

An intent names offsets of records that were there when it was made, with their delivery counts and why they were given
up: whoever sends it again needs nothing else to make the same number of dead letters.
"""

import struct
from collections.abc import Iterable
from typing import Final

import msgspec

from penstock.delivery.relay.entries import Entry, decode, encode
from penstock.delivery.shares.archiving import Given
from penstock.wire.zigzag import put_varint, read_varlong

_STAMP: Final = struct.Struct(">Q")
_entries = msgspec.msgpack.Decoder(list[bytes])


def encode_refs(rows: Iterable[Given]) -> bytes:
    out, last = bytearray(), 0
    for row in rows:
        for number in (row[0] - last, row[1] - row[0], row[2], row[3]):
            put_varint(out, number)
        last = row[1]
    return bytes(out)


def decode_refs(data: bytes) -> list[Given]:
    rows: list[Given] = []
    at = last = 0
    while at < len(data):
        gap, at = read_varlong(data, at)
        length, at = read_varlong(data, at)
        state, at = read_varlong(data, at)
        count, at = read_varlong(data, at)
        first = last + gap
        last = first + length
        rows.append((first, last, state, count))
    return rows


def encode_relay(stamp: int, entries: Iterable[Entry]) -> bytes:
    """`stamp`: of two states of a relay the one with the greater is newer."""
    return _STAMP.pack(stamp) + msgspec.msgpack.encode([encode(entry) for entry in entries])


def decode_relay(data: bytes) -> tuple[int, list[Entry]]:
    """ValueError for what this broker does not understand."""
    if not data:
        return 0, []
    try:
        (stamp,) = _STAMP.unpack_from(data)
        return stamp, [decode(each) for each in _entries.decode(data[_STAMP.size :])]
    except (struct.error, msgspec.MsgspecError) as error:
        raise ValueError(str(error)) from None
