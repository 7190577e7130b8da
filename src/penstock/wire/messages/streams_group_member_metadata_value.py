# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class Endpoint(msgspec.Struct, gc=False):
    host: str = ""
    port: int = 0


class KeyValue(msgspec.Struct, gc=False):
    key: str = ""
    value: str = ""


class StreamsGroupMemberMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 19
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = 0
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupMemberMetadataValue":
        return decode_whole(
            "StreamsGroupMemberMetadataValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupMemberMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, StreamsGroupMemberMetadataValue]" = Codec("streams_group_member_metadata_value")
