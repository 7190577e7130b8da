"""InitProducerId: a producer takes over its transactional id, and whoever had it before is fenced by a higher epoch.

A transaction that is open is aborted first, under an epoch that nobody is given; the producer is told to ask again, and
the second question gives it the epoch above (two steps, so that a marker separates the old transaction from the new
producer everywhere).
"""

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.transactions.commands import InitProducer, NeedsProducerId, Producer
from penstock.coordinators.transactions.ending import Ends, settled
from penstock.coordinators.transactions.records import TransactionRecord
from penstock.coordinators.transactions.state import (
    LAST_EPOCH_GIVEN,
    NO_EPOCH,
    NOT_STARTED,
    PREPARED,
    Transaction,
    TransactionState,
)
from penstock.errors import ConcurrentTransactions, ProducerFenced
from penstock.model import Millis


def init(command: InitProducer, transaction: Transaction | None, now: Millis, ends: Ends) -> Decision:
    if transaction is None:
        if command.new_producer_id is None:
            return _needs_id(command)
        transaction = Transaction(
            transactional_id=command.transactional_id,
            producer_id=command.new_producer_id,
            timeout_ms=command.timeout_ms,
            updated_at=now,
        )
        return _given(command, transaction, now, producer_epoch=0, last_epoch=NO_EPOCH)
    if transaction.state in PREPARED:
        raise ConcurrentTransactions
    if command.expected is not None:
        _check_expected(command.expected, transaction)
    if transaction.state is TransactionState.ONGOING:
        return _abort_first(command, transaction, now, ends)
    expected_epoch = None if command.expected is None else command.expected[1]
    if transaction.is_epoch_used_up and expected_epoch in (None, transaction.producer_epoch):
        return _rotate(command, transaction, now)
    producer_epoch, last_epoch = _next_epoch(transaction, expected_epoch)
    return _given(command, transaction, now, producer_epoch=producer_epoch, last_epoch=last_epoch)


def _check_expected(expected: tuple[int, int], transaction: Transaction) -> None:
    """The id must be the present one, or the one before if its epochs were used up: then the answer may be lost."""
    producer_id, producer_epoch = expected
    if producer_id == transaction.producer_id:
        return
    if producer_id == transaction.previous_producer_id and producer_epoch >= LAST_EPOCH_GIVEN:
        return
    raise ProducerFenced(f"producer id {producer_id} is not {transaction.producer_id}, which this id has now")


def _next_epoch(transaction: Transaction, expected_epoch: int | None) -> tuple[int, int]:
    """The epoch that the producer gets, and the one it may come back with if the answer is lost."""
    current = transaction.producer_epoch
    if expected_epoch is None:
        return current + 1, NO_EPOCH
    if expected_epoch == current:
        return current + 1, current
    if expected_epoch == transaction.last_epoch:
        # It asked before, and nobody else has since: a newcomer would have left no last epoch.
        return current, transaction.last_epoch
    raise ProducerFenced(f"epoch {expected_epoch} is neither {current} nor the one before")


def _rotate(command: InitProducer, transaction: Transaction, now: Millis) -> Decision:
    if command.new_producer_id is None:
        return _needs_id(command)
    last_epoch = NO_EPOCH if command.expected is None else transaction.producer_epoch
    new_id = command.new_producer_id
    return _given(command, transaction, now, producer_epoch=0, last_epoch=last_epoch, producer_id=new_id)


def _given(
    command: InitProducer,
    transaction: Transaction,
    now: Millis,
    *,
    producer_epoch: int,
    last_epoch: int,
    producer_id: int | None = None,
) -> Decision:
    given_id = transaction.producer_id if producer_id is None else producer_id
    given = transaction.moved_to(
        TransactionState.EMPTY,
        now,
        producer_id=given_id,
        producer_epoch=producer_epoch,
        last_epoch=last_epoch,
        timeout_ms=command.timeout_ms,
        partitions=frozenset(),
        started_at=NOT_STARTED,
    )
    return Decision(
        records=(TransactionRecord(given.transactional_id, given),),
        replies=(Reply(command.address, Producer(given_id, producer_epoch)),),
    )


def _abort_first(command: InitProducer, transaction: Transaction, now: Millis, ends: Ends) -> Decision:
    # Only its own: whoever goes on with an older epoch is fenced, and what it would abort here is its successor's.
    # Kafka looks at the epoch only once that is done.
    if command.expected not in (None, (transaction.producer_id, transaction.producer_epoch)):
        raise ProducerFenced(f"epoch {transaction.producer_epoch} of producer {transaction.producer_id} is in use")
    if transaction.is_epoch_used_up and command.new_producer_id is None:
        return _needs_id(command)
    aborted = ends.fenced(transaction, now, command.new_producer_id)
    return settled(ends, aborted, Reply(command.address, ConcurrentTransactions()))


def _needs_id(command: InitProducer) -> Decision:
    return Decision(replies=(Reply(command.address, NeedsProducerId()),))
