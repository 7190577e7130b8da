# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ExpireDelegationTokenRequest(Message, gc=False):
    api_key = 40
    versions = (1, 2)
    flexible_from = 2
    codec = Codec("expire_delegation_token_request")
    hmac: bytes = b""
    expiry_time_period_ms: int = 0
