# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ListOffsetsPartitionResponse(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    timestamp: int = -1
    offset: int = -1
    leader_epoch: int = -1


class ListOffsetsTopicResponse(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ListOffsetsPartitionResponse] = msgspec.field(default_factory=list)


class ListOffsetsResponse(Message, gc=False):
    api_key = 2
    versions = (1, 11)
    flexible_from = 6
    codec = Codec("list_offsets_response")
    throttle_time_ms: int = 0
    topics: list[ListOffsetsTopicResponse] = msgspec.field(default_factory=list)
