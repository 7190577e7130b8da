"""AlterPartitionReassignments: move partitions to other brokers, or take back what is under way.

v1 may forbid that the number of replicas changes. The answer says that the move has begun.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import Controller, Reassign
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_partition_reassignments_request import AlterPartitionReassignmentsRequest
from penstock.wire.messages.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)

FACTOR_FROM = 1


@answers(ApiKey.ALTER_PARTITION_REASSIGNMENTS, versions=(0, 1), requires=(ALTER_CLUSTER,), audits=(ResourceKind.TOPIC,))
async def alter_partition_reassignments(
    request: AlterPartitionReassignmentsRequest, context: RequestContext, controller: Controller, authorizer: Authorizer
) -> AlterPartitionReassignmentsResponse:
    authorizer.require(context.caller.subject, ALTER_CLUSTER)
    may_change = context.api_version < FACTOR_FROM or request.allow_replication_factor_change
    commands = [
        Reassign(
            topic.name,
            partition.partition_index,
            None if partition.replicas is None else tuple(partition.replicas),
            may_change_factor=may_change,
        )
        for topic in request.topics
        for partition in topic.partitions
    ]
    outcomes = iter(await controller.reassign(commands, timeout_ms=request.timeout_ms))
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_message=None if request.topics else "",  # as Kafka has it
        responses=[
            ReassignableTopicResponse(
                name=topic.name,
                partitions=[_result(partition.partition_index, next(outcomes)) for partition in topic.partitions],
            )
            for topic in request.topics
        ],
    )


def _result(index: int, outcome: Refusal | None) -> ReassignablePartitionResponse:
    if outcome is None:
        return ReassignablePartitionResponse(partition_index=index, error_message=None)
    return ReassignablePartitionResponse(partition_index=index, error_code=outcome.code, error_message=outcome.message)
