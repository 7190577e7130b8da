# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import (
    BYTE,
    ZERO_UUID,
    Buffer,
    Push,
    decode_whole,
    encode_whole,
    long_string_length,
    skip_tags,
    string_length,
)

_read_uiB = Struct(">16siB").unpack_from
_read_iqbB = Struct(">iqbB").unpack_from
_pack_uix = Struct(">16six").pack
_pack_iqbx = Struct(">iqbx").pack


class TopicIdPartitionEntry(msgspec.Struct, gc=False):
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


class RemotePartitionDeleteMetadataRecord(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 2
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    topic_id_partition: TopicIdPartitionEntry = msgspec.field(default_factory=TopicIdPartitionEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    remote_partition_delete_state: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "RemotePartitionDeleteMetadataRecord":
        return decode_whole(
            "RemotePartitionDeleteMetadataRecord",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("RemotePartitionDeleteMetadataRecord", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_remote_partition_delete_metadata_record_v0,
}
_ENCODERS = {
    0: _encode_remote_partition_delete_metadata_record_v0,
}
