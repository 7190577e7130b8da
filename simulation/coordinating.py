"""A simulated broker's coordinators: the real groups and transactions, their gate and their markers.

Requests to other brokers travel over the simulated network as they are; the handlers that answer them are the real
ones. What is missing is the encoding in between, and the brokers' handshakes with each other.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from penstock.broker.handlers.add_partitions_to_txn import add_partitions_to_txn
from penstock.broker.handlers.write_txn_markers import write_txn_markers
from penstock.broker.peer_authentication import Caller
from penstock.broker.produce_transactions import find_transaction
from penstock.broker.registry import RequestContext
from penstock.broker.services import Services
from penstock.cluster import Cluster
from penstock.coordinators.decision import RecordCodec
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.records import GroupCodec
from penstock.coordinators.loading import changes_in
from penstock.coordinators.service import CoordinatorService
from penstock.coordinators.transactions.machine import TransactionMachine
from penstock.coordinators.transactions.records import TransactionCodec
from penstock.coordinators.transactions.state import TransactionLimits
from penstock.errors import NetworkFailure, RequestTimedOut
from penstock.model import BrokerId, TopicPartition
from penstock.replication import ALL, Partition, Peers
from penstock.wire.batch import BatchHeader
from penstock.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from penstock.wire.messages.write_txn_markers_request import WriteTxnMarkersRequest
from penstock.wire.produce import ProduceRequest
from simulation.members import check_owners
from simulation.oracle import Violation

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess

ANSWERED_WITHIN_S = 3.0
"""Shorter than a broker waits: what a cut swallows here would be sent again by the kernel when it is mended."""


LOOKS_EVERY_S = 0.02


class Coordinators:
    def __init__(self, process: "BrokerProcess", services: Services) -> None:
        self._process = process
        self._services = services
        self.groups = services.groups
        self.transactions = services.transactions

    def start(self) -> None:
        self.groups.start()
        self.transactions.start()

    def check_against_log(self) -> None:
        """What a coordinator goes by is what its log says: the next one will have nothing else."""
        self._check(
            self.transactions,
            lambda: TransactionMachine(TransactionLimits(), coordinator_index=0, coordinator_epoch=0),
            TransactionCodec(),
            lambda machine: machine.transactions,
        )
        groups = self.groups
        self._check(
            groups,
            lambda: GroupMachine(groups._limits, groups._consumer_limits, groups._view),
            GroupCodec(),
            _kept_of_groups,
        )

    def _check(
        self,
        service: CoordinatorService,
        new_machine: Callable[[], Any],
        codec: RecordCodec,
        kept_of: Callable[[Any], Any],
    ) -> None:
        runtime = service._runtime
        for shard in () if runtime is None else runtime.shards():
            if not shard.is_active:
                continue
            replayed = new_machine()
            for stored in self._process.view(shard.partition).batches:
                for change in changes_in(stored.header, stored.data, codec, "simulated"):
                    replayed.apply(change)
            kept = kept_of(shard.machine)
            if kept != kept_of(replayed):
                raise Violation(f"{self._process} coordinates by what its log does not say: {kept}")

    def answer_peer(self, request: Any, version: int) -> Any:
        context = RequestContext(version, None, "simulated", "simulated", Caller())
        its = self._services
        if isinstance(request, WriteTxnMarkersRequest):
            work = write_txn_markers(
                request, context, its.marker_writer, its.partitions, its.authenticator, its.authorizer
            )
            return self._process.spawn(work)
        assert isinstance(request, AddPartitionsToTxnRequest)
        return self._process.spawn(
            add_partitions_to_txn(request, context, its.transactions, its.image, its.authenticator, its.authorizer)
        )

    async def produce(self, transactional_id: str, at: TopicPartition, batch: bytes, version: int) -> int:
        """As the handler of produce requests does it for one batch of a transaction."""
        key = at.topic.encode()
        view = memoryview(bytearray(batch))
        request = ProduceRequest(transactional_id, ALL, 1_000, [(key, [(at.partition, view)])])
        transaction = find_transaction(request, self._services.partitions.finder(by_id=False), version)
        assert transaction is not None
        if transaction.unasked:
            await transaction.ask(self._services.transaction_gate)
            await self._held_up(self._process.find(at), BatchHeader.peek(view).producer_id)
        guard = transaction.guard_at((key, at.partition))
        partition = self._process.find(at)
        appended = partition.append(view, acks=ALL, guard=guard)
        pending = partition.acknowledged(appended, acks=ALL)
        if pending is not None:
            await pending
        return appended.base_offset

    async def _held_up(self, partition: Partition, producer_id: int) -> None:
        """For a while, or until the worst moment: a marker has just ended the transaction here."""
        left_s = self._process.world.hold_up_answer()
        view = self._process.view(partition)
        since = len(view.batches)
        while left_s > 0:
            await asyncio.sleep(LOOKS_EVERY_S)
            left_s -= LOOKS_EVERY_S
            headers = [stored.header for stored in view.batches[since:]]
            if any(header.is_control and header.producer_id == producer_id for header in headers):
                return


class SimulatedPeers(Peers):
    """Over the simulated network, as they are: no handshake, no encoding."""

    def __init__(self, process: "BrokerProcess", cluster: Cluster) -> None:
        super().__init__(cluster.image, clock=process.clock, own_epoch=lambda: cluster.broker_epoch, handshake=None)
        self._process = process
        self._cluster = cluster

    async def ask(
        self, broker_id: BrokerId, request: Any, *, version: int, timeout_s: float, connection_name: str = ""
    ) -> Any:
        process = self._process
        if broker_id not in self._cluster.image.brokers:
            raise NetworkFailure(f"broker {broker_id} is not registered")
        try:
            return await process.world.network.ask(
                process.id,
                broker_id,
                lambda peer: _answer(peer, request, version),
                timeout_s=min(timeout_s, ANSWERED_WITHIN_S),
                context=process.context,
            )
        except TimeoutError:
            raise RequestTimedOut from None
        except ConnectionRefusedError as refused:
            self._cluster.suspect(broker_id)
            raise NetworkFailure(str(refused)) from None


def _answer(peer: "BrokerProcess", request: Any, version: int) -> Any:
    others = peer.world.answer_peer
    if others is not None:
        return others(peer, request)
    assert peer.coordinators is not None
    return peer.coordinators.answer_peer(request, version)


def _kept_of_groups(machine: GroupMachine) -> dict[str, Any]:
    groups = machine.tables.of_kind(ConsumerGroup)
    for group in groups.values():
        check_owners(group)
    return {
        group_id: (group.epoch, group.assignment_epoch, group.members, group.targets, group.silences)
        for group_id, group in groups.items()
    }
