"""ListPartitionReassignments: which partitions are on the move, where from and where to."""

from collections.abc import Iterable

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER, NOTHING
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage, TopicImage
from penstock.wire.api import ApiKey
from penstock.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest
from penstock.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)


@answers(ApiKey.LIST_PARTITION_REASSIGNMENTS, versions=(0, 0), requires=(DESCRIBE_CLUSTER,), audits=NOTHING)
def list_partition_reassignments(
    request: ListPartitionReassignmentsRequest, context: RequestContext, image: ClusterImage, authorizer: Authorizer
) -> ListPartitionReassignmentsResponse:
    authorizer.require(context.caller.subject, DESCRIBE_CLUSTER)
    if request.topics is None:
        own = [topic for topic in image.topics.values() if topic.source is None]
        found = [_moving(topic, range(len(topic.partitions))) for topic in own]
    else:
        found = [
            _moving(image.topics[topic.name], topic.partition_indexes)
            for topic in request.topics
            if topic.name in image.topics
        ]
    return ListPartitionReassignmentsResponse(
        error_message=None, topics=sorted((topic for topic in found if topic.partitions), key=lambda topic: topic.name)
    )


def _moving(topic: TopicImage, indexes: Iterable[int]) -> OngoingTopicReassignment:
    partitions = [topic.partitions[index] for index in indexes if 0 <= index < len(topic.partitions)]
    return OngoingTopicReassignment(
        name=topic.name,
        partitions=[
            OngoingPartitionReassignment(
                partition_index=partition.index,
                replicas=list(partition.replicas),
                adding_replicas=list(partition.adding),
                removing_replicas=list(partition.removing),
            )
            for partition in partitions
            if partition.adding or partition.removing
        ],
    )
