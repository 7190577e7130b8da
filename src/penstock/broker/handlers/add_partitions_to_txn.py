"""AddPartitionsToTxn: a transaction will write to these partitions, or (from brokers) does it already?

v1 throttle time, v2 PRODUCER_FENCED, v3 flexible, v4 many transactions from brokers, to add or only to verify, v5
TRANSACTION_ABORTABLE. A transaction with a partition that does not exist gets none of the others added.

A producer that comes while the markers of its last transaction are being written is asked to wait for a moment, where
Kafka tells it to come again (CONCURRENT_TRANSACTIONS): clients come again after 20 ms or more, markers take one or two.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, WRITE_TOPIC, WRITE_TRANSACTIONAL_ID, ResourceKind
from penstock.broker.cooperative import split
from penstock.broker.eager_start import start_eagerly
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage, is_internal
from penstock.coordinators.transactions import AddOrVerifyPartitions, Transactions, TransactionVersion
from penstock.coordinators.transactions.transaction_gate import ask_until_free
from penstock.errors import (
    InvalidProducerEpoch,
    OperationNotAttempted,
    PolicyViolation,
    ProducerFenced,
    Refusal,
    TopicAuthorizationFailed,
    TransactionalIdAuthorizationFailed,
    UnknownTopicOrPartition,
)
from penstock.model import PartitionIndex, TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTransaction,
)
from penstock.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

FENCED_FROM = 2
BROKERS_FROM = 4
TOGETHER_MAX = 200
PAUSES_S: Final = (0, 0, 0, 0, 0.001, 0.001, 0.002, 0.004, 0.008)
"""Between the questions of a producer whose last transaction is not quite over; together less than a client's pause."""


@answers(
    ApiKey.ADD_PARTITIONS_TO_TXN,
    versions=(0, 5),
    requires=(WRITE_TRANSACTIONAL_ID, WRITE_TOPIC, CLUSTER_ACTION),
    audits=(ResourceKind.TRANSACTIONAL_ID,),
)
def begin_add_partitions_to_txn(
    request: AddPartitionsToTxnRequest,
    context: RequestContext,
    transactions: Transactions,
    image: ClusterImage,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> AddPartitionsToTxnResponse | Coroutine[Any, Any, AddPartitionsToTxnResponse]:
    """Most need not wait for anybody: these are answered on the spot."""
    return start_eagerly(add_partitions_to_txn(request, context, transactions, image, authenticator, authorizer))


async def add_partitions_to_txn(
    request: AddPartitionsToTxnRequest,
    context: RequestContext,
    transactions: Transactions,
    image: ClusterImage,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> AddPartitionsToTxnResponse:
    from_broker = context.api_version >= BROKERS_FROM
    subject = context.caller.subject
    if from_broker:
        authorizer.require(subject, CLUSTER_ACTION)
        authenticator.require_broker(context.caller)
        results: list[AddPartitionsToTxnResult] = []
        for first in range(0, len(request.transactions), TOGETHER_MAX):
            # Side by side: each waits for its own partition of the transactions' topic to be replicated.
            together = request.transactions[first : first + TOGETHER_MAX]
            codes_of_all = await asyncio.gather(
                *(_answer(asked, transactions, image, from_broker=True) for asked in together)
            )
            for asked, codes in zip(together, codes_of_all, strict=True):
                results.append(AddPartitionsToTxnResult(asked.transactional_id, _by_topic(asked, codes)))
        return AddPartitionsToTxnResponse(results_by_transaction=results)
    asked = AddPartitionsToTxnTransaction(
        request.v3_and_below_transactional_id,
        request.v3_and_below_producer_id,
        request.v3_and_below_producer_epoch,
        topics=request.v3_and_below_topics,
    )
    if not authorizer.allows(subject, WRITE_TRANSACTIONAL_ID, asked.transactional_id):
        codes = dict.fromkeys(_partitions(asked), TransactionalIdAuthorizationFailed.code)
    else:
        _, forbidden = await split(authorizer, subject, WRITE_TOPIC, [topic.name for topic in asked.topics])
        codes = await _answer(asked, transactions, image, from_broker=False, forbidden=frozenset(forbidden))
    if context.api_version < FENCED_FROM:
        older = {ProducerFenced.code: InvalidProducerEpoch.code}
        codes = {at: older.get(code, code) for at, code in codes.items()}
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_by_topic(asked, codes))


async def _answer(
    asked: AddPartitionsToTxnTransaction,
    transactions: Transactions,
    image: ClusterImage,
    *,
    from_broker: bool,
    forbidden: frozenset[str] = frozenset(),
) -> dict[TopicPartition, int]:
    partitions = _partitions(asked)
    refused: dict[TopicPartition, type[Refusal]] = {}
    for at in partitions:
        refusal = TopicAuthorizationFailed if at.topic in forbidden else _refusal(at, image, from_broker=from_broker)
        if refusal is not None:
            refused[at] = refusal
    if refused:
        return {at: refused.get(at, OperationNotAttempted).code for at in partitions}
    question = AddOrVerifyPartitions(
        transactional_id=asked.transactional_id,
        producer_id=asked.producer_id,
        producer_epoch=asked.producer_epoch,
        partitions=partitions,
        version=TransactionVersion.TV2 if from_broker else TransactionVersion.TV0,
        verify_only=asked.verify_only,
    )
    pauses_s = () if from_broker else PAUSES_S  # a broker has its own way of asking again
    outcomes = await ask_until_free(transactions.add_partitions, question, pauses_s)
    return {at: 0 if outcome is None else outcome.code for at, outcome in outcomes.items()}


def _partitions(asked: AddPartitionsToTxnTransaction) -> list[TopicPartition]:
    return [TopicPartition(topic.name, PartitionIndex(index)) for topic in asked.topics for index in topic.partitions]


def _refusal(at: TopicPartition, image: ClusterImage, *, from_broker: bool) -> type[Refusal] | None:
    if is_internal(at.topic) and not from_broker:
        return TopicAuthorizationFailed
    topic = image.topics.get(at.topic)
    if topic is None or not 0 <= at.partition < len(topic.partitions):
        return UnknownTopicOrPartition
    if topic.source is not None:
        return PolicyViolation  # a view, to which nobody writes
    return None


def _by_topic(
    asked: AddPartitionsToTxnTransaction, codes: dict[TopicPartition, int]
) -> list[AddPartitionsToTxnTopicResult]:
    topics = {topic.name: AddPartitionsToTxnTopicResult(topic.name) for topic in asked.topics}
    for at, code in codes.items():
        topics[at.topic].results_by_partition.append(AddPartitionsToTxnPartitionResult(at.partition, code))
    return list(topics.values())
