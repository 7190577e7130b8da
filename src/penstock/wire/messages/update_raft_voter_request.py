# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class KRaftVersionFeature(msgspec.Struct, gc=False):
    min_supported_version: int = 0
    max_supported_version: int = 0


class UpdateRaftVoterRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 82
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    cluster_id: str | None = ""
    current_leader_epoch: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = msgspec.field(default_factory=list)
    kraft_version_feature: KRaftVersionFeature = msgspec.field(default_factory=KRaftVersionFeature)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "UpdateRaftVoterRequest":
        return decode_whole(
            "UpdateRaftVoterRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("UpdateRaftVoterRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, UpdateRaftVoterRequest]" = Codec("update_raft_voter_request")
