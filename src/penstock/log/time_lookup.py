"""Finding records by their timestamps.

The look-ups open files of their own, so that a thread may do them; they change nothing.
"""

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.errors import CorruptMessage, KafkaStorageError
from penstock.log.batches import DamagedIn, batches_in
from penstock.log.segments.checking import position_for
from penstock.log.segments.scan import Damaged
from penstock.log.segments.segment import Segment, number_of
from penstock.model import LeaderEpoch, Millis
from penstock.wire.malformed import Malformed
from penstock.wire.records import iterate

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

LOOK_UPS_MAX: Final = 5
"""How often a lookup in a thread is begun anew because the log's files were exchanged under it."""


class FoundByTime(NamedTuple):
    timestamp: Millis
    offset: int
    leader_epoch: LeaderEpoch


class TimeLookup:
    __slots__ = ("_log",)

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log

    async def look_up(self, find: Callable[[], FoundByTime | None]) -> FoundByTime | None:
        """One of the two below, in a thread. Meanwhile compaction may exchange a file and retention remove one: what
        then looks like damage is none, and the lookup is begun anew.
        """
        log = self._log
        for _ in range(LOOK_UPS_MAX):
            segments = log.segments
            try:
                return await asyncio.to_thread(find)
            except DamagedIn as found:
                if log.segments is segments:
                    log.damage.take_in(found.segment, found.damage)
                    raise CorruptMessage(f"{log.partition} cannot be looked up: {found.damage}") from found.damage
            except Malformed as error:
                raise CorruptMessage(f"{log.partition} cannot be looked up: {error}") from error
            except FileNotFoundError:
                log.health.ensure_readable()
            except OSError as error:
                raise KafkaStorageError(f"{log.partition} cannot be looked up: {error.strerror or error}") from error
        raise KafkaStorageError(f"{log.partition} changes too fast to be looked up")

    def find(self, timestamp: int) -> FoundByTime | None:
        """The first record at or after the log's start whose timestamp is at least this one."""
        log = self._log
        log.health.ensure_readable()
        start_offset, end_offset, segments = log.start_offset, log.end_offset, log.segments
        for segment in segments[number_of(segments, start_offset) :]:
            if segment.size and segment.load_timestamps() >= timestamp:
                found = _find_in(segment, timestamp, start_offset)
                if found is not None:
                    return found if found.offset < end_offset else None
        return None

    def find_largest(self) -> FoundByTime | None:
        """The first record that has the largest timestamp of all."""
        log = self._log
        log.health.ensure_readable()
        start_offset, segments = log.start_offset, log.segments
        held = [s for s in segments[number_of(segments, start_offset) :] if s.size and s.load_timestamps() >= 0]
        if not held:
            return None
        best = max(held, key=lambda segment: segment.max_timestamp)
        found = _find_in(best, best.max_timestamp, start_offset)
        return found or _newest_of(held, start_offset)


def _find_in(segment: Segment, timestamp: int, start_offset: int) -> FoundByTime | None:
    times = segment.time_index if segment.time_index is not None else segment.load_time_index()
    offsets = segment.index if segment.index is not None else segment.load_offset_index()
    from_offset = max(times.floor(timestamp), start_offset - segment.base_offset)
    try:
        position = position_for(segment, offsets, from_offset)
        for found in batches_in(segment, position=position, check_crc=False):
            if found.header.max_timestamp < timestamp or found.header.last_offset < start_offset:
                continue
            for record in iterate(found.view):
                if record.timestamp >= timestamp and record.offset >= start_offset:
                    epoch = LeaderEpoch(found.header.leader_epoch)
                    return FoundByTime(Millis(record.timestamp), record.offset, epoch)
    except Damaged as damage:
        raise DamagedIn(segment, damage) from damage
    return None


def _newest_of(held: list[Segment], start_offset: int) -> FoundByTime | None:
    """The first record of the largest timestamp by the records' own timestamps: no record has the one that a batch's
    header claimed. Headers of batches that were not looked into at their append may lie.
    """
    best: FoundByTime | None = None
    for segment in sorted(held, key=lambda each: each.max_timestamp, reverse=True):
        if best is not None and segment.max_timestamp < best.timestamp:
            break
        for timestamp, offset, epoch in _timestamps_in(segment, start_offset):
            if best is None or (-timestamp, offset) < (-best.timestamp, best.offset):
                best = FoundByTime(Millis(timestamp), offset, LeaderEpoch(epoch))
    return best


def _timestamps_in(segment: Segment, start_offset: int) -> Iterator[tuple[int, int, int]]:
    try:
        for found in batches_in(segment, position=0, check_crc=False):
            for record in iterate(found.view) if found.header.last_offset >= start_offset else ():
                if record.offset >= start_offset:
                    yield record.timestamp, record.offset, found.header.leader_epoch
    except Damaged as damage:
        raise DamagedIn(segment, damage) from damage
