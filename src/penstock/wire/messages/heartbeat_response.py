# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class HeartbeatResponse(Message, gc=False):
    api_key = 12
    versions = (0, 4)
    flexible_from = 4
    codec = Codec("heartbeat_response")
    throttle_time_ms: int = 0
    error_code: int = 0
