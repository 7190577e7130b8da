# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class EnvelopeRequest(Message, gc=False):
    api_key = 58
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("envelope_request")
    request_data: bytes = b""
    request_principal: bytes | None = b""
    client_host_address: bytes = b""
