# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class StreamsGroupTargetAssignmentMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 20
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    assignment_epoch: int = 0
    assignment_timestamp: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupTargetAssignmentMetadataValue":
        return decode_whole(
            "StreamsGroupTargetAssignmentMetadataValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupTargetAssignmentMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, StreamsGroupTargetAssignmentMetadataValue]" = Codec(
    "streams_group_target_assignment_metadata_value"
)
