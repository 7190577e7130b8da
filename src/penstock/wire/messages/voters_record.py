# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


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


class VotersRecord(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0
    voters: list[Voter] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "VotersRecord":
        return decode_whole("VotersRecord", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position)

    def encode(self, version: int) -> bytes:
        return encode_whole("VotersRecord", _CODEC, self, version)


_CODEC: "Codec[bytes, VotersRecord]" = Codec("voters_record")
