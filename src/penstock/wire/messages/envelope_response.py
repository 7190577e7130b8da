# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class EnvelopeResponse(Message, gc=False):
    api_key = 58
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("envelope_response")
    response_data: bytes | None = None
    error_code: int = 0
