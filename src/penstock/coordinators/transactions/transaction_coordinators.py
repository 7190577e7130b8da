"""The coordinators of transactions, wherever they are: this broker's own is asked in place, another's by request.

Requests to another broker carry many transactions (AddPartitionsToTxn from version 4 on is made for that).
"""

from collections.abc import Callable, Coroutine
from typing import Any, Final, Protocol

from penstock.coordinators.peer_batches import PeerBatches
from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes
from penstock.coordinators.transactions.marker_sender import Peers
from penstock.errors import (
    ClusterAuthorizationFailed,
    CoordinatorNotAvailable,
    NetworkFailure,
    RequestTimedOut,
    refusal_for,
)
from penstock.model import BrokerId, PartitionIndex, TopicPartition
from penstock.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from penstock.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse, AddPartitionsToTxnResult

REQUEST_VERSION: Final = 5
REQUEST_TIMEOUT_S: Final = 30.0
CONNECTION_NAME: Final = "transactions"


class LocalCoordinator(Protocol):
    def known_coordinator_of(self, transactional_id: str, *, epoch: int) -> BrokerId: ...

    async def add_partitions(self, asked: AddOrVerifyPartitions) -> Outcomes: ...

    def add_partitions_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None: ...


class TransactionCoordinators:
    def __init__(
        self,
        local: LocalCoordinator,
        peers: Peers,
        *,
        me: BrokerId,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._local = local
        self._peers = peers
        self._me = me
        self._batches: PeerBatches[AddOrVerifyPartitions, Outcomes] = PeerBatches(
            self._send, about=lambda asked: asked.transactional_id, spawn=spawn
        )

    async def add_partitions(self, asked: AddOrVerifyPartitions) -> Outcomes:
        """As `Transactions.add_partitions`, of whichever broker coordinates the id."""
        coordinator = self._local.known_coordinator_of(asked.transactional_id, epoch=asked.coordinator_epoch)
        if coordinator != self._me:
            return await self._batches.ask(coordinator, asked)
        return await self._local.add_partitions(asked)

    def add_partitions_at_once(self, asked: AddOrVerifyPartitions) -> Outcomes | None:
        """As `Transactions.add_partitions_at_once`; of another broker nothing is known without waiting."""
        if self._local.known_coordinator_of(asked.transactional_id, epoch=asked.coordinator_epoch) != self._me:
            return None
        return self._local.add_partitions_at_once(asked)

    async def _send(self, coordinator: BrokerId, asked: list[AddOrVerifyPartitions]) -> list[Outcomes]:
        request = AddPartitionsToTxnRequest(transactions=[_on_the_wire(one) for one in asked])
        try:
            response: AddPartitionsToTxnResponse = await self._peers.ask(
                coordinator,
                request,
                version=REQUEST_VERSION,
                timeout_s=REQUEST_TIMEOUT_S,
                connection_name=CONNECTION_NAME,
            )
        except RequestTimedOut as late:
            raise NetworkFailure(late.message) from late  # as Kafka says it to its producers, who try again
        if response.error_code == ClusterAuthorizationFailed.code:
            # One of the two registered a moment ago, or has lost its registration: shortly they know each other again.
            raise CoordinatorNotAvailable(f"broker {coordinator} does not know this one at the moment")
        if response.error_code:
            raise refusal_for(response.error_code)()
        answers = {result.transactional_id: _outcomes(result) for result in response.results_by_transaction}
        silence = NetworkFailure("no word of this partition")
        return [{at: answers.get(one.transactional_id, {}).get(at, silence) for at in one.partitions} for one in asked]


def _on_the_wire(asked: AddOrVerifyPartitions) -> AddPartitionsToTxnTransaction:
    topics: dict[str, AddPartitionsToTxnTopic] = {}
    for topic, index in asked.partitions:
        topics.setdefault(topic, AddPartitionsToTxnTopic(topic)).partitions.append(index)
    return AddPartitionsToTxnTransaction(
        asked.transactional_id, asked.producer_id, asked.producer_epoch, asked.verify_only, list(topics.values())
    )


def _outcomes(result: AddPartitionsToTxnResult) -> Outcomes:
    return {
        TopicPartition(topic.name, PartitionIndex(part.partition_index)): (
            refusal_for(part.partition_error_code)() if part.partition_error_code else None
        )
        for topic in result.topic_results
        for part in topic.results_by_partition
    }
