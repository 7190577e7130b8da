# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class MetadataRequestTopic(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    name: str | None = ""


class MetadataRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 3
    versions: ClassVar[tuple[int, int]] = (0, 13)
    flexible_from: ClassVar[int | None] = 9
    topics: list[MetadataRequestTopic] | None = msgspec.field(default_factory=list)
    allow_auto_topic_creation: bool = True
    include_cluster_authorized_operations: bool = False
    include_topic_authorized_operations: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "MetadataRequest":
        return decode_whole(
            "MetadataRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("MetadataRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, MetadataRequest]" = Codec("metadata_request")
