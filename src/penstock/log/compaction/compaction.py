"""Compacting one log: map the keys of its dirty part, rewrite its segments without what was superseded, swap them in.

Everything heavy runs in a thread, on files that nobody changes (closed segments) through descriptors of its own; the
event loop only fixes what is to be done (`Compaction`) and swaps the outcome in, group of segments by group. What
happens to the log meanwhile shows before the swap: where the old segments are gone (retention), where the log was cut
(what displaced a record may be gone) or deleted, nothing is swapped, and another round starts from what is there.

A crash leaves `.cleaned` files, which are removed at start, or `.swap` files, which are completed (see swapping).
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from itertools import pairwise
from typing import Final, TypeVar

import msgspec

from penstock.log.compaction.cleaned_segment import CleanedSegment
from penstock.log.compaction.filter import RECORDS_PER_BREATH, BatchFilter, Transactions
from penstock.log.compaction.offset_map import OffsetMap
from penstock.log.compaction.plan import ClosedSegment, DirtyRange, group
from penstock.log.damage.damage import DamagedRange, bad_range
from penstock.log.file_pool import private_descriptor, sync_folder
from penstock.log.pace import Pace, Stopped
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.scan import Damaged, Found, walk
from penstock.log.segments.transaction_index import AbortedTransaction, CorruptTransactionIndex, collect_aborted
from penstock.log.swapping import remove_leftovers
from penstock.settings.topic import (
    DELETE_RETENTION_MS,
    INDEX_INTERVAL_BYTES,
    INTERNAL_SEGMENT_BYTES,
    SEGMENT_BYTES,
    SEGMENT_INDEX_BYTES,
)
from penstock.wire.malformed import Malformed
from penstock.wire.records import iterate

INDEX_ENTRY_BYTES: Final = 12
"""Of the time index, the larger of the two; there is an entry at most for each index.interval.bytes."""

_WAS_CUT: Final = "the log was cut"

T = TypeVar("T")


class CompactionOutcome(msgspec.Struct, frozen=True, gc=False):
    upto: int
    """Clean up to here: the log's new cleaner checkpoint."""
    bytes_before: int
    bytes_after: int
    records_read: int
    records_kept: int


