"""ListOffsets: a partition's first, last or largest-timestamp offset, or the first at or after a time.

v2 isolation level, v4 leader epochs, v6 flexible, v7 largest timestamp, v8 earliest local, v9 latest tiered, v10
timeout, v11 earliest pending upload. Without a cold tier the last three answer as Kafka does (RULES 39).
"""

from collections import Counter

import structlog

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TOPIC, NOTHING
from penstock.broker.registry import RequestContext, answers
from penstock.errors import (
    InvalidRequest,
    LeaderNotAvailable,
    OffsetNotAvailable,
    Refusal,
    UnknownServerError,
    UnsupportedVersion,
)
from penstock.replication import Partition, Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest
from penstock.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6

FIRST_VERSION = {
    LATEST: 1,
    EARLIEST: 1,
    MAX_TIMESTAMP: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING_UPLOAD: 11,
}
CONSUMER = -1
DEBUGGING = -2
"""Of tools that compare replicas: any of them answers."""
READ_COMMITTED = 1
KNOWN_ISOLATION_LEVELS = (0, READ_COMMITTED)

_log = structlog.get_logger(__name__)


@answers(ApiKey.LIST_OFFSETS, versions=(1, 11), requires=(DESCRIBE_TOPIC,), audits=NOTHING)
async def list_offsets(
    request: ListOffsetsRequest, context: RequestContext, partitions: Partitions, authorizer: Authorizer
) -> ListOffsetsResponse:
    asked = Counter((topic.name, part.partition_index) for topic in request.topics for part in topic.partitions)
    response = ListOffsetsResponse(topics=[])
    for topic in request.topics:
        answered = []
        for part in topic.partitions:
            times = asked.pop((topic.name, part.partition_index), 0)
            if times == 0:
                continue  # asked for before in this request, and refused there
            try:
                authorizer.require(context.caller.subject, DESCRIBE_TOPIC, topic.name)
                if times > 1:
                    raise InvalidRequest(f"{topic.name}-{part.partition_index} is asked for {times} times")
                answered.append(await _offset(partitions, topic.name, part, request, context))
            except Refusal as refusal:
                answered.append(_refused(part, refusal, context))
            except Exception as error:
                _log.error("offset lookup failed", topic=topic.name, partition=part.partition_index, exc_info=error)
                answered.append(_refused(part, UnknownServerError(), context))
        if answered:
            response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answered))
    return response


def _refused(part: ListOffsetsPartition, refusal: Refusal, context: RequestContext) -> ListOffsetsPartitionResponse:
    if isinstance(refusal, OffsetNotAvailable) and context.api_version < 5:
        refusal = LeaderNotAvailable()
    return ListOffsetsPartitionResponse(partition_index=part.partition_index, error_code=refusal.code)


async def _offset(
    partitions: Partitions, topic: str, part: ListOffsetsPartition, request: ListOffsetsRequest, context: RequestContext
) -> ListOffsetsPartitionResponse:
    timestamp = part.timestamp
    if timestamp < 0 and context.api_version < FIRST_VERSION.get(timestamp, 0x7FFF):
        raise UnsupportedVersion(f"timestamp {timestamp} is not known in version {context.api_version}")
    if request.isolation_level not in KNOWN_ISOLATION_LEVELS:
        raise UnknownServerError  # Kafka's answer; taken for one that is known, it could show what was aborted
    partition = partitions.require(topic, part.partition_index)
    if request.replica_id == DEBUGGING:
        partition.require_reader(part.current_leader_epoch)
    else:
        partition.require_leader(part.current_leader_epoch)
    found_timestamp, offset, epoch = await _find(partition, timestamp, request)
    return ListOffsetsPartitionResponse(
        partition_index=part.partition_index,
        timestamp=found_timestamp,
        offset=offset,
        leader_epoch=epoch if context.api_version >= 4 else -1,
    )


async def _find(partition: Partition, timestamp: int, request: ListOffsetsRequest) -> tuple[int, int, int]:
    committed_only = request.isolation_level == READ_COMMITTED
    match timestamp:
        case -1:
            if request.replica_id != CONSUMER:
                return -1, partition.end_offset, partition.leader_epoch
            return -1, partition.reader.latest_offset(committed_only=committed_only), partition.leader_epoch
        case -2 | -4:
            return -1, *partition.reader.earliest_offset(local_only=timestamp == -4)
        case -5 | -6:
            return -1, -1, -1
    reader = partition.reader
    found = await (reader.find_latest_time() if timestamp == MAX_TIMESTAMP else reader.find_by_time(timestamp))
    if found is None:
        return -1, -1, -1
    fetchable = partition.last_stable_offset if committed_only else partition.high_watermark
    if found.offset >= fetchable:
        partition.reader.latest_offset(committed_only=committed_only)  # says so while the high watermark lags its epoch
        return -1, -1, -1
    return found.timestamp, found.offset, found.leader_epoch
