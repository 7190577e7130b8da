# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.streams_group_target_assignment_member_value import (
    StreamsGroupTargetAssignmentMemberValue,
    TaskIds,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)


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
    if tags:
        pos = skip_tags(data, pos, tags)
    return TaskIds(subtopology_id, partitions), pos


def _decode_streams_group_target_assignment_member_value_v0(
    data: bytes, pos: int
) -> tuple[StreamsGroupTargetAssignmentMemberValue, int]:
    n = data[pos]
    pos += 1
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
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return StreamsGroupTargetAssignmentMemberValue(active_tasks, standby_tasks, warmup_tasks), pos


def _encode_task_ids_v0(push: Push, this: TaskIds) -> None:
    subtopology_id_sent = this.subtopology_id.encode()
    n = len(subtopology_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subtopology_id_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_streams_group_target_assignment_member_value_v0(
    push: Push, this: StreamsGroupTargetAssignmentMemberValue
) -> None:
    active_tasks = this.active_tasks
    n = len(active_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
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
    push(b"\0")


DECODERS = {
    0: _decode_streams_group_target_assignment_member_value_v0,
}
ENCODERS = {
    0: _encode_streams_group_target_assignment_member_value_v0,
}
