# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicPartitions(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class Assignment(msgspec.Struct, gc=False):
    topic_partitions: list[TopicPartitions] = msgspec.field(default_factory=list)


class Member(msgspec.Struct, gc=False):
    member_id: str = ""
    rack_id: str | None = None
    member_epoch: int = 0
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = msgspec.field(default_factory=list)
    assignment: Assignment = msgspec.field(default_factory=Assignment)


class DescribedGroup(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    assignor_name: str = ""
    members: list[Member] = msgspec.field(default_factory=list)
    authorized_operations: int = -2147483648


class ShareGroupDescribeResponse(Message, gc=False):
    api_key = 77
    versions = (1, 1)
    flexible_from = 0
    codec = Codec("share_group_describe_response")
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = msgspec.field(default_factory=list)
