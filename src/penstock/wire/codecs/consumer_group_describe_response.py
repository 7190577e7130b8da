# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.consumer_group_describe_response import (
    Assignment,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_ix = Struct(">ix").pack


def _decode_topic_partitions_v0(data: bytes, pos: int) -> tuple[TopicPartitions, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
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
    return TopicPartitions(topic_id, topic_name, partitions), pos


def _decode_assignment_v0(data: bytes, pos: int) -> tuple[Assignment, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_partitions")
    n -= 1
    if n * 19 > len(data) - pos:
        raise absurd_count("topic_partitions", n)
    topic_partitions: list[TopicPartitions] = []
    for _ in range(n):
        topic_partitions_item, pos = _decode_topic_partitions_v0(data, pos)
        topic_partitions.append(topic_partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return Assignment(topic_partitions), pos


def _decode_member_v0(data: bytes, pos: int) -> tuple[Member, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("member_id")
    end = pos + n - 1
    member_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    instance_id: str | None = None
    if n:
        end = pos + n - 1
        instance_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack_id: str | None = None
    if n:
        end = pos + n - 1
        rack_id = data[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("client_id")
    end = pos + n - 1
    client_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("client_host")
    end = pos + n - 1
    client_host = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("subscribed_topic_names")
    n -= 1
    subscribed_topic_names, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    subscribed_topic_regex: str | None = None
    if n:
        end = pos + n - 1
        subscribed_topic_regex = data[pos:end].decode()
        pos = end
    assignment, pos = _decode_assignment_v0(data, pos)
    target_assignment, pos = _decode_assignment_v0(data, pos)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return Member(
        member_id,
        instance_id,
        rack_id,
        member_epoch,
        client_id,
        client_host,
        subscribed_topic_names,
        subscribed_topic_regex,
        assignment,
        target_assignment,
    ), pos


def _decode_described_group_v0(data: bytes, pos: int) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
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
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_state")
    end = pos + n - 1
    group_state = data[pos:end].decode()
    pos = end
    group_epoch, assignment_epoch, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("assignor_name")
    end = pos + n - 1
    assignor_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 16 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[Member] = []
    for _ in range(n):
        members_item, pos = _decode_member_v0(data, pos)
        members.append(members_item)
    authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribedGroup(
        error_code,
        error_message,
        group_id,
        group_state,
        group_epoch,
        assignment_epoch,
        assignor_name,
        members,
        authorized_operations,
    ), pos


def _decode_consumer_group_describe_response_v0(data: bytes, pos: int) -> tuple[ConsumerGroupDescribeResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v0(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupDescribeResponse(throttle_time_ms, groups), pos


def _decode_member_v1(data: bytes, pos: int) -> tuple[Member, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("member_id")
    end = pos + n - 1
    member_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    instance_id: str | None = None
    if n:
        end = pos + n - 1
        instance_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack_id: str | None = None
    if n:
        end = pos + n - 1
        rack_id = data[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("client_id")
    end = pos + n - 1
    client_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("client_host")
    end = pos + n - 1
    client_host = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("subscribed_topic_names")
    n -= 1
    subscribed_topic_names, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    subscribed_topic_regex: str | None = None
    if n:
        end = pos + n - 1
        subscribed_topic_regex = data[pos:end].decode()
        pos = end
    assignment, pos = _decode_assignment_v0(data, pos)
    target_assignment, pos = _decode_assignment_v0(data, pos)
    member_type, tags = _read_bB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return Member(
        member_id,
        instance_id,
        rack_id,
        member_epoch,
        client_id,
        client_host,
        subscribed_topic_names,
        subscribed_topic_regex,
        assignment,
        target_assignment,
        member_type,
    ), pos


def _decode_described_group_v1(data: bytes, pos: int) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
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
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_state")
    end = pos + n - 1
    group_state = data[pos:end].decode()
    pos = end
    group_epoch, assignment_epoch, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("assignor_name")
    end = pos + n - 1
    assignor_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 17 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[Member] = []
    for _ in range(n):
        members_item, pos = _decode_member_v1(data, pos)
        members.append(members_item)
    authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribedGroup(
        error_code,
        error_message,
        group_id,
        group_state,
        group_epoch,
        assignment_epoch,
        assignor_name,
        members,
        authorized_operations,
    ), pos


def _decode_consumer_group_describe_response_v1(data: bytes, pos: int) -> tuple[ConsumerGroupDescribeResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[DescribedGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v1(data, pos)
        groups.append(groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupDescribeResponse(throttle_time_ms, groups), pos


def _encode_topic_partitions_v0(push: Push, this: TopicPartitions) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_assignment_v0(push: Push, this: Assignment) -> None:
    topic_partitions = this.topic_partitions
    n = len(topic_partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topic_partitions_item in topic_partitions:
        _encode_topic_partitions_v0(push, topic_partitions_item)
    push(b"\0")


def _encode_member_v0(push: Push, this: Member) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    instance_id = this.instance_id
    if instance_id is None:
        instance_id_sent = b""
        n = 0
    else:
        instance_id_sent = instance_id.encode()
        n = len(instance_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(instance_id_sent)
    rack_id = this.rack_id
    if rack_id is None:
        rack_id_sent = b""
        n = 0
    else:
        rack_id_sent = rack_id.encode()
        n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    client_id_sent = this.client_id.encode()
    n = len(client_id_sent) + 1
    push(_pack_iB(this.member_epoch, n) if n < 128 else _pack_i(this.member_epoch) + string_length(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_host_sent)
    subscribed_topic_names = this.subscribed_topic_names
    push(compact_strings(subscribed_topic_names))
    subscribed_topic_regex = this.subscribed_topic_regex
    if subscribed_topic_regex is None:
        subscribed_topic_regex_sent = b""
        n = 0
    else:
        subscribed_topic_regex_sent = subscribed_topic_regex.encode()
        n = len(subscribed_topic_regex_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subscribed_topic_regex_sent)
    _encode_assignment_v0(push, this.assignment)
    _encode_assignment_v0(push, this.target_assignment)
    push(b"\0")


def _encode_described_group_v0(push: Push, this: DescribedGroup) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_state_sent)
    assignor_name_sent = this.assignor_name.encode()
    n = len(assignor_name_sent) + 1
    push(
        _pack_iiB(this.group_epoch, this.assignment_epoch, n)
        if n < 128
        else _pack_ii(this.group_epoch, this.assignment_epoch) + string_length(n)
    )
    push(assignor_name_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_member_v0(push, members_item)
    push(_pack_ix(this.authorized_operations))


def _encode_consumer_group_describe_response_v0(push: Push, this: ConsumerGroupDescribeResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_described_group_v0(push, groups_item)
    push(b"\0")


def _encode_member_v1(push: Push, this: Member) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    instance_id = this.instance_id
    if instance_id is None:
        instance_id_sent = b""
        n = 0
    else:
        instance_id_sent = instance_id.encode()
        n = len(instance_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(instance_id_sent)
    rack_id = this.rack_id
    if rack_id is None:
        rack_id_sent = b""
        n = 0
    else:
        rack_id_sent = rack_id.encode()
        n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    client_id_sent = this.client_id.encode()
    n = len(client_id_sent) + 1
    push(_pack_iB(this.member_epoch, n) if n < 128 else _pack_i(this.member_epoch) + string_length(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_host_sent)
    subscribed_topic_names = this.subscribed_topic_names
    push(compact_strings(subscribed_topic_names))
    subscribed_topic_regex = this.subscribed_topic_regex
    if subscribed_topic_regex is None:
        subscribed_topic_regex_sent = b""
        n = 0
    else:
        subscribed_topic_regex_sent = subscribed_topic_regex.encode()
        n = len(subscribed_topic_regex_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subscribed_topic_regex_sent)
    _encode_assignment_v0(push, this.assignment)
    _encode_assignment_v0(push, this.target_assignment)
    push(_pack_bx(this.member_type))


def _encode_described_group_v1(push: Push, this: DescribedGroup) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(error_message_sent)
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    group_state_sent = this.group_state.encode()
    n = len(group_state_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_state_sent)
    assignor_name_sent = this.assignor_name.encode()
    n = len(assignor_name_sent) + 1
    push(
        _pack_iiB(this.group_epoch, this.assignment_epoch, n)
        if n < 128
        else _pack_ii(this.group_epoch, this.assignment_epoch) + string_length(n)
    )
    push(assignor_name_sent)
    members = this.members
    n = len(members) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for members_item in members:
        _encode_member_v1(push, members_item)
    push(_pack_ix(this.authorized_operations))


def _encode_consumer_group_describe_response_v1(push: Push, this: ConsumerGroupDescribeResponse) -> None:
    groups = this.groups
    n = len(groups) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for groups_item in groups:
        _encode_described_group_v1(push, groups_item)
    push(b"\0")


DECODERS = {
    0: _decode_consumer_group_describe_response_v0,
    1: _decode_consumer_group_describe_response_v1,
}
ENCODERS = {
    0: _encode_consumer_group_describe_response_v0,
    1: _encode_consumer_group_describe_response_v1,
}
