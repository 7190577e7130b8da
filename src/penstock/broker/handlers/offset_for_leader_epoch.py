"""OffsetForLeaderEpoch: where a leader epoch ends, so that a client can tell whether its log was cut.

v3 replica id, v4 flexible.
"""

from collections.abc import Set as AbstractSet

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, DESCRIBE_TOPIC, NOTHING
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.errors import Refusal, TopicAuthorizationFailed
from penstock.replication import Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.offset_for_leader_epoch_request import OffsetForLeaderEpochRequest, OffsetForLeaderPartition
from penstock.wire.messages.offset_for_leader_epoch_response import (
    EpochEndOffset,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)


@answers(ApiKey.OFFSET_FOR_LEADER_EPOCH, versions=(2, 4), requires=(CLUSTER_ACTION, DESCRIBE_TOPIC), audits=NOTHING)
async def offset_for_leader_epoch(
    request: OffsetForLeaderEpochRequest, context: RequestContext, partitions: Partitions, authorizer: Authorizer
) -> OffsetForLeaderEpochResponse:
    subject = context.caller.subject
    forbidden: set[str] = set()
    if not authorizer.has(subject, CLUSTER_ACTION):
        async for name in cooperatively(dict.fromkeys(topic.topic for topic in request.topics)):
            if not authorizer.allows(subject, DESCRIBE_TOPIC, name):
                forbidden.add(name)
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic=topic.topic,
                partitions=[_end(partitions, topic.topic, part, forbidden) for part in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _end(
    partitions: Partitions, topic: str, part: OffsetForLeaderPartition, forbidden: AbstractSet[str]
) -> EpochEndOffset:
    try:
        if topic in forbidden:
            raise TopicAuthorizationFailed
        partition = partitions.require(topic, part.partition)
        partition.require_leader(part.current_leader_epoch)
        epoch, end_offset = partition.reader.end_of_epoch(part.leader_epoch)
    except Refusal as refusal:
        return EpochEndOffset(partition=part.partition, error_code=refusal.code)
    return EpochEndOffset(partition=part.partition, leader_epoch=epoch, end_offset=end_offset)
