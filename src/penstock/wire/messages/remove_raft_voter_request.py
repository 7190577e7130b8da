# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class RemoveRaftVoterRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 81
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    cluster_id: str | None = ""
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "RemoveRaftVoterRequest":
        return decode_whole(
            "RemoveRaftVoterRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("RemoveRaftVoterRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, RemoveRaftVoterRequest]" = Codec("remove_raft_voter_request")
