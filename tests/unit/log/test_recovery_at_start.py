"""Opening a log after a clean stop, after a crash, and with something wrong."""

import errno
import os
from pathlib import Path

import pytest
from tests.support.logs import (
    THREE_A_SEGMENT,
    a_batch,
    a_log,
    a_marker,
    base_offsets,
    fill,
    read_all,
    reopen,
)

from penstock.errors import CorruptMessage, KafkaStorageError
from penstock.log import flushing
from penstock.log.file_pool import names_in
from penstock.log.notes import DAMAGE_NOTE
from penstock.log.segments.files import INDEX
from penstock.log.segments.scan import walk
from penstock.wire.batch import HEADER_SIZE
from penstock.wire.markers import MarkerType


def test_after_a_clean_stop_no_batch_before_the_last_index_entry_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "0"})
    fill(log, 1_000)
    log.flushing.close()
    read = []

    def counting(fd: int, position: int, end: int, **more: int) -> object:
        read.append(end - position)
        return walk(fd, position, end, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("penstock.log.segments.checking.walk", counting)
    monkeypatch.setattr("penstock.log.recovery.walk", counting)
    again = reopen(log, is_clean=True)

    assert again.end_offset == 1_000
    assert len(read) == 1
    assert read[0] < 200


def test_after_a_crash_only_what_is_above_the_recovery_point_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 300)
    log.flushing.flush()
    fill(log, 3)
    total = log.size
    read = []

    def counting(fd: int, position: int, end: int, **more: int) -> object:
        read.append(end - position)
        return walk(fd, position, end, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("penstock.log.recovery.walk", counting)
    again = reopen(log)

    assert again.end_offset == 303
    assert sum(read) < total / 50


def test_an_index_that_a_loss_of_power_left_torn_is_written_again_by_the_next_flush(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 12)
    log.flushing.flush()
    index = Path(log.segments[0].path(INDEX))
    whole = index.read_bytes()
    index.write_bytes(bytes(len(whole)))

    again = reopen(log, recovery_point=2)
    again.flushing.flush()

    assert index.read_bytes() == whole != bytes(len(whole))


def test_a_partition_that_never_got_a_record_survives_a_crash(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")

    again = reopen(log)

    assert (again.start_offset, again.end_offset, again.health.offline_reason) == (0, 0, None)
    fill(again, 1)
    assert again.end_offset == 1


def test_unflushed_batches_are_cut_off_at_the_first_that_is_torn(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 10)
    os.truncate(log.active.file.path, log.size - 5)

    again = reopen(log)

    assert again.end_offset == 9
    assert base_offsets(read_all(again)) == list(range(9))
    assert Path(again.active.file.path).stat().st_size == again.size


def test_segments_after_a_torn_one_go_with_it(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 12)
    os.truncate(log.segments[1].file.path, 10)

    again = reopen(log)

    assert (again.end_offset, len(again.segments)) == (3, 2)
    assert {name for name in names_in(log.folder) if name.endswith(".log")} == {
        "00000000000000000000.log",
        "00000000000000000003.log",
    }


def test_a_torn_batch_below_the_recovery_point_takes_the_log_offline_and_not_a_byte_is_changed(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 10)
    log.flushing.flush()
    path = Path(log.active.file.path)
    os.truncate(path, log.size - 5)
    before = path.read_bytes()

    again = reopen(log)

    assert again.health.offline_reason is not None
    assert "damage" in again.health.offline_reason
    assert path.read_bytes() == before
    with pytest.raises(KafkaStorageError):
        again.read(0, 100)
    with pytest.raises(KafkaStorageError):
        fill(again, 1)


def test_damage_is_remembered_until_a_start_reads_the_whole_log_and_finds_nothing(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 12)
    log.flushing.flush()
    path = Path(log.segments[1].file.path)
    good = path.read_bytes()
    path.write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
    with pytest.raises(KafkaStorageError):
        list(log.batches_of(log.segments[1]))
    log.pool.close_all()

    damaged = reopen(log, is_clean=True)
    assert damaged.health.offline_reason is not None
    path.write_bytes(good)
    restored = reopen(log, is_clean=True)

    assert restored.health.offline_reason is None
    assert DAMAGE_NOTE not in names_in(log.folder)
    assert base_offsets(read_all(restored)) == list(range(12))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_closed_segment_cut_short_after_a_clean_stop_is_found_by_the_first_reader(
    tmp_path: Path, number: int
) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 12)
    log.flushing.close()
    segment = log.segments[number]
    os.truncate(segment.file.path, segment.size // 3)

    again = reopen(log, is_clean=True)
    assert again.health.offline_reason is None
    with pytest.raises(KafkaStorageError, match="should reach to"):
        again.read(segment.base_offset + 2, 100)
    assert again.health.offline_reason is not None


def test_a_batch_that_is_spoilt_at_the_end_of_a_closed_segment_is_refused_and_the_rest_is_served(
    tmp_path: Path,
) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 12)
    log.flushing.close()
    path = Path(log.segments[1].file.path)
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))

    again = reopen(log, is_clean=True)

    assert base_offsets(again.read(3, 1 << 20)) == [3, 4]
    with pytest.raises(CorruptMessage):
        again.read(5, 1 << 20)
    assert base_offsets(again.read(6, 1 << 20)) == [6, 7, 8]
    assert again.health.offline_reason is None
    assert [where.first_offset for where in again.damage.ranges[3]] == [5]


