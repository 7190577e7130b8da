# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class InFlightRange(msgspec.Struct, gc=False):
    first_offset: int = 0
    last_offset: int = 0
    delivery_count: int = 0
    member_id: str = ""
    lock_left_ms: int = 0


class DescribeShareGroupOffsetsResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    start_offset: int = 0
    leader_epoch: int = 0
    lag: int = -1
    error_code: int = 0
    error_message: str | None = None
    in_flight: list[InFlightRange] | None = None


class DescribeShareGroupOffsetsResponseTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = msgspec.field(default_factory=list)


class DescribeShareGroupOffsetsResponseGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsResponseTopic] = msgspec.field(default_factory=list)
    error_code: int = 0
    error_message: str | None = None


class DescribeShareGroupOffsetsResponse(Message, gc=False):
    api_key = 90
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("describe_share_group_offsets_response")
    throttle_time_ms: int = 0
    groups: list[DescribeShareGroupOffsetsResponseGroup] = msgspec.field(default_factory=list)
