"""The cleaner's choices, checkpoints and troubles."""

import asyncio
import errno
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.compaction import NOW, a_compacted_log, pairs, put, roll, settle
from tests.support.logs import StillClock, a_log, fill, reopen

from penstock.errors import CorruptMessage
from penstock.log import file_pool as files
from penstock.log.compaction.cleaner import Cleaner
from penstock.log.compaction.compaction import Compaction
from penstock.log.compaction.plan import ClosedSegment
from penstock.log.damage.suspects import look_again
from penstock.log.file_pool import names_in, rename_if_there
from penstock.log.folders.future_logs import let_go
from penstock.log.notes import GAPS_NOTE
from penstock.log.pace import Pace, Stopped
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import KnownLog
from penstock.model import PartitionIndex, TopicPartition
from penstock.settings.config import Config


def _a_dirty_log(folder: Path, partition: int = 0, **settings: str) -> PartitionLog:
    log = a_compacted_log(folder / str(partition), clock=None, **settings)
    log.partition = TopicPartition("orders", PartitionIndex(partition))
    for n in range(10):
        put(log, ("a", str(n)), (f"b{n}", "x"))
    roll(log)
    put(log, ("z", "active"))
    settle(log)
    return log


def _delete_a_key(log: PartitionLog) -> None:
    put(log, ("gone", "1"))
    put(log, ("gone", None))
    for n in range(20):
        put(log, (f"k{n}", "x"))
    roll(log)
    put(log, ("z", "active"))
    settle(log)


def _cleaner(*logs: PartitionLog, **settings: str) -> Cleaner:
    texts = {name.replace("_", "."): value for name, value in settings.items()}
    return Cleaner(lambda: logs, Config.for_broker(texts), StillClock(NOW))


async def _clean(log: PartitionLog) -> bool:
    cleaner = _cleaner(log)
    try:
        return await cleaner.clean_one()
    finally:
        cleaner.stop()


async def test_a_dirty_log_is_cleaned_once_and_remembers_how_far(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path)
    cleaner = _cleaner(log)
    assert await cleaner.clean_one()
    assert len(pairs(log)) == 12
    assert log.clean_upto == 20
    assert not await cleaner.clean_one()
    cleaner.stop()


async def test_logs_that_are_deleted_are_left_alone(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path, cleanup_policy="delete")
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()
    cleaner.stop()


async def test_nothing_above_the_high_watermark_is_cleaned(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path)
    log.high_watermark = 19
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()
    cleaner.stop()


async def test_nothing_above_the_checkpointed_recovery_point_is_cleaned(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path)
    log.recovery_point_on_disk = 19
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()
    cleaner.stop()


async def test_lags_are_looked_up_in_the_segments(tmp_path: Path) -> None:
    young = _a_dirty_log(tmp_path, 0, min_compaction_lag_ms="1")
    overdue = _a_dirty_log(tmp_path, 1, min_cleanable_dirty_ratio="1.0", max_compaction_lag_ms="1")
    cleaner = _cleaner(young, overdue)
    assert not await cleaner.clean_one()
    cleaner.stop()
    later = Cleaner(lambda: (overdue,), Config.for_broker({}), StillClock(NOW + 2))
    assert await later.clean_one()
    later.stop()


async def test_a_log_that_cannot_be_cleaned_is_set_aside_and_the_others_go_on(tmp_path: Path) -> None:
    bad, good = _a_dirty_log(tmp_path, 0), _a_dirty_log(tmp_path, 1)
    path = bad.folder / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    cleaner = _cleaner(bad, good)
    outcomes = [await cleaner.clean_one() for _ in range(3)]
    assert sorted(outcomes) == [False, False, True]
    assert "checksum" in cleaner.uncleanable[bad.partition]
    assert len(pairs(good)) == 12
    with pytest.raises(CorruptMessage):
        bad.read(2, 1000)
    cleaner.stop()


