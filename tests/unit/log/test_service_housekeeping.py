"""Group commit and housekeeping: the parts of the log that run beside the loop."""

import asyncio
import errno
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.clocks import ManualClock
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, a_batch, a_log, fill

from penstock.errors import KafkaStorageError
from penstock.log import FilePool, Flusher, LogFolder, LogHousekeeping, batches, flushing, service
from penstock.log.checkpoint_files import write_offsets
from penstock.log.file_pool import names_in
from penstock.log.folders import checkpoints as folder_checkpoints
from penstock.log.folders.reserve import RESERVE_BYTES, RESERVE_FILE
from penstock.log.recovery import ExpectedLog
from penstock.log.renaming import rename_doomed
from penstock.log.retention import Retention
from penstock.log.rolling import Rolling
from penstock.log.segments.scan import Found, walk
from penstock.log.segments.segment import Segment
from penstock.model import Clock, PartitionIndex, TopicPartition
from penstock.settings.config import Config

HOUR_MS = 3_600_000


class SlowDisk:
    """Holds fdatasync until it is let go, and counts."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.calls = 0

    def sync(self, fd: int) -> None:
        self.calls += 1
        assert self.gate.acquire(timeout=30)
        os.fdatasync(fd)


async def test_what_is_durable_is_below_the_recovery_point(tmp_path: Path) -> None:
    log, flusher = a_log(tmp_path / "orders-0"), Flusher()
    fill(log, 3)

    await flusher.durable(log, 3)

    assert log.recovery_point == 3
    await flusher.durable(log, 3)
    assert flusher.metrics.flushes == 1
    await flusher.close()
    log.flushing.close()


async def test_appends_during_a_flush_share_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SlowDisk()
    monkeypatch.setattr(flushing, "sync_data", disk.sync)
    log, flusher = a_log(tmp_path / "orders-0"), Flusher()
    waiting = []
    for offset in range(10):
        fill(log, 1)
        waiting.append(asyncio.create_task(flusher.durable(log, offset + 1)))
        await asyncio.sleep(0)

    disk.gate.release()
    await waiting[0]
    assert log.recovery_point == 1
    assert not any(task.done() for task in waiting[1:])
    disk.gate.release()
    await asyncio.gather(*waiting)

    assert (disk.calls, log.recovery_point) == (2, 10)
    await flusher.close()
    log.pool.close_all()


async def test_a_waiter_that_goes_away_does_not_stop_the_flush_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk()
    monkeypatch.setattr(flushing, "sync_data", disk.sync)
    log, flusher = a_log(tmp_path / "orders-0"), Flusher()
    fill(log, 1)
    gone = asyncio.create_task(flusher.durable(log, 1))
    stays = asyncio.create_task(flusher.durable(log, 1))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)

    disk.gate.release()
    await stays

    assert log.recovery_point == 1
    await flusher.close()
    log.pool.close_all()


async def test_a_failed_flush_reaches_every_waiter_and_is_not_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def failing(fd: int) -> None:
        calls.append(fd)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(flushing, "sync_data", failing)
    log, flusher = a_log(tmp_path / "orders-0"), Flusher()
    fill(log, 3)

    outcomes = await asyncio.gather(*(flusher.durable(log, 3) for _ in range(4)), return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [KafkaStorageError] * 4
    assert len(calls) == 1
    assert log.health.offline_reason is not None
    await flusher.close()
    log.pool.close_all()


class Kept:
    """A folder with one log, and its housekeeping."""

    def __init__(self, path: Path, clock: Clock | None = None, **settings: str) -> None:
        self.clock = StillClock()
        clock = clock or self.clock
        self.broker = Config.for_broker({})
        named = {name.replace("_", "."): value for name, value in settings.items()}
        topic = self.broker.for_topic({"internal.segment.bytes": "300", **named})
        self.folder = LogFolder(path, cluster_id="c1", node_id=1, pool=FilePool(16), clock=clock)
        self.folder.open_all(lambda *_: ExpectedLog(topic))
        self.log = self.folder.create(ORDERS_0, TOPIC_ID, topic)
        self.flusher = Flusher()
        self.keeping = LogHousekeeping(self.folder, self.flusher, self.broker, clock)

    async def close(self) -> None:
        await self.flusher.close()
        self.folder.close()


async def test_retention_removes_old_segments_and_later_their_files(tmp_path: Path) -> None:
    kept = Kept(tmp_path, retention_ms="1000", file_delete_delay_ms="5000")
    fill(kept.log, 10)
    kept.log.high_watermark = 10
    kept.clock.time += HOUR_MS

    assert await kept.keeping.apply_retention() == 4

    assert (kept.log.start_offset, kept.log.end_offset) == (10, 10)
    assert "orders 0 10" in (tmp_path / "log-start-offset-checkpoint").read_text()
    await kept.keeping.remove_deleted()
    assert any(name.endswith(".deleted") for name in names_in(kept.log.folder))
    kept.clock.time += 5_000
    await kept.keeping.remove_deleted()
    assert not any(name.endswith(".deleted") for name in names_in(kept.log.folder))
    await kept.close()


async def test_closed_segments_are_flushed_with_their_indexes(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    fill(kept.log, 10)
    assert kept.log.recovery_point == 0

    await kept.keeping.flush()

    assert kept.log.recovery_point >= kept.log.active.base_offset == 9
    assert "00000000000000000000.index" in names_in(kept.log.folder)
    await kept.close()


async def test_records_are_flushed_when_flush_ms_has_passed(tmp_path: Path) -> None:
    kept = Kept(tmp_path, flush_ms="1000")
    fill(kept.log, 2)
    await kept.keeping.flush()
    assert kept.log.recovery_point == 0

    kept.clock.time += 1_000
    await kept.keeping.flush()

    assert kept.log.recovery_point == 2
    await kept.close()


async def test_records_are_flushed_and_files_removed_in_time_though_the_clock_was_set_back(tmp_path: Path) -> None:
    clock = ManualClock()
    kept = Kept(tmp_path, clock, flush_ms="1000", file_delete_delay_ms="1000")
    fill(kept.log, 2)
    (gone := tmp_path / "00000000000000000000.log.deleted").touch()
    kept.folder.doomed(kept.log, [str(gone)])
    clock.set(by_ms=-HOUR_MS)
    await kept.keeping.flush()
    await kept.keeping.remove_deleted()
    assert kept.log.recovery_point == 0 and gone.exists()

    clock.advance(1_000)
    await kept.keeping.flush()
    await kept.keeping.remove_deleted()

    assert kept.log.recovery_point == 2 and not gone.exists()
    await kept.close()


async def test_checkpoints_are_written_once_they_change(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    fill(kept.log, 2)
    kept.log.high_watermark = 2
    kept.log.flushing.flush()

    await kept.keeping.write_checkpoints()

    path = tmp_path / "recovery-point-offset-checkpoint"
    assert path.read_text() == "0\n1\norders 0 2\n"
    assert kept.log.recovery_point_on_disk == 2
    written = path.stat().st_mtime_ns
    await kept.keeping.write_checkpoints()
    assert path.stat().st_mtime_ns == written
    await kept.close()


async def test_a_log_stopped_by_a_full_disk_gets_its_second_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(tmp_path)
    fill(kept.log, 1)

    def full(fd: int, views: list[memoryview], at: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwritev", full)
        with pytest.raises(KafkaStorageError):
            fill(kept.log, 1)

    await kept.keeping.try_again()

    fill(kept.log, 1)
    assert kept.log.end_offset == 2
    await kept.close()


async def test_retention_clears_a_full_disk_with_the_space_it_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(tmp_path, retention_ms="1000")
    fill(kept.log, 10)
    kept.log.high_watermark = 10
    kept.log.health.take_offline("append failed: No space left on device", stops_reads=False, may_pass=True)
    kept.clock.time += HOUR_MS
    reserve = tmp_path / RESERVE_FILE
    assert reserve.stat().st_size == RESERVE_BYTES
    real = write_offsets

    def write_if_there_is_room(path: str, offsets: dict[TopicPartition, int]) -> None:
        if reserve.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, offsets)

    with monkeypatch.context() as full:
        full.setattr(folder_checkpoints, "write_offsets", write_if_there_is_room)
        assert await kept.keeping.apply_retention() == 4
    assert not reserve.exists()

    await kept.keeping.try_again()

    assert reserve.exists()
    assert kept.log.health.offline_reason is None
    await kept.close()


async def test_a_log_that_fails_keeps_the_others_from_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not retention, which a full disk needs most, nor what comes after the logs that it stopped at."""
    kept = Kept(tmp_path)
    failing = [kept.folder.create(TopicPartition(name, PartitionIndex(0)), TOPIC_ID, kept.log.config) for name in "az"]
    for log in (*failing, kept.log):
        fill(log, 30)
        log.high_watermark = 30
    kept.clock.time += 8 * 24 * HOUR_MS

    def no_room() -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    roll, plan = Rolling.roll, Retention.plan
    monkeypatch.setattr(Rolling, "roll", lambda part: no_room() if part is failing[0].rolling else roll(part))
    monkeypatch.setattr(
        Retention, "plan", lambda part, now: no_room() if part is failing[1].retention else plan(part, now)
    )

    assert await kept.keeping.apply_retention() > 0

    starts = (kept.log.start_offset, failing[0].start_offset, failing[1].start_offset)
    assert starts == (30, failing[0].active.base_offset, 0)
    assert names_in(kept.log.folder).count("00000000000000000000.log") == 0
    await kept.close()


