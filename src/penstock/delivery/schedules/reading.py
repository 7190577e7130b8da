"""Reads what a schedule topic holds: what each record plans, and single records that are due. For threads. Pure."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from penstock.delivery.dedup.marks import is_mark
from penstock.delivery.schedules.plan import SCHEDULE_ID, Cancel, Delay, Plan, read
from penstock.errors import CorruptMessage
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.markers import MarkerType, read_marker
from penstock.wire.notes import may_be_note, read_note
from penstock.wire.records import Record, crc_of, iterate, select

_ID_HEADER: Final = SCHEDULE_ID.encode()


class Nothing(msgspec.Struct, frozen=True, gc=False):
    """No record to fire lies between these offsets."""

    first: int
    end: int


class Unreadable(msgspec.Struct, frozen=True, gc=False):
    """A record whose time is not understood; it was when it was written."""

    offset: int


Planned = tuple[int, Plan | Cancel] | Nothing | Unreadable


def batches_in(data: bytes) -> Iterator[tuple[BatchHeader, bytes]]:
    """CorruptMessage where one is damaged: what is made of it would get a checksum that says it is sound."""
    for header, position in _headers_in(data):
        batch = data[position : position + header.size]
        if len(batch) < header.size or header.size < HEADER_SIZE or crc_of(batch) != header.crc:
            raise CorruptMessage(f"the batch at offset {header.base_offset} is damaged")
        yield header, batch


def _headers_in(data: bytes) -> Iterator[tuple[BatchHeader, int]]:
    """Each with where its batch begins."""
    position = 0
    while position + HEADER_SIZE <= len(data):
        header = BatchHeader.peek(data, position)
        yield header, position
        position += max(header.size, HEADER_SIZE)


def plans_in(
    data: bytes,
    aborted: Collection[tuple[int, int]],
    *,
    start: int,
    delay: Delay,
    breathe: Callable[[], None] = lambda: None,
) -> tuple[list[Planned], int]:
    """What the committed records of some batches plan from an offset on, in their order, and the offset behind them."""
    found: list[Planned] = []
    offset = start
    for header, batch in batches_in(data):
        if header.is_control or (header.is_transactional and _is_aborted(header, aborted)):
            continue  # what is passed over is nothing
        breathe()
        for record in _records_of(batch):
            if record.offset < offset:
                continue
            if record.offset > offset:
                found.append(Nothing(offset, record.offset))
            offset = record.offset + 1
            found.append(planned_by(record, delay))
    end = _end_of(data, start)
    if end > offset:
        found.append(Nothing(offset, end))
    return found, end


def planned_by(record: Record, delay: Delay) -> Planned:
    try:
        return record.offset, read(record, delay=delay)
    except ValueError:
        return Unreadable(record.offset)


class EarlyCancel(msgspec.Struct, frozen=True, gc=False):
    """One that lies behind an open transaction, or in it."""

    offset: int
    id: bytes
    producer_id: int
    """Whose transaction has to be committed first; -1 outside of transactions."""


class Ended(msgspec.Struct, frozen=True, gc=False):
    """A transaction."""

    producer_id: int
    is_committed: bool


def cancels_in(data: bytes, start: int, delay: Delay) -> tuple[list[EarlyCancel | Ended], int]:
    """Cancels and the ends of transactions, in the order of the log, and the offset behind all."""
    found: list[EarlyCancel | Ended] = []
    for header, batch in batches_in(data):
        if header.is_control:
            if header.producer_id >= 0 and (marker := read_marker(batch)) is not None:
                found.append(Ended(header.producer_id, marker.type is MarkerType.COMMIT))
            continue
        if not header.compression and _ID_HEADER not in batch:
            continue
        producer_id = header.producer_id if header.is_transactional else -1
        for record in _records_of(batch):
            if record.value is None and record.offset >= start:
                try:
                    plan = read(record, delay=delay)
                except ValueError:
                    continue
                if isinstance(plan, Cancel) and plan.fires_at is None:
                    found.append(EarlyCancel(record.offset, plan.id, producer_id))
    return found, _end_of(data, start)


def notes_in(data: bytes, start: int) -> tuple[list[tuple[int, bytes]], int]:
    """Each note with the offset behind it, and the offset behind all."""
    found = []
    for header, batch in batches_in(data):
        if may_be_note(header) and (content := read_note(batch)) is not None and not is_mark(content):
            found.append((header.next_offset, content))
    return found, _end_of(data, start)


def _is_aborted(header: BatchHeader, aborted: Collection[tuple[int, int]]) -> bool:
    """`aborted`: producer ids and first offsets of transactions, whose markers end them (see `aborted_batches`)."""
    return (header.producer_id, header.base_offset) in aborted


def aborted_batches(data: bytes, transactions: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Which batches a read_committed consumer passes over: producer ids and base offsets."""
    left = sorted((first, producer_id) for producer_id, first in transactions)
    found: set[tuple[int, int]] = set()
    being_aborted: set[int] = set()
    for header, _ in _headers_in(data):
        while left and left[0][0] <= header.last_offset:
            being_aborted.add(left.pop(0)[1])
        if header.is_control:
            being_aborted.discard(header.producer_id)
        elif header.is_transactional and header.producer_id in being_aborted:
            found.add((header.producer_id, header.base_offset))
    return found


def _records_of(batch: bytes) -> list[Record]:
    try:
        return list(iterate(batch))
    except Malformed:
        return []  # nobody can read it, here or at the target


def _end_of(data: bytes, start: int) -> int:
    end = start
    for header, _ in _headers_in(data):
        end = header.next_offset
    return max(end, start)


def pick(data: bytes, wanted: Sequence[int], breathe: Callable[[], None]) -> tuple[list[Record], int]:
    """The records at these offsets, which rise, and the offset behind the batches. `breathe` is called between batches:
    by it a thread lets the event loop run.
    """
    found: list[Record] = []
    end = 0
    for header, batch in batches_in(data):
        breathe()
        end = header.next_offset
        first = bisect_left(wanted, header.base_offset)
        if first < len(wanted) and wanted[first] < end and not header.is_control:
            with suppress(Malformed):  # nobody can read it, here or at the target
                found += select(batch, wanted[first : bisect_left(wanted, end)])
    return found, end
