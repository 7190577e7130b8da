"""Transactions: those under way, what they wrote to, who holds a partition back, and ending one by hand."""

from collections.abc import Iterable

import msgspec

from penstock.client.core import Core
from penstock.client.network import Node
from penstock.client.outcomes import Outcomes, by_topic, one, outcome, place
from penstock.errors import Refusal
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
from penstock.wire.messages.describe_producers_response import DescribeProducersResponse, ProducerState
from penstock.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from penstock.wire.messages.describe_transactions_response import TransactionState
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.messages.init_producer_id_response import InitProducerIdResponse
from penstock.wire.messages.list_transactions_request import ListTransactionsRequest
from penstock.wire.messages.list_transactions_response import ListTransactionsResponse
from penstock.wire.messages.list_transactions_response import TransactionState as ListedTransaction
from penstock.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from penstock.wire.messages.write_txn_markers_response import WriteTxnMarkersResponse

DURATIONS_FROM, PATTERNS_FROM = 1, 2


class ProducerIdentity(msgspec.Struct, frozen=True):
    id: int
    epoch: int


async def list_transactions(
    core: Core,
    *,
    states: Iterable[str] = (),
    producer_ids: Iterable[int] = (),
    longer_than_ms: int = -1,
    pattern: str | None = None,
) -> Outcomes[int, list[ListedTransaction]]:
    """The transactions that each broker coordinates, by the broker's id; those that a regular expression matches."""
    request = ListTransactionsRequest(list(states), list(producer_ids), longer_than_ms, pattern)
    at_least = PATTERNS_FROM if pattern is not None else DURATIONS_FROM if longer_than_ms >= 0 else 0

    async def ask(node: Node | None, some: list[int]) -> dict[int, list[ListedTransaction]]:
        answer: ListTransactionsResponse = await core.ask(node, request, at_least=at_least)
        return dict.fromkeys(some, answer.transaction_states)

    return await core.scatter(ApiKey.LIST_TRANSACTIONS, await core.broker_ids(), ask)


async def describe_transactions(core: Core, transactional_ids: Iterable[str]) -> Outcomes[str, TransactionState]:
    async def ask(node: Node | None, some: list[str]) -> dict[str, TransactionState | Refusal]:
        answer = await core.ask(node, DescribeTransactionsRequest(some))
        return {each.transactional_id: outcome(each.error_code, each) for each in answer.transaction_states}

    return await core.scatter(ApiKey.DESCRIBE_TRANSACTIONS, transactional_ids, ask)


async def describe_producers(
    core: Core, partitions: Iterable[TopicPartition]
) -> Outcomes[TopicPartition, list[ProducerState]]:
    """Who has written to each partition of late, and whose transaction is open there since which offset."""

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, list[ProducerState] | Refusal]:
        topics = [TopicRequest(topic, indexes) for topic, indexes in by_topic(some).items()]
        answer: DescribeProducersResponse = await core.ask(node, DescribeProducersRequest(topics))
        return {
            place(topic.name, each.partition_index): outcome(each.error_code, each.active_producers, each.error_message)
            for topic in answer.topics
            for each in topic.partitions
        }

    return await core.scatter(ApiKey.DESCRIBE_PRODUCERS, partitions, ask)


async def abort_transaction(
    core: Core, partition: TopicPartition, *, producer_id: int, producer_epoch: int, coordinator_epoch: int
) -> None:
    """End a transaction that hangs in one partition, past its coordinator; its records count as aborted."""
    topics = [WritableTxnMarkerTopic(partition.topic, [partition.partition])]
    marker = WritableTxnMarker(producer_id, producer_epoch, False, topics, coordinator_epoch)

    async def ask(node: Node | None, _: list[TopicPartition]) -> dict[TopicPartition, Refusal | None]:
        answer: WriteTxnMarkersResponse = await core.ask(node, WriteTxnMarkersRequest([marker]))
        return {
            place(topic.name, each.partition_index): outcome(each.error_code, None)
            for written in answer.markers
            for topic in written.topics
            for each in topic.partitions
        }

    one(await core.scatter(ApiKey.WRITE_TXN_MARKERS, [partition], ask))


async def fence_producers(
    core: Core, transactional_ids: Iterable[str], *, transaction_timeout_ms: int = 1
) -> Outcomes[str, ProducerIdentity]:
    """Shut out whoever uses these transactional ids now; what they have open is aborted.

    ConcurrentTransactions: that abort has begun and goes on by itself.
    """

    async def fence(transactional_id: str) -> ProducerIdentity:
        request = InitProducerIdRequest(transactional_id, transaction_timeout_ms=transaction_timeout_ms)
        answer: InitProducerIdResponse = await core.routed(request, transactional_id)
        return ProducerIdentity(answer.producer_id, answer.producer_epoch)

    ids = list(dict.fromkeys(transactional_ids))
    found = await core.scheduler.together(fence(each) for each in ids)
    return Outcomes(zip(ids, found, strict=True))
