# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribeDelegationTokenOwner(msgspec.Struct, gc=False):
    principal_type: str = ""
    principal_name: str = ""


class DescribeDelegationTokenRequest(Message, gc=False):
    api_key = 41
    versions = (1, 3)
    flexible_from = 2
    codec = Codec("describe_delegation_token_request")
    owners: list[DescribeDelegationTokenOwner] | None = msgspec.field(default_factory=list)
