"""DescribeProducers: which idempotent and transactional producers a partition remembers.

Followers answer too, of their own copy: tools ask a broker about every partition that it keeps (find-hanging).

A partition may remember many producers, and a request may name it many times: it is described once. An answer that
would be too long to be meant (`PRODUCERS_MAX`) is none: the connection is closed.
"""

from typing import Final

from penstock.access.authorizer import Authorizer
from penstock.access.rights import NOTHING, READ_TOPIC
from penstock.broker.cooperative import cooperatively, split
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import check_topic_name
from penstock.errors import InvalidRequest, Refusal, TopicAuthorizationFailed
from penstock.replication import Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest
from penstock.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)

PRODUCERS_MAX: Final = 2_000_000
"""Producers that one answer lists, 50 bytes each."""


@answers(ApiKey.DESCRIBE_PRODUCERS, versions=(0, 0), requires=(READ_TOPIC,), audits=NOTHING)
async def describe_producers(
    request: DescribeProducersRequest, context: RequestContext, partitions: Partitions, authorizer: Authorizer
) -> DescribeProducersResponse:
    topics = [TopicResponse(name=topic.name) for topic in request.topics]
    asked = (
        (topic, index) for topic, one in zip(topics, request.topics, strict=True) for index in one.partition_indexes
    )
    names = dict.fromkeys(topic.name for topic in topics)
    _, refused = await split(authorizer, context.caller.subject, READ_TOPIC, names)
    forbidden = frozenset(refused)
    described: dict[tuple[str, int], PartitionResponse] = {}
    size = 0
    async for topic, index in cooperatively(asked, at_once=1):
        known = described.get((topic.name, index))
        if known is None:
            known = described[topic.name, index] = _describe(partitions, topic.name, index, forbidden)
        topic.partitions.append(known)
        size += len(known.active_producers)
        if size > PRODUCERS_MAX:
            raise InvalidRequest(f"more than {PRODUCERS_MAX} producers are asked for at once")
    return await encoded_if_large(DescribeProducersResponse(topics=topics), context.api_version, size=size)


def _describe(partitions: Partitions, topic: str, index: int, forbidden: frozenset[str]) -> PartitionResponse:
    try:
        if topic in forbidden:
            raise TopicAuthorizationFailed
        check_topic_name(topic)
        producers = partitions.require(topic, index).reader.producers()
    except Refusal as refusal:
        return PartitionResponse(partition_index=index, error_code=refusal.code, error_message=refusal.message)
    return PartitionResponse(
        partition_index=index,
        active_producers=[
            ProducerState(
                producer_id=producer.producer_id,
                producer_epoch=producer.epoch,
                last_sequence=producer.last_sequence,
                last_timestamp=producer.last_timestamp,
                coordinator_epoch=producer.coordinator_epoch,
                current_txn_start_offset=producer.transaction_first_offset,
            )
            for producer in producers
        ],
    )
