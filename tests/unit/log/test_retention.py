"""Taking records off the start of a log: retention by time and size, DeleteRecords."""

import struct
from pathlib import Path

import pytest
from tests.support.logs import (
    HOUR_MS,
    THREE_A_SEGMENT,
    StillClock,
    a_batch,
    a_filled_log,
    a_log,
    a_marker,
    base_offsets,
    fill,
    no_room,
    read_all,
    reopen,
)

from penstock.errors import KafkaStorageError, OffsetOutOfRange
from penstock.log import renaming
from penstock.log.file_pool import names_in
from penstock.log.partition_log import PartitionLog
from penstock.log.rolling import Rolling
from penstock.log.segments.files import SegmentOnDisk
from penstock.log.segments.indexes import TimeIndex
from penstock.wire.markers import MarkerType


def test_retention_by_time_deletes_old_segments_and_moves_the_start(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT | {"retention.ms": str(HOUR_MS)})
    now = 10 * HOUR_MS
    for offset in range(9):
        log.append([a_batch(offset, timestamp=now - (9 - offset) * HOUR_MS // 3)])
    log.high_watermark = 9

    assert log.retention.delete_old_segments(now, 9) == 2

    assert log.start_offset == log.segments[0].base_offset == 6
    assert base_offsets(read_all(log)) == [6, 7, 8]
    assert log.epochs.snapshot() == [(0, 6)]


def test_retention_rolls_an_old_active_segment_and_keeps_the_offsets(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path, retention_ms="1000")

    log.retention.delete_old_segments(log.clock.now() + HOUR_MS, 30)

    assert (log.start_offset, log.end_offset, log.size) == (30, 30, 0)
    again = reopen(log)
    assert (again.start_offset, again.end_offset, again.health.offline_reason) == (30, 30, None)
    fill(again, 1)
    assert again.end_offset == 31


def test_what_is_old_goes_where_there_is_no_room_to_roll_the_active_segment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_filled_log(tmp_path, retention_ms="1000")
    active = log.active.base_offset
    with monkeypatch.context() as full:
        full.setattr(Rolling, "roll", no_room)
        assert log.retention.delete_old_segments(log.clock.now() + HOUR_MS, 30)
        assert (log.start_offset, log.end_offset) == (active, 30)
        assert log.trouble is not None and log.trouble.may_pass
        with pytest.raises(KafkaStorageError, match="No space left"):
            log.retention.delete_old_segments(log.clock.now() + HOUR_MS, 30)

    log.retention.delete_old_segments(log.clock.now() + HOUR_MS, 30)

    assert (log.start_offset, log.end_offset, log.size) == (30, 30, 0)


def test_what_is_old_goes_where_there_is_no_room_for_its_files_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_filled_log(tmp_path, retention_bytes="1")
    log.flushing.flush()
    found = log.slice(0, at_most=1 << 20, before=30)
    assert found is not None
    monkeypatch.setattr(renaming, "rename_if_there", no_room)

    assert log.retention.delete_old_segments(log.clock.now(), 30) == 9

    assert not [name for name in names_in(log.folder) if name < "00000000000000000027"]
    assert base_offsets(found.read()) == [0, 1, 2]  # a response on its way is not cut off
    found.release()


def test_records_that_come_between_plan_and_deletion_stay(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path, records=7, retention_ms="1000")
    now = log.clock.now() + HOUR_MS
    plan = log.retention.plan(now)
    assert len(plan.segments) == 3  # the active one too
    log.append([a_batch(7, timestamp=now)])
    log.high_watermark = 8

    gone = log.retention.drop_oldest(plan)

    assert len(gone) == 2
    assert (log.start_offset, base_offsets(read_all(log))) == (6, [6, 7])


def test_a_segment_that_was_cut_and_written_anew_since_the_plan_stays(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path, records=6, retention_ms="1000")
    log.append([a_batch(6, timestamp=log.clock.now() + HOUR_MS)])
    plan = log.retention.plan(log.clock.now() + HOUR_MS)
    assert [segment.base_offset for segment in plan.segments] == [0, 3]
    log.truncation.cut(to=5)
    log.append([a_batch(5, timestamp=log.clock.now() + HOUR_MS)])
    log.append([a_batch(6, timestamp=log.clock.now() + HOUR_MS)])
    log.high_watermark = 7

    log.retention.drop_oldest(plan)

    assert base_offsets(read_all(log)) == [0, 1, 2, 3, 4, 5, 6]


def test_records_without_a_timestamp_age_by_their_file(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings={"retention.ms": "1000"})
    log.append([a_batch(0, timestamp=-1)])
    log.high_watermark = 1
    written = Path(log.active.file.path).stat().st_mtime_ns // 1_000_000

    assert log.retention.delete_old_segments(written + 1_000, 1) == 0
    assert log.retention.delete_old_segments(written + 1_001, 1) == 1


def test_a_wrong_time_index_does_not_make_records_old(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT | {"retention.ms": str(HOUR_MS)})
    fill(log, 12)
    log.flushing.close()
    for path in log.folder.glob("*.timeindex"):
        path.write_bytes(struct.pack(">qI", 1_000, 2))

    again = reopen(log, is_clean=True)

    assert again.retention.delete_old_segments(log.clock.now() + HOUR_MS, 12) == 0
    assert again.retention.delete_old_segments(log.clock.now() + HOUR_MS + 1, 12) == 4


@pytest.mark.parametrize("asked", ["retention", "a lookup"])
def test_a_record_that_comes_while_a_thread_looks_up_its_segment_s_age_does_not_get_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    log = a_log(tmp_path / "orders-0", settings={"retention.ms": str(HOUR_MS)})
    now = log.clock.now()
    log.append([a_batch(0, timestamp=now - 2 * HOUR_MS)])
    log.flushing.close()
    again = reopen(log, is_clean=True)
    load = SegmentOnDisk._load_last_time

    def slowly(segment: SegmentOnDisk) -> TimeIndex:
        found = load(segment)
        again.append([a_batch(1, timestamp=now)])
        return found

    monkeypatch.setattr(SegmentOnDisk, "_load_last_time", slowly)
    if asked == "retention":
        again.retention.plan(now)
    else:
        again.times.find(now)
    again.high_watermark = 2

    assert not again.retention.plan(now).segments
    found = again.times.find(now)
    assert found is not None and found.offset == 1


def test_a_time_index_that_ends_too_early_does_not_make_records_old(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT | {"retention.ms": str(HOUR_MS)})
    now = log.clock.now()
    for offset in range(4):
        log.append([a_batch(offset, timestamp=now - (2 * HOUR_MS if offset < 2 else 0))])
    log.flushing.close()
    path = log.folder / "00000000000000000000.timeindex"
    path.write_bytes(path.read_bytes()[:12])

    again = reopen(log, is_clean=True)

    assert again.retention.delete_old_segments(now + 1, 4) == 0
    assert again.retention.delete_old_segments(now + HOUR_MS + 1, 4) == 2


def a_log_appended_to_since_a_clean_stop(folder: Path) -> PartitionLog:
    """Of its first segment the time index on disk knows only the first record, which is a day older than the others."""
    log = a_log(folder / "orders-0", settings={"index.interval.bytes": "0", "retention.ms": str(HOUR_MS)})
    log.append([a_batch(0, timestamp=log.clock.now() - 24 * HOUR_MS)])
    log.flushing.close()
    again = reopen(log, is_clean=True)
    fill(again, 5)
    return again


def looked_up(log: PartitionLog) -> list[int]:
    found = log.times.find(log.clock.now()), log.times.find_largest()
    return [-1 if one is None else one.offset for one in found]


def test_a_segment_that_is_read_before_its_indexes_are_written_gets_them_all_the_same(tmp_path: Path) -> None:
    log = a_log_appended_to_since_a_clean_stop(tmp_path)
    log.rolling.roll()
    fill(log, 1)
    assert base_offsets(log.read(0, 1 << 20)) == [0, 1, 2, 3, 4, 5]
    log.flushing.close()

    again = reopen(log, is_clean=True)

    assert looked_up(again) == [1, 1]
    assert again.retention.delete_old_segments(log.clock.now() + 1, 7) == 0


@pytest.mark.parametrize("grows", [True, False])
def test_a_segment_that_was_flushed_to_its_end_before_it_was_closed_gets_its_indexes(
    tmp_path: Path, grows: bool
) -> None:
    log = a_log_appended_to_since_a_clean_stop(tmp_path)
    log.flushing.flush()
    log.rolling.roll()
    if grows:
        fill(log, 1)
        log.flushing.flush()
        assert not log.segments[0].is_index_unwritten
    log.flushing.close()

    again = reopen(log, is_clean=True)

    assert looked_up(again) == [1, 1]
    assert again.retention.delete_old_segments(log.clock.now() + 1, 7) == 0


def test_a_crash_after_a_roll_leaves_no_index_that_knows_too_little(tmp_path: Path) -> None:
    log = a_log_appended_to_since_a_clean_stop(tmp_path)
    log.flushing.flush()
    log.rolling.roll()
    fill(log, 1)
    log.pool.close_all()

    again = reopen(log)

    assert looked_up(again) == [1, 1]
    assert again.retention.delete_old_segments(log.clock.now() + 1, 7) == 0


def test_a_segment_of_which_nothing_can_be_read_ages_by_its_file(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path, records=9, retention_ms=str(HOUR_MS))
    log.flushing.flush()
    path = Path(log.segments[0].file.path)
    path.write_bytes(bytes(path.stat().st_size))
    written = path.stat().st_mtime_ns // 1_000_000

    assert log.retention.delete_old_segments(written + HOUR_MS, 9) == 0
    assert log.retention.delete_old_segments(written + HOUR_MS + 1, 9) > 0


def test_retention_by_size_leaves_at_least_retention_bytes(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path, retention_bytes="600", retention_ms="-1")

    log.retention.delete_old_segments(log.clock.now(), 30)

    assert 600 <= log.size < 900


def test_retention_never_passes_the_high_watermark(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path, retention_ms="1000")
    log.high_watermark = 10

    log.retention.delete_old_segments(log.clock.now() + HOUR_MS, 0)

    assert log.start_offset == 9


def test_a_plan_made_before_a_cut_deletes_nothing(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path, retention_ms="1000")
    plan = log.retention.plan(log.clock.now() + HOUR_MS)
    assert len(plan.segments) == 10

    log.truncation.cut(to=4)

    assert log.retention.drop_oldest(plan) == []


def test_deleted_records_are_out_of_range_and_their_segments_go(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path)
    log.retention.advance_start(10)

    with pytest.raises(OffsetOutOfRange):
        log.read(9, 100)
    assert base_offsets(log.read(10, 1)) == [10]
    assert log.retention.delete_old_segments(log.clock.now(), 30) == 3
    assert (log.start_offset, log.segments[0].base_offset) == (10, 9)


def test_records_past_the_high_watermark_cannot_be_deleted(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path)
    log.high_watermark = 20

    with pytest.raises(OffsetOutOfRange):
        log.retention.advance_start(21)


def test_files_of_deleted_segments_are_gone_or_on_their_way(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path)
    log.flushing.flush()
    log.retention.advance_start(15)
    log.retention.delete_old_segments(log.clock.now(), 30)

    stems = {name.partition(".")[0] for name in names_in(log.folder) if name.endswith((".log", ".index"))}
    assert min(stems) == "00000000000000000015"


def test_a_live_change_of_settings_is_seen_by_the_next_append(tmp_path: Path) -> None:
    clock = StillClock()
    log = a_log(tmp_path / "orders-0", clock=clock)
    fill(log, 10)
    assert len(log.segments) == 1
    replace = getattr(log.config, "replace_overrides")  # noqa: B009
    replace({"internal.segment.bytes": "300"})
    fill(log, 10)

    assert len(log.segments) > 3


@pytest.mark.parametrize("how", ["retention", "cut"])
def test_aborted_transactions_whose_segment_goes_during_a_flush_are_no_reason_to_take_the_log_offline(
    tmp_path: Path, how: str
) -> None:
    log = a_log(tmp_path / "orders-0", settings={"retention.bytes": "1"})
    fill(log, 1)
    log.rolling.roll()
    log.append([a_batch(1, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_marker(2, MarkerType.ABORT, producer_id=7)])
    log.rolling.roll()
    fill(log, 1)
    job = log.flushing.begin()
    if how == "retention":
        assert log.retention.delete_old_segments(now=log.clock.now(), high_watermark=4) == 2
    else:
        log.truncation.cut(to=0)

    job.run()
    log.flushing.end(job)

    assert log.trouble is None
