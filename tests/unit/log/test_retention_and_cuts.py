"""Taking records off a log: retention, DeleteRecords, truncation."""

import errno
import struct
from pathlib import Path
from typing import Never

import pytest
from tests.support.logs import StillClock, a_batch, a_log, a_marker, base_offsets, fill, read_all, reopen

from penstock.errors import KafkaStorageError, OffsetOutOfRange
from penstock.log import file_pool as files
from penstock.log import flushing, renaming
from penstock.log.file_pool import names_in, rename_if_there
from penstock.log.folder_port import FolderPort
from penstock.log.partition_log import PartitionLog
from penstock.log.producers.bookkeeping import ProducerBookkeeping
from penstock.log.rolling import Rolling
from penstock.log.segments.files import SegmentOnDisk
from penstock.log.segments.indexes import TimeIndex
from penstock.wire.batch import CRC, CRC_AT, MAX_TIMESTAMP_AT, TIMESTAMP, BatchHeader
from penstock.wire.markers import MarkerType
from penstock.wire.records import crc_of

THREE_A_SEGMENT = {"internal.segment.bytes": "300", "index.interval.bytes": "0"}
HOUR_MS = 3_600_000


def a_filled_log(folder: Path, *, records: int = 30, **settings: str) -> PartitionLog:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    log = a_log(folder / "orders-0", settings=THREE_A_SEGMENT | named)
    fill(log, records)
    log.high_watermark = records
    return log


def no_room(*_: object) -> Never:
    raise OSError(errno.ENOSPC, "No space left on device")


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


@pytest.mark.parametrize("to", [29, 28, 27, 15, 4, 1, 0])
def test_a_truncated_log_ends_there_and_goes_on_from_there(tmp_path: Path, to: int) -> None:
    log = a_filled_log(tmp_path)
    log.flushing.flush()

    log.truncation.cut(to=to)

    assert (log.end_offset, log.high_watermark, log.recovery_point) == (to, to, to)
    assert base_offsets(read_all(log)) == list(range(to))
    fill(log, 5, leader_epoch=3)
    assert base_offsets(read_all(log)) == list(range(to + 5))
    assert log.epochs.end_offset_for(0) == ((0, to) if to else (0, 0))
    again = reopen(log)
    assert again.health.offline_reason is None
    assert base_offsets(read_all(again)) == list(range(to + 5))


@pytest.mark.parametrize("is_clean", [True, False])
@pytest.mark.parametrize(("bases", "to"), [((0, 5, 10, 15), 12), ((0, 5, 20, 25), 12), ((0, 5, 20, 25), 22)])
def test_a_log_that_is_cut_within_a_batch_or_a_gap_ends_where_its_last_batch_does(
    tmp_path: Path, bases: tuple[int, ...], to: int, is_clean: bool
) -> None:
    """All of a batch goes: were the rest of its offsets not asked for again, nobody would miss their records."""
    log = a_log(tmp_path / "orders-0")
    for base in bases:
        log.append([a_batch(base, count=5)])
    log.high_watermark = log.end_offset
    log.flushing.flush()

    log.truncation.cut(to=to)

    assert (log.end_offset, log.recovery_point, log.high_watermark) == (10, 10, 10)
    if is_clean:
        log.flushing.close()
    again = reopen(log, is_clean=is_clean)
    assert again.health.offline_reason is None
    assert (again.end_offset, base_offsets(read_all(again))) == (10, [0, 5])


def test_a_log_that_is_cut_within_the_batch_it_begins_in_keeps_its_start(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 2, count=5)
    log.high_watermark = 10
    log.retention.advance_start(7)

    log.truncation.cut(to=8)

    assert (log.start_offset, log.end_offset, read_all(log)) == (7, 7, b"")


