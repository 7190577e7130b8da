"""The header of a version-2 record batch: all that the hot path ever reads of a producer's records.

Layout (61 bytes, big-endian), then the records, compressed or not:

    0 base_offset i64 | 8 length i32 (of what follows it) | 12 leader_epoch i32 | 16 magic i8 | 17 crc u32
    21 attributes i16 | 23 last_offset_delta i32 | 27 base_timestamp i64 | 35 max_timestamp i64
    43 producer_id i64 | 51 producer_epoch i16 | 53 base_sequence i32 | 57 record_count i32

The CRC-32C covers everything from `attributes` on, so base offset and leader epoch may be patched in place.
"""

import struct

import msgspec

HEADER_SIZE = 61
LENGTH_OVERHEAD = 12  # bytes before the part that `length` counts
CRC_FROM = 21
LEADER_EPOCH_AT = 12
MAGIC_AT = 16
CRC_AT = 17
ATTRIBUTES_AT = 21
MAX_TIMESTAMP_AT = 35

COMPRESSION_MASK = 0x07
LOG_APPEND_TIME = 0x08
TRANSACTIONAL = 0x10
CONTROL = 0x20
DELETE_HORIZON = 0x40
KNOWN_ATTRIBUTES = 0x7F

NO_PRODUCER = -1
NO_SEQUENCE = -1
NO_TIMESTAMP = -1

HEADER = struct.Struct(">qiibIhiqqqhii")
OFFSET_AND_LENGTH = struct.Struct(">qi")
LEADER_EPOCH = struct.Struct(">i")
BASE_OFFSET = struct.Struct(">q")
CRC = struct.Struct(">I")
ATTRIBUTES = struct.Struct(">h")
TIMESTAMP = struct.Struct(">q")


class BatchHeader(msgspec.Struct, gc=False):
    """Read once a batch. Whoever patches the bytes patches the header too, so that it need not be read again."""

    base_offset: int
    length: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @classmethod
    def peek(cls, view: "bytes | bytearray | memoryview", position: int = 0) -> "BatchHeader":
        """Read the header at `position`; struct.error where fewer than 61 bytes are left."""
        return cls(*HEADER.unpack_from(view, position))

    @property
    def size(self) -> int:
        """Bytes of the whole batch, header included."""
        return self.length + LENGTH_OVERHEAD

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """Sequences count to 2^31 - 1 and start again at 0."""
        if self.base_sequence < 0:
            return self.base_sequence
        return (self.base_sequence + self.last_offset_delta) & 0x7FFFFFFF

    @property
    def compression(self) -> int:
        return self.attributes & COMPRESSION_MASK

    @property
    def is_log_append_time(self) -> bool:
        return bool(self.attributes & LOG_APPEND_TIME)

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & CONTROL)

    @property
    def has_producer(self) -> bool:
        return self.producer_id != NO_PRODUCER

    @property
    def delete_horizon(self) -> int | None:
        """When a marker or tombstone batch may go (KIP-534): kept in the base timestamp while the flag is set."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON else None
