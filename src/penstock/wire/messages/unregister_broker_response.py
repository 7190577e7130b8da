# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class UnregisterBrokerResponse(Message, gc=False):
    api_key = 64
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("unregister_broker_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
