# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupMemberMetadataValue,
)
from penstock.wire.primitives import (
    BYTE,
    Buffer,
    Push,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)

_read_b = Struct(">b").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_b = Struct(">b").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack


def _decode_classic_protocol_v0(data: bytes, pos: int) -> tuple[ClassicProtocol, int]:
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
    return ClassicProtocol(name, metadata), pos


def _decode_classic_member_metadata_v0(data: bytes, pos: int) -> tuple[ClassicMemberMetadata, int]:
    session_timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("supported_protocols")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("supported_protocols", n)
    supported_protocols: list[ClassicProtocol] = []
    for _ in range(n):
        supported_protocols_item, pos = _decode_classic_protocol_v0(data, pos)
        supported_protocols.append(supported_protocols_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ClassicMemberMetadata(session_timeout_ms, supported_protocols), pos


def _decode_consumer_group_member_metadata_value_v0(
    data: bytes, pos: int
) -> tuple[ConsumerGroupMemberMetadataValue, int]:
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
    rebalance_timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    server_assignor: str | None = None
    if n:
        end = pos + n - 1
        server_assignor = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    item = ConsumerGroupMemberMetadataValue(
        instance_id,
        rack_id,
        client_id,
        client_host,
        subscribed_topic_names,
        subscribed_topic_regex,
        rebalance_timeout_ms,
        server_assignor,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (n,) = _read_b(data, pos)
                pos += 1
                classic_member_metadata: ClassicMemberMetadata | None = None
                if n > 0:
                    classic_member_metadata, pos = _decode_classic_member_metadata_v0(data, pos)
                item.classic_member_metadata = classic_member_metadata
                if pos != tag_end:
                    raise wrong_tag_size("classic_member_metadata")
            else:
                pos = tag_end
    return item, pos


def _encode_classic_protocol_v0(push: Push, this: ClassicProtocol) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    metadata_sent = this.metadata
    n = len(metadata_sent) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    push(metadata_sent)
    push(b"\0")


def _encode_classic_member_metadata_v0(push: Push, this: ClassicMemberMetadata) -> None:
    supported_protocols = this.supported_protocols
    n = len(supported_protocols) + 1
    push(_pack_iB(this.session_timeout_ms, n) if n < 128 else _pack_i(this.session_timeout_ms) + uvarint(n))
    for supported_protocols_item in supported_protocols:
        _encode_classic_protocol_v0(push, supported_protocols_item)
    push(b"\0")


def _encode_consumer_group_member_metadata_value_v0(push: Push, this: ConsumerGroupMemberMetadataValue) -> None:
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
    server_assignor = this.server_assignor
    if server_assignor is None:
        server_assignor_sent = b""
        n = 0
    else:
        server_assignor_sent = server_assignor.encode()
        n = len(server_assignor_sent) + 1
    push(_pack_iB(this.rebalance_timeout_ms, n) if n < 128 else _pack_i(this.rebalance_timeout_ms) + string_length(n))
    push(server_assignor_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.classic_member_metadata != _DEFAULT_CLASSIC_MEMBER_METADATA:
        part = []
        classic_member_metadata = this.classic_member_metadata
        part.append(_pack_b(0 if classic_member_metadata is None else 1))
        if classic_member_metadata is not None:
            _encode_classic_member_metadata_v0(part.append, classic_member_metadata)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_consumer_group_member_metadata_value_v0,
}
ENCODERS = {
    0: _encode_consumer_group_member_metadata_value_v0,
}

_DEFAULT_CLASSIC_MEMBER_METADATA = ClassicMemberMetadata()
