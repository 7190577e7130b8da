"""The snapshot of a schedule partition, in the folder of its log: written when it is worth it, read by a start."""

import asyncio
import contextlib
import os
import sys
from array import array
from pathlib import Path
from typing import BinaryIO, Final

import crc32c
import msgspec
import structlog

from penstock.delivery.schedules import snapshot
from penstock.delivery.schedules.log_reader import LogReader
from penstock.delivery.schedules.machine import Recurring
from penstock.delivery.schedules.plan import Plan, read
from penstock.delivery.schedules.snapshot import Contents, Head, Place
from penstock.delivery.schedules.state import ScheduleState
from penstock.model import Clock
from penstock.replication import Partition
from penstock.settings.topic import PENSTOCK_SCHEDULE_DELAY_MS

NAME: Final = "penstock-schedule-snapshot"
MANY_OFFSETS: Final = 200_000
"""So many offsets are read again in a second or two: more are worth a snapshot at once."""
SOME_OFFSETS: Final = 20_000
SOME_AFTER_S: Final = 60.0
LEAST_S: Final = 10.0
"""Between two."""

_log = structlog.get_logger(__name__)


class Restored(msgspec.Struct):
    state: ScheduleState
    records_to: int
    notes_to: int


class SnapshotFile:
    def __init__(self, folder: Path, partition: Partition, clock: Clock) -> None:
        self._path = folder / NAME
        self._new = self._path.with_suffix(".new")
        self._is_new = False
        self._partition = partition
        self._clock = clock
        self._offset = partition.start_offset
        """Up to where the last one went."""
        self._made_at = clock.monotonic()

    # Writing ------------------------------------------------------------------------------------------------------

    def is_due(self, cursor: int, waiting: int) -> bool:
        """Often enough that a start has little to read, seldom enough that little is written for each record."""
        since_s = self._clock.monotonic() - self._made_at
        behind = cursor - self._offset
        return (behind >= MANY_OFFSETS + waiting // 16 and since_s >= LEAST_S) or (
            behind >= SOME_OFFSETS and since_s >= SOME_AFTER_S
        )

    async def write(self, state: ScheduleState, cursor: int) -> None:
        """The state must not change meanwhile; `finish` is to follow, at whatever time."""
        self._offset, self._made_at = cursor, self._clock.monotonic()
        self._is_new = False
        place = self._place(cursor, max(cursor, state.noted_to))
        try:
            with await asyncio.to_thread(self._new.open, "wb") as file:
                crc = 0
                for piece in snapshot.pieces(state, place):
                    crc = await asyncio.to_thread(_write, file, piece, crc)
                await asyncio.to_thread(_write, file, crc.to_bytes(4, "big"), crc)
            self._is_new = True
        except OSError as error:
            self._give_up(error)

    async def finish(self) -> None:
        """What was written is the snapshot from now on, once the disk has it."""
        if self._is_new:
            try:
                await asyncio.to_thread(_replace, self._new, self._path)
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """A disk that is full, or fails: a start takes longer then."""
        _log.warning("schedule snapshot not written", path=str(self._path), reason=str(error))
        with contextlib.suppress(OSError):
            self._new.unlink()

    def _place(self, records_to: int, notes_to: int) -> Place:
        partition = self._partition
        epoch = partition.reader.epoch_at(notes_to - 1)
        delay_ms = partition.config[PENSTOCK_SCHEDULE_DELAY_MS]
        return Place(bytes(partition.topic_id), partition.index, delay_ms, records_to, notes_to, epoch)

    # Reading ------------------------------------------------------------------------------------------------------

    async def load(self, reader: LogReader) -> Restored | None:
        """None where there is none, or none of this log as it is."""
        contents = await asyncio.to_thread(self._read)
        if contents is None:
            return None
        place = contents.head.place
        if not self._fits(place):
            _log.info("schedule snapshot does not fit the log", path=str(self._path))
            return None
        try:
            state = await asyncio.to_thread(snapshot.restored, contents, self._clock.now())
        except (ValueError, msgspec.MsgspecError) as error:
            _log.warning("schedule snapshot not understood", path=str(self._path), reason=str(error))
            return None
        if not await _restore_recurring(state, contents.head, reader):
            return None
        self._offset, self._made_at = place.records_to, self._clock.monotonic()
        return Restored(state, place.records_to, place.notes_to)

    def _fits(self, place: Place) -> bool:
        """The log has the same records up to there: it had the same leader there (RULES 24)."""
        partition = self._partition
        is_within = partition.start_offset <= place.records_to <= place.notes_to <= partition.end_offset
        return is_within and place.epoch >= 0 and place == self._place(place.records_to, place.notes_to)

    def _read(self) -> Contents | None:
        try:
            with self._path.open("rb") as file:
                return _contents(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError, msgspec.MsgspecError) as error:
            _log.warning("schedule snapshot not read", path=str(self._path), reason=str(error))
            return None


async def _restore_recurring(state: ScheduleState, head: Head, reader: LogReader) -> bool:
    due = {offset: due_ms for due_ms, offset in head.recurring}
    found = await reader.records(sorted(due))
    for offset, due_ms in due.items():
        plan = read(found[offset], delay=reader.delay) if offset in found else None
        if not isinstance(plan, Plan) or plan.recurrence is None:
            return False
        state.machine.recurring[offset] = Recurring(plan.recurrence, plan.missed, due_ms)
    return True


def _write(file: BinaryIO, piece: bytes, crc: int) -> int:
    file.write(piece)
    return int(crc32c.crc32c(piece, crc))


def _replace(new: Path, path: Path) -> None:
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(path)


def _contents(file: BinaryIO) -> Contents:
    """ValueError or EOFError where it is torn, or another version's."""
    start = file.read(len(snapshot.MAGIC) + 4)
    if not start.startswith(snapshot.MAGIC):
        raise ValueError("no snapshot of this version")
    coded = file.read(int.from_bytes(start[-4:], "big"))
    crc = crc32c.crc32c(coded, crc32c.crc32c(start))
    head = msgspec.msgpack.decode(coded, type=Head)
    if head.byte_order != sys.byteorder:
        raise ValueError("a snapshot of another kind of machine")
    numbers = sum(count for _, _, count in head.slices) + 3 * head.ids
    if 8 * numbers > os.fstat(file.fileno()).st_size:
        raise ValueError("the file is shorter than it says")
    slices = []
    for level, number, count in head.slices:
        found = _numbers(file, count)
        slices.append((level, number, found))
        crc = _crc_of(found, crc)
    id_offsets = _numbers(file, head.ids)
    crc = _crc_of(id_offsets, crc)
    ids = file.read(head.ids * snapshot.ID_BYTES)
    crc = crc32c.crc32c(ids, crc)
    if file.read() != crc.to_bytes(4, "big"):
        raise ValueError("the checksum is wrong")
    return Contents(head, slices, id_offsets, ids)


def _numbers(file: BinaryIO, count: int) -> "array[int]":
    found = array("q")
    found.fromfile(file, count)
    return found


def _crc_of(numbers: "array[int]", crc: int) -> int:
    return int(crc32c.crc32c(memoryview(numbers), crc))
