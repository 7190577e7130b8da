# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class StreamsGroupDescribeRequest(Message, gc=False):
    api_key = 89
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_describe_request")
    group_ids: list[str] = msgspec.field(default_factory=list)
    include_authorized_operations: bool = False
