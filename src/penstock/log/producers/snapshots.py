"""The `.snapshot` file: what is known of each producer at one offset, in Kafka's format, version 1.

    version i16 | crc-32c u32 of all that follows | count i32, then for each entry:
    producer id i64 | epoch i16 | last sequence i32 | last offset i64 | offset delta of the last batch i32
    | timestamp i64 | coordinator epoch i32 | first offset of the open transaction i64, or -1

Kafka writes one entry a producer and so forgets all but its last batch. We write one entry for each batch remembered,
oldest first: Kafka, for which the last entry counts, reads the same state as ever, and we still know a retry of any of
the five after a restart.
"""

import os
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import crc32c
import structlog

from penstock.log.file_pool import names_in
from penstock.log.producers.producer import NO_OFFSET, SEQUENCE_MASK, Batch, ProducerState

_log = structlog.get_logger(__name__)

VERSION = 1
SUFFIX = ".snapshot"

_PREFIX = struct.Struct(">hI")
_COUNT = struct.Struct(">i")
_ENTRY = struct.Struct(">qhiqiqiq")


class _Entry(NamedTuple):
    producer_id: int
    epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int
    coordinator_epoch: int
    transaction_first_offset: int


class CorruptSnapshot(ValueError):
    """The file is not a snapshot, or not a whole one; an older one and a replay give the same state."""


def snapshot_name(offset: int) -> str:
    return f"{offset:020d}{SUFFIX}"


def encode_snapshot(states: Iterable[ProducerState]) -> bytes:
    entries = [entry for state in states for entry in _entries(state)]
    body = _COUNT.pack(len(entries)) + b"".join(entries)
    return _PREFIX.pack(VERSION, crc32c.crc32c(body)) + body


def _entries(state: ProducerState) -> list[bytes]:
    def entry(batch: Batch | None, timestamp: int) -> bytes:
        return _ENTRY.pack(
            state.producer_id,
            state.epoch,
            batch.last_sequence if batch else -1,
            batch.last_offset if batch else NO_OFFSET,
            batch.last_offset_delta if batch else 0,
            timestamp,
            state.coordinator_epoch,
            state.transaction_first_offset,
        )

    batches = state.batches
    entries = [entry(batch, batch.timestamp) for batch in batches]
    if not batches or batches[-1].timestamp != state.last_timestamp:
        # A marker came after the last batch: its time is the producer's, and the batch keeps its own above.
        entries.append(entry(batches[-1] if batches else None, state.last_timestamp))
    return entries


def decode_snapshot(data: bytes) -> list[ProducerState]:
    if len(data) < _PREFIX.size + _COUNT.size:
        raise CorruptSnapshot(f"{len(data)} bytes are no snapshot")
    version, crc = _PREFIX.unpack_from(data)
    if version != VERSION:
        raise CorruptSnapshot(f"version {version}")
    if crc != crc32c.crc32c(data[_PREFIX.size :]):
        raise CorruptSnapshot("the CRC does not match")
    (count,) = _COUNT.unpack_from(data, _PREFIX.size)
    start = _PREFIX.size + _COUNT.size
    if count < 0 or len(data) != start + count * _ENTRY.size:
        raise CorruptSnapshot(f"{count} entries in {len(data)} bytes")
    states: dict[int, ProducerState] = {}
    for fields in _ENTRY.iter_unpack(data[start:]):
        _take(states, _Entry(*fields))
    return list(states.values())


def _take(states: dict[int, ProducerState], entry: _Entry) -> None:
    state = states.get(entry.producer_id)
    if state is None or state.epoch != entry.epoch:
        state = states[entry.producer_id] = ProducerState(entry.producer_id, entry.epoch)
    state.coordinator_epoch = entry.coordinator_epoch
    state.last_timestamp = entry.timestamp
    state.transaction_first_offset = max(entry.transaction_first_offset, NO_OFFSET)
    last = entry.last_offset
    if last >= 0 and state.last_offset != last:
        delta, sequence = entry.offset_delta, entry.last_sequence
        first = sequence if sequence < 0 else (sequence - delta) & SEQUENCE_MASK
        state.remember(Batch(first, last - delta, delta, entry.timestamp))


class SnapshotFiles:
    """The snapshots in a log's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.offsets: list[int] = []

    def find(self) -> None:
        """Those that the folder has."""
        names = (name.removesuffix(SUFFIX) for name in names_in(self.folder) if name.endswith(SUFFIX))
        self.offsets = sorted(int(name) for name in names if name.isdecimal())

    def write(self, at_offset: int, states: Iterable[ProducerState], *, flush: bool) -> None:
        with self._path(at_offset).open("wb") as file:
            file.write(encode_snapshot(states))
            if flush:
                file.flush()
                os.fdatasync(file.fileno())
        self.offsets.append(at_offset)

    def read_newest(self) -> tuple[int, list[ProducerState]] | None:
        """The newest one that can be read; those that cannot are deleted."""
        while self.offsets:
            offset = self.offsets[-1]
            try:
                return offset, decode_snapshot(self._path(offset).read_bytes())
            except (CorruptSnapshot, FileNotFoundError) as error:
                _log.warning("producer snapshot unusable", folder=str(self.folder), offset=offset, reason=str(error))
                self.delete([offset])
        return None

    def read_within(self, first_offset: int, upto_offset: int) -> tuple[int, list[ProducerState]] | None:
        """The newest one of these offsets that can be read; changes nothing."""
        for offset in reversed([each for each in tuple(self.offsets) if first_offset <= each <= upto_offset]):
            with suppress(CorruptSnapshot, FileNotFoundError):
                return offset, decode_snapshot(self._path(offset).read_bytes())
        return None

    def delete(self, offsets: Iterable[int]) -> None:
        for offset in list(offsets):
            self.offsets.remove(offset)
            self._path(offset).unlink(missing_ok=True)

    def _path(self, offset: int) -> Path:
        return self.folder / snapshot_name(offset)
