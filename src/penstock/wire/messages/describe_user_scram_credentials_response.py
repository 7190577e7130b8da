# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class CredentialInfo(msgspec.Struct, gc=False):
    mechanism: int = 0
    iterations: int = 0


class DescribeUserScramCredentialsResult(msgspec.Struct, gc=False):
    user: str = ""
    error_code: int = 0
    error_message: str | None = ""
    credential_infos: list[CredentialInfo] = msgspec.field(default_factory=list)
    member_of: list[str] = msgspec.field(default_factory=list)


class DescribeUserScramCredentialsResponse(Message, gc=False):
    api_key = 50
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_user_scram_credentials_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[DescribeUserScramCredentialsResult] = msgspec.field(default_factory=list)
