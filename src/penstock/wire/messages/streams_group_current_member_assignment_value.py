# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TaskIds(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)
    assignment_epochs: list[int] | None = msgspec.field(default_factory=list)


class StreamsGroupCurrentMemberAssignmentValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 22
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    active_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    standby_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    warmup_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    active_tasks_pending_revocation: list[TaskIds] = msgspec.field(default_factory=list)
    standby_tasks_pending_revocation: list[TaskIds] = msgspec.field(default_factory=list)
    warmup_tasks_pending_revocation: list[TaskIds] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupCurrentMemberAssignmentValue":
        return decode_whole(
            "StreamsGroupCurrentMemberAssignmentValue",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupCurrentMemberAssignmentValue", _CODEC, self, version)


_CODEC: "Codec[bytes, StreamsGroupCurrentMemberAssignmentValue]" = Codec(
    "streams_group_current_member_assignment_value"
)
