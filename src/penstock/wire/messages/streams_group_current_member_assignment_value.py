# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TaskIds(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)
    assignment_epochs: list[int] | None = msgspec.field(default_factory=list)


class StreamsGroupCurrentMemberAssignmentValue(Message, gc=False):
    api_key = 22
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_current_member_assignment_value")
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    active_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    standby_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    warmup_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    active_tasks_pending_revocation: list[TaskIds] = msgspec.field(default_factory=list)
    standby_tasks_pending_revocation: list[TaskIds] = msgspec.field(default_factory=list)
    warmup_tasks_pending_revocation: list[TaskIds] = msgspec.field(default_factory=list)
