# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class SaslAuthenticateResponse(Message, gc=False):
    api_key = 36
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("sasl_authenticate_response")
    error_code: int = 0
    error_message: str | None = ""
    auth_bytes: bytes = b""
    session_lifetime_ms: int = 0
