# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DeleteAclsFilter(msgspec.Struct, gc=False):
    resource_type_filter: int = 0
    resource_name_filter: str | None = ""
    pattern_type_filter: int = 3
    principal_filter: str | None = ""
    host_filter: str | None = ""
    operation: int = 0
    permission_type: int = 0


class DeleteAclsRequest(Message, gc=False):
    api_key = 31
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("delete_acls_request")
    filters: list[DeleteAclsFilter] = msgspec.field(default_factory=list)
