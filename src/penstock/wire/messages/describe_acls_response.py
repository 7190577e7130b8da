# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AclDescription(msgspec.Struct, gc=False):
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class DescribeAclsResource(msgspec.Struct, gc=False):
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 3
    acls: list[AclDescription] = msgspec.field(default_factory=list)


class DescribeAclsResponse(Message, gc=False):
    api_key = 29
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("describe_acls_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    resources: list[DescribeAclsResource] = msgspec.field(default_factory=list)
