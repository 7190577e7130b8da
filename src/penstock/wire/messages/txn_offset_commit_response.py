# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TxnOffsetCommitResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class TxnOffsetCommitResponseTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[TxnOffsetCommitResponsePartition] = msgspec.field(default_factory=list)


class TxnOffsetCommitResponse(Message, gc=False):
    api_key = 28
    versions = (0, 5)
    flexible_from = 3
    codec = Codec("txn_offset_commit_response")
    throttle_time_ms: int = 0
    topics: list[TxnOffsetCommitResponseTopic] = msgspec.field(default_factory=list)
