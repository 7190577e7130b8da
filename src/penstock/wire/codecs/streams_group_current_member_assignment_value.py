# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.streams_group_current_member_assignment_value import (
    StreamsGroupCurrentMemberAssignmentValue,
    TaskIds,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Buffer,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    read_ints,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)

_read_iibB = Struct(">iibB").unpack_from
_pack_iib = Struct(">iib").pack
_pack_iibB = Struct(">iibB").pack


def _decode_task_ids_v0(data: bytes, pos: int) -> tuple[TaskIds, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("subtopology_id")
    end = pos + n - 1
    subtopology_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    item = TaskIds(subtopology_id, partitions)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                assignment_epochs: list[int] | None = None
                if n:
                    n -= 1
                    assignment_epochs = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
                    pos += 4 * n
                item.assignment_epochs = assignment_epochs
                if pos != tag_end:
                    raise wrong_tag_size("assignment_epochs")
            else:
                pos = tag_end
    return item, pos


def _decode_streams_group_current_member_assignment_value_v0(
    data: bytes, pos: int
) -> tuple[StreamsGroupCurrentMemberAssignmentValue, int]:
    member_epoch, previous_member_epoch, state, n = _read_iibB(data, pos)
    pos += 10
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("active_tasks")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("active_tasks", n)
    active_tasks: list[TaskIds] = []
    for _ in range(n):
        active_tasks_item, pos = _decode_task_ids_v0(data, pos)
        active_tasks.append(active_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("standby_tasks")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("standby_tasks", n)
    standby_tasks: list[TaskIds] = []
    for _ in range(n):
        standby_tasks_item, pos = _decode_task_ids_v0(data, pos)
        standby_tasks.append(standby_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("warmup_tasks")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("warmup_tasks", n)
    warmup_tasks: list[TaskIds] = []
    for _ in range(n):
        warmup_tasks_item, pos = _decode_task_ids_v0(data, pos)
        warmup_tasks.append(warmup_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("active_tasks_pending_revocation")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("active_tasks_pending_revocation", n)
    active_tasks_pending_revocation: list[TaskIds] = []
    for _ in range(n):
        active_tasks_pending_revocation_item, pos = _decode_task_ids_v0(data, pos)
        active_tasks_pending_revocation.append(active_tasks_pending_revocation_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("standby_tasks_pending_revocation")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("standby_tasks_pending_revocation", n)
    standby_tasks_pending_revocation: list[TaskIds] = []
    for _ in range(n):
        standby_tasks_pending_revocation_item, pos = _decode_task_ids_v0(data, pos)
        standby_tasks_pending_revocation.append(standby_tasks_pending_revocation_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("warmup_tasks_pending_revocation")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("warmup_tasks_pending_revocation", n)
    warmup_tasks_pending_revocation: list[TaskIds] = []
    for _ in range(n):
        warmup_tasks_pending_revocation_item, pos = _decode_task_ids_v0(data, pos)
        warmup_tasks_pending_revocation.append(warmup_tasks_pending_revocation_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return StreamsGroupCurrentMemberAssignmentValue(
        member_epoch,
        previous_member_epoch,
        state,
        active_tasks,
        standby_tasks,
        warmup_tasks,
        active_tasks_pending_revocation,
        standby_tasks_pending_revocation,
        warmup_tasks_pending_revocation,
    ), pos


def _encode_task_ids_v0(push: Push, this: TaskIds) -> None:
    subtopology_id_sent = this.subtopology_id.encode()
    n = len(subtopology_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subtopology_id_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.assignment_epochs is None or len(this.assignment_epochs):
        part = []
        assignment_epochs = this.assignment_epochs
        if assignment_epochs is None:
            part.append(BYTE[0])
        else:
            n = len(assignment_epochs)
            part.append(
                COMPACT_INT32S[n](n + 1, *assignment_epochs) if n < 17 else compact_ints("i", assignment_epochs)
            )
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_streams_group_current_member_assignment_value_v0(
    push: Push, this: StreamsGroupCurrentMemberAssignmentValue
) -> None:
    active_tasks = this.active_tasks
    n = len(active_tasks) + 1
    push(
        _pack_iibB(this.member_epoch, this.previous_member_epoch, this.state, n)
        if n < 128
        else _pack_iib(this.member_epoch, this.previous_member_epoch, this.state) + uvarint(n)
    )
    for active_tasks_item in active_tasks:
        _encode_task_ids_v0(push, active_tasks_item)
    standby_tasks = this.standby_tasks
    n = len(standby_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for standby_tasks_item in standby_tasks:
        _encode_task_ids_v0(push, standby_tasks_item)
    warmup_tasks = this.warmup_tasks
    n = len(warmup_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for warmup_tasks_item in warmup_tasks:
        _encode_task_ids_v0(push, warmup_tasks_item)
    active_tasks_pending_revocation = this.active_tasks_pending_revocation
    n = len(active_tasks_pending_revocation) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for active_tasks_pending_revocation_item in active_tasks_pending_revocation:
        _encode_task_ids_v0(push, active_tasks_pending_revocation_item)
    standby_tasks_pending_revocation = this.standby_tasks_pending_revocation
    n = len(standby_tasks_pending_revocation) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for standby_tasks_pending_revocation_item in standby_tasks_pending_revocation:
        _encode_task_ids_v0(push, standby_tasks_pending_revocation_item)
    warmup_tasks_pending_revocation = this.warmup_tasks_pending_revocation
    n = len(warmup_tasks_pending_revocation) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for warmup_tasks_pending_revocation_item in warmup_tasks_pending_revocation:
        _encode_task_ids_v0(push, warmup_tasks_pending_revocation_item)
    push(b"\0")


DECODERS = {
    0: _decode_streams_group_current_member_assignment_value_v0,
}
ENCODERS = {
    0: _encode_streams_group_current_member_assignment_value_v0,
}
