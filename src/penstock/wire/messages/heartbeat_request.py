# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class HeartbeatRequest(Message, gc=False):
    api_key = 12
    versions = (0, 4)
    flexible_from = 4
    codec = Codec("heartbeat_request")
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None
