# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribeGroupsRequest(Message, gc=False):
    api_key = 15
    versions = (0, 6)
    flexible_from = 5
    codec = Codec("describe_groups_request")
    groups: list[str] = msgspec.field(default_factory=list)
    include_authorized_operations: bool = False