@pytest.mark.parametrize("is_clean", [True, False])
def test_a_segment_of_whose_two_indexes_only_one_was_written_gets_the_other(tmp_path: Path, is_clean: bool) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for offset in range(9):
        log.append([a_batch(offset, timestamp=1_000 + offset)])
    log.flushing.close()
    (log.folder / "00000000000000000003.timeindex").unlink()

    again = reopen(log, is_clean=is_clean)

    assert again.times.find(1_004) == (1_004, 4, 0)
    assert reopen(again).times.find(1_004) == (1_004, 4, 0)


def test_a_log_that_ends_before_its_recovery_point_is_damaged(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 10)

    assert reopen(log, recovery_point=11).health.offline_reason is not None
    (log.folder / DAMAGE_NOTE).unlink()
    Path(log.active.file.path).unlink()
    assert reopen(log, recovery_point=10).health.offline_reason is not None


def test_producer_state_is_rebuilt_from_the_last_snapshot_on(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for offset in range(10):
        log.append([a_batch(offset, producer_id=7, producer_epoch=0, base_sequence=offset)])

    again = reopen(log)

    assert again.producers.last_batches() == {7: (0, 9)}
    duplicate = again.producers.check(a_batch(10, producer_id=7, producer_epoch=0, base_sequence=9)[0])
    assert duplicate is not None
    assert duplicate.base_offset == 9


@pytest.mark.parametrize("left", [None, b"", bytes(34 * 3)], ids=["gone", "empty", "never written"])
def test_aborts_above_the_recovery_point_are_found_anew_whatever_became_of_their_index(
    tmp_path: Path, left: bytes | None
) -> None:
    """Power failed: the segments were on disk, and the snapshot after them, but not the index of aborts."""
    log = a_log(tmp_path / "orders-0")
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_marker(1, MarkerType.ABORT, producer_id=7)])
    index = log.active.transactions
    assert index is not None
    log.rolling.roll()
    log.append([a_batch(2)])
    if left is None:
        index.path.unlink()
    else:
        index.path.write_bytes(left)

    again = reopen(log)

    assert [(each.first_offset, each.last_offset) for each in again.aborts.between(0, 3)] == [(0, 1)]


