# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DeleteAclsMatchingAcl(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 3
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class DeleteAclsFilterResult(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""
    matching_acls: list[DeleteAclsMatchingAcl] = msgspec.field(default_factory=list)


class DeleteAclsResponse(Message, gc=False):
    api_key = 31
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("delete_acls_response")
    throttle_time_ms: int = 0
    filter_results: list[DeleteAclsFilterResult] = msgspec.field(default_factory=list)
