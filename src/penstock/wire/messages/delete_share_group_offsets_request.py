# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DeleteShareGroupOffsetsRequestTopic(msgspec.Struct, gc=False):
    topic_name: str = ""


class DeleteShareGroupOffsetsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 92
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    group_id: str = ""
    topics: list[DeleteShareGroupOffsetsRequestTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteShareGroupOffsetsRequest":
        return decode_whole(
            "DeleteShareGroupOffsetsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteShareGroupOffsetsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteShareGroupOffsetsRequest]" = Codec("delete_share_group_offsets_request")
