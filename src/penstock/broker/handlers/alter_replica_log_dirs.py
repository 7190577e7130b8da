"""AlterReplicaLogDirs: let replicas of this broker move between its data folders.

v2 flexible. Answered when the move has begun; DescribeLogDirs shows how far it is.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.errors import ClusterAuthorizationFailed, Refusal
from penstock.replication import FolderMoves
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from penstock.wire.messages.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)


@answers(ApiKey.ALTER_REPLICA_LOG_DIRS, versions=(1, 2), requires=(ALTER_CLUSTER,), audits=(ResourceKind.CLUSTER,))
def alter_replica_log_dirs(
    request: AlterReplicaLogDirsRequest, context: RequestContext, moves: FolderMoves, authorizer: Authorizer
) -> AlterReplicaLogDirsResponse:
    is_allowed = authorizer.allows(context.caller.subject, ALTER_CLUSTER)
    # Of a partition that is named twice the last word counts, as in Kafka.
    asked = {
        (topic.name, index): folder.path
        for folder in request.dirs
        for topic in folder.topics
        for index in topic.partitions
    }
    results: dict[str, AlterReplicaLogDirTopicResult] = {}
    for (topic, index), path in asked.items():
        code = _begin(moves, topic, index, path) if is_allowed else ClusterAuthorizationFailed.code
        outcome = AlterReplicaLogDirPartitionResult(partition_index=index, error_code=code)
        results.setdefault(topic, AlterReplicaLogDirTopicResult(topic_name=topic)).partitions.append(outcome)
    return AlterReplicaLogDirsResponse(results=list(results.values()))


def _begin(moves: FolderMoves, topic: str, index: int, path: str) -> int:
    try:
        moves.request(topic, index, path)
    except Refusal as refusal:
        return refusal.code
    return 0