async def kept_with_files_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """Its log has dropped all that it had, and the files are there as they were: the disk was full just then."""
    kept = Kept(tmp_path)
    fill(kept.log, 30)
    kept.log.high_watermark = 30
    kept.clock.time += 8 * 24 * HOUR_MS
    (tmp_path / RESERVE_FILE).unlink()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(folder_checkpoints, "write_offsets", fail)
        with pytest.raises(OSError, match="No space"):
            await kept.keeping.apply_retention()
    return kept


async def test_files_that_were_dropped_go_when_their_logs_start_can_be_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await kept_with_files_dropped(tmp_path, monkeypatch)
    assert kept.log.start_offset == 30 and "00000000000000000000.log" in names_in(kept.log.folder)

    assert await kept.keeping.apply_retention() > 0

    assert "00000000000000000000.log" not in names_in(kept.log.folder)
    await kept.close()


async def test_files_that_were_dropped_of_a_log_deleted_since_take_none_of_its_namesake_s_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await kept_with_files_dropped(tmp_path, monkeypatch)
    kept.folder.delete(ORDERS_0)
    namesake = kept.folder.create(ORDERS_0, TOPIC_ID, kept.log.config)
    namesake.append([a_batch(0, timestamp=kept.clock.time)])

    await kept.keeping.apply_retention()

    assert "00000000000000000000.log" in names_in(namesake.folder)
    await kept.close()


