# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AclCreation(msgspec.Struct, gc=False):
    resource_type: int = 0
    resource_name: str = ""
    resource_pattern_type: int = 3
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class CreateAclsRequest(Message, gc=False):
    api_key = 30
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("create_acls_request")
    creations: list[AclCreation] = msgspec.field(default_factory=list)
