# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicPartitions(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class Assignment(msgspec.Struct, gc=False):
    topic_partitions: list[TopicPartitions] = msgspec.field(default_factory=list)


class ShareGroupHeartbeatResponse(Message, gc=False):
    api_key = 76
    versions = (1, 1)
    flexible_from = 0
    codec = Codec("share_group_heartbeat_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Assignment | None = None
