# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class PartitionResult(msgspec.Struct, gc=False):
    partition_id: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReplicaElectionResult(msgspec.Struct, gc=False):
    topic: str = ""
    partition_result: list[PartitionResult] = msgspec.field(default_factory=list)


class ElectLeadersResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 43
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    error_code: int = 0
    replica_election_results: list[ReplicaElectionResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ElectLeadersResponse":
        return decode_whole(
            "ElectLeadersResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ElectLeadersResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ElectLeadersResponse]" = Codec("elect_leaders_response")
