# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicPartition(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class ConsumerGroupTargetAssignmentMemberValue(Message, gc=False):
    api_key = 7
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("consumer_group_target_assignment_member_value")
    topic_partitions: list[TopicPartition] = msgspec.field(default_factory=list)
