# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribeShareGroupOffsetsRequestTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class DescribeShareGroupOffsetsRequestGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None = msgspec.field(default_factory=list)
    of_leader: bool = False


class DescribeShareGroupOffsetsRequest(Message, gc=False):
    api_key = 90
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("describe_share_group_offsets_request")
    groups: list[DescribeShareGroupOffsetsRequestGroup] = msgspec.field(default_factory=list)
