# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ResponseHeader(Message, gc=False):
    versions = (0, 1)
    flexible_from = 1
    codec = Codec("response_header")
    correlation_id: int = 0
