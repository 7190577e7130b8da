"""Logs for tests: batches at given offsets, a clock that stands still, a log in a folder."""

import errno
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Never

from penstock.log.file_pool import FilePool
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import KnownLog, open_log
from penstock.model import Millis, PartitionIndex, TopicId, TopicPartition
from penstock.settings.config import Config
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.records import Record, build_batch

ORDERS_0 = TopicPartition("orders", PartitionIndex(0))
TOPIC_ID = TopicId(bytes(range(16)))
THREE_A_SEGMENT = {"internal.segment.bytes": "300", "index.interval.bytes": "0"}
HOUR_MS = 3_600_000


class StillClock:
    def __init__(self, now: int = 1_700_000_000_000) -> None:
        self.time = now

    def now(self) -> Millis:
        return Millis(self.time)

    def monotonic(self) -> float:
        return self.time / 1000


def a_batch(
    base_offset: int,
    *,
    count: int = 1,
    value_bytes: int = 10,
    timestamp: int = 1_700_000_000_000,
    leader_epoch: int = 0,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    compression: int = 0,
    transactional: bool = False,
) -> tuple[BatchHeader, memoryview]:
    """A batch with final offsets; record number i has the timestamp `timestamp + i`."""
    records = [
        Record(base_offset + i, timestamp + i, f"k{base_offset + i}".encode(), b"v" * value_bytes) for i in range(count)
    ]
    data = build_batch(
        records,
        base_offset=base_offset,
        leader_epoch=leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        compression=compression,
        transactional=transactional,
    )
    view = memoryview(data)
    return BatchHeader.peek(view), view


def a_marker(
    base_offset: int, how: MarkerType, *, producer_id: int, producer_epoch: int = 0
) -> tuple[BatchHeader, memoryview]:
    data = build_marker(
        Marker(how, 0),
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        timestamp=1_700_000_000_000,
        base_offset=base_offset,
        leader_epoch=0,
    )
    view = memoryview(data)
    return BatchHeader.peek(view), view


def fill(log: PartitionLog, batches: int, *, count: int = 1, value_bytes: int = 10, **more: Any) -> None:
    """Append batches one by one at the log's end."""
    for _ in range(batches):
        log.append([a_batch(log.end_offset, count=count, value_bytes=value_bytes, **more)])


def headers_in(data: bytes) -> Iterator[BatchHeader]:
    """Ends at the last whole header, and at what cannot be a batch: a test may have damaged it."""
    position = 0
    while position + HEADER_SIZE <= len(data):
        header = BatchHeader.peek(data, position)
        if header.size < HEADER_SIZE:
            return
        yield header
        position += header.size


def base_offsets(data: bytes) -> list[int]:
    return [header.base_offset for header in headers_in(data)]


def read_all(log: PartitionLog, at_most: int = 1 << 20) -> bytes:
    """Everything from the log's start to its end, slice by slice, as a consumer would fetch it."""
    parts, offset = [], log.start_offset
    while offset < log.end_offset:
        part = log.read(offset, at_most)
        if not part:
            break
        parts.append(part)
        next_offset = max((header.next_offset for header in headers_in(part)), default=offset)
        if next_offset <= offset:
            break  # damaged: what was read says so
        offset = next_offset
    return b"".join(parts)


def a_log(
    folder: Path,
    known: KnownLog | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    clock: StillClock | None = None,
    pool: FilePool | None = None,
    partition: TopicPartition = ORDERS_0,
) -> PartitionLog:
    folder.mkdir(exist_ok=True, parents=True)
    config = Config.for_broker({}).for_topic(dict(settings or {}))
    return open_log(
        folder,
        partition,
        TOPIC_ID,
        known or KnownLog(is_clean=True),
        config=config,
        pool=pool or FilePool(64),
        clock=clock or StillClock(),
    )


def reopen(
    log: PartitionLog,
    *,
    is_clean: bool = False,
    recovery_point: int | None = None,
) -> PartitionLog:
    """Open the files of a log again, as after a crash (or a clean stop), with what its checkpoints would say."""
    return open_log(
        log.folder,
        log.partition,
        log.topic_id,
        KnownLog(
            is_clean=is_clean,
            recovery_point=log.recovery_point if recovery_point is None else recovery_point,
            start_offset=log.start_offset,
            high_watermark=log.high_watermark,
        ),
        config=log.config,
        pool=FilePool(64),
        clock=log.clock,
    )


def sizes(log: PartitionLog) -> Sequence[int]:
    return [segment.size for segment in log.segments]


def a_filled_log(folder: Path, *, records: int = 30, **settings: str) -> PartitionLog:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    log = a_log(folder / "orders-0", settings=THREE_A_SEGMENT | named)
    fill(log, records)
    log.high_watermark = records
    return log


def no_room(*_: object) -> Never:
    raise OSError(errno.ENOSPC, "No space left on device")


def a_log_whose_index_is_wrong(folder: Path) -> PartitionLog:
    """Ten records, the fifth the latest; of the index only the last entries point at batches."""
    log = a_log(folder / "orders-0", settings={"index.interval.bytes": "0"})
    for offset in range(10):
        log.append([a_batch(offset, timestamp=1_000 + offset if offset < 5 else 500)])
    log.rolling.roll()
    log.flushing.close()
    path = log.folder / "00000000000000000000.index"
    entries = list(struct.iter_unpack(">II", path.read_bytes()))
    path.write_bytes(b"".join(struct.pack(">II", last, position + (last < 6)) for last, position in entries))
    return reopen(log, is_clean=True)
