# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class TopicPartitions(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)
    assignment_epochs: list[int] | None = msgspec.field(default_factory=list)


class ConsumerGroupCurrentMemberAssignmentValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 8
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    assigned_partitions: list[TopicPartitions] = msgspec.field(default_factory=list)
    partitions_pending_revocation: list[TopicPartitions] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ConsumerGroupCurrentMemberAssignmentValue":
        return decode_whole(
            "ConsumerGroupCurrentMemberAssignmentValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupCurrentMemberAssignmentValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ConsumerGroupCurrentMemberAssignmentValue]" = Codec(
    "consumer_group_current_member_assignment_value"
)
