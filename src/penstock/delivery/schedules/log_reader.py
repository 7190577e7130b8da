"""Reads the log of a schedule partition: what it plans, its notes, and single records. Heavy parts run in a thread."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from penstock.delivery.schedules.plan import Delay
from penstock.delivery.schedules.reading import (
    EarlyCancel,
    Ended,
    Planned,
    aborted_batches,
    cancels_in,
    notes_in,
    pick,
    plans_in,
)
from penstock.errors import CorruptMessage, KafkaStorageError
from penstock.log import FileSlice, Pace, look_into
from penstock.replication import Partition
from penstock.settings import TopicConfig
from penstock.wire.records import Record

PIECE_BYTES: Final = 256 * 1024
LOOP_BYTES_MAX: Final = 16 * 1024
"""What is read and taken in on the loop; more goes to a thread."""

T = TypeVar("T")
Breathe = Callable[[], None]


class LogReader:
    def __init__(self, partition: Partition, delay_of: Callable[[TopicConfig], Delay]) -> None:
        self._partition = partition
        self._delay_of = delay_of

    @property
    def delay(self) -> Delay:
        """Of records that say no time."""
        return self._delay_of(self._partition.config)

    async def notes(self, offset: int, end: int) -> tuple[list[tuple[int, bytes]], int]:
        """Notes from an offset on, committed or not, each with the offset behind it; and where to go on."""
        piece = self._partition.reader.piece(offset, bytes_max=4 * PIECE_BYTES, before=end)
        return await notes_of(piece, offset, end)

    async def plans(self, offset: int) -> tuple[list[Planned], int]:
        """What the committed records of one piece plan, and the offset behind it; up to the last stable offset."""
        partition = self._partition
        readable = partition.reader.read(offset, bytes_max=PIECE_BYTES, committed_only=True, at_least_one=True)
        records = readable.records
        if not isinstance(records, FileSlice):
            return [], readable.last_stable_offset
        aborted, delay = readable.aborted or [], self.delay
        return await from_piece(records, lambda breathe: _plans(records.read(), aborted, offset, delay, breathe))

    async def cancels(self, offset: int) -> tuple[list[EarlyCancel | Ended], int]:
        """Cancels up to the high watermark and the ends of transactions, of one piece, and the offset behind it."""
        partition = self._partition
        records = partition.reader.slice(offset, bytes_max=PIECE_BYTES)
        if records is None:
            return [], partition.high_watermark
        delay = self.delay
        return await from_piece(records, lambda _: cancels_in(records.read(), offset, delay))

    async def records(self, wanted: Sequence[int]) -> dict[int, Record]:
        """By their offsets, which rise, as far as the log has them."""
        found: dict[int, Record] = {}
        place = 0
        while place < len(wanted):
            place, some = await self.some_records(wanted, place)
            found |= some
        return found

    async def some_records(self, wanted: Sequence[int], place: int) -> tuple[int, dict[int, Record]]:
        """Those of one piece of the log, from the `place`-th wanted on; and the place to go on from."""
        start = self._partition.start_offset
        while place < len(wanted) and wanted[place] < start:
            place += 1
        piece = None
        if place < len(wanted):
            piece = self._partition.reader.slice(wanted[place], bytes_max=PIECE_BYTES)
        if piece is None:
            return len(wanted), {}
        ahead = wanted[place:]
        found, end = await from_piece(piece, lambda breathe: pick(piece.read(), ahead, breathe))
        place += 1
        while place < len(wanted) and wanted[place] < end:
            place += 1
        return place, {record.offset: record for record in found}


async def notes_of(piece: FileSlice | None, offset: int, end: int) -> tuple[list[tuple[int, bytes]], int]:
    if piece is None:
        return [], end
    return await from_piece(piece, lambda _: notes_in(piece.read(), offset))


async def from_piece(piece: FileSlice, make: Callable[[Breathe], T]) -> T:
    """What is made of a piece of the log: in a thread, unless it is small and surely in memory."""
    try:
        if piece.is_recent and piece.size <= LOOP_BYTES_MAX:
            return make(lambda: None)
        return await asyncio.to_thread(make, Pace(lambda: math.inf).breathe)
    except CorruptMessage as error:
        await look_into(piece, str(error))
        raise
    except OSError as error:
        await look_into(piece, str(error))
        raise KafkaStorageError(f"records that wait cannot be read: {error.strerror or error}") from error
    finally:
        piece.release()


def _plans(
    data: bytes, transactions: list[tuple[int, int]], start: int, delay: Delay, breathe: Breathe
) -> tuple[list[Planned], int]:
    aborted = aborted_batches(data, transactions) if transactions else set()
    return plans_in(data, aborted, start=start, delay=delay, breathe=breathe)
