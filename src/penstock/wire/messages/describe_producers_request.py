# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TopicRequest(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class DescribeProducersRequest(Message, gc=False):
    api_key = 61
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_producers_request")
    topics: list[TopicRequest] = msgspec.field(default_factory=list)
