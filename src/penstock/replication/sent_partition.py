"""One partition of a follower's fetch session: what the follower said of it, and what was sent of it."""

from typing import Protocol

import structlog

from penstock.errors import OffsetOutOfRange, Refusal, ReplicaNotAvailable, UnknownServerError
from penstock.model import BrokerId
from penstock.replication.machine import Diverging
from penstock.replication.partition import Partition
from penstock.wire.fetch import FetchPartition, PartitionAnswer
from penstock.wire.produce import TopicKey

_log = structlog.get_logger(__name__)


class Session(Protocol):
    """What a partition of a session tells."""

    @property
    def broker_id(self) -> BrokerId: ...

    def wake(self, sent: "SentPartition") -> None:
        """There is something to be sent of it."""

    def news(self, sent: "SentPartition") -> None:
        """There is something to be told of it, which may wait for records to travel with."""


class SentPartition:
    """One partition of a follower's session. Watches the partition for as long as it is in the session."""

    __slots__ = (
        "asked",
        "diverging",
        "is_waiting",
        "key",
        "partition",
        "refusal",
        "session",
        "told_mark",
        "told_start",
    )

    def __init__(self, session: Session, key: TopicKey, partition: Partition, asked: FetchPartition) -> None:
        self.session = session
        self.key = key
        self.partition = partition
        self.asked = asked
        self.is_waiting = False
        """It was sent something, and is named again when that is taken in."""
        self.refusal: Refusal | None = None
        self.diverging: Diverging | None = None
        self.told_mark = asked.high_watermark
        self.told_start = asked.log_start_offset
        partition.waiters.watch(self)
        partition.waiters.watch_end(self)

    def end_moved(self) -> None:
        if not self.is_waiting:
            self.session.wake(self)

    def partition_moved(self) -> None:
        if self.is_waiting:
            return
        partition, broker_id = self.partition, self.session.broker_id
        if partition.leader_epoch != self.asked.current_leader_epoch or not partition.is_leader:
            self.session.wake(self)
        elif (
            broker_id not in partition.in_sync
            and partition.followers.has_lost_track_of(broker_id)
            and self.asked.offset >= partition.log.end_offset  # else it is owed records, and named again after those
        ):
            self._have_it_named_again()
        else:
            self.session.news(self)

    def _have_it_named_again(self) -> None:
        """The follower was taken out of the in-sync set after it had named the partition. How far it is counts when it
        has said so again, and where nothing happens it would never have a reason to.
        """
        if self.refusal is None and self.diverging is None:
            self.refusal = ReplicaNotAvailable("Since this was asked for, the replica has been out of sync")
        self.session.wake(self)

    @property
    def has_records(self) -> bool:
        return self.asked.offset < self.partition.log.end_offset

    @property
    def is_cold(self) -> bool:
        """Whether an index must be loaded before its records can be found."""
        log = self.partition.log
        return self.has_records and not log.is_near(max(self.asked.offset, log.start_offset))

    @property
    def has_news(self) -> bool:
        partition = self.partition
        if self.is_waiting or self.refusal is not None or self.diverging is not None:
            return False  # of a tail that is not ours a high watermark says nothing: first the follower must know that
        return self.told_mark < partition.high_watermark or self.told_start < partition.log.start_offset

    def state(self) -> PartitionAnswer:
        partition = self.partition
        self.told_mark, self.told_start = partition.high_watermark, partition.log.start_offset
        return PartitionAnswer(
            partition.index,
            high_watermark=self.told_mark,
            last_stable_offset=-1,  # a follower works out its own
            log_start_offset=self.told_start,
        )

    def read(self, bytes_max: int, *, at_least_one: bool) -> PartitionAnswer | None:
        """What is to be sent of it now; None where there is nothing, or nothing that fits."""
        partition, asked = self.partition, self.asked
        records, refusal = None, self.refusal
        try:
            if refusal is None:
                partition.require_leader(asked.current_leader_epoch)
                if self.diverging is None:
                    records = partition.followers.slice(asked.offset, bytes_max=bytes_max, at_least_one=at_least_one)
                    if records is None:
                        return None
        except Exception as error:
            refusal = refusal_of(partition, error)
        self.is_waiting = True
        answer = self.state()
        answer.records = records
        if refusal is not None:
            answer.error_code = refusal.code
            if not isinstance(refusal, OffsetOutOfRange):
                answer.current_leader = (partition.leader, partition.leader_epoch)
        elif self.diverging is not None:
            answer.diverging_epoch = (self.diverging.epoch, self.diverging.end_offset)
        return answer

    def leave(self) -> None:
        self.partition.waiters.unwatch(self)
        self.partition.waiters.unwatch_end(self)


def refusal_of(partition: Partition, error: Exception) -> Refusal:
    if isinstance(error, Refusal):
        return error
    _log.error("replica fetch failed", partition=str(partition.topic_partition), exc_info=error)
    return UnknownServerError()
