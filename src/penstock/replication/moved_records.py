"""What a partition does for records that brokers move: notes in a home's log, and batches that come to a target.

A note is appended by the leader between the records of clients (wire/notes.py).

A batch that is moved is one of an idempotent producer, with a promise of whoever sends it: if it is in this log, then
at `from_offset` or behind it. A leader may have forgotten the producer, and would take any sequence then (RULES 28).
Here it looks into the log first, from there on, and learns what it has of that producer. It looks as well for a batch
that seems out of order: others may have had it look from further behind. So a batch that is there is never taken twice.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from penstock.errors import OutOfOrderSequence
from penstock.log import FileSlice
from penstock.replication.partition import ALL, Partition
from penstock.replication.rules import Appended, stamp_append_time
from penstock.wire.batch import BatchHeader
from penstock.wire.notes import build_note

PIECE_BYTES: Final = 1 << 20
"""Read at a time."""


def append_note(partition: Partition, content: bytes, *, acks: int = ALL) -> Appended:
    """`acknowledged` tells when it is replicated."""
    partition.require_leader()
    rules = partition.current_rules()
    if acks == ALL:
        partition.followers.check_in_sync(rules)
    now = partition.clock.now()
    base_offset = partition.end_offset
    note = build_note(content, timestamp=now, base_offset=base_offset, leader_epoch=partition.leader_epoch)
    view = memoryview(note)
    header = BatchHeader.peek(view)
    if rules.stamps_append_time:
        stamp_append_time(view, header, now)
    partition.write(header, view)
    durability = partition.durability
    if rules.flushes_before_ack:
        durability.flush_soon()
    else:
        durability.durable_end = partition.end_offset
        partition.advance_high_watermark(partition.end_offset)
    return Appended(base_offset, partition.end_offset, -1, partition.start_offset)


async def append_moved(partition: Partition, view: memoryview, *, from_offset: int) -> Appended:
    """As `Partition.append` with acks=all, for a batch of a producer that nobody else is."""
    partition.require_leader()
    if partition.end_offset < from_offset:
        raise OutOfOrderSequence(f"{partition.topic_partition} ends before {from_offset}: it has lost records")
    append = partial(partition.append, view, acks=ALL)
    if partition.current_rules().opens_batches:
        append = partial(partition.append_opened, await asyncio.to_thread(partition.open, view), acks=ALL)
    header = BatchHeader.peek(view)
    if partition.log.producers.knows(header.producer_id):
        try:
            appended = append()
            if appended.base_offset >= 0:
                return appended
        except OutOfOrderSequence:
            pass
    return await _append_after_a_look(partition, append, header, from_offset)


async def _append_after_a_look(
    partition: Partition, append: Callable[[], Appended], header: BatchHeader, from_offset: int
) -> Appended:
    there = await _batches_of(partition, header.producer_id, from_offset)
    # No await from here on: nothing was appended since the last piece was read.
    producers = partition.log.producers
    if not producers.knows(header.producer_id):
        for each in there:
            producers.recall(each)
    try:
        appended = append()
        if appended.base_offset >= 0:
            return appended
        raise OutOfOrderSequence(f"{partition.topic_partition} took it too long ago to know where")
    except OutOfOrderSequence:
        same = (header.producer_epoch, header.base_sequence, header.last_sequence)
        for each in there:
            if (each.producer_epoch, each.base_sequence, each.last_sequence) == same:
                return Appended(each.base_offset, each.next_offset, -1, partition.start_offset)
        raise


async def _batches_of(partition: Partition, producer_id: int, from_offset: int) -> list[BatchHeader]:
    """The headers of a producer's batches, up to the log's end at the moment of return."""
    found: list[BatchHeader] = []
    offset = max(from_offset, partition.start_offset)
    while offset < partition.end_offset:
        log = partition.log
        piece = log.slice(offset, at_most=PIECE_BYTES, before=log.end_offset)
        if piece is None:
            break
        data = _read(piece) if piece.is_recent else await asyncio.to_thread(_read, piece)
        partition.require_leader()
        position = 0
        while position < len(data):
            header = BatchHeader.peek(data, position)
            position += header.size
            if header.producer_id == producer_id and not header.is_control:
                found.append(header)
            offset = header.next_offset
    return found


def _read(piece: FileSlice) -> bytes:
    try:
        return piece.read()
    finally:
        piece.release()
