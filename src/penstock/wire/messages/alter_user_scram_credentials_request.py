# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ScramCredentialDeletion(msgspec.Struct, gc=False):
    name: str = ""
    mechanism: int = 0


class ScramCredentialUpsertion(msgspec.Struct, gc=False):
    name: str = ""
    mechanism: int = 0
    iterations: int = 0
    salt: bytes = b""
    salted_password: bytes = b""


class GroupsOfUser(msgspec.Struct, gc=False):
    user: str = ""
    groups: list[str] = msgspec.field(default_factory=list)


class AlterUserScramCredentialsRequest(Message, gc=False):
    api_key = 51
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("alter_user_scram_credentials_request")
    deletions: list[ScramCredentialDeletion] = msgspec.field(default_factory=list)
    upsertions: list[ScramCredentialUpsertion] = msgspec.field(default_factory=list)
    groups_of_users: list[GroupsOfUser] = msgspec.field(default_factory=list)
