"""DescribeProducers: which idempotent and transactional producers a partition remembers.

Followers answer too, of their own copy: tools ask a broker about every partition that it keeps (find-hanging).
"""

from penstock.broker.registry import answers
from penstock.cluster import check_topic_name
from penstock.errors import Refusal
from penstock.replication import Partitions
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest
from penstock.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)


@answers(ApiKey.DESCRIBE_PRODUCERS, versions=(0, 0))
def describe_producers(request: DescribeProducersRequest, partitions: Partitions) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        topics=[
            TopicResponse(
                name=topic.name,
                partitions=[_describe(partitions, topic.name, index) for index in topic.partition_indexes],
            )
            for topic in request.topics
        ]
    )


def _describe(partitions: Partitions, topic: str, index: int) -> PartitionResponse:
    try:
        check_topic_name(topic)
        partition = partitions.require(topic, index)
        partition.log.ensure_readable()
    except Refusal as refusal:
        return PartitionResponse(partition_index=index, error_code=refusal.code, error_message=refusal.message)
    return PartitionResponse(
        partition_index=index,
        active_producers=[
            ProducerState(
                producer_id=producer.producer_id,
                producer_epoch=producer.epoch,
                last_sequence=producer.last_sequence,
                last_timestamp=producer.last_timestamp,
                coordinator_epoch=producer.coordinator_epoch,
                current_txn_start_offset=producer.transaction_first_offset,
            )
            for producer in partition.log.producers.describe()
        ],
    )
