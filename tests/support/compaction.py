"""Compacted logs for tests: keyed records in, rounds of cleaning, what a consumer sees afterwards."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.logs import StillClock, a_log, read_all

from penstock.log.compaction.compaction import Compaction, CompactionOutcome, closed_segments
from penstock.log.compaction.offset_map import ENTRY_BYTES, OffsetMap
from penstock.log.compaction.plan import CompactionRules, survey
from penstock.log.pace import Pace
from penstock.log.partition_log import PartitionLog
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.records import Record, build_batch, iterate

NOW = 1_700_000_000_000
DAY_MS = 86_400_000

EAGER = CompactionRules(min_dirty_ratio=0.0, min_lag_ms=0, max_lag_ms=1 << 62)

Pair = tuple[str | None, str | None]


def a_compacted_log(folder: Path, *, clock: StillClock | None = None, **settings: str) -> PartitionLog:
    texts = {"cleanup.policy": "compact", "delete.retention.ms": str(DAY_MS), "index.interval.bytes": "0"}
    texts |= {name.replace("_", "."): value for name, value in settings.items()}
    return a_log(folder / "orders-0", settings=texts, clock=clock or StillClock(NOW))


def put(
    log: PartitionLog,
    *pairs: Pair,
    codec: int = 0,
    producer: int = -1,
    epoch: int = 0,
    sequence: int = -1,
    transactional: bool = False,
    log_append_time: int | None = None,
) -> None:
    """Append one batch of (key, value) pairs; None for null."""
    records = [Record(log.end_offset + n, NOW, _encoded(key), _encoded(value)) for n, (key, value) in enumerate(pairs)]
    batch = build_batch(
        records,
        compression=codec,
        leader_epoch=0,
        producer_id=producer,
        producer_epoch=epoch if producer >= 0 else -1,
        base_sequence=sequence,
        transactional=transactional,
        log_append_time=log_append_time,
    )
    log.append([(BatchHeader.peek(batch), memoryview(batch))])


def mark(log: PartitionLog, type_: MarkerType, *, producer: int, epoch: int = 0) -> None:
    batch = build_marker(
        Marker(type_, 0),
        producer_id=producer,
        producer_epoch=epoch,
        timestamp=NOW,
        base_offset=log.end_offset,
        leader_epoch=0,
    )
    log.append([(BatchHeader.peek(batch), memoryview(batch))])


def roll(log: PartitionLog) -> None:
    log.rolling.roll()


def settle(log: PartitionLog) -> None:
    """Everything is replicated, flushed and checkpointed: nothing but the rules holds compaction back."""
    log.high_watermark = log.end_offset
    log.flushing.flush()
    log.recovery_point_on_disk = log.recovery_point


async def clean_async(
    log: PartitionLog, *, first_dirty: int = 0, now: int = NOW, keys_max: int = 10_000
) -> CompactionOutcome:
    settle(log)
    limit = min(log.producers.last_stable_offset(log.high_watermark), log.recovery_point_on_disk)
    dirt = survey(closed_segments(log), EAGER, first_dirty=first_dirty, limit=limit, now=now)
    newest = OffsetMap(keys_max * ENTRY_BYTES)
    with ThreadPoolExecutor(1) as executor:
        compaction = Compaction(log, dirt, newest, cuts=log.cuts, now=now, pace=Pace(lambda: float("inf")))
        return await compaction.run(executor)


def clean(log: PartitionLog, *, first_dirty: int = 0, now: int = NOW, keys_max: int = 10_000) -> CompactionOutcome:
    return asyncio.run(clean_async(log, first_dirty=first_dirty, now=now, keys_max=keys_max))


def batches(log: PartitionLog) -> list[tuple[BatchHeader, bytes]]:
    data = read_all(log)
    found, position = [], 0
    while position < len(data):
        header = BatchHeader.peek(data, position)
        found.append((header, data[position : position + header.size]))
        position += header.size
    return found


def data_records(log: PartitionLog) -> list[Record]:
    return [record for header, batch in batches(log) if not header.is_control for record in iterate(batch)]


def pairs(log: PartitionLog) -> list[tuple[int, str | None, str | None]]:
    """(offset, key, value) of all data records, aborted ones too."""
    return [(record.offset, _decoded(record.key), _decoded(record.value)) for record in data_records(log)]


def committed(log: PartitionLog) -> list[Record]:
    """What a read_committed consumer is given, by the transaction index as the broker would answer it."""
    aborted = log.aborts.between(log.start_offset, log.end_offset)
    seen = []
    for header, batch in batches(log):
        if header.is_control:
            continue
        is_aborted = header.is_transactional and any(
            entry.producer_id == header.producer_id and entry.first_offset <= header.base_offset <= entry.last_offset
            for entry in aborted
        )
        if not is_aborted:
            seen += list(iterate(batch))
    return seen


def latest(records: Sequence[Record]) -> dict[bytes, bytes]:
    """What a table built from the records holds."""
    table: dict[bytes, bytes] = {}
    for record in records:
        if record.key is None:
            continue
        if record.value is None:
            table.pop(record.key, None)
        else:
            table[record.key] = record.value
    return table


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _decoded(data: bytes | None) -> str | None:
    return None if data is None else data.decode()
