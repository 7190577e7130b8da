"""Admin requests about single partitions and brokers: reassignments, elections, unregistering. Pure.

Each is one transaction that compares the partition's mod revision, the controller's epoch and, where somebody is
elected, that broker's registration (RULES 13). Unregistering a broker takes several, and forgets its name last.
"""

from collections.abc import Sequence

import msgspec

from penstock.cluster import views
from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.commands import Decision, ElectionType, ElectLeader, Reassign, UnregisterBroker
from penstock.cluster.duties.machine import DutyMachine
from penstock.cluster.duties.partition_writes import PartitionRef, PartitionWrite
from penstock.cluster.elections import ElectedFrom, forget
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import PartitionImage, TopicImage, record_from
from penstock.cluster.keys import Keys
from penstock.cluster.reassigning import cancelled, reassigned
from penstock.cluster.records import NO_LEADER
from penstock.errors import (
    BrokerIdNotRegistered,
    ElectionNotNeeded,
    EligibleLeadersNotAvailable,
    InvalidRequest,
    PreferredLeaderNotAvailable,
    UnknownTopicOrPartition,
)
from penstock.metastore import Delete, Transaction, absent, unchanged_since
from penstock.settings.config import Config
from penstock.settings.topic import MIN_INSYNC_REPLICAS


class PartitionMachine:
    def __init__(self, image: ClusterImage, keys: Keys, config: Config, bugs: ClusterBugs = NO_BUGS) -> None:
        self._image = image
        self._keys = keys
        self._config = config
        self._duties = DutyMachine(image, keys, config)
        self._bugs = bugs

    def reassign(self, command: Reassign) -> Decision[None]:
        topic, partition = self._found(command.topic, command.index)
        election_view = self._duties.election_view()
        in_sync_min = self._config.for_topic(topic.overrides)[MIN_INSYNC_REPLICAS]
        if command.replicas is None:
            record = cancelled(partition, election_view, in_sync_min=in_sync_min, bugs=self._bugs)
        else:
            record = reassigned(
                partition,
                command.replicas,
                election_view,
                known=frozenset((*self._image.brokers, *self._image.marks.identities)),
                in_sync_min=in_sync_min,
                may_change_factor=command.may_change_factor,
                bugs=self._bugs,
            )
        if record == record_from(partition):
            return Decision((), None)
        return self._written([self._duties.ruling(topic, partition, record, ElectedFrom.IN_SYNC)])

    def elect(self, command: ElectLeader) -> Decision[ElectedFrom]:
        topic, partition = self._found(command.topic, command.index)
        election_view, which = self._duties.election_view(), [PartitionRef(topic.topic_id, partition.index)]
        if command.election_type == ElectionType.PREFERRED:
            if partition.replicas and partition.leader == partition.replicas[0]:
                raise ElectionNotNeeded
            rulings = self._duties.elect_preferred(which, election_view)
            if not rulings and partition.leader == NO_LEADER:
                rulings = self._duties.review(which, election_view)
            if not rulings or rulings[0].record.leader != partition.replicas[0]:
                raise PreferredLeaderNotAvailable
        else:
            if partition.leader in self._image.brokers:
                raise ElectionNotNeeded
            rulings = self._duties.elect_unclean(which, election_view)
            if not rulings or rulings[0].record.leader < 0:
                raise EligibleLeadersNotAvailable
        return Decision(self._written(rulings).transactions, rulings[0].how)

    def unregister(self, command: UnregisterBroker) -> Decision[None]:
        """Forget a broker that is gone for good, with what it had: then another folder may have its id (RULES 3).
        Should it come back meanwhile it is not gone, and keeps what has not been written yet.
        """
        broker = command.broker_id
        if broker in self._image.brokers:
            raise InvalidRequest(f"broker {broker} is running: stop it first, or it would register again at once")
        if broker not in self._image.marks.identities:
            raise BrokerIdNotRegistered(f"there is no broker {broker}")
        rulings = [
            self._duties.ruling(topic, part, record, ElectedFrom.NOBODY)
            for topic, part in self._image.partitions()
            if (record := forget(part, broker)) is not None
        ]
        identity, away = self._keys.identity(broker), absent(self._keys.broker(broker))
        forgetting = Transaction(
            compares=(away, unchanged_since(identity, self._image.marks.identity_revisions[broker])),
            deletes=(Delete(identity),),
        )
        written = [
            msgspec.structs.replace(each, compares=(*each.compares, away))
            for each in self._written(rulings).transactions
        ]
        return Decision((*written, forgetting), None)

    def _found(self, name: str, index: int) -> tuple[TopicImage, PartitionImage]:
        topic = self._image.topics.get(name)
        if topic is None:
            raise UnknownTopicOrPartition(f"there is no topic {name}")
        views.require_no_view(topic, "ask for the partitions of the topic that it shows")
        if not 0 <= index < len(topic.partitions):
            raise UnknownTopicOrPartition(f"{name} has no partition {index}")
        return topic, topic.partitions[index]

    def _written(self, rulings: Sequence[PartitionWrite]) -> Decision[None]:
        return Decision(tuple(batch.transaction for batch in self._duties.batches(rulings)), None)
