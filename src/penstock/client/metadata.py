"""What a client knows of the cluster, and how news changes it. Decides nothing but what to believe; asks nobody.

Of two stories about a partition's leader the one with the higher leader epoch is true: an answer from a broker that is
behind must not bring back the leader of before (KIP-320). A topic that was made anew under its name begins anew.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from penstock.client.network import Node
from penstock.errors import LeaderNotAvailable, Refusal, UnknownTopicOrPartition, refusal_for
from penstock.model import TopicPartition
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic
from penstock.wire.primitives import ZERO_UUID

NOBODY: Final = -1


class PartitionInfo(msgspec.Struct, frozen=True):
    index: int
    leader: int
    """Broker id; -1 while nobody leads."""
    leader_epoch: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    offline: tuple[int, ...] = ()


class TopicInfo(msgspec.Struct, frozen=True):
    name: str
    id: bytes
    is_internal: bool
    partitions: dict[int, PartitionInfo]


class Metadata:
    def __init__(self) -> None:
        self.cluster_id: str | None = None
        self.controller_id = NOBODY
        self.brokers: dict[int, Node] = {}
        self.topics: dict[str, TopicInfo] = {}
        self.refused: dict[str, type[Refusal]] = {}
        """Topics that were asked for and are not to be had, with why."""
        self.names: dict[bytes, str] = {}
        """Topics by id."""
        self.asked_at_s: dict[str, float] = {}
        self._coordinators: dict[tuple[int, str], int] = {}
        self._stale: set[str] = set()

    # News -----------------------------------------------------------------------------------------------------------

    def learn(self, answer: MetadataResponse, now_s: float) -> None:
        self.cluster_id, self.controller_id = answer.cluster_id, answer.controller_id
        self.brokers = {each.node_id: Node(each.node_id, each.host, each.port, each.rack) for each in answer.brokers}
        for topic in answer.topics:
            if topic.name is not None:
                self._learn_topic(topic.name, topic, now_s)

    def _learn_topic(self, name: str, topic: MetadataResponseTopic, now_s: float) -> None:
        self._stale.discard(name)
        self.asked_at_s[name] = now_s
        self.refused.pop(name, None)
        if topic.error_code:
            self.refused[name] = refusal_for(topic.error_code)
            if topic.error_code == UnknownTopicOrPartition.code:
                self._forget_topic(name)
            return
        former = self.topics.get(name)
        if former is not None and former.id != topic.topic_id:
            former = None
        partitions = {}
        for each in sorted(topic.partitions, key=lambda partition: partition.partition_index):
            known = former.partitions.get(each.partition_index) if former else None
            if known is not None and 0 <= each.leader_epoch < known.leader_epoch:
                partitions[known.index] = known
                continue
            partitions[each.partition_index] = PartitionInfo(
                each.partition_index, each.leader_id, each.leader_epoch,
                tuple(each.replica_nodes), tuple(each.isr_nodes), tuple(each.offline_replicas),
            )  # fmt: skip
        self.topics[name] = TopicInfo(name, topic.topic_id, topic.is_internal, partitions)
        if topic.topic_id != ZERO_UUID:
            self.names[topic.topic_id] = name

    def _forget_topic(self, name: str) -> None:
        former = self.topics.pop(name, None)
        if former is not None:
            self.names.pop(former.id, None)

    def learn_leader(self, place: TopicPartition, leader: int, epoch: int, endpoints: Iterable[Any] = ()) -> bool:
        """What a Produce or Fetch answer says of the new leader (KIP-951). False: it is no news, ask for metadata."""
        known = self.partition(place)
        if known is None or leader < 0 or epoch <= known.leader_epoch:
            return False
        for each in endpoints:
            self.brokers[each.node_id] = Node(each.node_id, each.host, each.port, each.rack)
        if leader not in self.brokers:
            return False
        moved = msgspec.structs.replace(known, leader=leader, leader_epoch=epoch)
        self.topics[place.topic].partitions[place.partition] = moved
        self._stale.discard(place.topic)
        return True

    def doubt(self, topic: str) -> None:
        """What is known of the topic led astray: it is asked for anew before it is used again."""
        self._stale.add(topic)

    # Questions ------------------------------------------------------------------------------------------------------

    def is_fresh(self, topic: str, *, now_s: float, age_s_max: float) -> bool:
        asked_s = self.asked_at_s.get(topic)
        return asked_s is not None and topic not in self._stale and now_s - asked_s < age_s_max

    def partition(self, place: TopicPartition) -> PartitionInfo | None:
        topic = self.topics.get(place.topic)
        return topic.partitions.get(place.partition) if topic else None

    def id_of(self, topic: str) -> bytes:
        """Zeros for a topic that is not known (any more): brokers then say that they do not know it either."""
        known = self.topics.get(topic)
        return ZERO_UUID if known is None else known.id

    def leader_of(self, place: TopicPartition) -> Node:
        """LeaderNotAvailable while nobody leads; what the topic was refused with if it was."""
        found = self.partition(place)
        if found is None:
            refused = self.refused.get(place.topic, UnknownTopicOrPartition)
            raise refused(f"{place}: {refused.meaning()}")
        if found.leader not in self.brokers:
            raise LeaderNotAvailable(f"nobody leads {place} at the moment")
        return self.brokers[found.leader]

    # Coordinators ---------------------------------------------------------------------------------------------------

    def learn_coordinator(self, kind: int, key: str, node: Node) -> None:
        self.brokers.setdefault(node.id, node)
        self._coordinators[kind, key] = node.id

    def coordinator_of(self, kind: int, key: str) -> Node | None:
        return self.brokers.get(self._coordinators.get((kind, key), NOBODY))

    def doubt_coordinator(self, kind: int, key: str) -> None:
        self._coordinators.pop((kind, key), None)
