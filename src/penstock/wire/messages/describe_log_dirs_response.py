# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribeLogDirsPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    partition_size: int = 0
    offset_lag: int = 0
    is_future_key: bool = False


class DescribeLogDirsTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[DescribeLogDirsPartition] = msgspec.field(default_factory=list)


class DescribeLogDirsResult(msgspec.Struct, gc=False):
    error_code: int = 0
    log_dir: str = ""
    topics: list[DescribeLogDirsTopic] = msgspec.field(default_factory=list)
    total_bytes: int = -1
    usable_bytes: int = -1
    is_cordoned: bool = False


class DescribeLogDirsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 35
    versions: ClassVar[tuple[int, int]] = (1, 5)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    error_code: int = 0
    results: list[DescribeLogDirsResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeLogDirsResponse":
        return decode_whole(
            "DescribeLogDirsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeLogDirsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeLogDirsResponse]" = Codec("describe_log_dirs_response")
