# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import null_refused
from penstock.wire.messages.share_group_member_metadata_value import ShareGroupMemberMetadataValue
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


def _decode_share_group_member_metadata_value_v0(data: bytes, pos: int) -> tuple[ShareGroupMemberMetadataValue, int]:
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
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("subscribed_topic_names")
    n -= 1
    subscribed_topic_names, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareGroupMemberMetadataValue(rack_id, client_id, client_host, subscribed_topic_names), pos


def _encode_share_group_member_metadata_value_v0(push: Push, this: ShareGroupMemberMetadataValue) -> None:
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
    subscribed_topic_names = this.subscribed_topic_names
    push(compact_strings(subscribed_topic_names))
    push(b"\0")


DECODERS = {
    0: _decode_share_group_member_metadata_value_v0,
}
ENCODERS = {
    0: _encode_share_group_member_metadata_value_v0,
}
