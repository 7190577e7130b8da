# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.remote_partition_delete_metadata_record import (
    RemotePartitionDeleteMetadataRecord,
    TopicIdPartitionEntry,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_uiB = Struct(">16siB").unpack_from
_read_iqbB = Struct(">iqbB").unpack_from
_pack_uix = Struct(">16six").pack
_pack_iqbx = Struct(">iqbx").pack


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


def _decode_remote_partition_delete_metadata_record_v0(
    data: bytes, pos: int
) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
    topic_id_partition, pos = _decode_topic_id_partition_entry_v0(data, pos)
    broker_id, event_timestamp_ms, remote_partition_delete_state, tags = _read_iqbB(data, pos)
    pos += 14
    if tags:
        pos = skip_tags(data, pos, tags)
    return RemotePartitionDeleteMetadataRecord(
        topic_id_partition, broker_id, event_timestamp_ms, remote_partition_delete_state
    ), pos


def _encode_topic_id_partition_entry_v0(push: Push, this: TopicIdPartitionEntry) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_uix(this.id, this.partition))


def _encode_remote_partition_delete_metadata_record_v0(push: Push, this: RemotePartitionDeleteMetadataRecord) -> None:
    _encode_topic_id_partition_entry_v0(push, this.topic_id_partition)
    push(_pack_iqbx(this.broker_id, this.event_timestamp_ms, this.remote_partition_delete_state))


DECODERS = {
    0: _decode_remote_partition_delete_metadata_record_v0,
}
ENCODERS = {
    0: _encode_remote_partition_delete_metadata_record_v0,
}
