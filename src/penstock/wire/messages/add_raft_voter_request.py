# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class Listener(msgspec.Struct, gc=False):
    name: str = ""
    host: str = ""
    port: int = 0


class AddRaftVoterRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 80
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    cluster_id: str | None = ""
    timeout_ms: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = msgspec.field(default_factory=list)
    ack_when_committed: bool = True

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AddRaftVoterRequest":
        return decode_whole(
            "AddRaftVoterRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AddRaftVoterRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AddRaftVoterRequest]" = Codec("add_raft_voter_request")
