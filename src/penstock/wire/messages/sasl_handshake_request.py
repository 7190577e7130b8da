# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class SaslHandshakeRequest(Message, gc=False):
    api_key = 17
    versions = (0, 1)
    flexible_from = None
    codec = Codec("sasl_handshake_request")
    mechanism: str = ""
