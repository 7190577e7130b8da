# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class CreatableRenewers(msgspec.Struct, gc=False):
    principal_type: str = ""
    principal_name: str = ""


class CreateDelegationTokenRequest(Message, gc=False):
    api_key = 38
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("create_delegation_token_request")
    owner_principal_type: str | None = ""
    owner_principal_name: str | None = ""
    renewers: list[CreatableRenewers] = msgspec.field(default_factory=list)
    max_lifetime_ms: int = 0
