# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class BrokerHeartbeatResponse(Message, gc=False):
    api_key = 63
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("broker_heartbeat_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    is_caught_up: bool = False
    is_fenced: bool = True
    should_shut_down: bool = False
