# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class StreamsGroupDescribeRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 89
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    group_ids: list[str] = msgspec.field(default_factory=list)
    include_authorized_operations: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupDescribeRequest":
        return decode_whole(
            "StreamsGroupDescribeRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupDescribeRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, StreamsGroupDescribeRequest]" = Codec("streams_group_describe_request")
