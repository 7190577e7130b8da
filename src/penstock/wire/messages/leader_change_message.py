# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class Voter(msgspec.Struct, gc=False):
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID


class LeaderChangeMessage(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    version: int = 0
    leader_id: int = 0
    voters: list[Voter] = msgspec.field(default_factory=list)
    granting_voters: list[Voter] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "LeaderChangeMessage":
        return decode_whole(
            "LeaderChangeMessage", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("LeaderChangeMessage", _CODEC, self, version)


_CODEC: "Codec[bytes, LeaderChangeMessage]" = Codec("leader_change_message")
