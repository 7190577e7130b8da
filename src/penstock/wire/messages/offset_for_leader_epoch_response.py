# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class EpochEndOffset(msgspec.Struct, gc=False):
    error_code: int = 0
    partition: int = 0
    leader_epoch: int = -1
    end_offset: int = -1


class OffsetForLeaderTopicResult(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[EpochEndOffset] = msgspec.field(default_factory=list)


class OffsetForLeaderEpochResponse(Message, gc=False):
    api_key = 23
    versions = (2, 4)
    flexible_from = 4
    codec = Codec("offset_for_leader_epoch_response")
    throttle_time_ms: int = 0
    topics: list[OffsetForLeaderTopicResult] = msgspec.field(default_factory=list)
