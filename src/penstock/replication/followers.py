"""What a leader knows of its followers, and what it does for them: their fetches, the in-sync set, deletions.

A follower's fetch is first held against the log. Only one whose tail is the leader's own counts as progress (RULES 7).
What the leader decides of the in-sync set it proposes; the image tells when it is so.
"""

from typing import TYPE_CHECKING

from penstock.cluster import PartitionImage
from penstock.errors import NotEnoughReplicas, NotEnoughReplicasAfterAppend, OffsetOutOfRange
from penstock.log import FileSlice
from penstock.model import BrokerId
from penstock.replication.leadership import AlterPartitionManager
from penstock.replication.machine import Diverging, Leader, Proposal
from penstock.replication.progress import UNKNOWN, Progress
from penstock.replication.promise import Promise
from penstock.replication.rules import AppendRules
from penstock.wire.fetch import FetchPartition

if TYPE_CHECKING:
    from penstock.replication.partition import Partition


class Followers:
    __slots__ = ("_manager", "_partition")

    def __init__(self, partition: "Partition", *, manager: AlterPartitionManager | None) -> None:
        self._partition = partition
        self._manager = manager

    # Their fetches ----------------------------------------------------------------------------------------------

    def fetched(self, broker_id: BrokerId, asked: FetchPartition, *, broker_epoch: int) -> Diverging | None:
        """A follower asks for records: take note of how far it is, unless its log is not ours up to there."""
        partition = self._partition
        partition.require_leader(asked.current_leader_epoch)
        role, log = partition.role, partition.log
        assert isinstance(role, Leader)
        diverging = role.diverging(log.epochs, last_fetched_epoch=asked.last_fetched_epoch, offset=asked.offset)
        if diverging is not None:
            return diverging
        if not log.start_offset <= asked.offset <= log.end_offset:
            raise OffsetOutOfRange(f"{asked.offset} is not within [{log.start_offset}, {log.end_offset}]")
        if asked.offset == log.start_offset and self._cannot_compare(asked):
            return None
        proposal = role.fetched(
            broker_id,
            asked.offset,
            broker_epoch=broker_epoch,
            log_start=asked.log_start_offset,
            leader_end=log.end_offset,
            now=partition.now_ms(),
        )
        if proposal is not None:
            self._propose(role, proposal)
        if role.high_watermark > partition.high_watermark:
            partition.take_high_watermark(role.high_watermark)
        deleted = partition.waiters.deleted
        if deleted.waiting:
            deleted.release(role.low_watermark(log.start_offset))
        return None

    def _cannot_compare(self, asked: FetchPartition) -> bool:
        """Whether all that a follower has is deleted here, and the epoch that wrote it forgotten: it may never have
        been committed. The follower hears of the start, and fetches with another log, or from that start.
        """
        log = self._partition.log
        is_deleted = asked.offset == log.start_offset > asked.log_start_offset
        return is_deleted and 0 <= asked.last_fetched_epoch < log.epochs.epoch_at(asked.offset)

    def slice(self, offset: int, *, bytes_max: int, at_least_one: bool) -> FileSlice | None:
        """Records up to the log's end: a follower must have them before they can be committed."""
        log = self._partition.log
        if offset >= log.end_offset:
            return None
        return log.slice(offset, at_most=bytes_max, before=log.end_offset, at_least_one=at_least_one)

    def has_lost_track_of(self, broker_id: BrokerId) -> bool:
        """Whether what a follower said of itself does not count any more: it is to say it again."""
        role = self._partition.role
        progress = role.progress_of(broker_id) if isinstance(role, Leader) else None
        return progress is not None and progress.end == UNKNOWN

    def in_sync_progress(self) -> list[tuple[BrokerId, Progress]]:
        """How far each is that a consumer might read from (KIP-392)."""
        role = self._partition.role
        if not isinstance(role, Leader):
            return []
        known = ((broker_id, role.progress_of(broker_id)) for broker_id in self._partition.in_sync)
        return [(broker_id, progress) for broker_id, progress in known if progress is not None]

    def deleted_everywhere(self, offset: int) -> Promise[None] | None:
        """When every live replica's log starts at `offset` or later; None: they do (RULES 19)."""
        partition = self._partition
        role = partition.role
        if not isinstance(role, Leader) or role.low_watermark(partition.log.start_offset) >= offset:
            return None
        return partition.waiters.deleted.wait_for(offset)

    # The in-sync set --------------------------------------------------------------------------------------------

    def check_in_sync(self, rules: AppendRules) -> None:
        in_sync, replicas = self._partition.in_sync, self._partition.replicas
        if len(in_sync) < min(rules.in_sync_min, len(replicas)):
            raise NotEnoughReplicas(f"{len(in_sync)} in sync, min.insync.replicas asks for {rules.in_sync_min}")

    @property
    def can_prove_lead(self) -> bool:
        """Whether a record appended from now on proves, once it is replicated, that this broker led when it was asked:
        whoever could be elected in its place is in sync, and took it from this one. With nobody else in sync it would
        prove nothing, and with too few none is taken.
        """
        in_sync, replicas = self._partition.in_sync, self._partition.replicas
        return 1 < len(in_sync) >= min(self._partition.current_rules().in_sync_min, len(replicas))

    def look_after(self, *, lag_ms_max: int) -> None:
        """From time to time: is this log fit for what it is to be? And as leader: who has stayed behind, who may join,
        has the minimum been changed?
        """
        # Each second for each partition, of which nearly all want nothing: what would find nothing to do is not called.
        partition = self._partition
        role, log, rules = partition.role, partition.log, partition.current_rules()
        if rules.asks_to_flush != log.is_flush_noted:
            partition.durability.keep_note()
        if log.trouble is not None:
            partition.leadership.make_way()
        deleted = partition.waiters.deleted
        if deleted.waiting and isinstance(role, Leader):  # who died meanwhile is not waited for
            deleted.release(role.low_watermark(log.start_offset))
        if len(partition.replicas) == 1:
            return
        role, trouble = partition.role, log.trouble
        if not isinstance(role, Leader) or (trouble is not None and trouble.stops_reads):
            return  # whoever cannot fetch from a damaged log does not stay behind by its own fault
        in_sync_min = partition.current_rules().in_sync_min
        if in_sync_min != role.in_sync_min:
            self._propose(role, role.in_sync_min_changed(in_sync_min))
        self._propose(role, role.tick(partition.now_ms(), lag_ms_max=lag_ms_max, log_end=log.end_offset))
        self.in_sync_settled(role)

    def broker_registered(self, broker_id: BrokerId, broker_epoch: int) -> None:
        role = self._partition.role
        if isinstance(role, Leader):
            self._propose(role, role.registered(broker_id, broker_epoch, self._partition.now_ms()))

    def updated(self, leader: Leader, image: PartitionImage) -> None:
        """The image says something new of an epoch that this broker leads already."""
        self._propose(leader, leader.updated(image, self._partition.now_ms()))
        self.in_sync_settled(leader)

    def _propose(self, leader: Leader, proposal: Proposal | None) -> None:
        if proposal is not None and self._manager is not None:
            self._manager.propose(self._partition, leader, proposal)

    def in_sync_settled(self, leader: Leader) -> None:
        """The leader's sets have changed, or may have: who counts decides how far the high watermark is."""
        partition = self._partition
        if partition.role is not leader:
            return
        partition.in_sync = leader.image.in_sync
        partition.leadership.revision = leader.image.revision
        partition.take_high_watermark(leader.high_watermark)
        committed = partition.waiters.committed
        if not leader.has_enough_in_sync and committed.waiting:
            committed.fail(
                NotEnoughReplicasAfterAppend(
                    f"{len(partition.in_sync)} in sync, min.insync.replicas asks for {leader.in_sync_min}; the records"
                    " are in the leader's log"
                )
            )
