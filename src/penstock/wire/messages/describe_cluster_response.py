# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeClusterBroker(msgspec.Struct, gc=False):
    broker_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None
    is_fenced: bool = False


class DescribeClusterResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 60
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    endpoint_type: int = 1
    cluster_id: str = ""
    controller_id: int = -1
    brokers: list[DescribeClusterBroker] = msgspec.field(default_factory=list)
    cluster_authorized_operations: int = -2147483648

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeClusterResponse":
        return decode_whole(
            "DescribeClusterResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeClusterResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeClusterResponse]" = Codec("describe_cluster_response")
