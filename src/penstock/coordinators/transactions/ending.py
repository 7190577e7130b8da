"""Ends of transactions: EndTxn, the abort of a producer that is fenced or out of time, and the completion of an end.

Transaction version 2 (KIP-890) raises the epoch with every end. There a request that is sent again comes with the
former epoch, while the same epoch means the next transaction: state and epoch tell the two apart. Before it, the epoch
stays, and a repeated end is known by its outcome alone.
"""

from collections.abc import Mapping, Sequence

import msgspec

from penstock.coordinators.decision import RUNNER, Decision, Reply, Timer
from penstock.coordinators.transactions.commands import (
    EndTransaction,
    MarkersDue,
    MarkersWritten,
    NeedsProducerId,
    Producer,
    ResumeDue,
)
from penstock.coordinators.transactions.records import TransactionRecord
from penstock.coordinators.transactions.state import (
    AT_REST,
    EPOCH_MAX,
    LAST_EPOCH_GIVEN,
    NO_PRODUCER_ID,
    PREPARED,
    Transaction,
    TransactionState,
    TransactionVersion,
)
from penstock.errors import ConcurrentTransactions, InvalidProducerIdMapping, InvalidTxnState, ProducerFenced
from penstock.model import Millis

RESUME_AT_ONCE = 50
PARTITIONS_AT_ONCE = 500
"""Ends of a former coordinator whose markers are ordered in one turn of the loop: a few milliseconds of writing."""

_COMPLETE = {
    TransactionState.PREPARE_COMMIT: TransactionState.COMPLETE_COMMIT,
    TransactionState.PREPARE_ABORT: TransactionState.COMPLETE_ABORT,
}


class Ends(msgspec.Struct, frozen=True, gc=False):
    """Who settles ends: this coordinator, by its place in `__transaction_state` and its epoch."""

    coordinator_index: int
    coordinator_epoch: int

    def markers_due(self, transaction: Transaction) -> MarkersDue:
        return MarkersDue(
            transactional_id=transaction.transactional_id,
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            commits=transaction.is_committing,
            partitions=transaction.partitions,
            version=transaction.client_version,
            coordinator_index=self.coordinator_index,
            coordinator_epoch=self.coordinator_epoch,
        )

    def fenced(self, transaction: Transaction, now: Millis, new_producer_id: int | None) -> Transaction:
        """An open transaction aborted from here, under an epoch that its producer does not have.

        Always as version 2 does it, whatever the client speaks: the marker then has a higher epoch than any record.
        """
        return prepared(
            transaction, now, commits=False, version=TransactionVersion.TV2, new_producer_id=new_producer_id
        )


def prepared(
    transaction: Transaction,
    now: Millis,
    *,
    commits: bool,
    version: TransactionVersion,
    new_producer_id: int | None = None,
) -> Transaction:
    epoch = transaction.producer_epoch
    return transaction.moved_to(
        TransactionState.PREPARE_COMMIT if commits else TransactionState.PREPARE_ABORT,
        now,
        producer_epoch=min(epoch + 1, EPOCH_MAX) if version.bumps_epoch else epoch,
        last_epoch=epoch if version.bumps_epoch else transaction.last_epoch,
        next_producer_id=NO_PRODUCER_ID if new_producer_id is None else new_producer_id,
        # The abort of a transaction that nothing was added to has no beginning but this.
        started_at=now if transaction.state in AT_REST else transaction.started_at,
        partitions=frozenset() if transaction.state in AT_REST else transaction.partitions,
        client_version=version,
    )


def completed(transaction: Transaction, now: Millis) -> Transaction:
    takes_new_id = transaction.client_version.bumps_epoch and transaction.next_producer_id != NO_PRODUCER_ID
    return transaction.moved_to(
        _COMPLETE[transaction.state],
        now,
        producer_id=transaction.next_producer_id if takes_new_id else transaction.producer_id,
        producer_epoch=0 if takes_new_id else transaction.producer_epoch,
        next_producer_id=NO_PRODUCER_ID,
        partitions=frozenset(),
    )


def settled(ends: Ends, transaction: Transaction, *replies: Reply) -> Decision:
    """The end is written; once it is past the high watermark nobody can change it, and the markers go out."""
    return Decision(
        records=(TransactionRecord(transaction.transactional_id, transaction),),
        replies=(*replies, Reply(RUNNER, ends.markers_due(transaction))),
    )


# EndTxn ---------------------------------------------------------------------------------------------------------


