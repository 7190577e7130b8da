# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition: int = 0
    state_epoch: int = 0
    start_offset: int = 0


class InitializeStateData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class InitializeShareGroupStateRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 83
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    group_id: str = ""
    topics: list[InitializeStateData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "InitializeShareGroupStateRequest":
        return decode_whole(
            "InitializeShareGroupStateRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("InitializeShareGroupStateRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, InitializeShareGroupStateRequest]" = Codec("initialize_share_group_state_request")
