# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class TopicPartition(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class ShareGroupTargetAssignmentMemberValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 13
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topic_partitions: list[TopicPartition] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupTargetAssignmentMemberValue":
        return decode_whole(
            "ShareGroupTargetAssignmentMemberValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupTargetAssignmentMemberValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareGroupTargetAssignmentMemberValue]" = Codec("share_group_target_assignment_member_value")