@pytest.mark.parametrize("is_clean", [True, False])
@pytest.mark.parametrize(
    "torn",
    [slice(0, 33), slice(0, 34 + 1), slice(0, 34), slice(34, 68), slice(0, 0), None],
    ids=["nothing whole", "the second is torn", "the second is gone", "the first is gone", "both are gone", "no file"],
)
def test_aborts_in_a_closed_segment_whose_index_is_not_what_was_written_are_found_anew(
    tmp_path: Path, torn: slice | None, is_clean: bool
) -> None:
    """All of it was flushed: something destroyed the index, and read_committed would be shown what was aborted."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 2)
    log.rolling.roll()
    for first in (2, 4):
        log.append([a_batch(first, producer_id=7, producer_epoch=0, base_sequence=first, transactional=True)])
        log.append([a_marker(first + 1, MarkerType.ABORT, producer_id=7)])
    index = log.active.transactions
    assert index is not None
    log.rolling.roll()
    fill(log, 2)
    log.flushing.close() if is_clean else log.flushing.flush()
    written = index.path.read_bytes()
    if torn is None:
        index.path.unlink()
    else:
        index.path.write_bytes(written[torn])

    again = reopen(log, is_clean=is_clean)

    assert [(each.first_offset, each.last_offset) for each in again.aborts.between(0, 8)] == [(2, 3), (4, 5)]
    assert index.path.read_bytes() == written


def test_a_new_index_of_aborts_lasts_before_the_recovery_point_passes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes alone are of no use: without its name in the folder the file is gone after a loss of power."""
    log = a_log(tmp_path / "orders-0")
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.flushing.flush()
    synced: list[str] = []
    monkeypatch.setattr(flushing, "sync_folder", synced.append)
    log.append([a_marker(1, MarkerType.ABORT, producer_id=7)])
    log.flushing.flush()
    assert str(log.folder) in synced


def test_what_a_cut_removes_is_removed_for_good_before_the_recovery_point_passes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Segments, snapshots and indexes of before would come back beside what was written in their place."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 2)
    log.rolling.roll()
    fill(log, 2)
    log.flushing.flush()
    synced: list[str] = []
    monkeypatch.setattr(flushing, "sync_folder", synced.append)
    log.truncation.cut(to=1)
    fill(log, 5)
    log.flushing.flush()
    assert str(log.folder) in synced


def test_aborts_of_records_that_a_crash_took_are_forgotten(tmp_path: Path) -> None:
    """Else a later transaction of the same producer, committed, would be taken for the aborted one."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 2)
    log.rolling.roll()
    log.append([a_batch(2, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_marker(3, MarkerType.ABORT, producer_id=7)])
    os.truncate(log.active.file.path, 0)

    again = reopen(log)

    assert again.end_offset == 2
    again.append([a_batch(2, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    again.append([a_marker(3, MarkerType.COMMIT, producer_id=7)])
    assert again.aborts.between(0, 4) == []


@pytest.mark.parametrize("at_start", [True, False])
def test_a_damaged_marker_takes_its_log_offline_and_not_the_broker(tmp_path: Path, at_start: bool) -> None:
    """Replayed for what is known of producers, closed segments are read without their checksums."""
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "0"})
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    version_at = log.size + HEADER_SIZE + 5
    log.append([a_marker(1, MarkerType.ABORT, producer_id=7)])
    log.append([a_batch(2, producer_id=8, producer_epoch=0, base_sequence=0)])
    fill(log, 1)
    log.rolling.roll()
    log.append([a_batch(4, producer_id=8, producer_epoch=0, base_sequence=1)])
    log.flushing.flush(close=True)
    path = Path(log.segments[0].file.path)
    data = bytearray(path.read_bytes())
    data[version_at] = 0xFF
    path.write_bytes(data)
    (log.folder / f"{4:020d}.snapshot").write_bytes(b"")

    if at_start:
        log = reopen(log)
    else:
        with pytest.raises(KafkaStorageError, match="damage found"):
            log.truncation.cut(to=4)

    assert log.trouble is not None and log.trouble.stops_reads


def test_after_a_loss_of_power_no_snapshot_above_the_recovery_point_is_taken_for_what_is_there(tmp_path: Path) -> None:
    """A cut removed it, which did not last: other records are in its place, and their producer's duplicates."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 4)
    log.flushing.flush()
    log.append([a_batch(4, producer_id=7, producer_epoch=0, base_sequence=0)])
    log.rolling.roll()
    stale = log.folder / f"{5:020d}.snapshot"
    data = stale.read_bytes()
    fill(log, 1)
    log.truncation.cut(to=4)
    log.append([a_batch(4, producer_id=8, producer_epoch=0, base_sequence=0)])
    fill(log, 2)
    stale.write_bytes(data)

    assert reopen(log).producers.last_batches() == log.producers.last_batches() == {8: (0, 4)}


