"""Looking at transactions."""

from collections.abc import Mapping

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.transactions.commands import Describe, ListTransactions
from penstock.coordinators.transactions.state import Transaction
from penstock.errors import TransactionalIdNotFound
from penstock.model import Millis
from penstock.wire.messages.describe_transactions_response import TopicData
from penstock.wire.messages.describe_transactions_response import TransactionState as Described
from penstock.wire.messages.list_transactions_response import TransactionState as Listed


def describe(command: Describe, transaction: Transaction | None) -> Decision:
    if transaction is None:
        raise TransactionalIdNotFound
    topics: dict[str, TopicData] = {}
    for topic, partition in sorted(transaction.partitions):
        topics.setdefault(topic, TopicData(topic)).partitions.append(partition)
    described = Described(
        transactional_id=transaction.transactional_id,
        transaction_state=transaction.state.label,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_start_time_ms=transaction.started_at,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        topics=list(topics.values()),
    )
    return Decision(replies=(Reply(command.address, described),))


def list_all(command: ListTransactions, transactions: Mapping[str, Transaction], now: Millis) -> Decision:
    ids = transactions if command.ids is None else command.ids
    listed = [
        Listed(transaction.transactional_id, transaction.producer_id, transaction.state.label)
        for transaction in (transactions[each] for each in ids if each in transactions)
        if _is_wanted(command, transaction, now)
    ]
    return Decision(replies=(Reply(command.address, listed),))


def _is_wanted(command: ListTransactions, transaction: Transaction, now: Millis) -> bool:
    if command.producer_ids and transaction.producer_id not in command.producer_ids:
        return False
    if command.states is not None and transaction.state not in command.states:
        return False
    # One that has not started counts from 1970, as in Kafka: it is older than any duration.
    return command.duration_ms < 0 or now - transaction.started_at > command.duration_ms
