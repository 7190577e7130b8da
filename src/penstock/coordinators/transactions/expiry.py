"""What time does to transactions: those open for too long are aborted, ids that nobody uses are forgotten."""

from collections.abc import Iterable, Mapping

from penstock.coordinators.decision import RUNNER, Decision, Reply, Timer
from penstock.coordinators.transactions.commands import AbortTimedOut, ExpiryDue, ProducerIdDue, TimeoutsDue
from penstock.coordinators.transactions.ending import Ends, settled
from penstock.coordinators.transactions.records import TransactionRecord
from penstock.coordinators.transactions.state import AT_REST, Transaction, TransactionLimits, TransactionState
from penstock.model import Millis

ABORT_AT_ONCE = 100
PARTITIONS_AT_ONCE = 2_000
FORGET_AT_ONCE = 500
NAMES_AT_ONCE = 300_000
"""What goes into one batch, which must not grow beyond what the log takes, or it would be tried again for good: records
of either kind, partitions of the transactions, characters of ids and topics. The rest follow in the next.
"""


def abort_timed_out(
    late: Iterable[Transaction], now: Millis, wall: Millis, limits: TransactionLimits, ends: Ends
) -> Decision:
    records: list[TransactionRecord] = []
    orders: list[Reply] = []
    partitions = names = 0
    again_at = Millis(now + limits.timeouts_interval_ms)
    for transaction in late:
        names += len(transaction.transactional_id) + sum(map(len, {at.topic for at in transaction.partitions}))
        is_full = len(records) == ABORT_AT_ONCE or partitions >= PARTITIONS_AT_ONCE or names > NAMES_AT_ONCE
        if records and is_full:
            again_at = now
            break
        if transaction.is_epoch_used_up:
            orders.append(Reply(RUNNER, _id_due(transaction, ends)))
            continue
        aborted = ends.fenced(transaction, wall, None)
        records.append(TransactionRecord(aborted.transactional_id, aborted))
        partitions += len(aborted.partitions)
        orders.append(Reply(RUNNER, ends.markers_due(aborted)))
    return Decision(records=records, timers=(timeouts_timer(again_at),), replies=orders)


def _id_due(transaction: Transaction, ends: Ends) -> ProducerIdDue:
    return ProducerIdDue(
        transactional_id=transaction.transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        coordinator_index=ends.coordinator_index,
    )


def abort_with_new_id(command: AbortTimedOut, transaction: Transaction | None, now: Millis, ends: Ends) -> Decision:
    """Unless the transaction has ended in the meantime."""
    if (
        transaction is None
        or transaction.state is not TransactionState.ONGOING
        or transaction.producer_id != command.producer_id
        or transaction.producer_epoch != command.producer_epoch
    ):
        return Decision()
    return settled(ends, ends.fenced(transaction, now, command.new_producer_id))


def forget_unused(
    transactions: Mapping[str, Transaction], now: Millis, wall: Millis, limits: TransactionLimits
) -> Decision:
    records: list[TransactionRecord] = []
    names = 0
    again_at = Millis(now + limits.expiry_interval_ms)
    for transaction in transactions.values():
        if transaction.state in AT_REST and transaction.updated_at <= wall - limits.id_expiration_ms:
            records.append(TransactionRecord(transaction.transactional_id, None))
            names += len(transaction.transactional_id)
            if len(records) == FORGET_AT_ONCE or names >= NAMES_AT_ONCE:
                again_at = now
                break
    return Decision(records=records, timers=(expiry_timer(again_at),))


def timeouts_timer(at: Millis) -> Timer:
    return Timer(("timeouts",), at, TimeoutsDue())


def expiry_timer(at: Millis) -> Timer:
    return Timer(("expiry",), at, ExpiryDue())
