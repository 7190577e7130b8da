"""Moves records in transactions: what is written and how far was read become true together, or not at all.

Each step begins by naming the transactional id anew: that aborts what an interrupted one has left open, and shuts out
whoever still uses it. So of two redrives at a time the later one goes on.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from penstock.client import Client
from penstock.client.core import Core
from penstock.errors import InvalidProducerEpoch, ProducerFenced, refusal_for
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from penstock.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from penstock.wire.messages.end_txn_request import EndTxnRequest
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from penstock.wire.records import Record, build_batch

TIMEOUT_MS: Final = 60_000
"""What is left open is aborted by the broker after so long, if nobody goes on before."""
ACKS_ALL: Final = -1
PRODUCE_VERSION_MAX: Final = 11
"""The last in which a client says itself which partitions belong to its transaction."""
FENCED: Final = (ProducerFenced, InvalidProducerEpoch)

Outgoing = Mapping[TopicPartition, Sequence[Record]]


def move(
    client: Client, transactional_id: str, group: str, records: Outgoing, read_to: Mapping[TopicPartition, int]
) -> None:
    """Write the records, and that the group has read up to these offsets. A Refusal: nothing of it counts, as far as
    anybody knows; who goes on reads what the group has committed.
    """
    client.run(_move(client.core, transactional_id, group, records, read_to))


async def _move(
    core: Core, transactional_id: str, group: str, records: Outgoing, read_to: Mapping[TopicPartition, int]
) -> None:
    producer = await _open(core, transactional_id, records)
    await core.routed(AddOffsetsToTxnRequest(*producer, group), transactional_id, at_most=3)
    await _commit_offsets(core, producer, group, read_to)
    await core.routed(EndTxnRequest(*producer, committed=True), transactional_id, at_most=4)


async def _open(core: Core, transactional_id: str, records: Outgoing) -> tuple[str, int, int]:
    """A transaction with these records; whose it is."""
    begin = InitProducerIdRequest(transactional_id, transaction_timeout_ms=TIMEOUT_MS)
    answer = await core.routed(begin, transactional_id)
    producer = transactional_id, answer.producer_id, answer.producer_epoch
    if records:
        await core.need_topics({where.topic for where in records})
        await _add_partitions(core, producer, records)
        for where, some in records.items():
            await _produce(core, producer, where, some)
    return producer


async def _add_partitions(core: Core, producer: tuple[str, int, int], records: Outgoing) -> None:
    topics: dict[str, AddPartitionsToTxnTopic] = {}
    for where in records:
        topics.setdefault(where.topic, AddPartitionsToTxnTopic(where.topic)).partitions.append(where.partition)
    request = AddPartitionsToTxnRequest([], *producer, v3_and_below_topics=list(topics.values()))
    answer = await core.routed(request, producer[0], at_most=3)
    for topic in answer.results_by_topic_v3_and_below:
        for each in topic.results_by_partition:
            _require(each.partition_error_code, f"{topic.name}-{each.partition_index}")


async def _produce(
    core: Core, producer: tuple[str, int, int], where: TopicPartition, records: Sequence[Record]
) -> None:
    transactional_id, producer_id, epoch = producer
    batch = build_batch(records, producer_id=producer_id, producer_epoch=epoch, base_sequence=0, transactional=True)
    part = PartitionProduceData(where.partition, memoryview(batch))
    request = ProduceRequest(
        transactional_id, ACKS_ALL, core.timeout_ms, [TopicProduceData(where.topic, partition_data=[part])]
    )
    leader = core.metadata.leader_of(where)
    answer = await core.ask(leader, request, api_key=ApiKey.PRODUCE, at_least=3, at_most=PRODUCE_VERSION_MAX)
    (told,) = answer.responses[0].partition_responses
    if told.error_code:
        core.metadata.doubt(where.topic)
    _require(told.error_code, str(where))


async def _commit_offsets(
    core: Core, producer: tuple[str, int, int], group: str, read_to: Mapping[TopicPartition, int]
) -> None:
    topics: dict[str, TxnOffsetCommitRequestTopic] = {}
    for where, offset in read_to.items():
        parts = topics.setdefault(where.topic, TxnOffsetCommitRequestTopic(where.topic)).partitions
        parts.append(TxnOffsetCommitRequestPartition(where.partition, offset))
    transactional_id, producer_id, epoch = producer
    request = TxnOffsetCommitRequest(transactional_id, group, producer_id, epoch, topics=list(topics.values()))

    async def ask(node: Any, _: list[str]) -> dict[str, Any]:
        return {group: await core.ask(node, request, at_most=4)}

    answer = (await core.scatter(ApiKey.TXN_OFFSET_COMMIT, [group], ask)).all()[group]
    for topic in answer.topics:
        for each in topic.partitions:
            _require(each.error_code, f"{topic.name}-{each.partition_index}")


def _require(code: int, what: str) -> None:
    if code:
        raise refusal_for(code)(what)
