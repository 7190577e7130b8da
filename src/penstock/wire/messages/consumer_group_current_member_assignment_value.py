# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class TopicPartitions(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)
    assignment_epochs: list[int] | None = msgspec.field(default_factory=list)


class ConsumerGroupCurrentMemberAssignmentValue(Message, gc=False):
    api_key = 8
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("consumer_group_current_member_assignment_value")
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    assigned_partitions: list[TopicPartitions] = msgspec.field(default_factory=list)
    partitions_pending_revocation: list[TopicPartitions] = msgspec.field(default_factory=list)
