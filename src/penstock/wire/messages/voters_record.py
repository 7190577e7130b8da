# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class Endpoint(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class KRaftVersionFeature(msgspec.Struct, gc=False):
    min_supported_version: int = 0
    max_supported_version: int = 0


class Voter(msgspec.Struct, gc=False):
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    endpoints: list[Endpoint] = msgspec.field(default_factory=list)
    kraft_version_feature: KRaftVersionFeature = msgspec.field(default_factory=KRaftVersionFeature)


class VotersRecord(Message, gc=False):
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("voters_record")
    version: int = 0
    voters: list[Voter] = msgspec.field(default_factory=list)
