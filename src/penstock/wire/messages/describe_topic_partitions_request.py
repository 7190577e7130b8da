# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TopicRequest(msgspec.Struct, gc=False):
    name: str = ""


class Cursor(msgspec.Struct, gc=False):
    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsRequest(Message, gc=False):
    api_key = 75
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_topic_partitions_request")
    topics: list[TopicRequest] = msgspec.field(default_factory=list)
    response_partition_limit: int = 2000
    cursor: Cursor | None = None
