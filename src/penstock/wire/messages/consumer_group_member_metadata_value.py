# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ClassicProtocol(msgspec.Struct, gc=False):
    name: str = ""
    metadata: bytes = b""


class ClassicMemberMetadata(msgspec.Struct, gc=False):
    session_timeout_ms: int = 0
    supported_protocols: list[ClassicProtocol] = msgspec.field(default_factory=list)


class ConsumerGroupMemberMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 5
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = msgspec.field(default_factory=list)
    subscribed_topic_regex: str | None = ""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = ""
    classic_member_metadata: ClassicMemberMetadata | None = msgspec.field(default_factory=ClassicMemberMetadata)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ConsumerGroupMemberMetadataValue":
        return decode_whole(
            "ConsumerGroupMemberMetadataValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupMemberMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ConsumerGroupMemberMetadataValue]" = Codec("consumer_group_member_metadata_value")
