# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class TopicPartition(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class ConsumerGroupTargetAssignmentMemberValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 7
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topic_partitions: list[TopicPartition] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ConsumerGroupTargetAssignmentMemberValue":
        return decode_whole(
            "ConsumerGroupTargetAssignmentMemberValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ConsumerGroupTargetAssignmentMemberValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ConsumerGroupTargetAssignmentMemberValue]" = Codec(
    "consumer_group_target_assignment_member_value"
)
