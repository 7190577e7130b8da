# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_iih = Struct(">iih").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iih = Struct(">iih").pack

DECODERS, ENCODERS = by_table(
    JoinGroupRequest,
    {
        JoinGroupRequestProtocol: (
            Field("name", "string"),
            Field("metadata", "bytes"),
        ),
        JoinGroupRequest: (
            Field("group_id", "string"),
            Field("session_timeout_ms", "int32"),
            Field("rebalance_timeout_ms", "int32", since=1, ignorable=True),
            Field("member_id", "string"),
            Field("group_instance_id", "string", since=5, null_since=5),
            Field("protocol_type", "string"),
            Field("protocols", "[]JoinGroupRequestProtocol"),
            Field("reason", "string", since=8, null_since=8, ignorable=True),
        ),
    },
)


def _decode_join_group_request_protocol_v5(data: bytes, pos: int) -> tuple[JoinGroupRequestProtocol, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("metadata")
    end = pos + n
    metadata = data[pos:end]
    pos = end
    return JoinGroupRequestProtocol(name, metadata), pos


def _decode_join_group_request_v5(data: bytes, pos: int) -> tuple[JoinGroupRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    session_timeout_ms, rebalance_timeout_ms, n = _read_iih(data, pos)
    pos += 10
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
        raise null_refused("protocol_type")
    end = pos + n
    protocol_type = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("protocols")
    if n * 6 > len(data) - pos:
        raise absurd_count("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v5(data, pos)
        protocols.append(protocols_item)
    return JoinGroupRequest(
        group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols
    ), pos


def _decode_join_group_request_protocol_v6(data: bytes, pos: int) -> tuple[JoinGroupRequestProtocol, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("metadata")
    end = pos + n - 1
    metadata = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return JoinGroupRequestProtocol(name, metadata), pos


def _decode_join_group_request_v6(data: bytes, pos: int) -> tuple[JoinGroupRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    session_timeout_ms, rebalance_timeout_ms, n = _read_iiB(data, pos)
    pos += 9
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
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("protocols")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v6(data, pos)
        protocols.append(protocols_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return JoinGroupRequest(
        group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols
    ), pos


def _decode_join_group_request_v8(data: bytes, pos: int) -> tuple[JoinGroupRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    session_timeout_ms, rebalance_timeout_ms, n = _read_iiB(data, pos)
    pos += 9
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
        raise null_refused("protocol_type")
    end = pos + n - 1
    protocol_type = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("protocols")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("protocols", n)
    protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v6(data, pos)
        protocols.append(protocols_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    reason: str | None = None
    if n:
        end = pos + n - 1
        reason = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return JoinGroupRequest(
        group_id,
        session_timeout_ms,
        rebalance_timeout_ms,
        member_id,
        group_instance_id,
        protocol_type,
        protocols,
        reason,
    ), pos


def _encode_join_group_request_protocol_v5(push: Push, this: JoinGroupRequestProtocol) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    metadata_sent = this.metadata
    n = len(metadata_sent)
    push(_pack_i(n))
    push(metadata_sent)


def _encode_join_group_request_v5(push: Push, this: JoinGroupRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_iih(this.session_timeout_ms, this.rebalance_timeout_ms, n))
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
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent)
    push(_pack_h(n))
    push(protocol_type_sent)
    protocols = this.protocols
    n = len(protocols)
    push(_pack_i(n))
    for protocols_item in protocols:
        _encode_join_group_request_protocol_v5(push, protocols_item)


def _encode_join_group_request_protocol_v6(push: Push, this: JoinGroupRequestProtocol) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    metadata_sent = this.metadata
    n = len(metadata_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(metadata_sent)
    push(b"\0")


def _encode_join_group_request_v6(push: Push, this: JoinGroupRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(
        _pack_iiB(this.session_timeout_ms, this.rebalance_timeout_ms, n)
        if n < 128
        else _pack_ii(this.session_timeout_ms, this.rebalance_timeout_ms) + string_length(n)
    )
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
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    protocols = this.protocols
    n = len(protocols) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for protocols_item in protocols:
        _encode_join_group_request_protocol_v6(push, protocols_item)
    push(b"\0")


def _encode_join_group_request_v8(push: Push, this: JoinGroupRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(
        _pack_iiB(this.session_timeout_ms, this.rebalance_timeout_ms, n)
        if n < 128
        else _pack_ii(this.session_timeout_ms, this.rebalance_timeout_ms) + string_length(n)
    )
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
    protocol_type_sent = this.protocol_type.encode()
    n = len(protocol_type_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(protocol_type_sent)
    protocols = this.protocols
    n = len(protocols) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for protocols_item in protocols:
        _encode_join_group_request_protocol_v6(push, protocols_item)
    reason = this.reason
    if reason is None:
        reason_sent = b""
        n = 0
    else:
        reason_sent = reason.encode()
        n = len(reason_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(reason_sent)
    push(b"\0")


DECODERS |= {
    5: _decode_join_group_request_v5,
    6: _decode_join_group_request_v6,
    7: _decode_join_group_request_v6,
    8: _decode_join_group_request_v8,
    9: _decode_join_group_request_v8,
}
ENCODERS |= {
    5: _encode_join_group_request_v5,
    6: _encode_join_group_request_v6,
    7: _encode_join_group_request_v6,
    8: _encode_join_group_request_v8,
    9: _encode_join_group_request_v8,
}
