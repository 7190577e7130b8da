# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TaskIds(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class StreamsGroupTargetAssignmentMemberValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 21
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    active_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    standby_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    warmup_tasks: list[TaskIds] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupTargetAssignmentMemberValue":
        return decode_whole(
            "StreamsGroupTargetAssignmentMemberValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupTargetAssignmentMemberValue", _CODEC, self, version)


_CODEC: "Codec[bytes, StreamsGroupTargetAssignmentMemberValue]" = Codec("streams_group_target_assignment_member_value")
