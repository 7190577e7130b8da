# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused, wrong_tag_size
from penstock.wire.messages.offset_commit_value import OffsetCommitValue
from penstock.wire.primitives import (
    ZERO_UUID,
    Buffer,
    Push,
    long_string_length,
    long_varint,
    read_tag,
    string_length,
    tag_section,
    tagged_field,
)

_read_u = Struct(">16s").unpack_from
_read_q = Struct(">q").unpack_from
_read_qB = Struct(">qB").unpack_from
_read_qh = Struct(">qh").unpack_from
_read_qiB = Struct(">qiB").unpack_from
_read_qih = Struct(">qih").unpack_from
_read_qq = Struct(">qq").unpack_from
_pack_u = Struct(">16s").pack
_pack_q = Struct(">q").pack
_pack_qh = Struct(">qh").pack
_pack_qi = Struct(">qi").pack
_pack_qiB = Struct(">qiB").pack
_pack_qih = Struct(">qih").pack
_pack_qq = Struct(">qq").pack


def _decode_offset_commit_value_v0(data: bytes, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, n = _read_qh(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("metadata")
    end = pos + n
    metadata = data[pos:end].decode()
    pos = end
    (commit_timestamp,) = _read_q(data, pos)
    pos += 8
    return OffsetCommitValue(offset, metadata=metadata, commit_timestamp=commit_timestamp), pos


def _decode_offset_commit_value_v1(data: bytes, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, n = _read_qh(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("metadata")
    end = pos + n
    metadata = data[pos:end].decode()
    pos = end
    commit_timestamp, expire_timestamp = _read_qq(data, pos)
    pos += 16
    return OffsetCommitValue(
        offset, metadata=metadata, commit_timestamp=commit_timestamp, expire_timestamp=expire_timestamp
    ), pos


def _decode_offset_commit_value_v3(data: bytes, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, leader_epoch, n = _read_qih(data, pos)
    pos += 14
    if n < 0:
        raise null_refused("metadata")
    end = pos + n
    metadata = data[pos:end].decode()
    pos = end
    (commit_timestamp,) = _read_q(data, pos)
    pos += 8
    return OffsetCommitValue(offset, leader_epoch, metadata, commit_timestamp), pos


def _decode_offset_commit_value_v4(data: bytes, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, leader_epoch, n = _read_qiB(data, pos)
    pos += 13
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("metadata")
    end = pos + n - 1
    metadata = data[pos:end].decode()
    pos = end
    commit_timestamp, tags = _read_qB(data, pos)
    pos += 9
    item = OffsetCommitValue(offset, leader_epoch, metadata, commit_timestamp)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (topic_id,) = _read_u(data, pos)
                pos += 16
                item.topic_id = topic_id
                if pos != tag_end:
                    raise wrong_tag_size("topic_id")
            else:
                pos = tag_end
    return item, pos


def _encode_offset_commit_value_v0(push: Push, this: OffsetCommitValue) -> None:
    metadata_sent = this.metadata.encode()
    n = len(metadata_sent)
    push(_pack_qh(this.offset, n))
    push(metadata_sent)
    push(_pack_q(this.commit_timestamp))


def _encode_offset_commit_value_v1(push: Push, this: OffsetCommitValue) -> None:
    metadata_sent = this.metadata.encode()
    n = len(metadata_sent)
    push(_pack_qh(this.offset, n))
    push(metadata_sent)
    push(_pack_qq(this.commit_timestamp, this.expire_timestamp))


def _encode_offset_commit_value_v3(push: Push, this: OffsetCommitValue) -> None:
    metadata_sent = this.metadata.encode()
    n = len(metadata_sent)
    push(_pack_qih(this.offset, this.leader_epoch, n))
    push(metadata_sent)
    push(_pack_q(this.commit_timestamp))


def _encode_offset_commit_value_v4(push: Push, this: OffsetCommitValue) -> None:
    metadata_sent = this.metadata.encode()
    n = len(metadata_sent) + 1
    push(
        _pack_qiB(this.offset, this.leader_epoch, n)
        if n < 128
        else _pack_qi(this.offset, this.leader_epoch) + string_length(n)
    )
    push(metadata_sent)
    push(_pack_q(this.commit_timestamp))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.topic_id != ZERO_UUID:
        part = []
        part.append(_pack_u(this.topic_id))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_offset_commit_value_v0,
    1: _decode_offset_commit_value_v1,
    2: _decode_offset_commit_value_v0,
    3: _decode_offset_commit_value_v3,
    4: _decode_offset_commit_value_v4,
}
ENCODERS = {
    0: _encode_offset_commit_value_v0,
    1: _encode_offset_commit_value_v1,
    2: _encode_offset_commit_value_v0,
    3: _encode_offset_commit_value_v3,
    4: _encode_offset_commit_value_v4,
}
