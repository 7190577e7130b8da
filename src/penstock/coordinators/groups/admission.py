"""Letting a transaction's offsets in: the group's partition must be part of the transaction before anything is written
to it, or nobody would ever write the marker that ends it there (RULES 30).
"""

from collections.abc import Callable
from typing import Protocol

from penstock.coordinators.transactions import AddOrVerifyPartitions, Outcomes
from penstock.errors import (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    InvalidTxnState,
    NetworkFailure,
    NotCoordinator,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    TransactionAbortable,
)
from penstock.model import TopicPartition
from penstock.replication import Partition, VerificationGuard
from penstock.wire.batch import NO_SEQUENCE
from penstock.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest


class AdmissionGate(Protocol):
    """Asks a transaction's coordinator whether partitions are part of it, or has them added."""

    async def admit(
        self, asked: AddOrVerifyPartitions, *, again: Callable[[], None], holds: Callable[[TopicPartition], bool]
    ) -> Outcomes: ...


ABORTABLE_FROM, ADDS_FROM = 4, 5
"""Versions of TxnOffsetCommit: whose clients know TRANSACTION_ABORTABLE, and which also add the group's partition to
the transaction (KIP-890)."""


async def admitted(
    request: TxnOffsetCommitRequest, partition: Partition, gate: AdmissionGate, *, api_version: int
) -> VerificationGuard | None:
    """The guard under which the transaction's coordinator let the offsets in; none where it is open here already."""
    adds = api_version >= ADDS_FROM
    place = partition.topic_partition
    producer_id, producer_epoch = request.producer_id, request.producer_epoch
    guard: VerificationGuard | None = None

    def take_guard() -> None:
        nonlocal guard
        guard = partition.transactions.begin_check(producer_id, producer_epoch, NO_SEQUENCE, adds=adds)

    try:
        take_guard()
        if guard is None:
            return None
        asked = AddOrVerifyPartitions.before_an_append(
            request.transactional_id,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            partitions=[place],
            adds=adds,
            coordinator_epoch=guard.coordinator_epoch,
        )
        outcomes = await gate.admit(
            asked, again=take_guard, holds=lambda _: guard is None or partition.transactions.holds(guard)
        )
        refusal = outcomes[place]
        if refusal is not None:
            raise refusal
        if guard is not None and guard.is_void:
            raise NotLeaderOrFollower
    except NotLeaderOrFollower:
        raise NotCoordinator(f"{place} is not led here") from None
    except NotEnoughReplicas as refusal:
        raise CoordinatorNotAvailable(refusal.message) from None
    except TransactionAbortable as refusal:
        raise refusal if api_version >= ABORTABLE_FROM else InvalidTxnState(refusal.message) from None
    except NetworkFailure as refusal:
        # Clients ask again after this one, without looking for another coordinator first.
        raise CoordinatorLoadInProgress(refusal.message) from None
    return guard
