# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.remote_log_segment_metadata_update_record import (
    RemoteLogSegmentIdEntry,
    RemoteLogSegmentMetadataUpdateRecord,
    TopicIdPartitionEntry,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_uB = Struct(">16sB").unpack_from
_read_uiB = Struct(">16siB").unpack_from
_read_bB = Struct(">bB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_pack_uix = Struct(">16six").pack
_pack_ux = Struct(">16sx").pack
_pack_bx = Struct(">bx").pack
_pack_iq = Struct(">iq").pack
_pack_iqB = Struct(">iqB").pack


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


def _decode_remote_log_segment_metadata_update_record_v0(
    data: bytes, pos: int
) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
    remote_log_segment_id, pos = _decode_remote_log_segment_id_entry_v0(data, pos)
    broker_id, event_timestamp_ms, n = _read_iqB(data, pos)
    pos += 13
    if n > 127:
        n, pos = long_varint(data, pos)
    custom_metadata: bytes | None = None
    if n:
        end = pos + n - 1
        custom_metadata = data[pos:end]
        pos = end
    remote_log_segment_state, tags = _read_bB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return RemoteLogSegmentMetadataUpdateRecord(
        remote_log_segment_id, broker_id, event_timestamp_ms, custom_metadata, remote_log_segment_state
    ), pos


def _encode_topic_id_partition_entry_v0(push: Push, this: TopicIdPartitionEntry) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_uix(this.id, this.partition))


def _encode_remote_log_segment_id_entry_v0(push: Push, this: RemoteLogSegmentIdEntry) -> None:
    _encode_topic_id_partition_entry_v0(push, this.topic_id_partition)
    push(_pack_ux(this.id))


def _encode_remote_log_segment_metadata_update_record_v0(
    push: Push, this: RemoteLogSegmentMetadataUpdateRecord
) -> None:
    _encode_remote_log_segment_id_entry_v0(push, this.remote_log_segment_id)
    custom_metadata = this.custom_metadata
    if custom_metadata is None:
        custom_metadata_sent = b""
        n = 0
    else:
        custom_metadata_sent = custom_metadata
        n = len(custom_metadata_sent) + 1
    push(
        _pack_iqB(this.broker_id, this.event_timestamp_ms, n)
        if n < 128
        else _pack_iq(this.broker_id, this.event_timestamp_ms) + uvarint(n)
    )
    push(custom_metadata_sent)
    push(_pack_bx(this.remote_log_segment_state))


DECODERS = {
    0: _decode_remote_log_segment_metadata_update_record_v0,
}
ENCODERS = {
    0: _encode_remote_log_segment_metadata_update_record_v0,
}