async def test_a_log_does_not_begin_anew_while_a_thread_renames_what_was_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await kept_with_files_dropped(tmp_path, monkeypatch)
    beginning = threading.Thread(target=kept.log.truncation.start_anew, args=(0,))
    meanwhile: list[bool] = []

    def rename(segments: Sequence[Segment]) -> list[str]:
        if not meanwhile:
            beginning.start()
            beginning.join(0.2)
            meanwhile.append(beginning.is_alive())
        return rename_doomed(segments)

    monkeypatch.setattr(service, "rename_doomed", rename)
    await kept.keeping.apply_retention()
    beginning.join()

    assert meanwhile == [True], "its first record would have gone into a file that is renamed next"
    await kept.close()


async def test_files_that_were_dropped_of_a_log_begun_anew_since_are_not_taken_for_its_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await kept_with_files_dropped(tmp_path, monkeypatch)
    kept.log.truncation.start_anew(0)
    kept.log.append([a_batch(0, timestamp=kept.clock.time)])
    path = Path(kept.log.active.file.path)
    assert path.stat().st_size == kept.log.size

    await kept.keeping.apply_retention()

    assert path.exists()
    await kept.close()


async def test_silent_producers_are_forgotten(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0)])
    kept.clock.time += 2 * 24 * HOUR_MS

    for _ in range(2):
        await kept.keeping.expire_producers()

    assert len(kept.log.producers) == 0
    await kept.close()


async def test_a_cut_reads_no_further_back_than_producers_were_looked_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads on the event loop, and a segment may be a gigabyte."""
    monkeypatch.setattr("penstock.log.producers.history.REMEMBERED_AFTER", 300)
    kept = Kept(tmp_path, internal_segment_bytes="1000000")
    log = kept.log
    read: list[int] = []

    def walked(*where: int, **how: Any) -> Iterator[Found]:
        for found in walk(*where, **how):
            read.append(found.header.base_offset)
            yield found

    monkeypatch.setattr(batches, "walk", walked)
    for number in range(600):
        await kept.keeping.remember_producers()
        log.append([a_batch(number, producer_id=7, producer_epoch=0, base_sequence=number, timestamp=number)])

    log.truncation.cut(to=590)

    assert 200 < min(read) <= 300, "where the state was kept, and the entry of the index before that"
    assert log.producers.check(a_batch(590, producer_id=7, producer_epoch=0, base_sequence=590)[0]) is None
    assert log.producers.check(a_batch(589, producer_id=7, producer_epoch=0, base_sequence=589)[0]) is not None
    await kept.close()


async def test_a_step_that_fails_unexpectedly_is_tried_again_and_stops_nothing(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    tries: list[int] = []
    tried_thrice = asyncio.Event()

    async def fail() -> None:
        tries.append(1)
        if len(tries) == 3:
            tried_thrice.set()
        raise ZeroDivisionError

    task = asyncio.create_task(kept.keeping._repeat("a step", 0, fail))
    async with asyncio.timeout(60):
        await tried_thrice.wait()
    assert not task.done()
    assert kept.folder.failing == {"a step": "ZeroDivisionError()"}
    task.cancel()
    await asyncio.wait([task])
    await kept.close()


async def test_a_step_that_fails_is_said_of_its_folder_until_it_goes_well_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    is_failing, goes_well = True, asyncio.Event()

    async def step() -> None:
        nonlocal is_failing
        if is_failing:
            is_failing = False
            raise OSError(errno.EIO, "Input/output error")
        was_said.append(dict(kept.folder.failing))
        goes_well.set()

    was_said: list[dict[str, str]] = []
    task = asyncio.create_task(kept.keeping._repeat("a step", 0, step))
    async with asyncio.timeout(60):
        await goes_well.wait()
        while kept.folder.failing:
            await asyncio.sleep(0)
    assert was_said[0] == {"a step": "[Errno 5] Input/output error"}
    task.cancel()
    await asyncio.wait([task])
    await kept.close()


async def test_housekeeping_runs_until_it_is_cancelled(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    task = asyncio.create_task(kept.keeping.run())
    await asyncio.sleep(0.05)
    assert not task.done()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await kept.close()
