# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class BrokerRegistrationResponse(Message, gc=False):
    api_key = 62
    versions = (0, 4)
    flexible_from = 0
    codec = Codec("broker_registration_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    broker_epoch: int = -1
