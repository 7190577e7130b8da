"""What a follower does with its leader's answers: append, cut back, begin anew, take over the high watermark.

The leader's batches are appended as they are, once their checksums are right (RULES 23), several at a time. So the log
keeps the same offsets, leader epochs, producer state and transaction index (RULES 27). Where its tail is not the
leader's it is cut, and all of these with it. All of it is refused while this broker does not follow.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog
from crc32c import crc32c

from penstock.errors import CorruptMessage, NotLeaderOrFollower
from penstock.replication.following import Follower
from penstock.replication.machine import Diverging
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader

if TYPE_CHECKING:
    from penstock.replication.partition import Partition

MAGIC = 2

_log = structlog.get_logger(__name__)


class FollowerLog:
    __slots__ = ("_partition",)

    def __init__(self, partition: "Partition") -> None:
        self._partition = partition

    def place(self) -> tuple[int, int]:
        """Where to fetch on, and the leader epoch of the last record before (-1: there is none)."""
        log = self._partition.log
        return log.end_offset, log.epochs.latest if log.end_offset > log.start_offset else -1

    @property
    def is_flushed(self) -> bool:
        """Whether a fetch may tell of all that is here (RULES 20)."""
        return self._partition.durability.has_all

    def _following(self) -> Follower:
        role = self._partition.role
        if not isinstance(role, Follower):
            raise NotLeaderOrFollower(f"{self._partition.topic_partition} does not follow a leader now")
        return role

    # Appending --------------------------------------------------------------------------------------------------

    def append(self, records: memoryview) -> bool:
        """Append a leader's batches; whether they count already (False: they are to be flushed first, RULES 20).

        The memory is the caller's again afterwards. A batch that is cut short at the end is left out.
        """
        self._following()
        partition = self._partition
        log = partition.log
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
        if len(batches) == 1 or len(records) <= partition.rules.segment_bytes // 2:
            log.append(batches)
        else:
            for batch in batches:  # a run that may not fit: each to the segment that takes it
                log.append((batch,))
        if partition.bugs.forgets_producers:
            log.producers.reset()
        partition.metrics.replicationbytesin += len(records)
        rules, durability = partition.current_rules(), partition.durability
        if rules.flushes_before_ack:
            return False
        durability.durable_end = log.end_offset
        if log.end_offset - log.recovery_point >= rules.flush_records:
            durability.flush_soon()
        return True

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
        leader_epoch = self._partition.leader_epoch
        if header.base_offset < expected or header.leader_epoch > leader_epoch:
            return (
                f"the leader of epoch {leader_epoch} sent a batch of epoch {header.leader_epoch} at"
                f" {header.base_offset}, after {expected - 1}"
            )
        return None

    async def flush(self) -> None:
        """Bring what was appended to the disk; KafkaStorageError if it never will be there. Where the log was cut or
        exchanged meanwhile it may take another (`is_flushed`).
        """
        partition = self._partition
        try:
            await partition.durability.flush_to(partition.log.end_offset)
        except OSError as error:  # it could not even begin
            raise partition.log.health.fail("flush failed", error) from error

    def take_over(self, *, leaders_high_watermark: int, leaders_start: int) -> None:
        """What the leader says of itself, as far as it holds here too."""
        role, partition = self._following(), self._partition
        log = partition.log
        high_watermark = role.high_watermark(
            own_end=log.end_offset, known=partition.high_watermark, leaders=leaders_high_watermark
        )
        partition.take_high_watermark(high_watermark)
        start = min(leaders_start, partition.high_watermark)
        if start > log.start_offset:
            log.retention.advance_start(start)

    # Cutting ----------------------------------------------------------------------------------------------------

    def is_unshared(self, upto: int, *, leaders_start: int) -> bool:
        """Whether the leader has nothing of what is here below `upto`, and some of it may never have been committed: it
        cannot be compared. A producer with a batch there would be told that it is in the log when it sends it again,
        and the leader's batches need not begin where these end.
        """
        return self._partition.log.start_offset < upto <= leaders_start and self._partition.high_watermark < upto

    def where_to_part(self, diverging: Diverging, *, leaders_start: int) -> Diverging | int:
        """Where to cut; or an offset to begin anew at, the leader's start, where nothing shared would be left."""
        role, log = self._following(), self._partition.log
        to = role.cut_to(log, diverging_epoch=diverging.epoch, end_offset=diverging.end_offset)
        return leaders_start if self.is_unshared(to, leaders_start=leaders_start) else diverging

    def cut_ahead(self, where: Diverging | int) -> Callable[[], None] | None:
        """What a thread may do before `cut_back`, or before `start_anew` at an offset, so that these wait for the disk
        as little as may be.
        """
        role, log = self._following(), self._partition.log
        if isinstance(where, int):
            return log.truncation.start_ahead(where)
        return log.truncation.cut_ahead(to=role.cut_to(log, diverging_epoch=where.epoch, end_offset=where.end_offset))

    def cut_back(self, diverging: Diverging) -> None:
        """Our tail was never committed, and the leader has another: forget it."""
        role, partition = self._following(), self._partition
        log = partition.log
        to = role.cut_to(log, diverging_epoch=diverging.epoch, end_offset=diverging.end_offset)
        if to < partition.high_watermark:
            _log.error(
                "log cut below its high watermark",
                partition=str(partition.topic_partition),
                to=to,
                high_watermark=partition.high_watermark,
                leader=role.leader,
                leader_epoch=role.epoch,
            )
        _log.info("log diverges", partition=str(partition.topic_partition), to=to, end_offset=log.end_offset)
        log.truncation.cut(to=to)
        self._log_was_cut()

    def start_anew(self, offset: int) -> None:
        """Begin again where the leader does: nothing that is here is of use any more (RULES 19, 21)."""
        self._following()
        name, log = str(self._partition.topic_partition), self._partition.log
        _log.info("log begun anew", partition=name, at=offset, end_offset=log.end_offset)
        try:
            log.truncation.start_anew(offset)
        except OSError as error:
            raise log.health.fail("could not be begun anew", error) from error
        self._log_was_cut()

    def _log_was_cut(self) -> None:
        partition = self._partition
        partition.high_watermark = partition.log.high_watermark
        partition.durability.log_was_cut()
        partition.waiters.tell_moved()
