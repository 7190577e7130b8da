"""DescribeLogDirs: the data folders, the partitions in them and their sizes.

v2 flexible, v3 an error for the whole, v4 total and usable bytes, v5 whether a folder is cordoned.
"""

import os

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER, NOTHING
from penstock.broker.registry import RequestContext, answers
from penstock.errors import ClusterAuthorizationFailed, KafkaStorageError
from penstock.log import LogFolder, PartitionLog
from penstock.replication import FolderMoves, Partition, Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from penstock.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)


@answers(ApiKey.DESCRIBE_LOG_DIRS, versions=(1, 5), requires=(DESCRIBE_CLUSTER,), audits=NOTHING)
def describe_log_dirs(
    request: DescribeLogDirsRequest,
    context: RequestContext,
    partitions: Partitions,
    moves: FolderMoves,
    authorizer: Authorizer,
) -> DescribeLogDirsResponse:
    if not authorizer.allows(context.caller.subject, DESCRIBE_CLUSTER):
        return DescribeLogDirsResponse(error_code=ClusterAuthorizationFailed.code)
    wanted = None
    if request.topics is not None:
        wanted = {(topic.topic, index) for topic in request.topics for index in topic.partitions}
    return DescribeLogDirsResponse(results=[_describe(folder, partitions, moves, wanted) for folder in moves.folders])


def _describe(
    folder: LogFolder, partitions: Partitions, moves: FolderMoves, wanted: set[tuple[str, int]] | None
) -> DescribeLogDirsResult:
    result = DescribeLogDirsResult(log_dir=str(folder.path.absolute()), topics=[])
    try:
        space = os.statvfs(folder.path)
    except OSError:
        result.error_code = KafkaStorageError.code
        return result
    result.total_bytes = space.f_blocks * space.f_frsize
    result.usable_bytes = space.f_bavail * space.f_frsize
    topics: dict[str, list[DescribeLogDirsPartition]] = {}
    for partition in partitions:
        is_wanted = wanted is None or (partition.topic, partition.index) in wanted
        if is_wanted and moves.folder_of(partition) is folder:
            topics.setdefault(partition.topic, []).append(_partition(partition, folder))
    for name, copy in folder.futures.logs.items():
        original = partitions.get(*name)
        if original is not None and (wanted is None or name in wanted):
            topics.setdefault(name.topic, []).append(_copy(original, copy))
    result.topics = [DescribeLogDirsTopic(name=name, partitions=parts) for name, parts in topics.items()]
    return result


def _partition(partition: Partition, folder: LogFolder) -> DescribeLogDirsPartition:
    return DescribeLogDirsPartition(
        partition_index=partition.index,
        partition_size=folder.logs[partition.topic_partition].size,
        offset_lag=max(partition.high_watermark - partition.end_offset, 0),
        is_future_key=False,
    )


def _copy(original: Partition, copy: PartitionLog) -> DescribeLogDirsPartition:
    """A replica on its way into the folder."""
    return DescribeLogDirsPartition(
        partition_index=original.index,
        partition_size=copy.size,
        offset_lag=max(original.end_offset - copy.end_offset, 0),
        is_future_key=True,
    )
