"""Replicas that cannot be what they are: they resign, leave the in-sync set, or are fetched anew from the leader.

What a partition asks for comes here (`AlterPartitionManager`). A damaged log is set aside and begun anew once
another broker leads and nobody counts on what was in it (RULES 21).
"""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from penstock.cluster import ClusterImage, PartitionImage
from penstock.model import BrokerId
from penstock.replication.bugs import ReplicationBugs
from penstock.replication.following import Follower
from penstock.replication.handover import ReplicaHandover, until_heard
from penstock.replication.in_sync import InSyncKeeper
from penstock.replication.machine import Leader, Proposal
from penstock.replication.partition import Partition
from penstock.replication.ports import Resignations
from penstock.replication.replica_logs import ReplicaLogs

if TYPE_CHECKING:
    from penstock.replication.partitions import Partitions


class TroubledReplicas:
    def __init__(
        self,
        partitions: "Partitions",
        image: ClusterImage,
        *,
        me: BrokerId,
        logs: ReplicaLogs,
        keeper: InSyncKeeper | None,
        resignations: Resignations | None,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        bugs: ReplicationBugs,
    ) -> None:
        """Without `keeper` and `resignations` this broker stands alone, and there is nobody to make way for."""
        self._partitions = partitions
        self._image = image
        self._me = me
        self._logs = logs
        self._keeper = keeper
        self._resignations = resignations
        self._handover = None if resignations is None else ReplicaHandover(resignations, spawn)
        self._spawn = spawn
        self._bugs = bugs
        self._renewing: set[Partition] = set()

    # What partitions ask for ------------------------------------------------------------------------------------

    def propose(self, partition: Partition, leader: Leader, proposal: Proposal) -> None:
        if self._keeper is not None:
            self._keeper.submit(partition, leader, proposal)

    def resign(self, partition: Partition, reason: str) -> None:
        if self._handover is not None:
            self._handover.resign(partition, reason)

    def leave(self, partition: Partition, reason: str) -> None:
        topic = self._partitions.topic_of(partition)
        if topic is not None and self._is_to_renew(partition, topic.partitions[partition.index]):
            self._renew_soon(partition)  # nothing is to be left, so no change of the image will say so
        elif self._handover is not None:
            self._handover.leave(partition, reason)

    def assigned(self, partition: Partition, image: PartitionImage) -> None:
        """The image says something of a partition: it may be what its log waits for, or wait for its log itself."""
        log = partition.log
        if log.trouble is not None and self._is_to_renew(partition, image):
            self._renew_soon(partition)
        is_empty = log.end_offset == 0 and log.trouble is None
        if is_empty and image.waits_for(self._me) and self._handover is not None:
            self._handover.tell_of_nothing(partition)

    # Begun anew -------------------------------------------------------------------------------------------------

    def _is_to_renew(self, partition: Partition, image: PartitionImage) -> bool:
        """Whether a damaged log can be fetched anew: another broker leads, and this one can no longer be elected."""
        trouble = partition.log.trouble
        return (
            trouble is not None
            and trouble.stops_reads
            and not trouble.is_unmade
            and partition.log.health.open_again is None
            and isinstance(partition.role, Follower)
            and image.leader >= 0
            and self._me not in (*image.in_sync, *image.eligible)
        )

    def _renew_soon(self, partition: Partition) -> None:
        if self._resignations is None:
            self._logs.later(lambda: self._renew(partition))
        elif partition not in self._renewing:
            self._renewing.add(partition)
            self._spawn(self._begin_anew(self._resignations, partition))

    async def _begin_anew(self, resignations: Resignations, partition: Partition) -> None:
        """The leader may be about to hear of what this broker had: were that to count, a log that has nothing yet would
        be in sync, and might be elected.
        """
        epoch = partition.leader_epoch
        try:
            await until_heard(
                partition,
                "begin anew",
                lambda: resignations.begin_anew(partition.topic_id, partition.index, leader_epoch=epoch),
                is_wanted=lambda: isinstance(partition.role, Follower) and not self._bugs.begins_anew_in_same_epoch,
            )
        finally:
            self._renewing.discard(partition)
        self._logs.later(lambda: self._renew(partition))

    async def _renew(self, partition: Partition) -> None:
        """What is left of a damaged log is set aside, never deleted; a new one begins where the leader does (RULES
        21).
        """
        topic = self._partitions.topic_of(partition)
        if topic is None:
            return
        image = topic.partitions[partition.index]
        folder = self._logs.folder_of(partition)
        if folder is None or not self._is_to_renew(partition, image):
            return
        self._partitions.drop(partition)
        folder.set_aside(partition.topic_partition)
        self._logs.wanted_folders[partition.topic_partition] = folder
        await self._logs.make(topic, [partition.index])  # which tries again where there is no room

    def give_up(self, partition: Partition, reason: str) -> bool:
        """A damaged log that cannot be mended: have it fetched anew. False where nobody else is in sync, and what is
        left here may be all there is.
        """
        if all(broker == self._me for broker in partition.in_sync):
            return False
        refusal = partition.log.health.take_offline(reason, stops_reads=True)
        partition.leadership.resign(refusal)
        partition.leadership.leave_in_sync()
        topic = self._image.topics_by_id.get(partition.topic_id)
        if topic is not None and self._is_to_renew(partition, topic.partitions[partition.index]):
            self._renew_soon(partition)  # it was out of the in-sync set already: the image will not tell of it
        return True
