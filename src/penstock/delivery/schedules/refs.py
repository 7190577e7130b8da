"""How an intent names the records of a schedule topic: offsets, in the order in which they are fired. Pure.

Of a recurring one also for which of its times it is fired, and when it is due again (0: never).
"""

from collections.abc import Iterable
from typing import NamedTuple

from penstock.wire.zigzag import put_varint, read_varlong


class Ref(NamedTuple):
    offset: int
    due_ms: int = -1
    """-1: as the record says."""
    next_ms: int = 0

    @property
    def is_recurring(self) -> bool:
        return self.due_ms >= 0


def encode(refs: Iterable[Ref]) -> bytes:
    out, last = bytearray(), 0
    for ref in refs:
        put_varint(out, (ref.offset - last) << 1 | ref.is_recurring)
        last = ref.offset
        if ref.is_recurring:
            put_varint(out, ref.due_ms)
            put_varint(out, ref.next_ms)
    return bytes(out)


def decode(data: bytes) -> list[Ref]:
    refs, at, offset = [], 0, 0
    while at < len(data):
        number, at = read_varlong(data, at)
        offset += number >> 1
        if number & 1:
            due_ms, at = read_varlong(data, at)
            next_ms, at = read_varlong(data, at)
            refs.append(Ref(offset, due_ms, next_ms))
        else:
            refs.append(Ref(offset))
    return refs
