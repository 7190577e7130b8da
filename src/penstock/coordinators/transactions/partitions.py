"""Which partitions a transaction writes to: the coordinator must know of each before a record gets there."""

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.transactions.commands import AddPartitions, VerifyPartitions
from penstock.coordinators.transactions.records import TransactionRecord
from penstock.coordinators.transactions.state import PREPARED, Transaction, TransactionState
from penstock.errors import ConcurrentTransactions, InvalidProducerIdMapping, ProducerFenced
from penstock.model import Millis


def add(command: AddPartitions, transaction: Transaction | None, now: Millis) -> Decision:
    if transaction is None:
        raise InvalidProducerIdMapping("nothing is known about this transactional id")
    if transaction.state in PREPARED:
        # Looked at first: its end may be about to give the producer a new id, which it uses already.
        raise ConcurrentTransactions
    _check_producer(command, transaction)
    done = (Reply(command.address, None),)
    is_open = transaction.state is TransactionState.ONGOING
    if is_open and command.partitions <= transaction.partitions:
        return Decision(replies=done)
    added = transaction.moved_to(
        TransactionState.ONGOING,
        now,
        partitions=transaction.partitions | command.partitions,
        started_at=transaction.started_at if is_open else now,
        client_version=command.version,
    )
    return Decision(records=(TransactionRecord(added.transactional_id, added),), replies=done)


def verify(command: VerifyPartitions, transaction: Transaction | None) -> Decision:
    """The answer stands for the moment; the partition's guard sees to it that nothing comes between (RULES 30)."""
    if transaction is None:
        raise InvalidProducerIdMapping("nothing is known about this transactional id")
    _check_producer(command, transaction)
    if transaction.state in PREPARED:
        raise ConcurrentTransactions
    return Decision(replies=(Reply(command.address, command.partitions & transaction.partitions),))


def _check_producer(command: AddPartitions | VerifyPartitions, transaction: Transaction) -> None:
    if command.producer_id != transaction.producer_id:
        raise InvalidProducerIdMapping
    if command.producer_epoch != transaction.producer_epoch:
        raise ProducerFenced
