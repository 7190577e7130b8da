"""Fetch where something stands in front of a log: records that are rewritten, and records that come later."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.fetches import FetchBench, Make, fetch_benches
from tests.support.logs import base_offsets

from penstock.broker.dispatch import _framed
from penstock.broker.outbox import Outbox
from penstock.errors import KafkaStorageError, OffsetOutOfRange
from penstock.log import FileSlice
from penstock.replication import LaterRecords, Promise, RecordBytes
from penstock.replication.log_port import LogPort, on_disk
from penstock.transport import SocketChannel
from penstock.wire.batch import BatchHeader
from penstock.wire.records import Record, build_batch, iterate


class Shouting:
    """A view: every value in capitals."""

    def slice(self, log: LogPort, start: int, *, at_most: int, before: int, at_least_one: bool) -> RecordBytes | None:
        found = log.slice(start, at_most=at_most, before=before, at_least_one=at_least_one)
        if found is None:
            return None
        data, shouted = found.read(), b""
        found.release()
        for batch in batches_of(data):
            header = BatchHeader.peek(batch)
            records = [
                Record(each.offset, each.timestamp, each.key, (each.value or b"").upper()) for each in iterate(batch)
            ]
            shouted += build_batch(records, base_offset=header.base_offset, leader_epoch=header.leader_epoch)
        return RecordBytes(shouted, aborted=[(7, start)])


def batches_of(data: bytes) -> Iterator[bytes]:
    while data:
        size = BatchHeader.peek(data).size
        yield data[:size]
        data = data[size:]


class ColdTier:
    """Older records lie elsewhere, and are brought when the test says so."""

    def __init__(self, kept: bytes, *, keeps_all: bool = False) -> None:
        self.kept = kept
        self._keeps_all = keeps_all
        self.asked: list[LaterRecords] = []

    def slice(
        self, log: LogPort, start: int, *, at_most: int, before: int, at_least_one: bool
    ) -> FileSlice | LaterRecords | None:
        if start >= log.local_start_offset and not self._keeps_all:
            return log.slice(start, at_most=at_most, before=before, at_least_one=at_least_one)
        self.asked.append(LaterRecords(at_most))
        return self.asked[-1]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with fetch_benches(tmp_path) as making:
        yield making


def a_bench_with_a_cold_tier(make: Make, count: int = 1) -> tuple[FetchBench, ColdTier]:
    """Of partition 0 the offsets 0 and 1 lie elsewhere, 2 and 3 in a file here."""
    bench = make(count)
    log = on_disk(bench.partitions[0].log)
    bench.partitions.fill(0, batches=2)
    kept = log.read(0, 1 << 20)
    log.rolling.roll()
    bench.partitions.fill(0, batches=2)
    log.segments = log.segments[1:]
    tier = bench.partitions[0].reader.source = ColdTier(kept)
    return bench, tier


def records_of(bench: FetchBench, chunks: list[Any], version: int = 16) -> dict[int, list[int]]:
    found = bench.read(chunks, version)
    return {index: base_offsets(bytes(part.records or b"")) for index, part in found.items()}


async def sent(chunks: list[Any]) -> bytes:
    """What a client receives of an answer, by the outbox that all answers go through."""
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for end in (ours, theirs):
            end.setblocking(False)
        channel = SocketChannel(ours, loop)
        outbox = Outbox(channel, loop, on_drained=lambda: None, on_broken=lambda error: None)
        outbox.put(chunks)
        size, data = outbox.size, b""
        outbox.flush()
        async with asyncio.timeout(60):
            while len(data) < size:
                data += await loop.sock_recv(theirs, 1 << 20)
        outbox.close()
    return data


async def test_a_reader_in_front_of_a_log_may_rewrite_its_records(make: Make) -> None:
    bench = make(2)
    for index in (0, 1):
        bench.partitions.fill(index, batches=2)
    bench.partitions[0].reader.source = Shouting()
    chunks = [await sent(bench.call({0: 0, 1: 0}))]
    found = bench.read(chunks)
    batches = {index: list(batches_of(bytes(part.records or b""))) for index, part in found.items()}
    values = {index: [record.value for batch in each for record in iterate(batch)] for index, each in batches.items()}
    assert values == {0: [b"V0", b"V0"], 1: [b"v0", b"v0"]}
    assert records_of(bench, chunks) == {0: [0, 1], 1: [0, 1]}
    assert bench.partitions.metrics.bytesout == sum(len(bytes(part.records or b"")) for part in found.values())


async def test_what_a_reader_calls_aborted_is_what_a_read_committed_consumer_is_told(make: Make) -> None:
    bench = make(1)
    bench.partitions.fill(0)
    bench.partitions[0].reader.source = Shouting()
    (part,) = bench.read(bench.call({0: 0}, committed_only=True)).values()
    assert [(each.producer_id, each.first_offset) for each in part.aborted_transactions or []] == [(7, 0)]
    (part,) = bench.read(bench.call({0: 0})).values()
    assert part.aborted_transactions is None


async def test_records_that_have_to_be_brought_are_answered_when_they_are_here(make: Make) -> None:
    bench, tier = a_bench_with_a_cold_tier(make, count=2)
    bench.partitions.fill(1)
    waiting = bench.call({0: 0, 1: 0}, committed_only=True, min_bytes=1 << 20, wait_ms=600_000)
    assert isinstance(waiting, Promise) and not waiting.done()
    tier.asked[0].set_result(RecordBytes(tier.kept, aborted=[(9, 1)]))
    assert waiting.done(), "in the same turn of the loop"
    data = await sent(waiting.result())
    assert records_of(bench, [data]) == {0: [0, 1], 1: [0]}
    aborted = bench.read([data])[0].aborted_transactions or []
    assert [(each.producer_id, each.first_offset) for each in aborted] == [(9, 1)]


async def test_what_is_brought_may_be_a_slice_of_a_file(make: Make) -> None:
    bench, tier = a_bench_with_a_cold_tier(make)
    waiting = bench.call({0: 0})
    found = bench.partitions[0].log.slice(2, at_most=1 << 20, before=4)
    assert found is not None
    tier.asked[0].set_result(found)
    assert records_of(bench, waiting.result()) == {0: [2, 3]}


async def test_from_where_the_files_begin_nothing_is_waited_for(make: Make) -> None:
    bench, tier = a_bench_with_a_cold_tier(make)
    assert records_of(bench, bench.call({0: 2})) == {0: [2, 3]}
    assert tier.asked == []


async def test_records_that_cannot_be_brought_are_refused_for_their_partition_alone(make: Make) -> None:
    bench, tier = a_bench_with_a_cold_tier(make, count=2)
    bench.partitions.fill(1)
    waiting = bench.call({0: 0, 1: 0})
    tier.asked[0].set_exception(KafkaStorageError("the store does not answer"))
    found = bench.read(waiting.result())
    assert [part.error_code for part in found.values()] == [KafkaStorageError.code, 0]
    assert base_offsets(bytes(found[1].records or b"")) == [0]


@pytest.mark.parametrize("is_brought", [False, True])
async def test_whoever_hangs_up_leaves_nothing_behind(make: Make, is_brought: bool) -> None:
    bench, tier = a_bench_with_a_cold_tier(make, count=2)
    bench.partitions.fill(1)
    bench.partitions[1].reader.source = second = ColdTier(b"", keeps_all=True)
    waiting = bench.call({0: 0, 1: 0})
    if is_brought:
        found = bench.partitions[0].log.slice(2, at_most=1 << 20, before=4)
        assert found is not None
        tier.asked[0].set_result(found)
        assert bench.pins() == 1
    waiting.cancel()
    assert tier.asked[0].cancelled() is not is_brought
    assert second.asked[0].cancelled()
    assert bench.pins() == 0


async def test_a_parked_fetch_that_finds_records_elsewhere_waits_for_them_and_not_for_its_time(make: Make) -> None:
    bench = make(1)
    tier = bench.partitions[0].reader.source = ColdTier(b"")
    log = on_disk(bench.partitions[0].log)
    waiting = bench.call({0: 0}, wait_ms=1)
    bench.partitions.fill(0)
    kept = log.read(0, 1 << 20)
    log.rolling.roll()
    log.segments = log.segments[1:]
    async with asyncio.timeout(60):
        while not tier.asked:
            await asyncio.sleep(0.001)
    bench.partitions.fill(0)  # moves the partition again, while the records are on their way
    await asyncio.sleep(0.005)
    assert not waiting.done() and len(tier.asked) == 1
    tier.asked[0].set_result(RecordBytes(kept))
    assert records_of(bench, await waiting) == {0: [0]}


async def test_a_frame_is_as_long_as_the_records_that_were_brought(make: Make) -> None:
    bench, tier = a_bench_with_a_cold_tier(make)
    waiting = bench.call({0: 0})
    tier.asked[0].set_result(RecordBytes(tier.kept))
    route: Any = type("Route", (), {"is_flexible_response": True})
    data = await sent(_framed(route, 5, waiting.result()))
    assert int.from_bytes(data[:4], "big") == len(data) - 4


async def test_without_a_reader_what_lies_elsewhere_is_out_of_range_and_no_damage(make: Make) -> None:
    bench, _ = a_bench_with_a_cold_tier(make)
    bench.partitions[0].reader.source = None
    log = on_disk(bench.partitions[0].log)
    assert (log.start_offset, log.local_start_offset, log.end_offset) == (0, 2, 4)
    with pytest.raises(OffsetOutOfRange, match="files from 2 on"):
        log.slice(1, at_most=1, before=4)
    assert not log.damage
