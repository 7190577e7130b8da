# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AclCreationResult(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = ""


class CreateAclsResponse(Message, gc=False):
    api_key = 30
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("create_acls_response")
    throttle_time_ms: int = 0
    results: list[AclCreationResult] = msgspec.field(default_factory=list)
