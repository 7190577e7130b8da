# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class RemoveRaftVoterResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 81
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "RemoveRaftVoterResponse":
        return decode_whole(
            "RemoveRaftVoterResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("RemoveRaftVoterResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, RemoveRaftVoterResponse]" = Codec("remove_raft_voter_response")
