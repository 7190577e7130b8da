"""Fetch of a view: each promise of views by name (docs/adr/0077), on real logs and threads."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.fetches import FetchBench, Make, fetch_benches

from penstock.cluster import TopicImage
from penstock.delivery.views.filter import Filter
from penstock.delivery.views.metrics import ViewMetrics
from penstock.delivery.views.source import Scans, ViewSource
from penstock.delivery.views.view_partition import ViewPartition
from penstock.errors import CorruptMessage, PolicyViolation
from penstock.log import FileSlice
from penstock.metastore import NO_REVISION
from penstock.model import TopicId
from penstock.replication import Promise
from penstock.replication.log_port import on_disk
from penstock.settings import Config
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.records import Record, build_batch, check, crc_of, iterate

VIEW = TopicImage("eu", TopicId(b"v" * 16), [], {}, is_internal=False, revision=NO_REVISION)
EU = "header.region = 'eu'"


class ViewBench:
    """A fetch bench in which the topic that clients ask for is a view; `source` is what it shows."""

    def __init__(self, bench: FetchBench, text: str, *, count: int, scan_bytes: int = 8 << 20) -> None:
        self.bench = bench
        self.source = [bench.partitions[index] for index in range(count)]
        bench.config = Config.for_broker({"penstock.view.scan.bytes.max": str(scan_bytes)})
        self.scans = Scans(bench.config)
        self.metrics = ViewMetrics()
        self.records = ViewSource(self.scans, Filter.of(text), self.metrics)
        self.views = [ViewPartition(VIEW, each, self.records, bench.partitions.metrics) for each in self.source]
        bench.partitions.exchange(dict(enumerate(self.views)))

    @property
    def now(self) -> int:
        return self.bench.partitions.clock.now()

    def append(self, *regions: str | None, index: int = 0, compression: int = 0, size: int = 10, **batch: Any) -> None:
        """One batch, a record a region; None is a record without headers."""
        records = [
            Record(offset, self.now + offset, b"k", b"x" * size, () if each is None else (("region", each.encode()),))
            for offset, each in enumerate(regions)
        ]
        self.source[index].append(memoryview(build_batch(records, compression=compression, **batch)), acks=1)

    def end(self, marker: MarkerType, index: int = 0) -> None:
        ended = Marker(marker, 0)
        self.source[index].transactions.append_marker(ended, producer_id=7, producer_epoch=0, transaction_version=1)

    async def fetch(self, offset: int = 0, **how: Any) -> "Answer":
        answer = self.bench.call({0: offset}, **how)
        return Answer(self.bench, await answer if isinstance(answer, Promise) else answer)


class Answer:
    def __init__(self, bench: FetchBench, chunks: list[Any]) -> None:
        self.has_slice = any(isinstance(chunk, FileSlice) for chunk in chunks)
        self.part = bench.read(chunks)[0]
        self.batches = list(batches_of(bytes(self.part.records or b"")))
        for batch in self.batches:
            check(batch, consecutive=False)

    @property
    def headers(self) -> list[BatchHeader]:
        return [BatchHeader.peek(batch) for batch in self.batches]

    @property
    def offsets(self) -> list[int]:
        return [each.offset for each in self.records]

    @property
    def records(self) -> list[Record]:
        return [each for batch in self.batches if not BatchHeader.peek(batch).is_control for each in iterate(batch)]

    @property
    def next_offset(self) -> int:
        return self.headers[-1].next_offset

    @property
    def is_filler(self) -> bool:
        header = self.headers[-1]
        return header.is_control and header.is_transactional and header.producer_id == -1


def batches_of(data: bytes) -> Iterator[bytes]:
    while data:
        size = BatchHeader.peek(data).size
        yield data[:size]
        data = data[size:]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with fetch_benches(tmp_path) as making:
        yield making


@pytest.fixture
async def views(make: Make) -> AsyncIterator[Any]:
    made: list[ViewBench] = []

    def a_view(text: str = EU, *, count: int = 1, **how: Any) -> ViewBench:
        made.append(ViewBench(make(count), text, count=count, **how))
        return made[-1]

    yield a_view
    for each in made:
        each.scans.close()


@pytest.mark.parametrize("compression", [0, 1, 2, 3, 4])
async def test_v1_a_record_matches_or_is_a_gap_and_nothing_of_it_changes(views: Any, compression: int) -> None:
    view = views()
    view.append("eu", "us", "eu", None, compression=compression)
    view.append("us", "us", compression=compression)
    view.append("us", "eu", compression=compression)
    answer = await view.fetch()
    assert [(each.offset, each.timestamp, each.key, each.value, each.headers) for each in answer.records] == [
        (offset, view.now + late, b"k", b"x" * 10, (("region", b"eu"),)) for offset, late in ((0, 0), (2, 2), (7, 1))
    ]
    assert [header.compression for header in answer.headers] == [compression] * 2
    assert answer.part.high_watermark == 8


async def test_v2_control_batches_always_pass(views: Any) -> None:
    view = views()
    await transaction(view, "us", "eu", ends=MarkerType.ABORT)
    await transaction(view, "us", ends=MarkerType.COMMIT)
    answer = await view.fetch()
    assert [(header.base_offset, header.is_control) for header in answer.headers] == [(0, False), (2, True), (4, True)]


async def transaction(view: ViewBench, *regions: str, ends: MarkerType) -> None:
    partition = view.source[0]
    known = partition.log.producers.describe()
    sequence = max((each.last_sequence for each in known), default=-1) + 1
    guard = partition.transactions.begin_check(7, 0, sequence)
    records = [
        Record(offset, view.now, b"k", b"v", (("region", each.encode()),)) for offset, each in enumerate(regions)
    ]
    batch = build_batch(records, producer_id=7, producer_epoch=0, base_sequence=sequence, transactional=True)
    partition.append(memoryview(batch), acks=1, guard=guard)
    view.end(ends)


async def test_v2_a_reader_of_committed_records_is_told_what_to_skip(views: Any) -> None:
    view = views()
    await transaction(view, "us", "eu", ends=MarkerType.ABORT)
    view.append("eu")
    answer = await view.fetch(committed_only=True)
    aborted = [(each.producer_id, each.first_offset) for each in answer.part.aborted_transactions or []]
    assert aborted == [(7, 0)] and answer.offsets == [1, 3]


async def test_v3_a_rebuilt_batch_keeps_its_producer_and_its_place_in_a_transaction(views: Any) -> None:
    view = views()
    await transaction(view, "us", "eu", "us", ends=MarkerType.COMMIT)
    header = (await view.fetch()).headers[0]
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 0, 0)
    assert header.is_transactional and (header.base_offset, header.last_offset) == (0, 2)
    assert (header.record_count, header.leader_epoch) == (1, 3)


async def test_v3_a_rebuilt_batch_keeps_the_time_at_which_it_was_appended(views: Any) -> None:
    view = views()
    log = on_disk(view.source[0].log)
    records = [Record(0, 5, None, b"v", (("region", b"us"),)), Record(1, 5, None, b"v", (("region", b"eu"),))]
    batch = build_batch(records, log_append_time=9_000, leader_epoch=3)
    log.append([(BatchHeader.peek(batch), memoryview(batch))])
    view.source[0].advance_high_watermark(2)
    answer = await view.fetch()
    assert answer.headers[0].is_log_append_time and answer.headers[0].max_timestamp == 9_000
    assert [record.timestamp for record in answer.records] == [9_000]


async def test_v4_what_was_looked_through_without_a_match_ends_in_a_filler(views: Any) -> None:
    view = views()
    view.append("eu", "us")
    view.append("us", "us", "us")
    answer = await view.fetch()
    filler = answer.headers[-1]
    assert answer.offsets == [0] and answer.is_filler
    assert (filler.base_offset, filler.last_offset, filler.leader_epoch) == (2, 4, 3)
    assert view.metrics.filler == 1


async def test_v4_an_answer_without_any_match_moves_its_reader_too(views: Any) -> None:
    view = views()
    for _ in range(3):
        view.append("us", "us")
    answer = await view.fetch(1)
    assert answer.offsets == [] and answer.is_filler and (answer.headers[0].base_offset, answer.next_offset) == (1, 6)


@pytest.mark.parametrize("partition_bytes", [1, 300])
async def test_v4_a_reader_of_small_answers_comes_to_the_end(views: Any, partition_bytes: int) -> None:
    view = views()
    for number in range(20):
        view.append("us", "eu" if number % 3 else "us", size=100)
    offset, seen = 0, []
    while offset < 40:
        answer = await view.fetch(offset, bytes_max=partition_bytes)
        assert answer.next_offset > offset
        seen += answer.offsets
        offset = answer.next_offset
    assert seen == [2 * number + 1 for number in range(20) if number % 3]


async def test_v5_one_fetch_looks_through_so_many_bytes_and_no_more(views: Any) -> None:
    view = views(count=3, scan_bytes=64 << 10)
    for index in range(3):
        for _ in range(20):
            view.append("us", index=index, size=8_000)
    answer = view.bench.call({0: 0, 1: 0, 2: 0}, wait_ms=600_000)
    parts = view.bench.read(await answer)
    assert view.metrics.scanned_bytes <= 64 << 10
    ends = [BatchHeader.peek(part.records).next_offset if part.records else 0 for part in parts.values()]
    assert ends[0] > 0 and ends[2] == 0, "what is left out is the next fetch's"


async def test_v5_what_has_more_to_look_through_is_answered_at_once(views: Any) -> None:
    view = views(scan_bytes=64 << 10)
    for _ in range(20):
        view.append("us", size=8_000)
    answer = await view.fetch(wait_ms=600_000)
    assert answer.is_filler and 0 < answer.next_offset < 20


async def test_v5_a_parked_fetch_wakes_for_a_match_and_not_for_anything_else(views: Any) -> None:
    view = views()
    view.append("us")
    waiting = view.bench.call({0: 0}, wait_ms=600_000)
    await looked(view, 1)
    view.append("us", "us")
    await looked(view, 3)
    assert not waiting.done()
    view.append("us", "eu")
    answer = Answer(view.bench, await waiting)
    assert answer.offsets == [4] and view.metrics.scanned_records == 5, "nothing was looked through twice"


async def looked(view: ViewBench, records: int) -> None:
    async with asyncio.timeout(60):
        while view.metrics.scanned_records < records:
            await asyncio.sleep(0.001)
    await asyncio.sleep(0)


async def test_v5_at_the_end_of_its_wait_a_fetch_is_told_how_far_it_may_go_on(views: Any) -> None:
    view = views()
    view.append("us")
    waiting = view.bench.call({0: 0}, wait_ms=30)
    await looked(view, 1)
    view.append("us")
    answer = Answer(view.bench, await waiting)
    assert answer.is_filler and answer.next_offset in (1, 2)


async def test_v5_in_a_session_too(views: Any) -> None:
    view = views()
    view.append("us")
    session = view.bench.response(view.bench.call({0: 1}, session=(0, 0))).session_id
    view.append("us", "us")
    waiting = view.bench.call({}, session=(session, 1), wait_ms=30)
    answer = Answer(view.bench, await waiting)
    assert answer.is_filler and (answer.headers[0].base_offset, answer.next_offset) == (1, 3)


async def test_v6_batches_that_match_whole_are_sent_from_the_file(views: Any) -> None:
    view = views()
    view.append("eu", "eu")
    view.append("eu")
    answer = await view.fetch()
    assert answer.has_slice and answer.offsets == [0, 1, 2]


async def test_v6_a_long_run_that_matches_whole_goes_ahead_of_what_must_be_rebuilt(views: Any) -> None:
    view = views()
    for _ in range(10):
        view.append("eu", size=10_000)
    view.append("eu", "us")
    answer = await view.fetch()
    assert answer.has_slice and answer.next_offset >= 7
    rest = await view.fetch(answer.next_offset)
    assert answer.offsets + rest.offsets == list(range(11))


async def test_v6_a_view_of_everything_is_the_log(views: Any) -> None:
    view = views("")
    view.append("eu", None)
    answer = view.bench.call({0: 0})
    assert not isinstance(answer, Promise) and Answer(view.bench, answer).offsets == [0, 1]


async def test_v7_an_absent_header_is_no_match_and_no_value_can_be_asked_for(views: Any) -> None:
    view = views("header.region != 'us' or value is null")
    view.append("eu", None, "us")
    tombstone = build_batch([Record(0, 1_000, b"k", None)])
    view.source[0].append(memoryview(tombstone), acks=1)
    assert (await view.fetch()).offsets == [0, 3]


async def test_v8_a_change_of_the_filter_acts_from_the_next_fetch(views: Any) -> None:
    view = views()
    view.append("eu", "us")
    assert (await view.fetch()).offsets == [0]
    view.records.wanted = Filter.of("header.region = 'us'")
    assert (await view.fetch()).offsets == [1]


async def test_nothing_is_written_through_a_view(views: Any) -> None:
    view = views()
    with pytest.raises(PolicyViolation, match="eu is a view, and read only"):
        view.views[0].append(memoryview(view.bench.partitions.batch()), acks=1)
    with pytest.raises(PolicyViolation):
        view.views[0].delete_records(0)
    assert view.source[0].end_offset == 0


async def test_a_batch_that_cannot_be_tested_is_not_shown(views: Any) -> None:
    """Its checksum is right, and its records are not what it says."""
    view = views("size >= 0")
    view.append("eu")
    batch = build_batch([Record(0, 1_000, b"k", b"v", (("region", b"eu"),))])
    batch[61:] = bytes(len(batch) - 61)
    batch[17:21] = crc_of(batch).to_bytes(4, "big")
    log = on_disk(view.source[0].log)
    batch[:8] = (1).to_bytes(8, "big")
    log.append([(BatchHeader.peek(batch), memoryview(batch))])
    view.source[0].advance_high_watermark(2)
    assert (await view.fetch()).offsets == [0], "what comes before it is"
    assert (await view.fetch(1)).part.error_code == CorruptMessage.code
    assert view.metrics.damaged == 1


async def test_whoever_hangs_up_while_a_view_is_looked_through_leaves_nothing_behind(views: Any) -> None:
    view = views()
    for _ in range(10):
        view.append("us", size=10_000)
    waiting = view.bench.call({0: 0}, wait_ms=600_000)
    waiting.cancel()
    async with asyncio.timeout(60):
        while view.bench.pins():
            await asyncio.sleep(0.001)
