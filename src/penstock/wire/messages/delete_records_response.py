# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DeleteRecordsPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    low_watermark: int = 0
    error_code: int = 0


class DeleteRecordsTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[DeleteRecordsPartitionResult] = msgspec.field(default_factory=list)


class DeleteRecordsResponse(Message, gc=False):
    api_key = 21
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("delete_records_response")
    throttle_time_ms: int = 0
    topics: list[DeleteRecordsTopicResult] = msgspec.field(default_factory=list)
