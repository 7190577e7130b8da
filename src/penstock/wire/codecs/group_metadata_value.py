# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.group_metadata_value import GroupMetadataValue, MemberMetadata
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_iii = Struct(">iii").unpack_from
_read_qB = Struct(">qB").unpack_from
_read_qi = Struct(">qi").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iii = Struct(">iii").pack
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack
_pack_qi = Struct(">qi").pack

DECODERS, ENCODERS = by_table(
    GroupMetadataValue,
    {
        MemberMetadata: (
            Field("member_id", "string"),
            Field("group_instance_id", "string", since=3, null_since=3, ignorable=True),
            Field("client_id", "string"),
            Field("client_host", "string"),
            Field("rebalance_timeout", "int32", since=1, ignorable=True),
            Field("session_timeout", "int32"),
            Field("subscription", "bytes"),
            Field("assignment", "bytes"),
        ),
        GroupMetadataValue: (
            Field("protocol_type", "string"),
            Field("generation", "int32"),
            Field("protocol", "string", null_since=0),
            Field("leader", "string", null_since=0),
            Field("current_state_timestamp", "int64", since=2, ignorable=True),
            Field("members", "[]MemberMetadata"),
        ),
    },
)


def _decode_member_metadata_v3(data: bytes, pos: int) -> tuple[MemberMetadata, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    group_instance_id: str | None = None
    if n >= 0:
        end = pos + n
        group_instance_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("group_instance_id", n)
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("client_id")
    end = pos + n
    client_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("client_host")
    end = pos + n
    client_host = data[pos:end].decode()
    pos = end
    rebalance_timeout, session_timeout, n = _read_iii(data, pos)
    pos += 12
    if n < 0:
        raise null_refused("subscription")
    end = pos + n
    subscription = data[pos:end]
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("assignment")
    end = pos + n
    assignment = data[pos:end]
    pos = end
    return MemberMetadata(
        member_id,
        group_instance_id,
        client_id,
        client_host,
        rebalance_timeout,
        session_timeout,
        subscription,
        assignment,
    ), pos


def _decode_group_metadata_value_v3(data: bytes, pos: int) -> tuple[GroupMetadataValue, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("protocol_type")
    end = pos + n
    protocol_type = data[pos:end].decode()
    pos = end
    generation, n = _read_ih(data, pos)
    pos += 6
    protocol: str | None = None
    if n >= 0:
        end = pos + n
        protocol = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("protocol", n)
    (n,) = _read_h(data, pos)
    pos += 2
    leader: str | None = None
    if n >= 0:
        end = pos + n
        leader = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("leader", n)
    current_state_timestamp, n = _read_qi(data, pos)
    pos += 12
    if n < 0:
        raise null_refused("members")
    if n * 24 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[MemberMetadata] = []
    for _ in range(n):
        members_item, pos = _decode_member_metadata_v3(data, pos)
        members.append(members_item)
    return GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members), pos


def _decode_member_metadata_v4(data: bytes, pos: int) -> tuple[MemberMetadata, int]:
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
    group_instance_id: str | None = None
    if n:
        end = pos + n - 1
        group_instance_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
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
    rebalance_timeout, session_timeout, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("subscription")
    end = pos + n - 1
    subscription = data[pos:end]
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("assignment")
    end = pos + n - 1
    assignment = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MemberMetadata(
        member_id,
        group_instance_id,
        client_id,
        client_host,
        rebalance_timeout,
        session_timeout,
        subscription,
        assignment,
    ), pos


def _decode_group_metadata_value_v4(data: bytes, pos: int) -> tuple[GroupMetadataValue, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
    pos = end
    generation, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    protocol: str | None = None
    if n:
        end = pos + n - 1
        protocol = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    leader: str | None = None
    if n:
        end = pos + n - 1
        leader = data[pos:end].decode()
        pos = end
    current_state_timestamp, n = _read_qB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("members")
    n -= 1
    if n * 15 > len(data) - pos:
        raise absurd_count("members", n)
    members: list[MemberMetadata] = []
    for _ in range(n):
        members_item, pos = _decode_member_metadata_v4(data, pos)
        members.append(members_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members), pos


def _encode_member_metadata_v3(push: Push, this: MemberMetadata) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_h(n))
    push(member_id_sent)
    group_instance_id = this.group_instance_id
    if group_instance_id is None:
        group_instance_id_sent = b""
        n = -1
    else:
        group_instance_id_sent = group_instance_id.encode()
        n = len(group_instance_id_sent)
    push(_pack_h(n))
    push(group_instance_id_sent)
    client_id_sent = this.client_id.encode()
    n = len(client_id_sent)
    push(_pack_h(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent)
    push(_pack_h(n))
    push(client_host_sent)
    subscription_sent = this.subscription
    n = len(subscription_sent)
    push(_pack_iii(this.rebalance_timeout, this.session_timeout, n))
    push(subscription_sent)
    assignment_sent = this.assignment
    n = len(assignment_sent)
    push(_pack_i(n))
    push(assignment_sent)


def _encode_group_metadata_value_v3(push: Push, this: GroupMetadataValue) -> None:
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent)
    push(_pack_h(n))
    push(protocol_type_sent)
    protocol = this.protocol
    if protocol is None:
        protocol_sent = b""
        n = -1
    else:
        protocol_sent = protocol.encode()
        n = len(protocol_sent)
    push(_pack_ih(this.generation, n))
    push(protocol_sent)
    leader = this.leader
    if leader is None:
        leader_sent = b""
        n = -1
    else:
        leader_sent = leader.encode()
        n = len(leader_sent)
    push(_pack_h(n))
    push(leader_sent)
    members = this.members
    n = len(members)
    push(_pack_qi(this.current_state_timestamp, n))
    for members_item in members:
        _encode_member_metadata_v3(push, members_item)


def _encode_member_metadata_v4(push: Push, this: MemberMetadata) -> None:
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    group_instance_id = this.group_instance_id
    if group_instance_id is None:
        group_instance_id_sent = b""
        n = 0
    else:
        group_instance_id_sent = group_instance_id.encode()
        n = len(group_instance_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_instance_id_sent)
    client_id_sent = this.client_id.encode()
    n = len(client_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_host_sent)
    subscription_sent = this.subscription
    n = len(subscription_sent) + 1
    push(
        _pack_iiB(this.rebalance_timeout, this.session_timeout, n)
        if n < 128
        else _pack_ii(this.rebalance_timeout, this.session_timeout) + uvarint(n)
    )
    push(subscription_sent)
    assignment_sent = this.assignment
    n = len(assignment_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(assignment_sent)
    push(b"\0")


def _encode_group_metadata_value_v4(push: Push, this: GroupMetadataValue) -> None:
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    protocol = this.protocol
    if protocol is None:
        protocol_sent = b""
        n = 0
    else:
        protocol_sent = protocol.encode()
        n = len(protocol_sent) + 1
    push(_pack_iB(this.generation, n) if n < 128 else _pack_i(this.generation) + string_length(n))
    push(protocol_sent)
    leader = this.leader
    if leader is None:
        leader_sent = b""
        n = 0
    else:
        leader_sent = leader.encode()
        n = len(leader_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(leader_sent)
    members = this.members
    n = len(members) + 1
    push(_pack_qB(this.current_state_timestamp, n) if n < 128 else _pack_q(this.current_state_timestamp) + uvarint(n))
    for members_item in members:
        _encode_member_metadata_v4(push, members_item)
    push(b"\0")


DECODERS |= {
    3: _decode_group_metadata_value_v3,
    4: _decode_group_metadata_value_v4,
}
ENCODERS |= {
    3: _encode_group_metadata_value_v3,
    4: _encode_group_metadata_value_v4,
}
