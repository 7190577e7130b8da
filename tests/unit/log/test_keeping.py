"""Closed segments lose what somebody knows to be finished; offsets, markers and producers stay."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.partitions import SomePartitions

from penstock.log import Keeping, Pace, PartitionLog, Stopped, cleanable_to
from penstock.replication import append_note
from penstock.wire.batch import BatchHeader
from penstock.wire.notes import read_note
from penstock.wire.records import iterate


def batches_of(log: PartitionLog) -> list[bytes]:
    found: list[bytes] = []
    data, at = log.read(log.start_offset, 1 << 20), 0
    while at < len(data) or log.end_offset > (BatchHeader.peek(found[-1]).next_offset if found else 0):
        if at == len(data):
            data, at = log.read(BatchHeader.peek(found[-1]).next_offset, 1 << 20), 0
        size = BatchHeader.peek(data, at).size
        found.append(data[at : at + size])
        at += size
    return found


def records_of(log: PartitionLog) -> list[int]:
    return [
        record.offset
        for batch in batches_of(log)
        if not BatchHeader.peek(batch).is_control
        for record in iterate(batch)
    ]


def notes_of(log: PartitionLog) -> list[int]:
    return [BatchHeader.peek(batch).base_offset for batch in batches_of(log) if read_note(batch) is not None]


async def keep(log: PartitionLog, offsets: Sequence[int], upto: int) -> int:
    with ThreadPoolExecutor(1) as executor:
        outcome = await Keeping(log, offsets, upto, now=0, pace=Pace(lambda: 1e9)).run(executor)
    return outcome.records_kept


def a_log(folder: Path) -> tuple[SomePartitions, PartitionLog]:
    """Four hundred records in batches of ten, with a note behind each hundred, in segments of some ten batches."""
    partitions = SomePartitions(folder, settings={"internal.segment.bytes": "2000"})
    partition = partitions[0]
    for number in range(40):
        partition.append(memoryview(partitions.batch(10, producer=7, sequence=10 * number)), acks=1)
        if number % 10 == 9:
            append_note(partition, b"note %d" % number)
    log = partition.log
    assert isinstance(log, PartitionLog)
    log.high_watermark = partition.high_watermark
    log.recovery_point_on_disk = log.end_offset
    return partitions, log


def test_what_is_not_kept_goes_from_closed_segments_and_stays_in_others(tmp_path: Path) -> None:
    partitions, log = a_log(tmp_path)
    upto = cleanable_to(log, 250)
    assert 100 < upto <= 250 < log.segments[-1].base_offset
    before = records_of(log)
    kept = [before[3], before[120]]
    asyncio.run(keep(log, kept, upto))
    assert records_of(log) == kept + [offset for offset in before if offset >= upto]
    assert [offset for offset in notes_of(log) if offset < upto] == []
    assert len(notes_of(log)) >= 2  # those behind it
    asyncio.run(keep(log, kept, upto))
    assert records_of(log) == kept + [offset for offset in before if offset >= upto]
    # Its last batch is there, and its sequences go on.
    partition = partitions[0]
    partition.append(memoryview(partitions.batch(10, producer=7, sequence=400)), acks=1)
    partitions.pool.close_all()


def test_the_last_batch_of_a_producer_stays_although_its_records_go(tmp_path: Path) -> None:
    partitions, log = a_log(tmp_path)
    partition = partitions[0]
    partition.append(memoryview(partitions.batch(1, producer=8, sequence=0)), acks=1)
    for _ in range(30):
        partition.append(memoryview(partitions.batch(10)), acks=1)
    log.high_watermark, log.recovery_point_on_disk = partition.high_watermark, log.end_offset
    upto = cleanable_to(log, log.end_offset)
    asyncio.run(keep(log, [], upto))
    assert [offset for offset in records_of(log) if offset < upto] == []
    headers = [BatchHeader.peek(batch) for batch in batches_of(log)]
    assert {7, 8} <= {header.producer_id for header in headers}
    partitions.pool.close_all()


def test_nothing_is_cleaned_above_what_a_start_would_scan(tmp_path: Path) -> None:
    partitions, log = a_log(tmp_path)
    log.recovery_point_on_disk = 0
    assert cleanable_to(log, log.end_offset) == -1
    log.recovery_point_on_disk = log.end_offset
    log.cuts += 1
    work = Keeping(log, [], cleanable_to(log, 250), now=0, pace=Pace(lambda: 1e9))
    log.cuts += 1

    async def run() -> None:
        with ThreadPoolExecutor(1) as executor:
            await work.run(executor)

    with pytest.raises(Stopped):
        asyncio.run(run())
    partitions.pool.close_all()
