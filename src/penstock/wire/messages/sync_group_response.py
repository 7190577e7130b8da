# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class SyncGroupResponse(Message, gc=False):
    api_key = 14
    versions = (0, 5)
    flexible_from = 4
    codec = Codec("sync_group_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""
