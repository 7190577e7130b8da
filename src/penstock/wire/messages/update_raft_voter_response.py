# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class CurrentLeader(msgspec.Struct, gc=False):
    leader_id: int = -1
    leader_epoch: int = -1
    host: str = ""
    port: int = 0


class UpdateRaftVoterResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 82
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    current_leader: CurrentLeader = msgspec.field(default_factory=CurrentLeader)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "UpdateRaftVoterResponse":
        return decode_whole(
            "UpdateRaftVoterResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("UpdateRaftVoterResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, UpdateRaftVoterResponse]" = Codec("update_raft_voter_response")
