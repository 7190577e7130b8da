"""Taking records off a log: retention and DeleteRecords from its start, truncation from its end, compaction in between.

Files are renamed to `.deleted` first and removed after file.delete.delay.ms, so that a reader who has just been given
a slice is not cut off. A crash in between leaves either the files, which retention finds again, or `.deleted` ones,
which the next start removes.
"""

import os
from collections.abc import Sequence
from typing import Final, NamedTuple

import structlog

from penstock.errors import OffsetOutOfRange
from penstock.log.files import remove_files, rename_if_there
from penstock.log.machine import FOREVER, RetentionRules, SegmentFacts, expired_segments
from penstock.log.reading import ReadableLog
from penstock.log.segment import INDEX, SUFFIXES, TIME_INDEX, TXN_INDEX, UNKNOWN, Segment
from penstock.log.transactions import AbortedTransaction, TransactionIndex
from penstock.settings.topic import CLEANUP_POLICY, RETENTION_BYTES, RETENTION_MS
from penstock.wire.batch import NO_TIMESTAMP, BatchHeader

_log = structlog.get_logger(__name__)

DELETED: Final = ".deleted"


class RetentionPlan(NamedTuple):
    segments: tuple[Segment, ...]
    reason: str


def rename_doomed(segments: Sequence[Segment]) -> list[str]:
    """Rename files to `.deleted`, in the order given: retention begins with the oldest, a crash leaves a suffix."""
    paths = [segment.path(suffix) for segment in segments for suffix in SUFFIXES]
    return [path + DELETED for path in paths if rename_if_there(path, path + DELETED)]


