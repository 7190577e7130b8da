"""Taking records off the start of a log: retention by time and size, DeleteRecords.

DeleteRecords moves the log's start, below which clients are served nothing. Dropping segments moves its local start,
below which there are no files. Retention does both, as no records are kept anywhere else.

A plan is made in a thread, and carried out on the loop if the log is still as it was. A crash in between leaves either
the files, which retention finds again, or `.deleted` ones, which the next start removes.
"""

from typing import TYPE_CHECKING, NamedTuple

import structlog

from penstock.errors import OffsetOutOfRange
from penstock.log.health import PASSING
from penstock.log.machine import RetentionRules, SegmentFacts, expired_segments
from penstock.log.renaming import doom
from penstock.log.segments.segment import Segment
from penstock.settings.topic import CLEANUP_POLICY, PENSTOCK_SCHEDULE_TARGET, RETENTION_BYTES, RETENTION_MS

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

_log = structlog.get_logger(__name__)


class RetentionPlan(NamedTuple):
    segments: tuple[Segment, ...]
    reason: str
    next_offset: int
    """Where the last of them ended when the plan was made: one that is appended to may have grown since."""
    cuts: int
    """The log's, then: what was cut may have been written anew."""


class Retention:
    __slots__ = ("_log",)

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log

    def plan(self, now: int) -> RetentionPlan:
        """What retention would delete; looks timestamps up in files, so in a thread."""
        log = self._log
        config, cuts, segments = log.config, log.cuts, log.segments
        rules = RetentionRules(
            retention_ms=config[RETENTION_MS],
            retention_bytes=config[RETENTION_BYTES],
            # What waits in a schedule topic is not deleted for its age: its leader says from where on it is needed.
            deletes="delete" in config[CLEANUP_POLICY] and not config[PENSTOCK_SCHEDULE_TARGET],
        )
        if not log.size:
            return RetentionPlan((), "", log.start_offset, cuts)
        facts = self._facts(segments, rules, now)
        expired = expired_segments(
            facts,
            rules,
            now=now,
            start_offset=log.start_offset,
            high_watermark=log.high_watermark,
        )
        next_offset = facts[expired.count - 1].next_base_offset if expired.count else log.start_offset
        return RetentionPlan(segments[: expired.count], expired.reason, next_offset, cuts)

    def _facts(self, segments: tuple[Segment, ...], rules: RetentionRules, now: int) -> list[SegmentFacts]:
        """Timestamps are looked up only as far as the first segment that time does not delete."""
        facts = []
        end_offset = self._log.end_offset  # before any timestamp: what is appended from here on shows in `drop_oldest`
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
        log = self._log
        doomed = plan.segments
        if not doomed or log.segments[: len(doomed)] != doomed or log.cuts != plan.cuts:
            return []
        if log.trouble is not None and not log.trouble.may_pass:
            return []  # a full disk is no reason: deleting is what helps
        if self._next_base(len(doomed)) != plan.next_offset:
            doomed = doomed[:-1]  # it holds records now that nobody has found old, or to be too many
        count = len(doomed)
        next_base = self._next_base(count)
        if not count or next_base > log.high_watermark:
            return []
        if count == len(log.segments):
            try:
                log.rolling.roll()
            except OSError as error:
                refusal = log.health.fail("could not begin a segment", error)
                if count == 1 or error.errno not in PASSING:
                    raise refusal from error
                doomed, count = doomed[:-1], count - 1  # the others may make the room that it wants
        log.segments = log.segments[count:]
        log.size -= sum(segment.size for segment in doomed)
        if log.local_start_offset > log.start_offset:  # and nobody else has them
            self._start_at(log.local_start_offset)
        for segment in doomed:
            log.pool.indexes.drop(segment)
        _log.info(
            "segments deleted",
            partition=str(log.partition),
            count=count,
            reason=plan.reason,
            start_offset=log.start_offset,
        )
        return list(doomed)

    def _next_base(self, count: int) -> int:
        """Where the oldest segments end, so many of them."""
        log = self._log
        return log.segments[count].base_offset if count < len(log.segments) else log.end_offset

    def delete_old_segments(self, now: int, high_watermark: int) -> int:
        """Retention in one call, for those who may block: plan, drop, rename; how many segments went."""
        log = self._log
        log.high_watermark = max(log.high_watermark, high_watermark)
        gone = self.drop_oldest(self.plan(now))
        if gone and log.home is not None:
            log.home.start_rises(log)
        doom(log, gone)
        return len(gone)

    def advance_start(self, offset: int) -> None:
        """DeleteRecords: nothing below `offset` is served any more; retention removes whole segments later."""
        log = self._log
        if offset > log.high_watermark:
            raise OffsetOutOfRange(f"{log.partition}: {offset} is past the high watermark {log.high_watermark}")
        if offset > log.start_offset:
            self._start_at(offset)

    def _start_at(self, offset: int) -> None:
        log = self._log
        log.start_offset = offset
        log.epochs.cut_start(offset)
        log.producers.history.remove_before(log.segments[0].base_offset)
