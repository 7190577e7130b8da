# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TaskIds(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class StreamsGroupTargetAssignmentMemberValue(Message, gc=False):
    api_key = 21
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_target_assignment_member_value")
    active_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    standby_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    warmup_tasks: list[TaskIds] = msgspec.field(default_factory=list)
