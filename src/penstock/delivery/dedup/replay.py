"""What batches of the log say to a table of ids: looked into in a thread, taken in on the loop. Pure."""

from typing import TypeAlias

import msgspec

from penstock.delivery.dedup.ids import IdRule, find_ids
from penstock.delivery.dedup.machine import IdTable
from penstock.delivery.dedup.marks import Mark, read_mark
from penstock.errors import CorruptMessage
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.markers import MarkerType, read_marker
from penstock.wire.notes import may_be_note, read_note


class Ids(msgspec.Struct, frozen=True, gc=False):
    digests: list[bytes]
    offsets: list[int]
    producer_id: int
    """-1 outside of transactions."""


class Ended(msgspec.Struct, frozen=True, gc=False):
    producer_id: int
    is_committed: bool


Step: TypeAlias = tuple[int, Ids | Ended | Mark | None]
"""The offset behind a batch, and what it says, if anything."""


def steps_in(data: bytes, rule: IdRule, *, start: int) -> list[Step]:
    """Of whole batches. What nobody can read is passed over, as is what lies below `start`."""
    steps: list[Step] = []
    position = 0
    while position < len(data):
        header = BatchHeader.peek(data, position)
        if header.size < HEADER_SIZE:
            raise CorruptMessage(f"a batch of {header.size} bytes at offset {header.base_offset}")
        batch = memoryview(data)[position : position + header.size]
        position += header.size
        said = None
        try:
            said = _said_by(header, batch, rule, start)
        except Malformed:
            pass
        steps.append((header.next_offset, said))
    return steps


def _said_by(header: BatchHeader, batch: memoryview, rule: IdRule, start: int) -> Ids | Ended | Mark | None:
    if may_be_note(header):
        content = read_note(batch)
        return None if content is None else read_mark(content)
    if header.is_control:
        marker = read_marker(batch)
        return None if marker is None else Ended(header.producer_id, marker.type is MarkerType.COMMIT)
    if not header.record_count:
        return None
    ids = find_ids(batch, rule)
    digests, offsets = ids.digests, [header.base_offset + delta for delta in ids.deltas]
    if header.base_offset < start:
        kept = [place for place, offset in enumerate(offsets) if offset >= start]
        digests, offsets = [digests[place] for place in kept], [offsets[place] for place in kept]
    return Ids(digests, offsets, header.producer_id if header.is_transactional else -1)


def take_in(table: IdTable, step: Step) -> None:
    """Does nothing where the table is past it."""
    next_offset, said = step
    if next_offset <= table.end:
        return
    match said:
        case Ids(digests, offsets, producer_id):
            table.add(digests, offsets, producer_id=producer_id)
        case Ended(producer_id, is_committed):
            table.end_transaction(producer_id, is_committed=is_committed)
        case Mark():
            table.mark(said)
        case None:
            pass
    table.end = next_offset
