"""DeleteRecords: forget all records of a partition below an offset. v2 flexible.

Answered when every live replica has forgotten them (RULES 19), or the request's own timeout is over.
"""

import asyncio

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DELETE_TOPIC, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.errors import Refusal, RequestTimedOut, TopicAuthorizationFailed
from penstock.replication import Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_records_request import DeleteRecordsPartition, DeleteRecordsRequest
from penstock.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

NO_LOW_WATERMARK = -1


@answers(ApiKey.DELETE_RECORDS, versions=(0, 2), requires=(DELETE_TOPIC,), audits=(ResourceKind.TOPIC,))
async def delete_records(
    request: DeleteRecordsRequest, context: RequestContext, partitions: Partitions, authorizer: Authorizer
) -> DeleteRecordsResponse:
    subject = context.caller.subject
    begun = [
        (topic.name, [_begin(partitions, topic.name, part, is_allowed=is_allowed) for part in topic.partitions])
        for topic in request.topics
        for is_allowed in [authorizer.allows(subject, DELETE_TOPIC, topic.name)]
    ]
    waiting = [future for _, parts in begun for _, future in parts if future is not None]
    if waiting:
        await asyncio.wait(waiting, timeout=max(request.timeout_ms, 0) / 1000)
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(name=name, partitions=[_end(result, future) for result, future in parts])
            for name, parts in begun
        ]
    )


def _begin(
    partitions: Partitions, topic: str, part: DeleteRecordsPartition, *, is_allowed: bool
) -> "tuple[DeleteRecordsPartitionResult, asyncio.Future[None] | None]":
    result = DeleteRecordsPartitionResult(partition_index=part.partition_index, low_watermark=NO_LOW_WATERMARK)
    try:
        if not is_allowed:
            raise TopicAuthorizationFailed
        partition = partitions.require(topic, part.partition_index)
        partition.require_leader()
        result.low_watermark = partition.delete_records(part.offset)
        pending = partition.followers.deleted_everywhere(result.low_watermark)
        return result, None if pending is None else asyncio.ensure_future(pending)
    except Refusal as refusal:
        result.error_code = refusal.code
    return result, None


def _end(result: DeleteRecordsPartitionResult, future: "asyncio.Future[None] | None") -> DeleteRecordsPartitionResult:
    if future is None:
        return result
    refusal = future.exception() if future.done() else RequestTimedOut()
    future.cancel()
    if refusal is not None:
        result.error_code = refusal.code if isinstance(refusal, Refusal) else RequestTimedOut.code
        result.low_watermark = NO_LOW_WATERMARK
    return result
