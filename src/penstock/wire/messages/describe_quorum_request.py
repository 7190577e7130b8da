# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class DescribeQuorumRequest(Message, gc=False):
    api_key = 55
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("describe_quorum_request")
    topics: list[TopicData] = msgspec.field(default_factory=list)
