# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AlterUserScramCredentialsResult(msgspec.Struct, gc=False):
    user: str = ""
    error_code: int = 0
    error_message: str | None = ""


class AlterUserScramCredentialsResponse(Message, gc=False):
    api_key = 51
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("alter_user_scram_credentials_response")
    throttle_time_ms: int = 0
    results: list[AlterUserScramCredentialsResult] = msgspec.field(default_factory=list)
