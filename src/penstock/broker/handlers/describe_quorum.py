"""DescribeQuorum: who decides about the cluster's metadata, for tools that ask (KIP-595).

There is no Raft log here: the metadata is in a store, the leader is the controller, the voters are the brokers, and an
offset is the store's revision. v1 when a voter was last heard of, v2 addresses and data folders.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER, NOTHING
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import CLUSTER_METADATA, BrokerImage, ClusterImage
from penstock.errors import NotLeaderOrFollower, Refusal, UnknownTopicOrPartition
from penstock.model import Clock, topic_id_from_text
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest
from penstock.wire.messages.describe_quorum_response import (
    DescribeQuorumResponse,
    Listener,
    Node,
    PartitionData,
    ReplicaState,
    TopicData,
)

WORDS_AND_NODES_FROM = 2
_INT32_MAX = 0x7FFFFFFF


@answers(ApiKey.DESCRIBE_QUORUM, versions=(0, 2), requires=(DESCRIBE_CLUSTER,), audits=NOTHING)
def describe_quorum(
    request: DescribeQuorumRequest, context: RequestContext, image: ClusterImage, clock: Clock, authorizer: Authorizer
) -> DescribeQuorumResponse:
    authorizer.require(context.caller.subject, DESCRIBE_CLUSTER)
    version = context.api_version
    topics = [
        TopicData(
            topic_name=topic.topic_name,
            partitions=[
                _partition(topic.topic_name, partition.partition_index, version, image, clock)
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]
    is_described = any(partition.error_code == 0 for topic in topics for partition in topic.partitions)
    brokers = [broker for _, broker in sorted(image.brokers.items())] if version >= WORDS_AND_NODES_FROM else []
    return DescribeQuorumResponse(topics=topics, nodes=[_node(broker) for broker in brokers] if is_described else [])


def _node(broker: BrokerImage) -> Node:
    return Node(
        node_id=broker.id,
        listeners=[
            Listener(name=name, host=endpoint.host, port=endpoint.port) for name, endpoint in broker.endpoints.items()
        ],
    )


def _partition(topic: str, index: int, version: int, image: ClusterImage, clock: Clock) -> PartitionData:
    if (topic, index) != (CLUSTER_METADATA, 0):
        return _refused(index, version, UnknownTopicOrPartition())
    if image.controller_id not in image.brokers:
        return _refused(index, version, NotLeaderOrFollower("between two controllers: ask again"))
    now = clock.now()
    return PartitionData(
        partition_index=index,
        leader_id=image.controller_id,
        leader_epoch=image.controller_epoch & _INT32_MAX,
        high_watermark=image.revision,
        current_voters=[
            ReplicaState(
                replica_id=broker.id,
                replica_directory_id=_folder(broker.folder_id) if version >= WORDS_AND_NODES_FROM else bytes(16),
                log_end_offset=image.revision,
                last_fetch_timestamp=now,
                last_caught_up_timestamp=now,
            )
            for _, broker in sorted(image.brokers.items())
        ],
    )


def _refused(index: int, version: int, refusal: Refusal) -> PartitionData:
    words = refusal.message if version >= WORDS_AND_NODES_FROM else ""
    return PartitionData(partition_index=index, error_code=refusal.code, error_message=words)


def _folder(text: str) -> bytes:
    try:
        return topic_id_from_text(text)
    except ValueError:
        return bytes(16)