async def test_a_log_that_was_mended_is_cleaned_after_all(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path)
    path = log.folder / "00000000000000000000.log"
    sound = path.read_bytes()
    path.write_bytes(sound[:100] + bytes([sound[100] ^ 1]) + sound[101:])
    cleaner = _cleaner(log, log_cleaner_backoff_ms="0")
    assert not await cleaner.clean_one() and cleaner.uncleanable
    path.write_bytes(sound)
    await look_again(log)
    assert await cleaner.clean_one() and not cleaner.uncleanable
    cleaner.stop()


async def test_a_log_that_begins_anew_under_a_name_is_judged_by_none_of_its_namesake_s_checkpoints(
    tmp_path: Path,
) -> None:
    logs = [_a_dirty_log(tmp_path, delete_retention_ms="0")]
    cleaner = Cleaner(lambda: logs, Config.for_broker({}), StillClock(NOW))
    assert await cleaner.clean_one()  # up to 20
    logs[0].folder.rename(tmp_path / "deleted")
    logs[:] = [a_compacted_log(tmp_path / "0", delete_retention_ms="0")]
    anew = logs[0]
    _delete_a_key(anew)

    await cleaner.clean_one()
    settle(anew)
    await cleaner.clean_one()

    assert (0, "gone", "1") not in pairs(anew)  # its tombstone has gone
    cleaner.stop()


async def test_what_was_cut_off_the_clean_part_and_written_anew_is_not_clean(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path, delete_retention_ms="0")
    cleaner = _cleaner(log)
    assert await cleaner.clean_one()  # up to 20
    log.truncation.cut(to=10)
    _delete_a_key(log)

    await cleaner.clean_one()
    settle(log)
    await cleaner.clean_one()

    assert (10, "gone", "1") not in pairs(log)
    cleaner.stop()


@pytest.mark.parametrize("at", ["_map_keys", "_rewrite", "_swap_in"])
async def test_a_log_that_is_cut_during_a_round_is_not_cleaned_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """What superseded a record may be among what was cut."""
    log = a_compacted_log(tmp_path, internal_segment_bytes="160")
    for pair in (("a", "1"), ("b", "1"), ("a", "2"), ("c", "1"), ("z", "active")):
        put(log, pair)
    assert [segment.base_offset for segment in log.segments] == [0, 2, 4]
    settle(log)
    real = getattr(Compaction, at)

    def cut_after(compaction: Compaction, *arguments: object) -> object:
        outcome = real(compaction, *arguments)
        log.truncation.cut(to=2)
        return outcome

    def cut_before(compaction: Compaction, *arguments: object) -> object:
        log.truncation.cut(to=2)
        return real(compaction, *arguments)

    monkeypatch.setattr(Compaction, at, cut_after if at == "_map_keys" else cut_before)
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()

    assert [pair[1:] for pair in pairs(log)] == [("a", "1"), ("b", "1")]
    assert log.health.offline_reason is None
    cleaner.stop()


async def test_a_log_that_begins_anew_under_a_name_is_not_set_aside_with_its_namesake(tmp_path: Path) -> None:
    logs = [_a_dirty_log(tmp_path)]
    cleaner = Cleaner(lambda: logs, Config.for_broker({}), StillClock(NOW))
    cleaner._set_aside(logs[0], ValueError("cannot be compacted"))
    assert not await cleaner.clean_one() and cleaner.uncleanable
    logs[0].folder.rename(tmp_path / "deleted")
    logs[:] = [_a_dirty_log(tmp_path)]
    assert await cleaner.clean_one() and not cleaner.uncleanable
    cleaner.stop()


async def test_a_segment_whose_indexes_a_flush_is_writing_is_exchanged_only_afterwards(tmp_path: Path) -> None:
    """The new one has its name: it would be taken for cut short, as its index knew of far more."""
    log = a_compacted_log(tmp_path)
    for n in range(20):
        put(log, ("a", str(n)))
    settle(log)
    roll(log)
    put(log, ("z", "active"))
    log.high_watermark = log.end_offset
    flush = log.flushing.begin()

    assert not await _clean(log)
    flush.run()
    log.flushing.end(flush)
    assert len(pairs(log)) == 21

    assert await _clean(log)
    assert pairs(log) == [(19, "a", "19"), (20, "z", "active")]


