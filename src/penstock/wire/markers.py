"""Transaction markers: control batches of one record that end a producer's transaction on a partition."""

import enum
import struct
from typing import Final

import msgspec

from penstock.wire.compression import Buffer
from penstock.wire.malformed import Malformed
from penstock.wire.records import Record, build_batch, iterate, whole_header

MARKER_KEY = struct.Struct(">hh")  # version, type
MARKER_VALUE = struct.Struct(">hi")  # version, coordinator epoch


class MarkerType(enum.IntEnum):
    ABORT = 0
    COMMIT = 1


LARGEST_MARKER_TYPE: Final = 1
"""Control records with a higher type (leader change, snapshots, voters) say nothing about transactions."""


class Marker(msgspec.Struct, frozen=True, gc=False):
    type: MarkerType
    coordinator_epoch: int


def read_marker(batch: Buffer) -> Marker | None:
    """What a control batch says about its producer's transaction; None for other control records and if emptied."""
    if whole_header(batch).record_count == 0:
        return None
    record = next(iterate(batch))
    if record.key is None or len(record.key) < MARKER_KEY.size:
        raise Malformed("a control record without a type")
    version, type_id = MARKER_KEY.unpack_from(record.key)
    if version < 0:
        raise Malformed(f"a control record of version {version}")
    if not 0 <= type_id <= LARGEST_MARKER_TYPE:
        return None
    if record.value is None or len(record.value) < MARKER_VALUE.size:
        raise Malformed("a transaction marker without a coordinator epoch")
    version, coordinator_epoch = MARKER_VALUE.unpack_from(record.value)
    if version < 0:
        raise Malformed(f"a transaction marker of version {version}")
    return Marker(MarkerType(type_id), coordinator_epoch)


def build_marker(
    marker: Marker,
    *,
    producer_id: int,
    producer_epoch: int,
    timestamp: int,
    base_offset: int = 0,
    leader_epoch: int = -1,
) -> bytearray:
    record = Record(
        base_offset, timestamp, MARKER_KEY.pack(0, marker.type), MARKER_VALUE.pack(0, marker.coordinator_epoch)
    )
    return build_batch(
        [record],
        leader_epoch=leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        transactional=True,
        control=True,
    )
