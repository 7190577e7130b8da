"""Takes in what was committed to a schedule partition, in the order of its log.

A start goes through the notes first, to the log's end: they are the new leader's to carry out, whether they were
committed or not. Then through the committed records, so that nothing is taken in that has long been fired. A snapshot
(snapshot.py) stands for all of it up to some offset.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from penstock.delivery.schedules.log_reader import LogReader
from penstock.delivery.schedules.reading import planned_by
from penstock.delivery.schedules.snapshot_files import SnapshotFile
from penstock.delivery.schedules.state import ScheduleState
from penstock.model import Clock
from penstock.replication import Partition

DEAL_AT_ONCE: Final = 2_000
BACK_AT_ONCE: Final = 1_000

_log = structlog.get_logger(__name__)


class Intake:
    def __init__(self, partition: Partition, reader: LogReader, clock: Clock, snapshots: SnapshotFile | None) -> None:
        self._partition = partition
        self._reader = reader
        self._clock = clock
        self._snapshots = snapshots
        self.state = ScheduleState(partition.start_offset, clock.now())
        self.cursor = partition.start_offset
        """Up to where committed records were taken in."""
        self._early_to = 0

    @property
    def is_level(self) -> bool:
        """All that was acknowledged has been taken in, or been looked through for cancels."""
        return max(self.cursor, self._early_to) >= self._partition.high_watermark

    async def load(self, is_over: Callable[[], bool]) -> bool:
        """Begin anew with what the log says; False where that is not committed yet, or leadership is over."""
        await self._load_notes(is_over, self._snapshots)
        if self.state.is_outdated:
            await self._load_notes(is_over, None)
        return not is_over()

    async def _load_notes(self, is_over: Callable[[], bool], snapshots: SnapshotFile | None) -> None:
        partition = self._partition
        notes_from = await self._begin(snapshots)
        state, end = self.state, partition.end_offset
        records_from = self.cursor
        while notes_from < end and not is_over():
            found, notes_from = await self._reader.notes(notes_from, end)
            for position, content in found:
                self._take_note(state, content, position)
            await asyncio.sleep(0)
        state.relay.loaded(partition.now_ms())
        # The others are among the records that come now.
        state.back = [offset for offset in state.back if offset < records_from]
        self._end_of_notes = end

    def is_behind(self) -> bool:
        """Some of what was there when it was loaded is not committed, or was not taken in."""
        return self._partition.high_watermark < self._end_of_notes or self.cursor < self._partition.last_stable_offset

    async def _begin(self, snapshots: SnapshotFile | None) -> int:
        """Where notes are to be read from."""
        partition = self._partition
        restored = None if snapshots is None else await snapshots.load(self._reader)
        if restored is None:
            self.state = ScheduleState(partition.start_offset, self._clock.now())
            self.cursor = self._early_to = partition.start_offset
            return self.cursor
        self.state = restored.state
        self.cursor = self._early_to = restored.records_to
        return restored.notes_to

    def _take_note(self, state: ScheduleState, content: bytes, position: int) -> None:
        try:
            state.replay(content, position)
        except ValueError as error:
            name = str(self._partition.topic_partition)
            _log.error("note not understood", partition=name, offset=position - 1, reason=str(error))

    async def take_in(self) -> bool:
        """What was committed since; whether there was something."""
        if self.cursor >= self._partition.last_stable_offset:
            return False
        state = self.state
        found, end = await self._reader.plans(self.cursor)
        for place, planned in enumerate(found, 1):
            state.take(planned)
            if not place % DEAL_AT_ONCE:
                await asyncio.sleep(0)
        if not found:  # nothing but offsets that were cleaned away
            state.machine.nothing(self.cursor, end)
        state.passed(end)
        self.cursor = end
        return True

    async def take_early_cancels(self) -> bool:
        """Those behind an open transaction, which were acknowledged, and those in it; whether there was something to
        read.
        """
        partition = self._partition
        offset = max(self._early_to, partition.last_stable_offset)
        if offset >= partition.high_watermark:
            return False
        found, self._early_to = await self._reader.cancels(offset)
        for each in found:
            self.state.take_early(each)
        return bool(self._early_to > offset)

    async def bring_back(self) -> None:
        """What an intent named whose target is gone."""
        state = self.state
        while state.back:
            some = sorted(state.back[:BACK_AT_ONCE])
            found = await self._reader.records(some)
            delay = self._reader.delay
            for offset in some:
                if offset in found:
                    state.take(planned_by(found[offset], delay))
            left = set(some)
            state.back = [offset for offset in state.back if offset not in left]
