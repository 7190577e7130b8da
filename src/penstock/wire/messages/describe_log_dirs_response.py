# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


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


class DescribeLogDirsResponse(Message, gc=False):
    api_key = 35
    versions = (1, 5)
    flexible_from = 2
    codec = Codec("describe_log_dirs_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    results: list[DescribeLogDirsResult] = msgspec.field(default_factory=list)
