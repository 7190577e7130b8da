"""DeleteRecords: forget all records of a partition below an offset. v2 flexible."""

from penstock.broker.registry import answers
from penstock.errors import Refusal, UnknownTopicOrPartition
from penstock.replication import Partition, Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_records_request import DeleteRecordsPartition, DeleteRecordsRequest
from penstock.wire.messages.delete_records_response import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

NO_LOW_WATERMARK = -1


@answers(ApiKey.DELETE_RECORDS, versions=(0, 2))
async def delete_records(request: DeleteRecordsRequest, partitions: Partitions) -> DeleteRecordsResponse:
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name=topic.name,
                partitions=[
                    await _delete(partitions.get(topic.name, part.partition_index), part) for part in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


async def _delete(partition: Partition | None, part: DeleteRecordsPartition) -> DeleteRecordsPartitionResult:
    result = DeleteRecordsPartitionResult(partition_index=part.partition_index, low_watermark=NO_LOW_WATERMARK)
    try:
        if partition is None:
            raise UnknownTopicOrPartition
        partition.require_leader()
        result.low_watermark = partition.delete_records(part.offset)
    except Refusal as refusal:
        result.error_code = refusal.code
    return result
