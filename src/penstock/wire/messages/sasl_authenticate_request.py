# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class SaslAuthenticateRequest(Message, gc=False):
    api_key = 36
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("sasl_authenticate_request")
    auth_bytes: bytes = b""
