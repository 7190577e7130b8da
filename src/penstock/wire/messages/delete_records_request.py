# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DeleteRecordsPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    offset: int = 0


class DeleteRecordsTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[DeleteRecordsPartition] = msgspec.field(default_factory=list)


class DeleteRecordsRequest(Message, gc=False):
    api_key = 21
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("delete_records_request")
    topics: list[DeleteRecordsTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 0