class CuttableLog(ReadableLog):
    # --- from the start ---

    def plan_retention(self, now: int) -> RetentionPlan:
        """What retention would delete; looks timestamps up in files, so in a thread."""
        config, segments = self.config, self.segments
        rules = RetentionRules(
            retention_ms=config[RETENTION_MS],
            retention_bytes=config[RETENTION_BYTES],
            deletes="delete" in config[CLEANUP_POLICY],
        )
        if not self.size:
            return RetentionPlan((), "")
        expired = expired_segments(
            self._facts(segments, rules, now),
            rules,
            now=now,
            start_offset=self.start_offset,
            high_watermark=self.high_watermark,
        )
        return RetentionPlan(segments[: expired.count], expired.reason)

    def _facts(self, segments: tuple[Segment, ...], rules: RetentionRules, now: int) -> list[SegmentFacts]:
        """Timestamps are looked up only as far as the first segment that time does not delete."""
        facts = []
        by_time = rules.deletes and rules.retention_ms != FOREVER
        for number, segment in enumerate(segments):
            next_base = segments[number + 1].base_offset if number + 1 < len(segments) else self.end_offset
            timestamp = segment.retention_timestamp() if by_time and segment.is_created else now
            by_time = by_time and now - timestamp > rules.retention_ms
            facts.append(SegmentFacts(segment.base_offset, next_base, segment.size, timestamp))
        return facts

    def drop_oldest(self, plan: RetentionPlan) -> list[Segment]:
        """Take the oldest segments out of the log, on the loop; their files are the caller's to remove.

        Nothing happens where the log has changed since the plan was made: there will be another.
        """
        count = len(plan.segments)
        if not count or self.segments[:count] != plan.segments:
            return []
        if self.trouble is not None and not self.trouble.may_pass:
            return []  # a full disk is no reason: deleting is what helps
        next_base = self.segments[count].base_offset if count < len(self.segments) else self.end_offset
        if next_base > self.high_watermark:
            return []
        if count == len(self.segments):
            try:
                self.roll()
            except OSError as error:
                raise self.fail("could not begin a segment", error) from error
        self.segments = self.segments[count:]
        self.size -= sum(segment.size for segment in plan.segments)
        if self.segments[0].base_offset > self.start_offset:
            self._start_at(self.segments[0].base_offset)
        for segment in plan.segments:
            self.pool.indexes.drop(segment)
        _log.info(
            "segments deleted",
            partition=str(self.partition),
            count=count,
            reason=plan.reason,
            start_offset=self.start_offset,
        )
        return list(plan.segments)

    def delete_old_segments(self, now: int, high_watermark: int) -> int:
        """Retention in one call, for those who may block: plan, drop, rename; how many segments went."""
        self.high_watermark = max(self.high_watermark, high_watermark)
        gone = self.drop_oldest(self.plan_retention(now))
        if gone and self.home is not None:
            self.home.start_rises(self)
        self.doom(gone)
        return len(gone)

    def doom(self, segments: Sequence[Segment]) -> None:
        """Rename the files of segments that were dropped, and have them removed later."""
        self.removal_begun(segments, rename_doomed(segments))

    def removal_begun(self, segments: Sequence[Segment], paths: list[str]) -> None:
        """Second half of `doom`, on the loop, where a thread did the renaming."""
        for segment in segments:
            segment.file.forget()
        if self.home is not None:
            self.home.doomed(self, paths)
        else:
            remove_files(paths)

    def advance_start(self, offset: int) -> None:
        """DeleteRecords: nothing below `offset` is served any more; retention removes whole segments later."""
        if offset > self.high_watermark:
            raise OffsetOutOfRange(f"{self.partition}: {offset} is past the high watermark {self.high_watermark}")
        if offset > self.start_offset:
            self._start_at(offset)

    def _start_at(self, offset: int) -> None:
        self.start_offset = offset
        self.epochs.cut_start(offset)
        self.producers.remove_snapshots_before(self.segments[0].base_offset)

    # --- from the end ---

    def truncate(self, *, to: int) -> None:
        """Forget every record at or after `to`; of a batch that holds `to`, all of it."""
        if to >= self.end_offset:
            return
        if to < self.start_offset:
            self.truncate_fully_and_start_at(to)
            return
        self._before_cut(to)
        kept = [segment for segment in self.segments if segment.base_offset <= to]
        gone = self.segments[len(kept) :]
        try:
            self._cut_segment(kept[-1], to)
        except OSError as error:
            raise self.fail("could not be cut", error) from error
        self.segments = tuple(kept)
        self.size = sum(segment.size for segment in kept)
        self.end_offset = to
        self.high_watermark = min(self.high_watermark, to)
        self.doom(gone[::-1])
        self.epochs.cut_end(to)
        self.restore_producers(self.producers.truncate_to(to, self.start_offset))
        _log.info("log truncated", partition=str(self.partition), end_offset=to)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Throw everything away and begin again at an offset: a follower whose leader has nothing older."""
        self._before_cut(min(offset, self.start_offset))
        gone = self.segments
        self.doom(gone[::-1])
        self.segments, self.size = (), 0
        self.start_offset = self.end_offset = self.high_watermark = offset
        self.recovery_point = min(self.recovery_point, offset)
        self.epochs.clear()
        self.producers.reset()
        self.add_segment(offset)

    def _before_cut(self, to: int) -> None:
        self.cuts += 1
        if to < self.recovery_point:
            self.recovery_point = to
            if self.home is not None:
                self.home.recovery_point_falls(self)

    def _cut_segment(self, segment: Segment, to: int) -> None:
        segment.activate()
        assert segment.index is not None and segment.time_index is not None
        position = segment.find(to)
        segment.recent = None
        if position == UNKNOWN:
            return
        # An index file of an active segment is missing or true: a later start begins its scan by it.
        remove_files([segment.path(INDEX), segment.path(TIME_INDEX)])
        if segment.end_before(to) != position:
            self.allow_gaps()  # `to` is within a batch, which goes as a whole
        os.ftruncate(segment.file.descriptor(), position)
        segment.size = position
        segment.hot_from = min(segment.hot_from, position)
        segment.index.cut(position)
        segment.time_index.cut(to - segment.base_offset)
        segment.is_index_written = False
        segment.since_index_bytes = position - (segment.index.positions[-1] if len(segment.index) else 0)
        self._find_timestamps(segment)
        if segment.transactions is not None:
            segment.transactions.truncate_to(to)

    def _find_timestamps(self, segment: Segment) -> None:
        """The largest timestamp of what is left: the time index, then the batches after its last entry."""
        assert segment.index is not None and segment.time_index is not None
        timestamp, relative = segment.time_index.last() or (NO_TIMESTAMP, 0)
        segment.max_timestamp, segment.max_timestamp_last = timestamp, segment.base_offset + relative
        for found in self.batches_of(segment, position=segment.index.floor(relative), check_crc=False):
            if found.header.max_timestamp > segment.max_timestamp:
                segment.max_timestamp = found.header.max_timestamp
                segment.max_timestamp_last = found.header.last_offset

    # --- what a cut must see again ---

    def restore_producers(self, replay_from: int) -> None:
        """Bring producer state up to the log's end, from the offset to which it is known (RULES 27)."""
        if replay_from >= self.end_offset:
            return
        for segment in self.segments[self._number_of(self.segments, replay_from) :]:
            if segment.transactions is not None:
                segment.transactions.truncate_to(replay_from)
            for found in self.batches_of(segment, check_crc=False):
                if found.header.base_offset >= replay_from:
                    self.note_producer(segment, found.header, found.view)

    def note_producer(self, segment: Segment, header: BatchHeader, view: memoryview) -> None:
        """A producer's batch is in the log; a transaction that it aborts goes into the segment's index."""
        ended = self.producers.update(header, view)
        if ended is None or not ended.is_aborted:
            return
        if segment.transactions is None:
            self.add_transaction_index(segment)
        assert segment.transactions is not None
        segment.transactions.append(
            AbortedTransaction(ended.producer_id, ended.first_offset, ended.last_offset, ended.last_stable_offset)
        )

    def add_transaction_index(self, segment: Segment) -> None:
        segment.transactions = TransactionIndex(self.folder / os.path.basename(segment.path(TXN_INDEX)))

    # --- new segments ---

    def roll(self) -> Segment:
        """Close the active segment and begin another at the log's end; one that has no records yet serves as it is."""
        active = self.active
        return active if active.base_offset == self.end_offset else self.roll_at(self.end_offset)

    def roll_at(self, base_offset: int) -> Segment:
        active = self.active
        # Whatever can fail comes first: a roll that failed has not happened.
        self.producers.take_snapshot(self.end_offset)
        segment = self.add_segment(base_offset)
        active.close()
        if self.home is not None:
            self.home.rolled(self)
        return segment

    def add_segment(self, base_offset: int) -> Segment:
        segment = Segment(self.pool, str(self.folder), base_offset, created_at=self.clock.now())
        segment.activate()
        segment.file.create()
        segment.is_created = True
        self.is_folder_synced = False
        self.segments = (*self.segments, segment)
        return segment
