"""Taking records off the start of a log: retention by time and size, DeleteRecords.

Files are renamed to `.deleted` first and removed after file.delete.delay.ms, so that a reader who has just been given
a slice is not cut off. A crash in between leaves either the files, which retention finds again, or `.deleted` ones,
which the next start removes.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import structlog

from penstock.errors import OffsetOutOfRange
from penstock.log.files import remove_files, rename_if_there
from penstock.log.machine import RetentionRules, SegmentFacts, expired_segments
from penstock.log.rolling import RollableLog
from penstock.log.segment import Segment
from penstock.log.segment_files import SUFFIXES
from penstock.log.state import DISK_FULL, PASSING
from penstock.settings.topic import CLEANUP_POLICY, RETENTION_BYTES, RETENTION_MS

_log = structlog.get_logger(__name__)

DELETED: Final = ".deleted"


class RetentionPlan(NamedTuple):
    segments: tuple[Segment, ...]
    reason: str
    next_offset: int
    """Where the last of them ended when the plan was made: one that is appended to may have grown since."""
    cuts: int
    """The log's, then: what was cut may have been written anew."""


def rename_doomed(segments: Sequence[Segment]) -> list[str]:
    """Rename files to `.deleted`, in the order given: retention begins with the oldest, a crash leaves a suffix. On a
    disk that is too full for another name they go at once: whoever reads there has them open.
    """
    renamed = []
    for path in [segment.path(suffix) for segment in segments for suffix in SUFFIXES]:
        try:
            if rename_if_there(path, path + DELETED):
                renamed.append(path + DELETED)
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
            remove_files([path])
    return renamed


class RetainedLog(RollableLog):
    def plan_retention(self, now: int) -> RetentionPlan:
        """What retention would delete; looks timestamps up in files, so in a thread."""
        config, cuts, segments = self.config, self.cuts, self.segments
        rules = RetentionRules(
            retention_ms=config[RETENTION_MS],
            retention_bytes=config[RETENTION_BYTES],
            deletes="delete" in config[CLEANUP_POLICY],
        )
        if not self.size:
            return RetentionPlan((), "", self.start_offset, cuts)
        facts = self._facts(segments, rules, now)
        expired = expired_segments(
            facts,
            rules,
            now=now,
            start_offset=self.start_offset,
            high_watermark=self.high_watermark,
        )
        next_offset = facts[expired.count - 1].next_base_offset if expired.count else self.start_offset
        return RetentionPlan(segments[: expired.count], expired.reason, next_offset, cuts)

    def _facts(self, segments: tuple[Segment, ...], rules: RetentionRules, now: int) -> list[SegmentFacts]:
        """Timestamps are looked up only as far as the first segment that time does not delete."""
        facts = []
        end_offset = self.end_offset  # before any timestamp: what is appended from here on shows in `drop_oldest`
        by_time = rules.deletes and rules.retention_ms >= 0
        for number, segment in enumerate(segments):
            next_base = segments[number + 1].base_offset if number + 1 < len(segments) else end_offset
            timestamp = segment.retention_timestamp() if by_time and segment.is_created else now
            if by_time and now - timestamp > rules.retention_ms:
                segment.confirm_timestamp()
                timestamp = segment.retention_timestamp()
            by_time = by_time and now - timestamp > rules.retention_ms
            facts.append(SegmentFacts(segment.base_offset, next_base, segment.size, timestamp))
        return facts

    def drop_oldest(self, plan: RetentionPlan) -> list[Segment]:
        """Take the oldest segments out of the log, on the loop; their files are the caller's to remove.

        Nothing happens where the log has changed since the plan was made: there will be another.
        """
        doomed = plan.segments
        if not doomed or self.segments[: len(doomed)] != doomed or self.cuts != plan.cuts:
            return []
        if self.trouble is not None and not self.trouble.may_pass:
            return []  # a full disk is no reason: deleting is what helps
        if self._next_base(len(doomed)) != plan.next_offset:
            doomed = doomed[:-1]  # it holds records now that nobody has found old, or to be too many
        count = len(doomed)
        next_base = self._next_base(count)
        if not count or next_base > self.high_watermark:
            return []
        if count == len(self.segments):
            try:
                self.roll()
            except OSError as error:
                refusal = self.fail("could not begin a segment", error)
                if count == 1 or error.errno not in PASSING:
                    raise refusal from error
                doomed, count = doomed[:-1], count - 1  # the others may make the room that it wants
        self.segments = self.segments[count:]
        self.size -= sum(segment.size for segment in doomed)
        if self.segments[0].base_offset > self.start_offset:
            self._start_at(self.segments[0].base_offset)
        for segment in doomed:
            self.pool.indexes.drop(segment)
        _log.info(
            "segments deleted",
            partition=str(self.partition),
            count=count,
            reason=plan.reason,
            start_offset=self.start_offset,
        )
        return list(doomed)

    def _next_base(self, count: int) -> int:
        """Where the oldest segments end, so many of them."""
        return self.segments[count].base_offset if count < len(self.segments) else self.end_offset

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
