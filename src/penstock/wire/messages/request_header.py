# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class RequestHeader(Message, gc=False):
    versions = (1, 2)
    flexible_from = 2
    codec = Codec("request_header")
    request_api_key: int = 0
    request_api_version: int = 0
    correlation_id: int = 0
    client_id: str | None = ""
