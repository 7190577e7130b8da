"""DescribeTopicPartitions: topics in name order, so many partitions at a time, with a cursor for the rest (KIP-966).

No topics named means all of them. A topic that is not there is said so only where it was named.
"""

from collections.abc import Callable

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TOPIC, NOTHING, ResourceKind
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import (
    NO_LEADER,
    ClusterImage,
    PartitionImage,
    TopicImage,
    is_internal,
    offline_replicas,
    reachable_leader,
    what_is_wrong_with_topic_name,
)
from penstock.errors import InvalidRequest, InvalidTopic, Refusal, TopicAuthorizationFailed, UnknownTopicOrPartition
from penstock.settings.broker import MAX_REQUEST_PARTITION_SIZE_LIMIT
from penstock.settings.config import Config
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from penstock.wire.messages.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)


@answers(ApiKey.DESCRIBE_TOPIC_PARTITIONS, versions=(0, 0), requires=(DESCRIBE_TOPIC,), audits=NOTHING)
async def describe_topic_partitions(
    request: DescribeTopicPartitionsRequest,
    context: RequestContext,
    image: ClusterImage,
    config: Config,
    authorizer: Authorizer,
) -> DescribeTopicPartitionsResponse:
    try:
        names = _names(request, image)
    except Refusal as refusal:
        return DescribeTopicPartitionsResponse(
            topics=[
                DescribeTopicPartitionsResponseTopic(error_code=refusal.code, name=topic.name)
                for topic in request.topics
            ]
        )
    subject = context.caller.subject
    hidden: list[str] = []
    if authorizer.is_on:
        may = authorizer.allows if request.topics else authorizer.shows
        names, hidden = await _split(names, lambda name: may(subject, DESCRIBE_TOPIC, name))

    def operations(name: str) -> int:
        return authorizer.operations(subject, ResourceKind.TOPIC, name)

    response = DescribeTopicPartitionsResponse()
    room = max(1, min(request.response_partition_limit, config[MAX_REQUEST_PARTITION_SIZE_LIMIT]))
    for name in names:
        if room == 0:
            response.next_cursor = Cursor(topic_name=name, partition_index=0)
            break
        topic = image.topics.get(name)
        if topic is None:
            if request.topics:
                response.topics.append(_missing(name, operations(name)))
            continue
        start = request.cursor.partition_index if request.cursor and request.cursor.topic_name == name else 0
        described = _known(topic, image, context, start=start, at_most=room, operations=operations(name))
        response.topics.append(described)
        room -= len(described.partitions)
        if start + len(described.partitions) < len(topic.partitions) and described.partitions:
            response.next_cursor = Cursor(topic_name=name, partition_index=start + len(described.partitions))
            break
    if request.topics:
        response.topics += [_hidden(name) for name in hidden]
    return response


async def _split(names: list[str], is_allowed: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    allowed: list[str] = []
    hidden: list[str] = []
    async for name in cooperatively(names):
        (allowed if is_allowed(name) else hidden).append(name)
    return allowed, hidden


def _hidden(name: str) -> DescribeTopicPartitionsResponseTopic:
    """Whether it is there or not."""
    return DescribeTopicPartitionsResponseTopic(error_code=TopicAuthorizationFailed.code, name=name)


def _names(request: DescribeTopicPartitionsRequest, image: ClusterImage) -> list[str]:
    """What is still to be described, in order; the cursor names where to begin."""
    cursor = request.cursor
    asked = {topic.name for topic in request.topics} if request.topics else set(image.topics)
    names = sorted(name for name in asked if cursor is None or name >= cursor.topic_name)
    if cursor is not None and request.topics and cursor.topic_name not in asked:
        raise InvalidRequest(f"the cursor is at {cursor.topic_name}, which is not among the topics asked for")
    if cursor is not None and cursor.partition_index < 0:
        raise InvalidRequest(f"the cursor is at partition {cursor.partition_index}, and partitions count from 0")
    return names


def _missing(name: str, operations: int) -> DescribeTopicPartitionsResponseTopic:
    invalid = what_is_wrong_with_topic_name(name) is not None
    return DescribeTopicPartitionsResponseTopic(
        error_code=InvalidTopic.code if invalid else UnknownTopicOrPartition.code,
        name=name,
        is_internal=is_internal(name),
        topic_authorized_operations=operations,
    )


def _known(
    topic: TopicImage, image: ClusterImage, context: RequestContext, *, start: int, at_most: int, operations: int
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=[
            _partition(partition, image, context.listener) for partition in topic.partitions[start : start + at_most]
        ],
        topic_authorized_operations=operations,
    )


def _partition(
    partition: PartitionImage, image: ClusterImage, listener: str
) -> DescribeTopicPartitionsResponsePartition:
    leader, _ = reachable_leader(image, partition, listener)
    return DescribeTopicPartitionsResponsePartition(
        partition_index=partition.index,
        leader_id=leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=[*partition.replicas],
        isr_nodes=[*partition.in_sync],
        eligible_leader_replicas=[*partition.eligible],
        last_known_elr=_last_known(partition),
        offline_replicas=[*offline_replicas(image, partition, listener)],
    )


def _last_known(partition: PartitionImage) -> list[int]:
    """Who would be elected for want of anybody else: who led last, where no replica is known to be complete."""
    if partition.in_sync or partition.eligible or partition.last_leader == NO_LEADER:
        return []
    return [partition.last_leader]
