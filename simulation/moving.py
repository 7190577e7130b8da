"""What brokers of a simulated world answer to one that moves records to them: where a partition ends, and a batch taken
in, each by what a real broker does with such a request.
"""

from collections.abc import Mapping
from typing import Any

from penstock.errors import Refusal, UnknownTopicId
from penstock.model import PartitionIndex, TopicId, TopicPartition
from penstock.replication import Partition, append_moved
from penstock.wire.messages.list_offsets_request import ListOffsetsRequest
from penstock.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from penstock.wire.messages.produce_request import ProduceRequest
from penstock.wire.messages.produce_response import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from penstock.wire.produce import MOVED_FROM
from simulation.broker import BrokerProcess, when_acknowledged


def answer_mover(process: BrokerProcess, request: Any) -> Any:
    if isinstance(request, ListOffsetsRequest):
        return _end_of(process, request)
    assert isinstance(request, ProduceRequest)
    return process.spawn(_take_moved(process, request))


def _end_of(process: BrokerProcess, request: ListOffsetsRequest) -> ListOffsetsResponse:
    (topic,) = request.topics
    (asked,) = topic.partitions
    answer = ListOffsetsPartitionResponse(asked.partition_index)
    try:
        partition = process.find(TopicPartition(topic.name, PartitionIndex(asked.partition_index)))
        partition.require_leader()
        answer.offset = partition.reader.latest_offset(committed_only=False)
    except Refusal as refusal:
        answer.error_code = refusal.code
    return ListOffsetsResponse(topics=[ListOffsetsTopicResponse(topic.name, [answer])])


async def _take_moved(process: BrokerProcess, request: ProduceRequest) -> ProduceResponse:
    topic = request.topic_data[0]
    (part,) = topic.partition_data
    assert request.transactional_id is not None and part.records is not None
    from_offset = int(request.transactional_id.removeprefix(MOVED_FROM))
    answer = PartitionProduceResponse(part.index)
    try:
        partition = _find(process, TopicId(topic.topic_id), part.index)
        before = partition.log.end_offset
        appended = await append_moved(partition, memoryview(bytearray(part.records)), from_offset=from_offset)
        process.world.marks["sent again"] += partition.log.end_offset == before
        found = when_acknowledged(partition, appended, -1)
        answer.base_offset = found if isinstance(found, int) else await found
    except Refusal as refusal:
        answer.error_code = refusal.code
    return ProduceResponse(responses=[TopicProduceResponse(topic_id=topic.topic_id, partition_responses=[answer])])


def _find(process: BrokerProcess, topic_id: TopicId, index: int) -> Partition:
    assert process.partitions is not None
    local: Mapping[int, Partition] | None = process.partitions.finder(by_id=True)(topic_id)
    found = None if local is None else local.get(index)
    if found is None:
        raise UnknownTopicId
    return found
