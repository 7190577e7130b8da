# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class LastAssignmentConfig(msgspec.Struct, gc=False):
    key: str = ""
    value: str = ""


class StreamsGroupMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 17
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    epoch: int = 0
    metadata_hash: int = 0
    validated_topology_epoch: int = -1
    last_assignment_configs: list[LastAssignmentConfig] | None = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupMetadataValue":
        return decode_whole(
            "StreamsGroupMetadataValue", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, StreamsGroupMetadataValue]" = Codec("streams_group_metadata_value")
