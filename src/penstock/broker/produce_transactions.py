"""The transactional batches of one produce request: whose they are, and whether their transaction may go on.

On a partition where the transaction is open nobody is asked. For the others a guard is taken, then the gate is asked
for all of them at once, and each batch is appended under its guard, or refused as Kafka refuses it in the request's
version.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes
from penstock.coordinators.transactions.transaction_gate import TransactionGate
from penstock.errors import (
    ConcurrentTransactions,
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    InvalidProducerIdMapping,
    InvalidTxnState,
    NetworkFailure,
    NotCoordinator,
    NotEnoughReplicas,
    OperationNotAttempted,
    Refusal,
    TransactionAbortable,
    TransactionalIdAuthorizationFailed,
)
from penstock.model import TopicPartition
from penstock.replication import Partition, VerificationGuard
from penstock.replication.partitions import Finder
from penstock.wire import batch as layout
from penstock.wire.batch import BatchHeader
from penstock.wire.produce import ProduceRequest, TopicKey

ABORTABLE_FROM: Final = 11
"""The version whose clients know TRANSACTION_ABORTABLE."""
ADDS_FROM: Final = 12
"""The version whose clients leave it to the broker to add partitions to their transaction."""

_MAGIC: Final = 2
LOW_ATTRIBUTES_AT: Final = layout.ATTRIBUTES_AT + 1

# A coordinator that is away for the moment, or that does not know another partition of the same request yet: its image
# may be behind this broker's, which knows the topic. Producers retry NOT_ENOUGH_REPLICAS, and do not look for leaders
# anew; at OPERATION_NOT_ATTEMPTED, which Kafka hands on, they give the transaction up.
_PASSING = (CoordinatorLoadInProgress, CoordinatorNotAvailable, NetworkFailure, NotCoordinator, OperationNotAttempted)

Place = tuple[TopicKey, int]


def _is_transactional(records: memoryview) -> bool:
    return (
        len(records) >= layout.HEADER_SIZE
        and bool(records[LOW_ATTRIBUTES_AT] & layout.TRANSACTIONAL)
        and records[layout.MAGIC_AT] == _MAGIC
    )


class ProducedTransaction(msgspec.Struct):
    """What one request sends within a transaction."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    api_version: int
    guards: dict[Place, VerificationGuard] = {}
    refusals: dict[Place, Refusal] = {}
    unasked: dict[TopicPartition, Place] = {}
    batches: list[tuple[Partition, Place, int]] = []
    """Each batch's partition, its place in the request, and its sequence."""

    def guard_at(self, place: Place) -> VerificationGuard | None:
        """Under what the batch there is appended; raises what it is refused with."""
        refusal = self.refusals.get(place)
        if refusal is not None:
            raise refusal
        return self.guards.get(place)

    def ask_at_once(self, gate: TransactionGate) -> None:
        """What the gate knows without waiting; what it does not stays unasked."""
        outcomes = gate.admit_at_once(self._question())
        if outcomes is not None:
            unasked, self.unasked = self.unasked, {}
            self._take_in(unasked, outcomes)

    async def ask(self, gate: TransactionGate) -> None:
        asked = self.unasked
        places = {partition.topic_partition: (partition, place) for partition, place, _ in self.batches}
        outcomes = await gate.admit(
            self._question(), again=self._take_guards_again, holds=lambda at: self._holds_guard(*places[at])
        )
        self.unasked = {}
        self._take_in(asked, outcomes)

    def _question(self) -> AddOrVerifyPartitions:
        return AddOrVerifyPartitions.before_an_append(
            self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            partitions=list(self.unasked),
            adds=self.api_version >= ADDS_FROM,
            coordinator_epoch=max((guard.coordinator_epoch for guard in self.guards.values()), default=-1),
        )

    def take_guards(self) -> None:
        for partition, place, sequence in self.batches:
            self._take_guard(partition, place, sequence)

    def _take_guards_again(self) -> None:
        """Before the same question is asked again: its answer counts under guards that were taken before it. It says
        nothing of partitions that it does not name, which were open here: they get none.
        """
        for partition, place, sequence in self.batches:
            if self.guards.pop(place, None) is not None:
                self._take_guard(partition, place, sequence)

    def _holds_guard(self, partition: Partition, place: Place) -> bool:
        """Also where none is needed any more, or none was given: only one that was ended is a reason to ask again."""
        guard = self.guards.get(place)
        return guard is None or partition.transactions.holds(guard)

    def _take_guard(self, partition: Partition, place: Place, sequence: int) -> None:
        try:
            guard = partition.transactions.begin_check(
                self.producer_id, self.producer_epoch, sequence, adds=self.api_version >= ADDS_FROM
            )
        except Refusal as refusal:
            self.refusals[place] = refusal
            return
        if guard is not None:
            self.guards[place] = guard
            self.unasked[partition.topic_partition] = place

    def _take_in(self, asked: dict[TopicPartition, Place], outcomes: Outcomes) -> None:
        for partition, place in asked.items():
            refusal = outcomes[partition]
            if refusal is not None:
                self.refusals[place] = _as_produce_says(refusal, self.api_version)


def find_transaction(request: ProduceRequest, find: Finder, api_version: int) -> ProducedTransaction | None:
    """The transaction that the request's batches belong to, with guards taken where its coordinator must be asked; None
    where none of them belongs to one. A Refusal is for the whole request.
    """
    batches = list(_batches(request))
    if not batches:
        return None
    if request.transactional_id is None:
        raise TransactionalIdAuthorizationFailed("Records within a transaction need the request's transactional id")
    producers = {(header.producer_id, header.producer_epoch) for _, header in batches if header.producer_id >= 0}
    if not producers:
        return None
    if len(producers) > 1:
        raise InvalidProducerIdMapping("One request holds records of more than one producer's transactions")
    ((producer_id, producer_epoch),) = producers
    transaction = ProducedTransaction(request.transactional_id, producer_id, producer_epoch, api_version)
    for place, header in batches:
        partition = (find(place[0]) or {}).get(place[1])
        if partition is not None and header.producer_id >= 0:
            transaction.batches.append((partition, place, header.base_sequence))
    transaction.take_guards()
    return transaction


def is_transactional(request: ProduceRequest) -> bool:
    """Whether any of its batches says that it belongs to a transaction."""
    return any(
        records is not None and _is_transactional(records) for _, parts in request.topics for _, records in parts
    )


def _batches(request: ProduceRequest) -> Iterator[tuple[Place, BatchHeader]]:
    for key, parts in request.topics:
        for index, records in parts:
            if records is not None and _is_transactional(records):
                yield (key, index), BatchHeader.peek(records)


def _as_produce_says(refusal: Refusal, api_version: int) -> Refusal:
    if isinstance(refusal, TransactionAbortable) and api_version < ABORTABLE_FROM:
        refusal = InvalidTxnState()
    if isinstance(refusal, InvalidTxnState):
        return InvalidTxnState("The partition was not added to the transaction")
    if isinstance(refusal, _PASSING) or (isinstance(refusal, ConcurrentTransactions) and api_version < ADDS_FROM):
        return NotEnoughReplicas(f"The transaction's coordinator could not be asked: {refusal.kafka_name}")
    return refusal
