"""Between a leader and its followers: what a follower's fetch tells and gets, and what a follower does with the answer.

Leader: a fetch is first held against the log. Only one whose tail is the leader's own counts as progress (RULES 7).
Follower: the leader's batches are appended as they are, once their checksums are right (RULES 23), several at a time.
"""

from collections.abc import Callable

import structlog
from crc32c import crc32c

from penstock.errors import CorruptMessage, NotLeaderOrFollower, OffsetOutOfRange
from penstock.log import FileSlice
from penstock.model import BrokerId, Offset
from penstock.replication.following import Follower
from penstock.replication.machine import Diverging, Leader
from penstock.replication.progress import UNKNOWN, Progress
from penstock.replication.promise import Promise
from penstock.replication.replica import Replica
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader
from penstock.wire.fetch import FetchPartition

MAGIC = 2

_log = structlog.get_logger(__name__)


class ReplicatingReplica(Replica):
    # As leader --------------------------------------------------------------------------------------------------

    def fetched_by(self, broker_id: BrokerId, asked: FetchPartition, *, broker_epoch: int) -> Diverging | None:
        """A follower asks for records: take note of how far it is, unless its log is not ours up to there."""
        self.require_leader(asked.current_leader_epoch)
        role, log = self.role, self.log
        assert isinstance(role, Leader)
        diverging = role.diverging(log.epochs, last_fetched_epoch=asked.last_fetched_epoch, offset=asked.offset)
        if diverging is not None:
            return diverging
        if not log.start_offset <= asked.offset <= log.end_offset:
            raise OffsetOutOfRange(f"{asked.offset} is not within [{log.start_offset}, {log.end_offset}]")
        proposal = role.fetched(
            broker_id,
            asked.offset,
            broker_epoch=broker_epoch,
            log_start=asked.log_start_offset,
            leader_end=log.end_offset,
            now=self._now(),
        )
        self._submit(role, proposal)
        if role.high_watermark > self.high_watermark:
            self._take_high_watermark(role.high_watermark)
        if self._deleted.waiting:
            self._deleted.release(role.low_watermark(log.start_offset))
        return None

    def slice_for_replica(self, offset: int, *, bytes_max: int, at_least_one: bool) -> FileSlice | None:
        """Records up to the log's end: a follower must have them before they can be committed."""
        log = self.log
        if offset >= log.end_offset:
            return None
        return log.slice(Offset(offset), at_most=bytes_max, before=log.end_offset, at_least_one=at_least_one)

    def has_lost_track_of(self, broker_id: BrokerId) -> bool:
        """Whether what a follower said of itself does not count any more: it is to say it again."""
        role = self.role
        progress = role.progress_of(broker_id) if isinstance(role, Leader) else None
        return progress is not None and progress.end == UNKNOWN

    def in_sync_followers(self) -> list[tuple[BrokerId, Progress]]:
        """How far each is that a consumer might read from (KIP-392)."""
        role = self.role
        if not isinstance(role, Leader):
            return []
        known = ((broker_id, role.progress_of(broker_id)) for broker_id in self.in_sync)
        return [(broker_id, progress) for broker_id, progress in known if progress is not None]

    def deleted_everywhere(self, offset: int) -> Promise[None] | None:
        """When every live replica's log starts at `offset` or later; None: they do (RULES 19)."""
        role = self.role
        if not isinstance(role, Leader) or role.low_watermark(self.log.start_offset) >= offset:
            return None
        return self._deleted.wait_for(offset)

    # As follower ------------------------------------------------------------------------------------------------

    def place(self) -> tuple[int, int]:
        """Where to fetch on, and the leader epoch of the last record before (-1: there is none)."""
        log = self.log
        return log.end_offset, log.epochs.latest if log.end_offset > log.start_offset else -1

    @property
    def is_flushed(self) -> bool:
        """Whether a fetch may tell of all that is here (RULES 20)."""
        return not self.current_rules().flushes_before_ack or self._durable_end >= self.log.end_offset

    def _following(self) -> Follower:
        if not isinstance(self.role, Follower):
            raise NotLeaderOrFollower(f"{self.topic_partition} does not follow a leader now")
        return self.role

    def append_replicated(self, records: memoryview) -> bool:
        """Append a leader's batches; whether they count already (False: they are to be flushed first, RULES 20).

        The memory is the caller's again afterwards. A batch that is cut short at the end is left out.
        """
        self._following()
        log = self.log
        batches = self._batches(records)
        if not batches:
            if len(records):  # a leader sends one whole batch at least, however large: its length must be wrong
                raise CorruptMessage(f"the leader sent {len(records)} bytes, and no whole batch")
            return True
        while batches and batches[0][0].next_offset <= log.end_offset:
            del batches[0]  # asked for twice, around a new session
        if not batches:
            return self.is_flushed
        first = batches[0][0]
        if first.base_offset < log.end_offset:
            if log.end_offset > log.start_offset:
                raise CorruptMessage(
                    f"the leader sent a batch from {first.base_offset} on, the log ends at {log.end_offset}"
                )
            # Nothing is here yet, and the leader's first batch begins before the offset that was asked for.
            self.start_anew(first.base_offset)
        self._write(batches, len(records))
        if self._planted.forgets_producers:
            log.producers.reset()
        self.metrics.replicationbytesin += len(records)
        if self.current_rules().flushes_before_ack:
            return False
        self._durable_end = log.end_offset
        if log.end_offset - log.recovery_point >= self.rules.flush_records:
            self._flush_soon()
        return True

    def _write(self, batches: list[tuple[BatchHeader, memoryview]], size: int) -> None:
        if len(batches) == 1 or size <= self.rules.segment_bytes // 2:
            self.log.append(batches)
            return
        for batch in batches:  # a run that may not fit: each to the segment that takes it
            self.log.append((batch,))

    def _batches(self, records: memoryview) -> list[tuple[BatchHeader, memoryview]]:
        """Up to the first that is not as it should be, which is asked for again: the leader sees where it is."""
        batches: list[tuple[BatchHeader, memoryview]] = []
        position, end, expected = 0, len(records), -1
        while end - position >= layout.HEADER_SIZE:
            header = BatchHeader.peek(records, position)
            size = header.length + layout.LENGTH_OVERHEAD
            if size > end - position and size >= layout.HEADER_SIZE:
                break
            wrong = self._what_is_wrong(header, records[position : position + size], expected)
            if wrong is not None:
                if batches:
                    break
                raise CorruptMessage(wrong)
            expected = header.next_offset
            batches.append((header, records[position : position + size]))
            position += size
        return batches

    def _what_is_wrong(self, header: BatchHeader, view: memoryview, expected: int) -> str | None:
        if header.magic != MAGIC or len(view) < layout.HEADER_SIZE or header.last_offset_delta < 0:
            return f"no batch where the leader sent one, after offset {expected - 1}"
        if header.crc != crc32c(view[layout.CRC_FROM :]):
            return f"the batch at {header.base_offset} from the leader has a wrong checksum"
        if header.base_offset < expected or header.leader_epoch > self.leader_epoch:
            return (
                f"the leader of epoch {self.leader_epoch} sent a batch of epoch {header.leader_epoch} at"
                f" {header.base_offset}, after {expected - 1}"
            )
        return None

    async def flush_replicated(self) -> None:
        """Bring what was appended to the disk; KafkaStorageError if it never will be there. Where the log was cut or
        exchanged meanwhile it may take another (`is_flushed`).
        """
        try:
            await self._flush_to(self.log.end_offset)
        except OSError as error:  # it could not even begin
            raise self.log.health.fail("flush failed", error) from error

    def take_over(self, *, leaders_high_watermark: int, leaders_start: int) -> None:
        """What the leader says of itself, as far as it holds here too."""
        role, log = self._following(), self.log
        high_watermark = role.high_watermark(
            own_end=log.end_offset, known=self.high_watermark, leaders=leaders_high_watermark
        )
        self._take_high_watermark(high_watermark)
        start = min(leaders_start, self.high_watermark)
        if start > log.start_offset:
            log.retention.advance_start(start)

    def cut_ahead(self, where: Diverging | int) -> Callable[[], None] | None:
        """What a thread may do before `cut_back`, or before `start_anew` at an offset, so that these wait for the disk
        as little as may be.
        """
        role, log = self._following(), self.log
        if isinstance(where, int):
            return log.truncation.start_ahead(where)
        return log.truncation.cut_ahead(to=role.cut_to(log, diverging_epoch=where.epoch, end_offset=where.end_offset))

    def cut_back(self, diverging: Diverging) -> None:
        """Our tail was never committed, and the leader has another: forget it."""
        role, log = self._following(), self.log
        to = role.cut_to(log, diverging_epoch=diverging.epoch, end_offset=diverging.end_offset)
        if to < self.high_watermark:
            _log.error(
                "log cut below its high watermark",
                partition=str(self.topic_partition),
                to=to,
                high_watermark=self.high_watermark,
                leader=role.leader,
                leader_epoch=role.epoch,
            )
        _log.info("log diverges", partition=str(self.topic_partition), to=to, end_offset=log.end_offset)
        log.truncation.cut(to=to)
        self._log_was_cut()

    def start_anew(self, offset: int) -> None:
        """Begin again where the leader does: nothing that is here is of use any more (RULES 19, 21)."""
        self._following()
        _log.info("log begun anew", partition=str(self.topic_partition), at=offset, end_offset=self.log.end_offset)
        try:
            self.log.truncation.start_anew(offset)
        except OSError as error:
            raise self.log.health.fail("could not be begun anew", error) from error
        self._log_was_cut()

    def _log_was_cut(self) -> None:
        log = self.log
        self.high_watermark = log.high_watermark
        self._durable_end = min(self._durable_end, log.end_offset)
        self._counted_end = min(self._counted_end, log.end_offset)
        if not self.rules.flushes_before_ack:
            self._durable_end = log.end_offset
        self._notify()
