"""Notes that say what is left of a schedule partition's log: so that the rest can be cleaned away. Pure.

One says of all records below an offset which ones are not finished, when recurring ones are due, and which intents are
open. With it no older note, and no other record below that offset, is needed to know what waits: every replica may
take them out of its closed segments, keeping offsets. It comes in parts where many are left, and counts once it is
whole.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from penstock.delivery.relay.entries import Entry
from penstock.delivery.relay.entries import decode as decode_entry
from penstock.delivery.relay.entries import encode as encode_entry
from penstock.delivery.schedules.refs import Ref
from penstock.delivery.schedules.refs import decode as decode_refs
from penstock.delivery.schedules.refs import encode as encode_refs

VERSION: Final = 2
"""Where entries of the relay have theirs, which is 1."""
PART_MAX: Final = 100_000


class Part(msgspec.Struct, frozen=True, array_like=True):
    pass_id: int
    """Where the log ended when it was begun."""
    part: int
    parts: int
    upto: int
    refs: bytes
    """Records that are not finished; a recurring one with when it is due next, twice."""
    entries: list[bytes]


class Kept(msgspec.Struct, frozen=True):
    """A whole one."""

    upto: int
    refs: list[Ref]
    entries: list[bytes]

    @property
    def offsets(self) -> list[int]:
        return [ref.offset for ref in self.refs]

    def relayed(self) -> list[Entry]:
        return [decode_entry(data) for data in self.entries]


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Part] = msgspec.msgpack.Decoder(Part)


def is_part(content: bytes) -> bool:
    return content[:1] == bytes([VERSION])


def encode(pass_id: int, upto: int, refs: list[Ref], entries: Iterable[Entry]) -> Iterator[bytes]:
    """The notes to write, one behind the other. `refs` rise."""
    pieces = [refs[first : first + PART_MAX] for first in range(0, len(refs), PART_MAX)] or [[]]
    coded = [encode_entry(entry) for entry in entries]
    for number, piece in enumerate(pieces):
        with_it = coded if number == len(pieces) - 1 else []
        part = Part(pass_id, number, len(pieces), upto, encode_refs(piece), with_it)
        yield bytes([VERSION]) + _encoder.encode(part)


class Collector:
    """Puts parts together."""

    def __init__(self) -> None:
        self._parts: list[Part] = []

    def add(self, content: bytes) -> Kept | None:
        """What is whole with this part. ValueError for what is none."""
        try:
            part = _decoder.decode(content[1:])
        except msgspec.MsgspecError as error:
            raise ValueError(str(error)) from None
        if part.part == 0 or (self._parts and self._parts[-1].pass_id != part.pass_id):
            self._parts = []
        if part.part != len(self._parts):
            return None
        self._parts.append(part)
        if len(self._parts) < part.parts:
            return None
        parts, self._parts = self._parts, []
        refs = [ref for each in parts for ref in decode_refs(each.refs)]
        return Kept(part.upto, refs, part.entries)
