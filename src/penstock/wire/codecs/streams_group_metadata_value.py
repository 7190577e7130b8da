# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.streams_group_metadata_value import LastAssignmentConfig, StreamsGroupMetadataValue
from penstock.wire.primitives import (
    BYTE,
    Buffer,
    Push,
    long_string_length,
    long_varint,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)

_read_i = Struct(">i").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_pack_i = Struct(">i").pack
_pack_iq = Struct(">iq").pack


def _decode_last_assignment_config_v0(data: bytes, pos: int) -> tuple[LastAssignmentConfig, int]:
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
    return LastAssignmentConfig(key, value), pos


def _decode_streams_group_metadata_value_v0(data: bytes, pos: int) -> tuple[StreamsGroupMetadataValue, int]:
    epoch, metadata_hash, tags = _read_iqB(data, pos)
    pos += 13
    item = StreamsGroupMetadataValue(epoch, metadata_hash)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (validated_topology_epoch,) = _read_i(data, pos)
                pos += 4
                item.validated_topology_epoch = validated_topology_epoch
                if pos != tag_end:
                    raise wrong_tag_size("validated_topology_epoch")
            elif tag == 1:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                last_assignment_configs: list[LastAssignmentConfig] | None = None
                if n:
                    n -= 1
                    if n * 3 > len(data) - pos:
                        raise absurd_count("last_assignment_configs", n)
                    last_assignment_configs = []
                    for _ in range(n):
                        last_assignment_configs_item, pos = _decode_last_assignment_config_v0(data, pos)
                        last_assignment_configs.append(last_assignment_configs_item)
                item.last_assignment_configs = last_assignment_configs
                if pos != tag_end:
                    raise wrong_tag_size("last_assignment_configs")
            else:
                pos = tag_end
    return item, pos


def _encode_last_assignment_config_v0(push: Push, this: LastAssignmentConfig) -> None:
    key_sent = this.key.encode()
    n = len(key_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(key_sent)
    value_sent = this.value.encode()
    n = len(value_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(value_sent)
    push(b"\0")


def _encode_streams_group_metadata_value_v0(push: Push, this: StreamsGroupMetadataValue) -> None:
    push(_pack_iq(this.epoch, this.metadata_hash))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.validated_topology_epoch != -1:
        part = []
        part.append(_pack_i(this.validated_topology_epoch))
        tagged.append(tagged_field(0, part))
    if this.last_assignment_configs is None or len(this.last_assignment_configs):
        part = []
        last_assignment_configs = this.last_assignment_configs
        n = 0 if last_assignment_configs is None else len(last_assignment_configs) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        if last_assignment_configs:
            for last_assignment_configs_item in last_assignment_configs:
                _encode_last_assignment_config_v0(part.append, last_assignment_configs_item)
        tagged.append(tagged_field(1, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_streams_group_metadata_value_v0,
}
ENCODERS = {
    0: _encode_streams_group_metadata_value_v0,
}
