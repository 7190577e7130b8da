"""Takes the markers of ended transactions to the leaders of their partitions: to this broker in place, to others by
request.

Whoever is away is asked again until it answers: once an end is settled, every partition learns of it. Only two things
stop that: the coordinator has moved, or a partition says that it did.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

import structlog

from penstock.broker.marker_writer import MarkerEntry, MarkerWriter
from penstock.cluster import ClusterImage
from penstock.coordinators.transactions import MarkersDue
from penstock.errors import (
    InvalidProducerEpoch,
    LeaderNotAvailable,
    NetworkFailure,
    Refusal,
    TransactionCoordinatorFenced,
    refusal_for,
)
from penstock.model import BrokerId, PartitionIndex, TopicPartition
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from penstock.wire.messages.write_txn_markers_response import WriteTxnMarkersResponse

FIRST_PAUSE_S: Final = 0.02
PAUSE_S_MAX: Final = 1.0
WARN_AFTER: Final = 10
"""Attempts after which it is worth telling somebody."""
REQUEST_VERSION: Final = 2

_FINAL = (InvalidProducerEpoch, TransactionCoordinatorFenced)
"""A newer coordinator has been there."""

_log = structlog.get_logger(__name__)


class Peers(Protocol):
    """The other brokers of the cluster."""

    async def ask(self, broker_id: BrokerId, request: Any, version: int) -> Any:
        """The response; raises a Refusal if the broker cannot be reached."""


class NoPeers(Peers):
    """A broker that stands alone has none."""

    async def ask(self, broker_id: BrokerId, request: Any, version: int) -> Any:
        raise NetworkFailure(f"broker {broker_id} cannot be reached")


Outcomes = dict[TopicPartition, Refusal | None]


class MarkersOut:
    def __init__(self, *, broker_id: BrokerId, image: ClusterImage, writer: MarkerWriter, peers: Peers) -> None:
        self._broker_id = broker_id
        self._image = image
        self._writer = writer
        self._peers = peers

    async def deliver(self, due: MarkersDue, *, is_wanted: Callable[[], bool]) -> bool:
        """Whether every partition that still exists has its marker; False if it is not for this coordinator to do."""
        remaining, attempts, pause_s = set(due.partitions), 0, FIRST_PAUSE_S
        while True:
            outcomes = await self._attempt(due, remaining)
            attempts += 1
            fenced = [str(at) for at, outcome in outcomes.items() if isinstance(outcome, _FINAL)]
            if fenced:
                _log.warning("markers refused", transactional_id=due.transactional_id, partitions=fenced)
                return False
            remaining = {at for at, outcome in outcomes.items() if outcome is not None}
            if not remaining:
                return True
            if not is_wanted():
                return False
            if attempts % WARN_AFTER == 0:
                partitions = {str(at): type(outcomes[at]).__name__ for at in sorted(remaining)}
                _log.warning("markers not written yet", transactional_id=due.transactional_id, partitions=partitions)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSE_S_MAX)
            if not is_wanted():
                return False

    async def _attempt(self, due: MarkersDue, remaining: Iterable[TopicPartition]) -> Outcomes:
        """What became of each partition; those that are gone are not among them."""
        outcomes: Outcomes = {}
        by_leader: dict[BrokerId, list[TopicPartition]] = {}
        for at in sorted(remaining):
            leader = self._leader_of(at)
            if leader is None:
                continue  # deleted: there is nobody to tell, and nothing to be told about
            if leader < 0:
                outcomes[at] = LeaderNotAvailable()
            else:
                by_leader.setdefault(leader, []).append(at)
        for told in await asyncio.gather(*(self._tell(due, leader, there) for leader, there in by_leader.items())):
            outcomes |= told
        return outcomes

    def _leader_of(self, at: TopicPartition) -> BrokerId | None:
        topic = self._image.topics.get(at.topic)
        if topic is None or at.partition >= len(topic.partitions):
            return None
        return topic.partitions[at.partition].leader

    async def _tell(self, due: MarkersDue, leader: BrokerId, partitions: list[TopicPartition]) -> Outcomes:
        if leader != self._broker_id:
            return await self._ask(due, leader, partitions)
        marker = Marker(MarkerType.COMMIT if due.commits else MarkerType.ABORT, due.coordinator_epoch)
        entry = MarkerEntry(marker, due.producer_id, due.producer_epoch, due.version, partitions)
        (outcomes,) = await self._writer.write([entry])
        return outcomes

    async def _ask(self, due: MarkersDue, leader: BrokerId, partitions: list[TopicPartition]) -> Outcomes:
        try:
            response = await self._peers.ask(leader, _request(due, partitions), REQUEST_VERSION)
        except Refusal as refusal:
            return dict.fromkeys(partitions, refusal)
        told = _outcomes(response, due.producer_id)
        return {at: told.get(at, NetworkFailure("no word of this partition")) for at in partitions}


def _request(due: MarkersDue, partitions: list[TopicPartition]) -> WriteTxnMarkersRequest:
    topics: dict[str, WritableTxnMarkerTopic] = {}
    for topic, index in partitions:
        topics.setdefault(topic, WritableTxnMarkerTopic(topic)).partition_indexes.append(index)
    return WriteTxnMarkersRequest(
        [
            WritableTxnMarker(
                producer_id=due.producer_id,
                producer_epoch=due.producer_epoch,
                transaction_result=due.commits,
                topics=list(topics.values()),
                coordinator_epoch=due.coordinator_epoch,
                transaction_version=due.version,
            )
        ]
    )


def _outcomes(response: WriteTxnMarkersResponse, producer_id: int) -> Outcomes:
    codes = {
        TopicPartition(topic.name, PartitionIndex(part.partition_index)): part.error_code
        for marker in response.markers
        if marker.producer_id == producer_id
        for topic in marker.topics
        for part in topic.partitions
    }
    return {at: refusal_for(code)() if code else None for at, code in codes.items()}
