# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribedGroupMember(msgspec.Struct, gc=False):
    member_id: str = ""
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    member_metadata: bytes = b""
    member_assignment: bytes = b""


class DescribedGroup(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    protocol_type: str = ""
    protocol_data: str = ""
    members: list[DescribedGroupMember] = msgspec.field(default_factory=list)
    authorized_operations: int = -2147483648


class DescribeGroupsResponse(Message, gc=False):
    api_key = 15
    versions = (0, 6)
    flexible_from = 5
    codec = Codec("describe_groups_response")
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = msgspec.field(default_factory=list)
