"""Looking at compacted logs to see how dirty they are: facts fixed on the loop, timestamps read in a thread."""

from collections.abc import Sequence
from typing import Final, Self

import msgspec
import structlog

from penstock.log.compaction.compaction import closed_segments
from penstock.log.compaction.plan import ClosedSegment, CompactionRules, DirtyRange, survey
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.checking import header_at
from penstock.log.segments.scan import Unreadable
from penstock.log.segments.segment import Segment
from penstock.settings.topic import MAX_COMPACTION_LAG_MS, MIN_CLEANABLE_DIRTY_RATIO, MIN_COMPACTION_LAG_MS
from penstock.settings.types import LONG_MAX

_log = structlog.get_logger(__name__)

NO_LAG_MAX: Final = LONG_MAX


class Candidate(msgspec.Struct, frozen=True):
    log: PartitionLog
    name: str
    cuts: int
    segments: tuple[Segment, ...]
    closed: list[ClosedSegment]
    rules: CompactionRules
    first_dirty: int
    limit: int

    @classmethod
    def of(cls, log: PartitionLog) -> Self:
        """On the loop."""
        config = log.config
        stable = log.producers.last_stable_offset(log.high_watermark)
        return cls(
            log=log,
            name=str(log.partition),
            cuts=log.cuts,
            segments=log.segments,
            closed=closed_segments(log),
            rules=CompactionRules(
                min_dirty_ratio=config[MIN_CLEANABLE_DIRTY_RATIO],
                min_lag_ms=config[MIN_COMPACTION_LAG_MS],
                max_lag_ms=config[MAX_COMPACTION_LAG_MS],
            ),
            first_dirty=max(log.clean_upto, log.start_offset),
            limit=min(stable, log.recovery_point_on_disk),
        )

    def dirt(self, now: int) -> DirtyRange:
        """In a thread: timestamps come from files, and only for dirty segments and where a rule asks for them."""
        rules = self.rules
        closed = self.closed
        if rules.min_lag_ms > 0 or rules.max_lag_ms < NO_LAG_MAX:
            closed = [
                self._timed(segment, facts) if facts.next_offset > self.first_dirty else facts
                for segment, facts in zip(self.segments, self.closed, strict=False)
            ]
        return survey(closed, rules, first_dirty=self.first_dirty, limit=self.limit, now=now)

    def _timed(self, segment: Segment, facts: ClosedSegment) -> ClosedSegment:
        return msgspec.structs.replace(
            facts, first_timestamp=_first_timestamp(segment), max_timestamp=segment.load_timestamps()
        )


def look_at(candidates: Sequence[Candidate], now: int) -> list[tuple[str, DirtyRange, CompactionRules]]:
    """In a thread."""
    rows = []
    for candidate in candidates:
        try:
            rows.append((candidate.name, candidate.dirt(now), candidate.rules))
        except OSError as error:
            _log.warning("log not surveyed", partition=candidate.name, reason=str(error))
    return rows


def _first_timestamp(segment: Segment) -> int:
    """Of its first batch, by which max.compaction.lag.ms counts; of a damaged one compaction will find that it is."""
    try:
        header = header_at(segment, 0)
    except Unreadable:
        header = None
    return -1 if header is None else header.max_timestamp
