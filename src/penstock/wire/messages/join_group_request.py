# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class JoinGroupRequestProtocol(msgspec.Struct, gc=False):
    name: str = ""
    metadata: bytes = b""


class JoinGroupRequest(Message, gc=False):
    api_key = 11
    versions = (0, 9)
    flexible_from = 6
    codec = Codec("join_group_request")
    group_id: str = ""
    session_timeout_ms: int = 0
    rebalance_timeout_ms: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str = ""
    protocols: list[JoinGroupRequestProtocol] = msgspec.field(default_factory=list)
    reason: str | None = None
