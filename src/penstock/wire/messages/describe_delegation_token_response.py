# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribedDelegationTokenRenewer(msgspec.Struct, gc=False):
    principal_type: str = ""
    principal_name: str = ""


class DescribedDelegationToken(msgspec.Struct, gc=False):
    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""
    token_requester_principal_name: str = ""
    issue_timestamp: int = 0
    expiry_timestamp: int = 0
    max_timestamp: int = 0
    token_id: str = ""
    hmac: bytes = b""
    renewers: list[DescribedDelegationTokenRenewer] = msgspec.field(default_factory=list)


class DescribeDelegationTokenResponse(Message, gc=False):
    api_key = 41
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("describe_delegation_token_response")
    error_code: int = 0
    tokens: list[DescribedDelegationToken] = msgspec.field(default_factory=list)
    throttle_time_ms: int = 0
