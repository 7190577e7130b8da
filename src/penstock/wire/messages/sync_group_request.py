# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class SyncGroupRequestAssignment(msgspec.Struct, gc=False):
    member_id: str = ""
    assignment: bytes = b""


class SyncGroupRequest(Message, gc=False):
    api_key = 14
    versions = (0, 5)
    flexible_from = 4
    codec = Codec("sync_group_request")
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: list[SyncGroupRequestAssignment] = msgspec.field(default_factory=list)