class Compaction:
    """One round over one log. Made and run on the loop, with its heavy parts in an executor."""

    def __init__(
        self, log: PartitionLog, dirt: DirtyRange, newest: OffsetMap, *, cuts: int, now: int, pace: Pace
    ) -> None:
        self._log = log
        self._dirt = dirt
        self._cuts = cuts  # the log's, when it was looked at for dirt
        self._newest = newest
        self.damaged: tuple[int, DamagedRange] | None = None
        """The segment and place where a batch was found bad, if Damaged came out of `run`."""
        self._pace = pace
        self._all = log.segments
        self._by_base = {segment.base_offset: segment for segment in self._all}
        self._closed = closed_segments(log)
        self._filter = BatchFilter(
            newest=newest,
            last_batches=log.producers.last_batches(),
            now=now,
            delete_retention_ms=log.config[DELETE_RETENTION_MS],
            transactions=Transactions(),
            breathe=pace.breathe,
        )

    async def run(self, executor: Executor) -> CompactionOutcome:
        """Stopped where the log was changed by others; Damaged and Malformed for what is in it; OSError."""
        try:
            return await self._run(executor)
        except (Damaged, Malformed, OSError):
            self._check()
            raise
        except CorruptTransactionIndex as error:
            # What was aborted would be taken for the newest of its keys, and displace what was not.
            self._check()
            self._log.aborts.doubt(error.index)
            raise Stopped(str(error)) from error

    async def _run(self, executor: Executor) -> CompactionOutcome:
        loop = asyncio.get_running_loop()

        def in_thread(work: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
            return loop.run_in_executor(executor, work, *arguments)

        await in_thread(self._map_keys)
        self._check()
        # Said before any offset goes missing: else a start after a crash would take the gaps for damage.
        self._log.allow_gaps()
        await in_thread(sync_folder, str(self._log.folder))
        before = after = 0
        for members in self._groups():
            before += sum(segment.size for segment in members)
            size = await in_thread(self._rewrite, members)
            if size is None:  # nothing to take out of a single segment: it stays as it is
                after += members[0].size
                continue
            after += size
            self._swap_in(members)
            await in_thread(sync_folder, str(self._log.folder))
            await in_thread(self._log.aborts.sums.write)
        self._check()
        return CompactionOutcome(self._newest.upto, before, after, self._filter.records_read, self._filter.records_kept)

    def _check(self) -> None:
        """Files are found by name, and of a log that was deleted meanwhile another may have the name by now: that one's
        are neither read, so that what was found is true, nor touched. Of one that was cut, what was found may be gone.
        """
        if not self._log.health.is_readable:
            raise Stopped(self._log.health.offline_reason)
        if self._log.cuts != self._cuts:
            raise Stopped(_WAS_CUT)

    def _groups(self) -> list[list[ClosedSegment]]:
        config = self._log.config
        return group(
            [segment for segment in self._closed if segment.base_offset < self._newest.upto],
            segment_bytes=config[INTERNAL_SEGMENT_BYTES] or config[SEGMENT_BYTES],
            segment_index_bytes=config[SEGMENT_INDEX_BYTES],
        )

    # --- in the thread -----------------------------------------------------------------------------------------------

    def _map_keys(self) -> None:
        dirt = self._dirt
        transactions = Transactions()
        for segment in self._closed:
            if segment.next_offset <= dirt.first_dirty or segment.next_offset > dirt.upto:
                continue
            transactions.expect(self._aborted(segment))
            for found in self._walk(segment):
                if not self._map_batch(found, transactions):
                    return
        self._newest.upto = dirt.upto

    def _map_batch(self, found: Found, transactions: Transactions) -> bool:
        """False where the map is full: what it holds is enough for a round, the rest is left for the next."""
        if found.header.is_control:
            transactions.is_marker_spent(found.header, found.view)
            return True
        if transactions.is_aborted(found.header):
            return True
        newest, first_dirty = self._newest, self._dirt.first_dirty
        for number, record in enumerate(iterate(found.view)):
            if not number % RECORDS_PER_BREATH:
                self._pace.breathe()
            if record.key is None or record.offset < first_dirty:
                continue
            if not newest.put(record.key, record.offset):
                newest.upto = record.offset
                return False
        return True

    def _rewrite(self, members: list[ClosedSegment]) -> int | None:
        """Write a group's `.cleaned` files and make them ready to swap; their size, None where nothing would change."""
        folder, base_offset = self._log.folder, members[0].base_offset
        self._filter.transactions.kept = []
        try:
            with CleanedSegment(
                folder, base_offset, pool=self._log.pool, index_interval_bytes=self._log.config[INDEX_INTERVAL_BYTES]
            ) as cleaned:
                is_changed = len(members) > 1
                for segment in members:
                    is_changed |= self._clean(segment, cleaned, is_last=segment is members[-1])
                if is_changed:
                    aborted = self._filter.transactions.kept
                    cleaned.finish(aborted, like=self._by_base[members[-1].base_offset].file.path)
            if not is_changed:
                remove_leftovers(folder, base_offset)
                return None
            self._check()
            if not self._log.swapping.prepare(base_offset, cuts=self._cuts):
                raise Stopped(_WAS_CUT)
        except BaseException:
            remove_leftovers(folder, base_offset)
            raise
        return cleaned.size

    def _clean(self, segment: ClosedSegment, cleaned: CleanedSegment, *, is_last: bool) -> bool:
        """Copy what is to be kept of one segment; whether anything was taken out or altered."""
        is_changed = False
        self._filter.transactions.expect(self._aborted(segment))
        for found in self._walk(segment):
            header = found.header
            ends_segment = is_last and found.position + header.size == segment.size
            kept = self._filter.apply(header, found.view, ends_segment=ends_segment)
            is_changed |= kept is not found.view
            if kept is not None:
                cleaned.append(kept)
                self._pace.spend(len(kept))
        return is_changed

    def _walk(self, segment: ClosedSegment) -> Iterator[Found]:
        of_log = self._by_base[segment.base_offset]
        with private_descriptor(of_log.file.path) as fd:
            try:
                for found in walk(fd, 0, segment.size, expected_offset=segment.base_offset):
                    self._pace.spend(found.header.size)
                    yield found
            except Damaged as damage:
                where = bad_range(fd, of_log, damage.position, size=segment.size, first_offset=damage.expected_offset)
                self.damaged = (segment.base_offset, where)
                raise

    def _aborted(self, segment: ClosedSegment) -> list[AbortedTransaction]:
        """Aborted transactions that overlap a segment; their markers may be in later ones, the active one included."""
        later = [s.transactions for s in self._all if s.base_offset >= segment.base_offset]
        return collect_aborted((i for i in later if i is not None), segment.base_offset, segment.next_offset)

    # --- on the loop -------------------------------------------------------------------------------------------------

    def _swap_in(self, members: list[ClosedSegment]) -> None:
        base_offset = members[0].base_offset
        old = [self._by_base[segment.base_offset] for segment in members]
        try:
            self._check()
            self._log.swapping.replace(old, [base_offset])
        except (ValueError, Stopped) as error:
            remove_leftovers(self._log.folder, base_offset)
            raise Stopped(str(error)) from error
        except OSError:
            remove_leftovers(self._log.folder, base_offset)
            raise
        self._log.producers.history.remove_at([segment.base_offset for segment in members[1:]])
        self._all = self._log.segments
        self._by_base = {segment.base_offset: segment for segment in self._all}


def closed_segments(log: PartitionLog) -> list[ClosedSegment]:
    """All but the active one; timestamps are left for whoever needs them, since they may have to be read."""
    interval = max(1, log.config[INDEX_INTERVAL_BYTES])
    return [
        ClosedSegment(
            base_offset=segment.base_offset,
            next_offset=following.base_offset,
            size=segment.size,
            index_size=(segment.size // interval + 1) * INDEX_ENTRY_BYTES,
        )
        for segment, following in pairwise(log.segments)
    ]
