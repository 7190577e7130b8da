"""Takes moved batches to the leaders of their targets: to this broker in place, to others by Produce.

A Produce of moved records names the target by id, so that it never comes to another topic of that name, and says in its
transactional id, which nothing else needs, where the target is to look for the batch (wire/produce.py). Brokers take
that from brokers only.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from penstock.cluster import ClusterImage, TopicImage
from penstock.delivery.relay.entries import Target
from penstock.errors import (
    LeaderNotAvailable,
    NotLeaderOrFollower,
    RequestTimedOut,
    refusal_for,
)
from penstock.metastore import MetastoreError
from penstock.model import BrokerId
from penstock.replication import ALL, Partition, Partitions, append_moved
from penstock.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.produce import MOVED_FROM

SEND_WITHIN_S: Final = 30.0
CONNECTION_NAME: Final = "relay"
LATEST: Final = -1
_PRODUCE_VERSION: Final = 13
"""The first that names topics by id."""
_LIST_OFFSETS_VERSION: Final = 7


class Peers(Protocol):
    """The other brokers of the cluster."""

    async def ask(
        self, broker_id: BrokerId, request: Any, *, version: int, timeout_s: float, connection_name: str = ""
    ) -> Any:
        """The response; raises a Refusal if the broker cannot be reached."""


class TargetGone(Exception):
    """There is no such topic any more, and never will be."""


class RelaySender:
    def __init__(
        self,
        *,
        me: BrokerId,
        image: ClusterImage,
        partitions: Partitions,
        peers: Peers,
        catch_up: Callable[[], Awaitable[None]],
    ) -> None:
        """`catch_up` waits until the image holds all that the metadata store does."""
        self._me = me
        self._image = image
        self._partitions = partitions
        self._peers = peers
        self._catch_up = catch_up

    async def end_of(self, target: Target) -> int:
        """An offset behind all that is replicated there by now. A Refusal, or TargetGone."""
        leader = await self._leader_of(target)
        if leader == self._me:
            return self._here(target).reader.latest_offset(committed_only=False)
        part = ListOffsetsPartition(target.partition_index, timestamp=LATEST)
        asked = ListOffsetsTopic(name=target.topic, partitions=[part])
        answer = await self._ask(leader, ListOffsetsRequest(replica_id=-1, topics=[asked]), _LIST_OFFSETS_VERSION)
        (found,) = answer.topics[0].partitions
        if found.error_code:
            raise refusal_for(found.error_code)()
        self._require(target)  # else it may be another topic's end
        return int(found.offset)

    async def send(self, target: Target, batch: bytearray, *, from_offset: int) -> int:
        """The offset behind the batch at the target, once it is replicated there. A Refusal, or TargetGone."""
        leader = await self._leader_of(target)
        if leader == self._me:
            return await self._append(self._here(target), batch, from_offset)
        part = PartitionProduceData(target.partition_index, memoryview(batch))
        topics = [TopicProduceData(topic_id=target.topic_id, partition_data=[part])]
        # With a second topic a request takes the handler's long way, where such requests are told from others.
        topics.append(TopicProduceData(topic_id=target.topic_id, partition_data=[]))
        request = ProduceRequest(
            transactional_id=f"{MOVED_FROM}{from_offset}",
            acks=ALL,
            timeout_ms=int(SEND_WITHIN_S * 1000),
            topic_data=topics,
        )
        answer = await self._ask(leader, request, _PRODUCE_VERSION)
        (outcome,) = answer.responses[0].partition_responses
        if outcome.error_code:
            raise refusal_for(outcome.error_code)(outcome.error_message or "")
        last: int = outcome.base_offset
        return last + 1

    async def _append(self, partition: Partition, batch: bytearray, from_offset: int) -> int:
        appended = await append_moved(partition, memoryview(batch), from_offset=from_offset)
        pending = partition.acknowledged(appended, acks=ALL)
        if pending is not None:
            try:
                await asyncio.wait_for(_settled(pending), SEND_WITHIN_S)
            except TimeoutError:
                raise RequestTimedOut("the batch is not replicated yet") from None
        return appended.base_offset + 1

    async def _ask(self, leader: BrokerId, request: Any, version: int) -> Any:
        return await self._peers.ask(
            leader, request, version=version, timeout_s=SEND_WITHIN_S, connection_name=CONNECTION_NAME
        )

    async def _leader_of(self, target: Target) -> BrokerId:
        if self._find(target) is None:
            try:
                await self._catch_up()  # an image that lags behind must not pass a new topic for a deleted one
            except MetastoreError as error:
                raise LeaderNotAvailable(str(error)) from error
        leader = self._require(target).partitions[target.partition_index].leader
        if leader < 0:
            raise LeaderNotAvailable(f"nobody leads {target}")
        return leader

    def _find(self, target: Target) -> TopicImage | None:
        return self._image.topics_by_id.get(target.topic_id)

    def _require(self, target: Target) -> TopicImage:
        topic = self._find(target)
        if topic is None:
            raise TargetGone(str(target))
        return topic

    def _here(self, target: Target) -> Partition:
        partition = self._partitions.local(target.topic_id).get(target.partition_index)
        if partition is None:
            raise NotLeaderOrFollower(f"the log of {target} is not there yet")
        return partition


async def _settled(pending: Awaitable[None]) -> None:
    await pending
