# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.primitives import (
    BYTE,
    Push,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    skip_tags,
    string_length,
)

_read_iB = Struct(">iB").unpack_from
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack


def _decode_share_group_heartbeat_request_v1(data: bytes, pos: int) -> tuple[ShareGroupHeartbeatRequest, int]:
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
        raise null_refused("member_id")
    end = pos + n - 1
    member_id = data[pos:end].decode()
    pos = end
    member_epoch, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack_id: str | None = None
    if n:
        end = pos + n - 1
        rack_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    subscribed_topic_names: list[str] | None = None
    if n:
        n -= 1
        subscribed_topic_names, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareGroupHeartbeatRequest(group_id, member_id, member_epoch, rack_id, subscribed_topic_names), pos


def _encode_share_group_heartbeat_request_v1(push: Push, this: ShareGroupHeartbeatRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    rack_id = this.rack_id
    if rack_id is None:
        rack_id_sent = b""
        n = 0
    else:
        rack_id_sent = rack_id.encode()
        n = len(rack_id_sent) + 1
    push(_pack_iB(this.member_epoch, n) if n < 128 else _pack_i(this.member_epoch) + string_length(n))
    push(rack_id_sent)
    subscribed_topic_names = this.subscribed_topic_names
    if subscribed_topic_names is None:
        push(BYTE[0])
    else:
        push(compact_strings(subscribed_topic_names))
    push(b"\0")


DECODERS = {
    1: _decode_share_group_heartbeat_request_v1,
}
ENCODERS = {
    1: _encode_share_group_heartbeat_request_v1,
}
