# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionResult(msgspec.Struct, gc=False):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None
    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1


class ReadStateSummaryResult(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = msgspec.field(default_factory=list)


class ReadShareGroupStateSummaryResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 87
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    results: list[ReadStateSummaryResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ReadShareGroupStateSummaryResponse":
        return decode_whole(
            "ReadShareGroupStateSummaryResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ReadShareGroupStateSummaryResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ReadShareGroupStateSummaryResponse]" = Codec("read_share_group_state_summary_response")
