"""Who leads a partition and who follows, as the image says, and what becomes of this broker because of it.

Only this part writes the partition's `role`, `leader`, `leader_epoch`, `replicas` and `epoch_start`; `in_sync` is
written by the leader's view of its followers (followers.py) too. The role decides (machine.py, following.py), here its
decisions meet the log. A replica whose log is in trouble makes way: a leader resigns, a follower leaves the in-sync
set.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from penstock.cluster import PartitionImage
from penstock.errors import KafkaStorageError, NotLeaderOrFollower
from penstock.log import LEADER_EPOCH_MAX
from penstock.metastore import Revision
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication.following import Follower, Offline
from penstock.replication.machine import Leader, Proposal

if TYPE_CHECKING:
    from penstock.replication.partition import Partition

NOBODY = BrokerId(-1)


class AlterPartitionManager(Protocol):
    """Whom a partition asks to change its state in the metadata store, after Kafka's; here `TroubledReplicas` does."""

    def propose(self, partition: "Partition", leader: Leader, proposal: Proposal) -> None: ...

    def resign(self, partition: "Partition", reason: str) -> None: ...

    def leave(self, partition: "Partition", reason: str) -> None: ...


class Leadership:
    __slots__ = ("_brokers", "_manager", "_partition", "_resigned_in", "is_aside", "revision")

    def __init__(
        self, partition: "Partition", *, brokers: Mapping[BrokerId, int], manager: AlterPartitionManager | None
    ) -> None:
        """`brokers` may join an in-sync set, by their broker epochs."""
        self._partition = partition
        self._brokers = brokers
        self._manager = manager
        self._resigned_in = LeaderEpoch(-1)
        self.is_aside = False
        """Others may lead by now, and this broker cannot hear of it."""
        self.revision = 0
        """Of the image that was taken last."""

    # As the image says ------------------------------------------------------------------------------------------

    def lead(
        self,
        *,
        epoch: LeaderEpoch,
        leader: BrokerId,
        replicas: tuple[BrokerId, ...],
        in_sync: tuple[BrokerId, ...],
        eligible: tuple[BrokerId, ...] = (),
    ) -> None:
        """`assign` in words, for those who have no image at hand."""
        revision = Revision(self.revision + 1)
        index = self._partition.index
        self.assign(PartitionImage(index, leader, epoch, replicas, in_sync, eligible, (), (), revision))

    def assign(self, image: PartitionImage) -> None:
        """Take the image's word on who leads and who follows."""
        partition = self._partition
        self.is_aside = False
        if image.leader_epoch < partition.leader_epoch:
            return
        is_new_epoch = image.leader_epoch > partition.leader_epoch
        if is_new_epoch:
            partition.transactions.guards.clear()
        partition.leader_epoch = image.leader_epoch
        partition.leader, partition.replicas, partition.in_sync = image.leader, image.replicas, image.in_sync
        self.revision = image.revision
        role = partition.role
        if image.leader != partition.broker_id:
            if is_new_epoch or not isinstance(role, Follower) or role.leader != image.leader:
                self._become_follower(image)
        elif is_new_epoch or not isinstance(role, Leader):
            self._become_leader(image)
        else:
            partition.followers.updated(role, image)
        partition.waiters.tell_moved()

    def _become_leader(self, image: PartitionImage) -> None:
        """A new epoch begins at the log's end: whatever is before it, this leader's log decides.

        At a start it may be an old one: what the store says of the broker's former process, before this one is
        registered under an epoch of its own. Where the store was taken back in time the log is past that, and must not
        forget it: it is what the next epoch is raised above.
        """
        partition = self._partition
        log, durability = partition.log, partition.durability
        partition.epoch_start = log.end_offset
        if not image.leader_epoch < log.epochs.latest < LEADER_EPOCH_MAX:
            log.epochs.assign(image.leader_epoch, log.end_offset)
        if not partition.current_rules().flushes_before_ack:
            durability.durable_end = log.end_offset
        partition.role = role = Leader(
            image,
            me=partition.broker_id,
            start=log.start_offset,
            end=durability.durable_end,
            epoch_start=partition.epoch_start,
            high_watermark=partition.high_watermark,
            in_sync_min=partition.rules.in_sync_min,
            brokers=self._brokers,
            now=partition.now_ms(),
            bugs=partition.bugs,
        )
        partition.take_high_watermark(role.high_watermark)
        if log.trouble is not None:
            self.resign(log.trouble.refusal())
        elif durability.durable_end < log.end_offset:
            durability.flush_soon()

    def _become_follower(self, image: PartitionImage) -> None:
        """Nobody who waits here can be answered: the records they wait for may be cut."""
        partition = self._partition
        log = partition.log
        partition.role = Follower(leader=image.leader, epoch=image.leader_epoch, bugs=partition.bugs)
        # An epoch that this broker led without a record says nothing of the log. Where a log that was not read ends is
        # a guess, and what its file of epochs tells is what the next epoch is raised above (RULES 12).
        if log.health.is_readable:
            log.epochs.cut_end(log.end_offset)
        partition.waiters.fail(NotLeaderOrFollower(f"{partition.topic_partition} is led by broker {image.leader} now"))
        if log.trouble is not None:
            self.leave_in_sync()

    def stand_aside(self) -> None:
        """Others may lead by now, and this broker cannot hear of it: send whoever asks to look for them (RULES 50), and
        consumers that read from a follower too. The role stays, so that `assign` goes on with it where nobody was
        elected after all.
        """
        partition = self._partition
        self.is_aside = True
        if partition.leader == partition.broker_id:
            partition.leader = NOBODY
            partition.waiters.fail(
                NotLeaderOrFollower(f"{partition.topic_partition} may be led by another broker by now")
            )
        partition.waiters.tell_moved()

    def retire(self) -> None:
        """The topic is gone, or this broker keeps no replica of it any more: whoever waits is told."""
        partition = self._partition
        partition.leader = NOBODY
        partition.role = Offline("no longer here")
        partition.waiters.fail(NotLeaderOrFollower(f"{partition.topic_partition} is no longer here"))
        partition.waiters.tell_moved()

    # Making way -------------------------------------------------------------------------------------------------

    def resign(self, refusal: KafkaStorageError) -> None:
        """This leader's log takes no more records: let another in-sync replica lead, or one that is eligible and there
        (RULES 22). Once an epoch.
        """
        partition = self._partition
        role = partition.role
        if not isinstance(role, Leader) or self._resigned_in == partition.leader_epoch or self._manager is None:
            return
        if len(partition.in_sync) > 1 or any(broker in self._brokers for broker in role.image.eligible):
            self._resigned_in = partition.leader_epoch
            self._manager.resign(partition, refusal.message)

    def leave_in_sync(self) -> None:
        """This follower's log is damaged, or takes no more records: nobody is to wait for it, or to elect it."""
        partition = self._partition
        trouble = partition.log.trouble
        if self._manager is not None and trouble is not None and isinstance(partition.role, Follower):
            self._manager.leave(partition, trouble.reason)

    @property
    def eligible_below(self) -> int:
        """How many must stay in sync for this replica, with its log in trouble, not to be needed: whoever is stopped by
        a full disk, or a want of something at start, has what it had; of all other trouble nobody knows (RULES 5).
        """
        partition = self._partition
        trouble = partition.log.trouble
        has_what_it_had = trouble is None or trouble.may_pass or partition.log.health.open_again is not None
        return partition.current_rules().in_sync_min if has_what_it_had else 0

    def make_way(self) -> None:
        """A trouble that nobody who appends came upon, but a reader or a scrub, or that was there before there was
        anybody to make way for: a partition without writers has it too.
        """
        partition = self._partition
        trouble = partition.log.trouble
        if trouble is not None and isinstance(partition.role, Leader) and partition.broker_id in partition.in_sync:
            self._resigned_in = LeaderEpoch(-1)
            self.resign(trouble.refusal())
        elif trouble is not None and partition.leader >= 0:
            self.leave_in_sync()
