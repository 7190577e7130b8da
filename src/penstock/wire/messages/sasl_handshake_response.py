# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class SaslHandshakeResponse(Message, gc=False):
    api_key = 17
    versions = (0, 1)
    flexible_from = None
    codec = Codec("sasl_handshake_response")
    error_code: int = 0
    mechanisms: list[str] = msgspec.field(default_factory=list)
