# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeClusterRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 60
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    include_cluster_authorized_operations: bool = False
    endpoint_type: int = 1
    include_fenced_brokers: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeClusterRequest":
        return decode_whole(
            "DescribeClusterRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeClusterRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeClusterRequest]" = Codec("describe_cluster_request")