def test_after_a_loss_of_power_no_abort_is_left_of_records_that_were_cut(tmp_path: Path) -> None:
    """The index was cut, which did not last, and what came since has no marker that would tell."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 4)
    log.flushing.flush()
    log.append([a_batch(4, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_marker(5, MarkerType.ABORT, producer_id=7)])
    index = log.folder / f"{0:020d}.txnindex"
    data = index.read_bytes()
    log.truncation.cut(to=4)
    fill(log, 4)
    log.rolling.roll()
    fill(log, 1)
    index.write_bytes(data)

    assert reopen(log).aborts.between(0, 9) == []


def test_segments_that_retention_dropped_and_a_crash_brought_back_torn_are_no_damage(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 12)
    log.flushing.flush()
    log.pool.close_all()
    first, second, third = log.segments[:3]
    os.truncate(first.file.path, 10)  # nobody had flushed it when it was dropped
    log.start_offset = third.base_offset

    again = reopen(log)

    assert again.trouble is None
    assert again.start_offset == again.segments[0].base_offset == third.base_offset
    assert not os.path.exists(first.file.path) and not os.path.exists(second.file.path)
    assert base_offsets(read_all(again)) == list(range(third.base_offset, 12))


def test_a_failed_fsync_takes_the_log_offline_and_is_not_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    calls = []

    def failing(fd: int) -> None:
        calls.append(fd)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(flushing, "sync_data", failing)
    for _ in range(2):
        with pytest.raises(KafkaStorageError):
            log.flushing.flush()

    assert len(calls) == 1
    assert log.recovery_point == 0
    assert base_offsets(log.read(0, 1 << 20)) == [0, 1, 2]
    with pytest.raises(KafkaStorageError):
        fill(log, 1)


def test_a_flush_that_began_before_a_cut_does_not_move_the_recovery_point(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 10)
    job = log.flushing.begin()
    job.run()
    log.truncation.cut(to=5)
    fill(log, 5)

    log.flushing.end(job)

    assert log.recovery_point == 0


def test_a_flush_brings_closed_segments_indexes_and_epochs_to_disk(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 10)
    log.flushing.flush()

    assert log.recovery_point == 10
    names = names_in(log.folder)
    assert "00000000000000000003.index" in names
    assert "00000000000000000003.timeindex" in names
    assert "leader-epoch-checkpoint" in names


def test_a_log_that_nobody_wrote_to_is_closed_without_touching_a_file(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    log.flushing.close()
    again = reopen(log, is_clean=True)
    before = {name: (log.folder / name).stat().st_mtime_ns for name in names_in(log.folder)}

    assert again.flushing.begin_close() is None
    again.flushing.close()

    assert {name: (log.folder / name).stat().st_mtime_ns for name in names_in(log.folder)} == before


def test_files_that_somebody_else_left_in_the_folder_are_let_be(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    log.flushing.close()
    for name in ("backup.log", "notes.index", "copy.timeindex"):
        (log.folder / name).write_text("not ours")

    again = reopen(log)

    assert (again.end_offset, again.health.offline_reason) == (3, None)
    assert {"backup.log", "notes.index", "copy.timeindex"} <= set(names_in(log.folder))