class FullFolder:
    """Takes so many new names, and no more until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, names_max: int) -> None:
        self.names_left: float = names_max
        self._rename = rename_if_there
        monkeypatch.setattr(files, "rename_if_there", self.rename)

    def rename(self, path: str, to: str) -> bool:
        if to.endswith((".deleted", ".log", "index")):
            if not self.names_left:
                raise OSError(errno.ENOSPC, "No space left on device")
            self.names_left -= 1
        return self._rename(path, to)


@pytest.mark.parametrize("names_max", range(8))
async def test_a_log_whose_segments_cannot_be_exchanged_is_read_on_and_cleaned_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names_max: int
) -> None:
    log = _a_dirty_log(tmp_path)
    before, names = pairs(log), sorted(names_in(log.folder))
    folder = FullFolder(monkeypatch, names_max)

    assert not await _clean(log)

    assert (log.health.offline_reason, pairs(log)) == (None, before)
    assert sorted({*names_in(log.folder)} - {GAPS_NOTE}) == names
    folder.names_left = float("inf")
    assert await _clean(log)
    assert len(pairs(log)) == 12
    assert pairs(reopen(log)) == pairs(log)


async def test_segments_that_can_neither_be_exchanged_nor_left_as_they_were_are_left_to_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = _a_dirty_log(tmp_path)

    with monkeypatch.context() as failing:
        FullFolder(failing, 6)
        failing.setattr(Path, "rename", _unless_to_swap(Path.rename))
        assert not await _clean(log)

    assert log.health.offline_reason is not None
    again = reopen(log)
    assert (again.health.offline_reason, len(pairs(again))) == (None, 12)


def _unless_to_swap(rename: Callable[[Path, str], Path]) -> Callable[[Path, str], Path]:
    def renaming(path: Path, to: str) -> Path:
        if path.name.endswith("index") and to.endswith(".swap"):
            raise OSError(errno.EIO, "Input/output error")
        return rename(path, to)

    return renaming


async def test_a_log_that_changed_meanwhile_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = _a_dirty_log(tmp_path)
    swap_in = Compaction._swap_in

    def too_late(compaction: Compaction, members: list[ClosedSegment]) -> None:
        assert list(log.folder.glob("*.swap"))
        log.truncation.start_anew(100)
        swap_in(compaction, members)

    monkeypatch.setattr(Compaction, "_swap_in", too_late)
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()
    assert (log.start_offset, log.end_offset) == (100, 100)
    assert not [path for path in log.folder.iterdir() if path.suffix in (".cleaned", ".swap")]
    assert cleaner.uncleanable == {}
    cleaner.stop()


async def test_a_crash_after_a_cut_brings_back_nothing_that_was_ready_to_be_swapped_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = _a_dirty_log(tmp_path)
    crashed = tmp_path / "crashed" / "orders-0"
    swap_in = Compaction._swap_in

    def too_late(compaction: Compaction, members: list[ClosedSegment]) -> None:
        assert list(log.folder.glob("*.swap"))
        log.truncation.cut(to=10)
        put(log, ("anew", "1"))
        log.flushing.flush()
        shutil.copytree(log.folder, crashed)
        swap_in(compaction, members)

    monkeypatch.setattr(Compaction, "_swap_in", too_late)
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()
    cleaner.stop()

    again = a_log(crashed, KnownLog(is_clean=False, recovery_point=log.recovery_point))
    assert (again.end_offset, again.health.offline_reason) == (11, None)
    assert pairs(again) == pairs(log)


def test_nothing_gets_ready_to_be_swapped_in_that_was_made_before_a_cut(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path)
    cuts = log.cuts
    cleaned = log.folder / "00000000000000000000.log.cleaned"
    cleaned.touch()
    log.truncation.cut(to=10)
    assert not log.swapping.prepare(0, cuts=cuts)
    assert cleaned.exists() and not list(log.folder.glob("*.swap"))


@pytest.mark.parametrize("at", ["_map_keys", "_rewrite", "_swap_in"])
async def test_a_log_that_is_deleted_meanwhile_takes_nothing_from_its_namesake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    log = _a_dirty_log(tmp_path)
    made: list[PartitionLog] = []
    real = getattr(Compaction, at)

    def deleted_first(compaction: Compaction, *arguments: object) -> object:
        let_go(log, "it was deleted")
        log.folder.rename(tmp_path / "deleted")
        made.append(_a_dirty_log(tmp_path))
        return real(compaction, *arguments)

    monkeypatch.setattr(Compaction, at, deleted_first)
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()

    namesake = made[0]
    assert not [name for name in names_in(namesake.folder) if name.endswith((".deleted", ".cleaned", ".swap"))]
    assert len(pairs(namesake)) == 21
    assert names_in(namesake.folder).count("damaged-batches") == 0
    assert cleaner.uncleanable == {}
    cleaner.stop()


async def test_the_loop_cleans_several_logs_and_stops_when_cancelled(tmp_path: Path) -> None:
    logs = [_a_dirty_log(tmp_path, n) for n in range(4)]
    cleaner = _cleaner(*logs, log_cleaner_threads="2", log_cleaner_backoff_ms="10")
    task = asyncio.create_task(cleaner.run())
    while cleaner.rounds < 4:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [len(pairs(log)) for log in logs] == [12] * 4
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("cleaner")]


async def test_cancelling_stops_a_cleaning_that_is_under_way(tmp_path: Path) -> None:
    log = _a_dirty_log(tmp_path)
    before = pairs(log)
    cleaner = _cleaner(log, log_cleaner_io_max_bytes_per_second="100")
    task = asyncio.create_task(cleaner.run())
    while not cleaner._busy:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert pairs(log) == before


async def test_a_cleaner_that_is_switched_off_does_nothing(tmp_path: Path) -> None:
    cleaner = _cleaner(_a_dirty_log(tmp_path), log_cleaner_enable="false")
    assert not await cleaner.clean_one()
    cleaner.stop()


async def test_a_batch_of_millions_of_records_sets_the_log_aside_instead_of_filling_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = _a_dirty_log(tmp_path)
    monkeypatch.setattr("penstock.log.compaction.filter.RECORDS_MAX", 1)
    cleaner = _cleaner(log)
    assert not await cleaner.clean_one()
    assert "2 records in one batch" in cleaner.uncleanable[log.partition]
    cleaner.stop()


def test_max_compaction_lag_ms_closes_the_active_segment_in_time(tmp_path: Path) -> None:
    log = a_compacted_log(tmp_path, clock=None, max_compaction_lag_ms="1000")
    fill(log, 1, timestamp=NOW)
    fill(log, 1, timestamp=NOW + 1_000)
    assert len(log.segments) == 1
    fill(log, 1, timestamp=NOW + 1_001)
    assert len(log.segments) == 2


class _Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_the_pace_is_kept_by_sleeping() -> None:
    time = _Time()
    pace = Pace(lambda: 1_000.0, monotonic=lambda: time.now, sleep=time.sleep)
    for _ in range(10):
        pace.spend(100)
    assert time.now == pytest.approx(1.0, abs=0.01)


def test_work_lets_the_loop_in_every_millisecond() -> None:
    time = _Time()
    pace = Pace(lambda: float("inf"), monotonic=lambda: time.now, sleep=time.sleep)
    for _ in range(10):
        time.now += 0.0005
        pace.breathe()
    assert time.slept == [0.0001] * 5


def test_a_stopped_pace_ends_the_work() -> None:
    time = _Time()
    pace = Pace(lambda: 10.0, monotonic=lambda: time.now, sleep=time.sleep)
    pace.stop()
    with pytest.raises(Stopped):
        pace.spend(100)
    time.now += 1
    with pytest.raises(Stopped):
        pace.breathe()
