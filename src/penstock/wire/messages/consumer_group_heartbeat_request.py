# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicPartitions(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class ConsumerGroupHeartbeatRequest(Message, gc=False):
    api_key = 68
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("consumer_group_heartbeat_request")
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    subscribed_topic_names: list[str] | None = None
    subscribed_topic_regex: str | None = None
    server_assignor: str | None = None
    topic_partitions: list[TopicPartitions] | None = None
