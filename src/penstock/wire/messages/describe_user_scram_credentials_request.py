# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class UserName(msgspec.Struct, gc=False):
    name: str = ""


class DescribeUserScramCredentialsRequest(Message, gc=False):
    api_key = 50
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_user_scram_credentials_request")
    users: list[UserName] | None = msgspec.field(default_factory=list)