@pytest.mark.parametrize(
    ("wrong", "at"), [((0).to_bytes(4), 8), ((1 << 30).to_bytes(4), 8), ((7).to_bytes(8), 0), ((3).to_bytes(8), 0)]
)
def test_a_cut_that_comes_upon_damage_takes_no_more_than_it_was_to_take(tmp_path: Path, wrong: bytes, at: int) -> None:
    """What lies behind a broken header is below the recovery point, and may be all that is left of it anywhere."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 10)
    log.flushing.flush()
    path, size = Path(log.active.file.path), log.size
    data = bytearray(path.read_bytes())
    data[4 * size // 10 + at : 4 * size // 10 + at + len(wrong)] = wrong
    path.write_bytes(data)

    with pytest.raises(KafkaStorageError, match="could not be cut"):
        log.truncation.cut(to=8)

    assert (log.end_offset, log.recovery_point) == (10, 10)
    again = reopen(log)
    assert again.health.offline_reason is not None and path.read_bytes() == data


def test_truncation_finds_the_largest_timestamp_of_what_is_left(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "0"})
    for offset, timestamp in enumerate((100, 900, 300, 2_000)):
        log.append([a_batch(offset, timestamp=timestamp)])

    log.truncation.cut(to=3)

    found = log.times.find_largest()
    assert found is not None
    assert (found.timestamp, found.offset) == (900, 1)


def test_a_header_that_lies_about_its_newest_record_does_not_hide_the_true_one(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for offset, timestamp in enumerate((100, 900, 300, 2_000, 700)):
        _, view = a_batch(offset, timestamp=timestamp)
        claimed = bytearray(view)
        if offset == 2:
            TIMESTAMP.pack_into(claimed, MAX_TIMESTAMP_AT, 9_000)
            CRC.pack_into(claimed, CRC_AT, crc_of(claimed))
        log.append([(BatchHeader.peek(claimed), memoryview(claimed))])

    found = log.times.find_largest()
    assert found is not None and (found.timestamp, found.offset) == (2_000, 3)
    later = log.times.find(1_000)
    assert later is not None and later.offset == 3


def test_truncation_restores_what_is_known_of_producers(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for offset in range(12):
        log.append([a_batch(offset, producer_id=7, producer_epoch=0, base_sequence=offset)])

    log.truncation.cut(to=5)

    assert log.producers.last_batches() == {7: (0, 4)}
    header, view = a_batch(5, producer_id=7, producer_epoch=0, base_sequence=5)
    assert log.producers.check(header) is None
    log.append([(header, view)])


class FullHome(FolderPort):
    """A data folder whose checkpoints cannot be written."""

    def start_rises(self, log: PartitionLog) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def recovery_point_falls(self, log: PartitionLog) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_cut_forgets_no_producer_whose_records_were_deleted_and_are_not_gone_yet(tmp_path: Path) -> None:
    """As a start remembers it: what it sends again is known."""
    log = a_log(tmp_path / "orders-0")
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0)])
    log.rolling.roll()
    fill(log, 4)
    log.append([a_batch(5, producer_id=8, producer_epoch=0, base_sequence=0)])
    log.high_watermark = 5
    log.retention.advance_start(3)
    log.truncation.cut(to=5)
    assert log.producers.last_batches() == {7: (0, 0)} == reopen(log).producers.last_batches()


def test_a_log_whose_producers_could_not_be_read_again_after_a_cut_waits_for_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be descriptors again in a moment, but what it knew is gone: a duplicate would be new to it."""
    log = a_log(tmp_path / "orders-0")
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0)])
    log.append([a_batch(1, producer_id=7, producer_epoch=0, base_sequence=1)])

    def no_descriptor(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as busy:
        busy.setattr(ProducerBookkeeping, "restore", no_descriptor)
        with pytest.raises(KafkaStorageError, match="Too many open files"):
            log.truncation.cut(to=1)
    assert not log.health.try_again()
    assert reopen(log).producers.last_batches() == {7: (0, 0)}


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("batches.private_descriptor", OSError(errno.EMFILE, "Too many open files")),
        ("renaming.rename_if_there", OSError(errno.EIO, "Input/output error")),
    ],
)
def test_a_cut_that_fails_after_the_records_are_gone_is_completed_by_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: OSError
) -> None:
    """What was cut, and is still counted, would be a gap once the log went on; what is left would be found again."""
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for offset in range(12):
        log.append([a_batch(offset, leader_epoch=offset // 5, producer_id=7, producer_epoch=0, base_sequence=offset)])

    def fails(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as failing:
        failing.setattr(f"penstock.log.{where}", fails)
        with pytest.raises(KafkaStorageError, match=str(error.strerror)):
            log.truncation.cut(to=4)

    assert not log.health.try_again()
    assert (log.end_offset, log.epochs.snapshot()) == (4, [(0, 0)])
    again = reopen(log)
    assert (again.end_offset, base_offsets(read_all(again))) == (4, [0, 1, 2, 3])
    assert again.producers.last_batches() == {7: (0, 3)}


def test_a_cut_that_cannot_be_written_down_first_has_not_happened(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path)
    log.flushing.flush()
    end_offset, cuts = log.end_offset, log.cuts
    log.home = FullHome()

    for _ in range(2):
        with pytest.raises(KafkaStorageError):
            log.truncation.cut(to=1)
        assert (log.end_offset, log.recovery_point, log.cuts) == (end_offset, end_offset, cuts)
        assert log.trouble is not None and log.trouble.may_pass
    log.home = None
    log.trouble = None
    log.truncation.cut(to=1)
    assert (log.end_offset, log.recovery_point) == (1, 1)


@pytest.mark.parametrize("failing", ["the checkpoint", "the first rename", "a later rename"])
def test_a_log_that_cannot_begin_anew_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    log = a_filled_log(tmp_path)
    held, marks = read_all(log), (log.start_offset, log.end_offset, log.recovery_point, log.high_watermark)
    names = sorted(names_in(log.folder))
    if failing == "the checkpoint":
        log.home = FullHome()
    else:
        first = failing == "the first rename"

        def rename(path: str, to: str) -> bool:
            return no_room() if first or "00012.log" in path else rename_if_there(path, to)

        monkeypatch.setattr(files, "rename_if_there", rename)

    with pytest.raises(OSError, match="No space"):
        log.truncation.start_anew(100)

    assert read_all(log) == held
    assert (log.start_offset, log.end_offset, log.recovery_point, log.high_watermark) == marks
    assert sorted(names_in(log.folder)) == names


def test_a_log_that_could_not_begin_anew_has_its_names_for_good_before_its_recovery_point_rises_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That its files were renamed may be on disk, and not that they were renamed back: a start would remove them."""
    log = a_filled_log(tmp_path)
    log.flushing.flush()
    log.home = FolderPort()
    monkeypatch.setattr(log.home, "start_rises", no_room)
    with pytest.raises(OSError, match="No space"):
        log.truncation.start_anew(100)
    assert log.recovery_point == 0
    synced: list[str] = []
    monkeypatch.setattr(flushing, "sync_folder", synced.append)

    log.flushing.flush()

    assert log.recovery_point == 30
    assert str(log.folder) in synced


def test_a_log_can_begin_anew_at_any_offset(tmp_path: Path) -> None:
    log = a_filled_log(tmp_path)
    log.flushing.flush()

    log.truncation.start_anew(100)

    assert (log.start_offset, log.end_offset, log.size) == (100, 100, 0)
    fill(log, 2)
    again = reopen(log)
    assert (again.start_offset, again.end_offset, again.health.offline_reason) == (100, 102, None)


def test_a_log_that_begins_anew_below_what_retention_has_dropped_is_not_mixed_with_it(tmp_path: Path) -> None:
    """The files wait for a checkpoint, and a crash may come before they are renamed: a start would find them among the
    new ones, where they end what comes after them."""
    log = a_filled_log(tmp_path, retention_ms="1000")
    assert log.retention.drop_oldest(log.retention.plan(log.clock.now() + HOUR_MS))

    log.truncation.start_anew(0)
    fill(log, 8, value_bytes=5, leader_epoch=1)

    again = reopen(log)
    assert (again.health.offline_reason, base_offsets(read_all(again))) == (None, list(range(8)))


def test_by_time_the_first_record_at_or_after_it_is_found(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for offset in range(0, 40, 2):
        log.append([a_batch(offset, count=2, timestamp=1_000 + 10 * offset, leader_epoch=offset // 20)])

    for timestamp, expected in (
        (0, (1_000, 0, 0)),
        (1_020, (1_020, 2, 0)),
        (1_001, (1_001, 1, 0)),
        (1_022, (1_040, 4, 0)),
    ):
        assert log.times.find(timestamp) == expected
    assert log.times.find(1_380) == (1_380, 38, 1)
    assert log.times.find(1_382) is None
    log.high_watermark = 40
    log.retention.advance_start(11)
    assert log.times.find(0) == (1_101, 11, 0)


def test_by_time_every_record_is_found_in_a_log_out_of_order(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    timestamps = [(offset * 7919) % 1_000 for offset in range(60)]
    for offset, timestamp in enumerate(timestamps):
        log.append([a_batch(offset, timestamp=timestamp, compression=offset % 5)])
    log.flushing.close()

    for held in (log, reopen(log, is_clean=True)):
        for target in range(0, 1_000, 37):
            first = next((offset for offset, timestamp in enumerate(timestamps) if timestamp >= target), None)
            found = held.times.find(target)
            assert (None if found is None else found.offset) == first
        largest = held.times.find_largest()
        assert largest is not None
        assert largest[:2] == (max(timestamps), timestamps.index(max(timestamps)))


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


async def test_by_time_records_are_found_though_the_index_is_wrong(tmp_path: Path) -> None:
    log = a_log_whose_index_is_wrong(tmp_path)

    assert await log.times.look_up(lambda: log.times.find(1_003)) == (1_003, 3, 0)
    assert log.health.offline_reason is None


def test_a_cut_by_a_wrong_index_finds_the_largest_timestamp(tmp_path: Path) -> None:
    log = a_log_whose_index_is_wrong(tmp_path)

    log.truncation.cut(to=9)

    found = log.times.find_largest()
    assert found is not None
    assert (found.timestamp, found.offset) == (1_004, 4)


def test_an_empty_log_has_no_times(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")

    assert log.times.find(0) is None
    assert log.times.find_largest() is None


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
