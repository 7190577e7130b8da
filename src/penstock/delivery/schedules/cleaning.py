"""Keeps a schedule partition's log small: closed segments lose what is finished, so that one record that is due in a
year keeps itself alone.

The leader writes what is left into the log (kept.py) when that is worth it. Each replica, the leader as well, finds
that note among what is replicated, and cleans its own closed segments by it.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import structlog

from penstock.delivery.schedules import kept
from penstock.delivery.schedules.kept import Collector, Kept
from penstock.delivery.schedules.log_reader import notes_of
from penstock.delivery.schedules.refs import Ref
from penstock.delivery.schedules.state import ScheduleState
from penstock.log import Pace, Stopped
from penstock.model import Clock
from penstock.replication import ClosedSegments, Partition, append_note

LEFT_MAX: Final = 1_000_000
"""Records that a note may name; a log with more of them that wait is mostly what waits."""
DIRTY_MIN: Final = 0.5
"""As min.cleanable.dirty.ratio has it by default."""
REFS_AT_ONCE: Final = 5_000
BYTES_A_SECOND: Final = 50_000_000.0
PIECE_BYTES: Final = 1 << 20

_log = structlog.get_logger(__name__)


async def write_what_is_left(partition: Partition, state: ScheduleState, upto: int) -> bool:
    """Where most of the closed segments, which end at `upto`, is finished by now; whether it was. The state is as it is
    until that is done, but for what comes to be known of batches on their way.
    """
    there = upto - max(state.kept_to, partition.start_offset) + state.kept_count
    if upto < state.kept_to or state.machine.waiting > LEFT_MAX or not _is_dirty(there, state.machine.waiting):
        return False
    refs: list[Ref] = []
    for ref in state.machine.unfinished_below(upto):
        refs.append(ref)
        if not len(refs) % REFS_AT_ONCE:
            await asyncio.sleep(0)
    if not _is_dirty(there, len(refs)):
        return False  # much is on its way
    for content in kept.encode(partition.end_offset, upto, refs, state.relay.entries()):
        state.noted_to = append_note(partition, content).next_offset
    state.kept_to, state.kept_count = upto, len(refs)
    return True


def _is_dirty(there: int, left: int) -> bool:
    """`there`: about how many records and notes the closed segments have."""
    return there - left > there * DIRTY_MIN


class LogCleaning:
    """Of one replica."""

    def __init__(self, partition: Partition, segments: ClosedSegments, clock: Clock) -> None:
        self._partition = partition
        self._segments = segments
        self._clock = clock
        self._read_to = partition.start_offset
        self._collector = Collector()
        self._kept: Kept | None = None
        self._cleaned: tuple[int, Kept] | None = None
        self._pace = Pace(lambda: BYTES_A_SECOND, monotonic=time.monotonic)

    def is_of(self, partition: Partition) -> bool:
        return self._partition is partition and not self.is_gone

    @property
    def is_gone(self) -> bool:
        return self._segments.is_gone

    def stop(self) -> None:
        self._pace.stop()

    async def look(self, executor: ThreadPoolExecutor) -> bool:
        """Whether segments were cleaned."""
        if not self._segments.is_sound:
            return False
        name = str(self._partition.topic_partition)
        try:
            await self._find()
            return await self._clean(executor)
        except Stopped as reason:
            _log.info("cleaning given up", partition=name, reason=str(reason))
        except Exception as error:  # whatever it is, it is this log's: the others go on
            _log.warning("schedule log not cleaned", partition=name, reason=repr(error))
        return False

    async def _find(self) -> None:
        """The newest that is replicated."""
        end = self._partition.high_watermark
        self._read_to = max(self._read_to, self._partition.start_offset)
        while self._read_to < end:
            piece = self._segments.slice(self._read_to, bytes_max=PIECE_BYTES)
            found, self._read_to = await notes_of(piece, self._read_to, end)
            for _, content in found:
                if kept.is_part(content):
                    self._kept = self._collector.add(content) or self._kept

    async def _clean(self, executor: ThreadPoolExecutor) -> bool:
        found = self._kept
        if found is None:
            return False
        upto = self._segments.cleanable_to(found.upto)
        if upto < 0 or (upto, found) == self._cleaned:
            return False
        now = self._clock.now()
        outcome = await self._segments.keep(found.offsets, upto, now=now, pace=self._pace, executor=executor)
        self._cleaned = (upto, found)
        _log.info(
            "schedule log cleaned",
            partition=str(self._partition.topic_partition),
            upto=upto,
            bytes_before=outcome.bytes_before,
            bytes_after=outcome.bytes_after,
            records_kept=outcome.records_kept,
        )
        return True
