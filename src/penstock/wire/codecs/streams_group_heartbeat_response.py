# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.streams_group_heartbeat_response import (
    Endpoint,
    EndpointToPartitions,
    Status,
    StreamsGroupHeartbeatResponse,
    TaskIds,
    TopicPartition,
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

_read_HB = Struct(">HB").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_iiiiB = Struct(">iiiiB").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_iiii = Struct(">iiii").pack
_pack_iiiiB = Struct(">iiiiB").pack


def _decode_status_v0(data: bytes, pos: int) -> tuple[Status, int]:
    status_code, n = _read_bB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("status_detail")
    end = pos + n - 1
    status_detail = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return Status(status_code, status_detail), pos


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


def _decode_endpoint_v0(data: bytes, pos: int) -> tuple[Endpoint, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, tags = _read_HB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return Endpoint(host, port), pos


def _decode_topic_partition_v0(data: bytes, pos: int) -> tuple[TopicPartition, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic")
    end = pos + n - 1
    topic = data[pos:end].decode()
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
    return TopicPartition(topic, partitions), pos


def _decode_endpoint_to_partitions_v0(data: bytes, pos: int) -> tuple[EndpointToPartitions, int]:
    user_endpoint, pos = _decode_endpoint_v0(data, pos)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("active_partitions")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("active_partitions", n)
    active_partitions: list[TopicPartition] = []
    for _ in range(n):
        active_partitions_item, pos = _decode_topic_partition_v0(data, pos)
        active_partitions.append(active_partitions_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("standby_partitions")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("standby_partitions", n)
    standby_partitions: list[TopicPartition] = []
    for _ in range(n):
        standby_partitions_item, pos = _decode_topic_partition_v0(data, pos)
        standby_partitions.append(standby_partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return EndpointToPartitions(user_endpoint, active_partitions, standby_partitions), pos


def _decode_streams_group_heartbeat_response_v0(data: bytes, pos: int) -> tuple[StreamsGroupHeartbeatResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("member_id")
    end = pos + n - 1
    member_id = data[pos:end].decode()
    pos = end
    member_epoch, heartbeat_interval_ms, acceptable_recovery_lag, task_offset_interval_ms, n = _read_iiiiB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    status: list[Status] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("status", n)
        status = []
        for _ in range(n):
            status_item, pos = _decode_status_v0(data, pos)
            status.append(status_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    active_tasks: list[TaskIds] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("active_tasks", n)
        active_tasks = []
        for _ in range(n):
            active_tasks_item, pos = _decode_task_ids_v0(data, pos)
            active_tasks.append(active_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    standby_tasks: list[TaskIds] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("standby_tasks", n)
        standby_tasks = []
        for _ in range(n):
            standby_tasks_item, pos = _decode_task_ids_v0(data, pos)
            standby_tasks.append(standby_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    warmup_tasks: list[TaskIds] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("warmup_tasks", n)
        warmup_tasks = []
        for _ in range(n):
            warmup_tasks_item, pos = _decode_task_ids_v0(data, pos)
            warmup_tasks.append(warmup_tasks_item)
    endpoint_information_epoch, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    partitions_by_user_endpoint: list[EndpointToPartitions] | None = None
    if n:
        n -= 1
        if n * 7 > len(data) - pos:
            raise absurd_count("partitions_by_user_endpoint", n)
        partitions_by_user_endpoint = []
        for _ in range(n):
            partitions_by_user_endpoint_item, pos = _decode_endpoint_to_partitions_v0(data, pos)
            partitions_by_user_endpoint.append(partitions_by_user_endpoint_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return StreamsGroupHeartbeatResponse(
        throttle_time_ms,
        error_code,
        error_message,
        member_id,
        member_epoch,
        heartbeat_interval_ms,
        acceptable_recovery_lag,
        task_offset_interval_ms,
        status,
        active_tasks,
        standby_tasks,
        warmup_tasks,
        endpoint_information_epoch,
        partitions_by_user_endpoint,
    ), pos


def _encode_status_v0(push: Push, this: Status) -> None:
    status_detail_sent = this.status_detail.encode()
    n = len(status_detail_sent) + 1
    push(_pack_bB(this.status_code, n) if n < 128 else _pack_b(this.status_code) + string_length(n))
    push(status_detail_sent)
    push(b"\0")


def _encode_task_ids_v0(push: Push, this: TaskIds) -> None:
    subtopology_id_sent = this.subtopology_id.encode()
    n = len(subtopology_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subtopology_id_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_endpoint_v0(push: Push, this: Endpoint) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_topic_partition_v0(push: Push, this: TopicPartition) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_endpoint_to_partitions_v0(push: Push, this: EndpointToPartitions) -> None:
    _encode_endpoint_v0(push, this.user_endpoint)
    active_partitions = this.active_partitions
    n = len(active_partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for active_partitions_item in active_partitions:
        _encode_topic_partition_v0(push, active_partitions_item)
    standby_partitions = this.standby_partitions
    n = len(standby_partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for standby_partitions_item in standby_partitions:
        _encode_topic_partition_v0(push, standby_partitions_item)
    push(b"\0")


def _encode_streams_group_heartbeat_response_v0(push: Push, this: StreamsGroupHeartbeatResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    status = this.status
    n = 0 if status is None else len(status) + 1
    push(
        _pack_iiiiB(
            this.member_epoch, this.heartbeat_interval_ms, this.acceptable_recovery_lag, this.task_offset_interval_ms, n
        )
        if n < 128
        else _pack_iiii(
            this.member_epoch, this.heartbeat_interval_ms, this.acceptable_recovery_lag, this.task_offset_interval_ms
        )
        + uvarint(n)
    )
    if status:
        for status_item in status:
            _encode_status_v0(push, status_item)
    active_tasks = this.active_tasks
    n = 0 if active_tasks is None else len(active_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if active_tasks:
        for active_tasks_item in active_tasks:
            _encode_task_ids_v0(push, active_tasks_item)
    standby_tasks = this.standby_tasks
    n = 0 if standby_tasks is None else len(standby_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if standby_tasks:
        for standby_tasks_item in standby_tasks:
            _encode_task_ids_v0(push, standby_tasks_item)
    warmup_tasks = this.warmup_tasks
    n = 0 if warmup_tasks is None else len(warmup_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if warmup_tasks:
        for warmup_tasks_item in warmup_tasks:
            _encode_task_ids_v0(push, warmup_tasks_item)
    partitions_by_user_endpoint = this.partitions_by_user_endpoint
    n = 0 if partitions_by_user_endpoint is None else len(partitions_by_user_endpoint) + 1
    push(
        _pack_iB(this.endpoint_information_epoch, n)
        if n < 128
        else _pack_i(this.endpoint_information_epoch) + uvarint(n)
    )
    if partitions_by_user_endpoint:
        for partitions_by_user_endpoint_item in partitions_by_user_endpoint:
            _encode_endpoint_to_partitions_v0(push, partitions_by_user_endpoint_item)
    push(b"\0")


DECODERS = {
    0: _decode_streams_group_heartbeat_response_v0,
}
ENCODERS = {
    0: _encode_streams_group_heartbeat_response_v0,
}
