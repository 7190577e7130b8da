"""Takes the markers of ended transactions to the leaders of their partitions: to this broker in place, to others by
request, with those of other transactions that end at the same time.

Whoever is away is asked again until it answers: once an end is settled, every partition learns of it. Only two things
stop that: the coordinator has moved, or a partition says that it did.

A partition that knows a later epoch of the producer has nothing open of the transaction, for whatever brought that
epoch was let in only after its end there; its leader tells so once that end is replicated. So it needs no marker. Kafka
stops at that: the transactional id would be without an end for good, and so would the partitions that were to be told
next; and anybody can bring a later epoch, outside transactions.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, NamedTuple, Protocol

import structlog

from penstock.cluster import ClusterImage
from penstock.coordinators.peer_batches import PeerBatches
from penstock.coordinators.transactions import MarkersDue
from penstock.coordinators.transactions.marker_writer import MarkerEntry, MarkerWriter
from penstock.errors import (
    InvalidProducerEpoch,
    LeaderNotAvailable,
    NetworkFailure,
    Refusal,
    TransactionCoordinatorFenced,
    refusal_for,
)
from penstock.metastore import MetastoreError
from penstock.model import BrokerId, PartitionIndex, TopicPartition
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from penstock.wire.messages.write_txn_markers_response import WritableTxnMarkerResult, WriteTxnMarkersResponse

FIRST_PAUSE_S: Final = 0.02
PAUSE_S_MAX: Final = 1.0
WARN_AFTER: Final = 10
"""Attempts after which it is worth telling somebody."""
REQUEST_VERSION: Final = 2
REQUEST_TIMEOUT_S: Final = 30.0
CONNECTION_NAME: Final = "markers"
"""A connection of their own: they wait for replication, and nothing else should wait for them."""

_log = structlog.get_logger(__name__)


class Peers(Protocol):
    """The other brokers of the cluster."""

    async def ask(
        self, broker_id: BrokerId, request: Any, *, version: int, timeout_s: float, connection_name: str = ""
    ) -> Any:
        """The response; raises a Refusal if the broker cannot be reached."""


Outcomes = dict[TopicPartition, Refusal | None]


class _Told(NamedTuple):
    """What one leader is told of one transaction."""

    due: MarkersDue
    partitions: list[TopicPartition]


class MarkerSender:
    def __init__(
        self,
        *,
        broker_id: BrokerId,
        image: ClusterImage,
        writer: MarkerWriter,
        peers: Peers,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        catch_up: Callable[[], Awaitable[None]],
    ) -> None:
        """`catch_up` waits until the image holds all that the metadata store does."""
        self._broker_id = broker_id
        self._image = image
        self._catch_up = catch_up
        self._writer = writer
        self._peers = peers
        self._batches: PeerBatches[_Told, Outcomes] = PeerBatches(
            self._send, about=lambda told: told.due.producer_id, spawn=spawn
        )

    async def deliver(self, due: MarkersDue, *, is_wanted: Callable[[], bool]) -> bool:
        """Whether every partition that still exists has its marker; False if it is not for this coordinator to do."""
        remaining, attempts, pause_s = set(due.partitions), 0, FIRST_PAUSE_S
        while True:
            outcomes = await self._attempt(due, remaining)
            attempts += 1
            fenced = _refused_with(TransactionCoordinatorFenced, outcomes)
            if fenced:
                _log.warning(
                    "markers refused", transactional_id=due.transactional_id, partitions=sorted(map(str, fenced))
                )
                return False
            over = _refused_with(InvalidProducerEpoch, outcomes)
            if over:
                _log.warning("epoch is over", transactional_id=due.transactional_id, partitions=sorted(map(str, over)))
            remaining = {at for at, outcome in outcomes.items() if outcome is not None} - over
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
        if any(self._leader_of(at) is None for at in remaining):
            try:
                await self._catch_up()  # an image that lags behind must not pass a new topic for a deleted one
            except MetastoreError as error:
                return dict.fromkeys(remaining, LeaderNotAvailable(str(error)))
        for at in sorted(remaining):
            leader = self._leader_of(at)
            if leader is None:
                continue  # deleted: there is nobody to tell, and nothing to be told about
            if leader < 0:
                outcomes[at] = LeaderNotAvailable()
            else:
                by_leader.setdefault(leader, []).append(at)
        telling = [self._tell(due, leader, there) for leader, there in by_leader.items()]
        # One leader, as with a broker by itself, needs no task of its own, which would be three turns of the loop.
        for told in [await telling[0]] if len(telling) == 1 else await asyncio.gather(*telling):
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
            return await self._batches.ask(leader, _Told(due, partitions))
        except Refusal as refusal:
            return dict.fromkeys(partitions, refusal)

    async def _send(self, leader: BrokerId, told: list[_Told]) -> list[Outcomes]:
        request = WriteTxnMarkersRequest([_marker(one) for one in told])
        response: WriteTxnMarkersResponse = await self._peers.ask(
            leader, request, version=REQUEST_VERSION, timeout_s=REQUEST_TIMEOUT_S, connection_name=CONNECTION_NAME
        )
        outcomes = {marker.producer_id: _outcomes(marker) for marker in response.markers}
        silence = NetworkFailure("no word of this partition")
        return [{at: outcomes.get(one.due.producer_id, {}).get(at, silence) for at in one.partitions} for one in told]


def _refused_with(kind: type[Refusal], outcomes: Outcomes) -> set[TopicPartition]:
    return {at for at, outcome in outcomes.items() if isinstance(outcome, kind)}


def _marker(told: _Told) -> WritableTxnMarker:
    topics: dict[str, WritableTxnMarkerTopic] = {}
    for topic, index in told.partitions:
        topics.setdefault(topic, WritableTxnMarkerTopic(topic)).partition_indexes.append(index)
    due = told.due
    return WritableTxnMarker(
        producer_id=due.producer_id,
        producer_epoch=due.producer_epoch,
        transaction_result=due.commits,
        topics=list(topics.values()),
        coordinator_epoch=due.coordinator_epoch,
        transaction_version=due.version,
    )


def _outcomes(marker: WritableTxnMarkerResult) -> Outcomes:
    return {
        TopicPartition(topic.name, PartitionIndex(part.partition_index)): (
            refusal_for(part.error_code)() if part.error_code else None
        )
        for topic in marker.topics
        for part in topic.partitions
    }