def end(command: EndTransaction, transaction: Transaction | None, now: Millis, ends: Ends) -> Decision:
    if transaction is None:
        raise InvalidProducerIdMapping("nothing is known about this transactional id")
    if command.version.bumps_epoch:
        is_done = _check_bumping(command, transaction)
    else:
        is_done = _check_plain(command, transaction)
    if is_done:
        producer = Producer(transaction.producer_id, transaction.producer_epoch)
        # The epoch tells a repeated end from that of the next transaction, or before version 2 nobody but the one who
        # coordinates: whoever was replaced, and does not know what has begun since, cannot have it written again.
        records = () if command.version.bumps_epoch else (TransactionRecord(transaction.transactional_id, transaction),)
        return Decision(records=records, replies=(Reply(command.address, producer),))
    needs_id = command.version.bumps_epoch and transaction.is_epoch_used_up
    if needs_id and command.new_producer_id is None:
        return Decision(replies=(Reply(command.address, NeedsProducerId()),))
    ended = prepared(
        transaction,
        now,
        commits=command.commits,
        version=command.version if command.version.bumps_epoch else TransactionVersion.TV0,
        new_producer_id=command.new_producer_id if needs_id else None,
    )
    complete = completed(ended, now)
    reply = Reply(command.address, Producer(complete.producer_id, complete.producer_epoch))
    return settled(ends, ended, reply)


def _check_plain(command: EndTransaction, transaction: Transaction) -> bool:
    """Whether the end was reached before; an end that cannot be is refused."""
    if command.producer_id != transaction.producer_id:
        raise InvalidProducerIdMapping
    if command.producer_epoch != transaction.producer_epoch:
        raise ProducerFenced
    if transaction.state in PREPARED:
        raise ConcurrentTransactions
    if transaction.state is TransactionState.ONGOING:
        return False
    if transaction.state is _end_of(command):
        return True
    raise InvalidTxnState(f"the transaction is {transaction.state.label}")


def _check_bumping(command: EndTransaction, transaction: Transaction) -> bool:
    if transaction.state in PREPARED:
        raise ConcurrentTransactions
    epoch, current = command.producer_epoch, transaction.producer_epoch
    is_repeated_under_new_id = (
        command.producer_id == transaction.previous_producer_id and epoch == LAST_EPOCH_GIVEN and current == 0
    )
    # An end of the older way raised no epoch: one above the asker's is then a newer producer's, which fences it.
    is_complete = (
        transaction.state in AT_REST
        and transaction.state is not TransactionState.EMPTY
        and transaction.client_version.bumps_epoch
    )
    is_repeated = is_complete and (is_repeated_under_new_id or epoch + 1 == current)
    if command.producer_id != transaction.producer_id and not is_repeated_under_new_id:
        raise InvalidProducerIdMapping
    if epoch != current and not is_repeated:
        raise ProducerFenced
    if is_repeated:
        if transaction.state is _end_of(command):
            return True
    elif transaction.state is TransactionState.ONGOING or not command.commits:
        return False  # an abort is taken with nothing to abort, since the client may not know what was added
    raise InvalidTxnState(f"the transaction is {transaction.state.label}")


def _end_of(command: EndTransaction) -> TransactionState:
    return TransactionState.COMPLETE_COMMIT if command.commits else TransactionState.COMPLETE_ABORT


# Completion -----------------------------------------------------------------------------------------------------


def complete(command: MarkersWritten, transaction: Transaction | None, now: Millis, ends: Ends) -> Decision:
    """Only for the end whose markers they are: a coordinator that loaded since has ordered its own."""
    done = (Reply(command.address, None),)
    if transaction is None or transaction.state not in PREPARED or ends.markers_due(transaction) != command.due:
        return Decision(replies=done)
    return Decision(
        records=(TransactionRecord(transaction.transactional_id, completed(transaction, now)),), replies=done
    )


def resume(left: Sequence[str], transactions: Mapping[str, Transaction], now: Millis, ends: Ends) -> Decision:
    """What a former coordinator settled and did not finish, in turns: nobody can change these ends, they can wait."""
    orders: list[Reply] = []
    partitions = 0
    for number, name in enumerate(left):
        if len(orders) == RESUME_AT_ONCE or partitions >= PARTITIONS_AT_ONCE:
            return Decision(timers=(Timer(("resume",), now, ResumeDue(left=left[number:])),), replies=orders)
        transaction = transactions.get(name)
        if transaction is not None and transaction.state in PREPARED:
            orders.append(Reply(RUNNER, ends.markers_due(transaction)))
            partitions += len(transaction.partitions)
    return Decision(replies=orders)
