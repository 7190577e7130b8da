# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.remote_log_segment_metadata_record import (
    RemoteLogSegmentIdEntry,
    RemoteLogSegmentMetadataRecord,
    SegmentLeaderEpochEntry,
    TopicIdPartitionEntry,
)
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

_read_uB = Struct(">16sB").unpack_from
_read_uiB = Struct(">16siB").unpack_from
_read_t = Struct(">?").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_read_qqiqqB = Struct(">qqiqqB").unpack_from
_pack_uix = Struct(">16six").pack
_pack_ux = Struct(">16sx").pack
_pack_t = Struct(">?").pack
_pack_b = Struct(">b").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_iqx = Struct(">iqx").pack
_pack_qqiqq = Struct(">qqiqq").pack
_pack_qqiqqB = Struct(">qqiqqB").pack


def _decode_topic_id_partition_entry_v0(data: bytes, pos: int) -> tuple[TopicIdPartitionEntry, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    id, partition, tags = _read_uiB(data, pos)
    pos += 21
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicIdPartitionEntry(name, id, partition), pos


def _decode_remote_log_segment_id_entry_v0(data: bytes, pos: int) -> tuple[RemoteLogSegmentIdEntry, int]:
    topic_id_partition, pos = _decode_topic_id_partition_entry_v0(data, pos)
    id, tags = _read_uB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return RemoteLogSegmentIdEntry(topic_id_partition, id), pos


def _decode_segment_leader_epoch_entry_v0(data: bytes, pos: int) -> tuple[SegmentLeaderEpochEntry, int]:
    leader_epoch, offset, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return SegmentLeaderEpochEntry(leader_epoch, offset), pos


def _decode_remote_log_segment_metadata_record_v0(data: bytes, pos: int) -> tuple[RemoteLogSegmentMetadataRecord, int]:
    remote_log_segment_id, pos = _decode_remote_log_segment_id_entry_v0(data, pos)
    start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms, n = _read_qqiqqB(data, pos)
    pos += 37
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("segment_leader_epochs")
    n -= 1
    if n * 13 > len(data) - pos:
        raise absurd_count("segment_leader_epochs", n)
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    for _ in range(n):
        segment_leader_epochs_item, pos = _decode_segment_leader_epoch_entry_v0(data, pos)
        segment_leader_epochs.append(segment_leader_epochs_item)
    segment_size_in_bytes, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    custom_metadata: bytes | None = None
    if n:
        end = pos + n - 1
        custom_metadata = data[pos:end]
        pos = end
    remote_log_segment_state, tags = _read_bB(data, pos)
    pos += 2
    item = RemoteLogSegmentMetadataRecord(
        remote_log_segment_id,
        start_offset,
        end_offset,
        broker_id,
        max_timestamp_ms,
        event_timestamp_ms,
        segment_leader_epochs,
        segment_size_in_bytes,
        custom_metadata,
        remote_log_segment_state,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (txn_index_empty,) = _read_t(data, pos)
                pos += 1
                item.txn_index_empty = txn_index_empty
                if pos != tag_end:
                    raise wrong_tag_size("txn_index_empty")
            else:
                pos = tag_end
    return item, pos


def _encode_topic_id_partition_entry_v0(push: Push, this: TopicIdPartitionEntry) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_uix(this.id, this.partition))


def _encode_remote_log_segment_id_entry_v0(push: Push, this: RemoteLogSegmentIdEntry) -> None:
    _encode_topic_id_partition_entry_v0(push, this.topic_id_partition)
    push(_pack_ux(this.id))


def _encode_segment_leader_epoch_entry_v0(push: Push, this: SegmentLeaderEpochEntry) -> None:
    push(_pack_iqx(this.leader_epoch, this.offset))


def _encode_remote_log_segment_metadata_record_v0(push: Push, this: RemoteLogSegmentMetadataRecord) -> None:
    _encode_remote_log_segment_id_entry_v0(push, this.remote_log_segment_id)
    segment_leader_epochs = this.segment_leader_epochs
    n = len(segment_leader_epochs) + 1
    push(
        _pack_qqiqqB(
            this.start_offset, this.end_offset, this.broker_id, this.max_timestamp_ms, this.event_timestamp_ms, n
        )
        if n < 128
        else _pack_qqiqq(
            this.start_offset, this.end_offset, this.broker_id, this.max_timestamp_ms, this.event_timestamp_ms
        )
        + uvarint(n)
    )
    for segment_leader_epochs_item in segment_leader_epochs:
        _encode_segment_leader_epoch_entry_v0(push, segment_leader_epochs_item)
    custom_metadata = this.custom_metadata
    if custom_metadata is None:
        custom_metadata_sent = b""
        n = 0
    else:
        custom_metadata_sent = custom_metadata
        n = len(custom_metadata_sent) + 1
    push(_pack_iB(this.segment_size_in_bytes, n) if n < 128 else _pack_i(this.segment_size_in_bytes) + uvarint(n))
    push(custom_metadata_sent)
    push(_pack_b(this.remote_log_segment_state))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.txn_index_empty:
        part = []
        part.append(_pack_t(this.txn_index_empty))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_remote_log_segment_metadata_record_v0,
}
ENCODERS = {
    0: _encode_remote_log_segment_metadata_record_v0,
}
