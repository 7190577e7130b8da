# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ExpireDelegationTokenResponse(Message, gc=False):
    api_key = 40
    versions = (1, 2)
    flexible_from = 2
    codec = Codec("expire_delegation_token_response")
    error_code: int = 0
    expiry_timestamp_ms: int = 0
    throttle_time_ms: int = 0
