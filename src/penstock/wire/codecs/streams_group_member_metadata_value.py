# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.streams_group_member_metadata_value import (
    Endpoint,
    KeyValue,
    StreamsGroupMemberMetadataValue,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_HB = Struct(">HB").unpack_from
_read_b = Struct(">b").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_b = Struct(">b").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack


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


def _decode_key_value_v0(data: bytes, pos: int) -> tuple[KeyValue, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("key")
    end = pos + n - 1
    key = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("value")
    end = pos + n - 1
    value = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return KeyValue(key, value), pos


def _decode_streams_group_member_metadata_value_v0(
    data: bytes, pos: int
) -> tuple[StreamsGroupMemberMetadataValue, int]:
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
    rebalance_timeout_ms, topology_epoch, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("process_id")
    end = pos + n - 1
    process_id = data[pos:end].decode()
    pos = end
    (n,) = _read_b(data, pos)
    pos += 1
    user_endpoint: Endpoint | None = None
    if n >= 0:
        user_endpoint, pos = _decode_endpoint_v0(data, pos)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("client_tags")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("client_tags", n)
    client_tags: list[KeyValue] = []
    for _ in range(n):
        client_tags_item, pos = _decode_key_value_v0(data, pos)
        client_tags.append(client_tags_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return StreamsGroupMemberMetadataValue(
        instance_id,
        rack_id,
        client_id,
        client_host,
        rebalance_timeout_ms,
        topology_epoch,
        process_id,
        user_endpoint,
        client_tags,
    ), pos


def _encode_endpoint_v0(push: Push, this: Endpoint) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_key_value_v0(push: Push, this: KeyValue) -> None:
    key_sent = this.key.encode()
    n = len(key_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(key_sent)
    value_sent = this.value.encode()
    n = len(value_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(value_sent)
    push(b"\0")


def _encode_streams_group_member_metadata_value_v0(push: Push, this: StreamsGroupMemberMetadataValue) -> None:
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
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_id_sent)
    client_host_sent = this.client_host.encode()
    n = len(client_host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(client_host_sent)
    process_id_sent = this.process_id.encode()
    n = len(process_id_sent) + 1
    push(
        _pack_iiB(this.rebalance_timeout_ms, this.topology_epoch, n)
        if n < 128
        else _pack_ii(this.rebalance_timeout_ms, this.topology_epoch) + string_length(n)
    )
    push(process_id_sent)
    user_endpoint = this.user_endpoint
    push(_pack_b(-1 if user_endpoint is None else 1))
    if user_endpoint is not None:
        _encode_endpoint_v0(push, user_endpoint)
    client_tags = this.client_tags
    n = len(client_tags) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for client_tags_item in client_tags:
        _encode_key_value_v0(push, client_tags_item)
    push(b"\0")


DECODERS = {
    0: _decode_streams_group_member_metadata_value_v0,
}
ENCODERS = {
    0: _encode_streams_group_member_metadata_value_v0,
}
