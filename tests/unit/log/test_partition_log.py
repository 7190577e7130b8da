"""Appending to and reading from one partition's log."""

import errno
import os
from pathlib import Path

import pytest
from tests.support.logs import StillClock, a_batch, a_log, base_offsets, fill, read_all, reopen, sizes

from penstock.errors import CorruptMessage, Fatal, KafkaStorageError, OffsetOutOfRange
from penstock.log.file_pool import names_in
from penstock.log.producers.bookkeeping import ProducerBookkeeping
from penstock.log.segments import slices
from penstock.log.segments.slices import FileSlice

SMALL_SEGMENTS = {"internal.segment.bytes": "1000", "index.interval.bytes": "0"}


def test_what_is_appended_is_read_back_byte_for_byte(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    batches = [a_batch(0, count=3), a_batch(3), a_batch(4, count=2, value_bytes=500)]
    log.append(batches[:2])
    log.append(batches[2:])

    assert log.end_offset == 6
    assert log.read(0, 1 << 20) == b"".join(bytes(view) for _, view in batches)
    assert log.size == sum(len(view) for _, view in batches)


def test_a_fresh_log_has_no_segment_file_until_its_first_record(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    assert names_in(log.folder) == []

    fill(log, 1)

    assert names_in(log.folder) == ["00000000000000000000.log"]


def test_a_log_has_no_dictionary_of_its_own(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 1)

    assert not hasattr(log, "__dict__"), "with thirty attributes and more it makes ten thousand logs 15 MB larger"


def test_a_slice_begins_with_the_batch_that_holds_the_offset(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 10, count=5)

    assert base_offsets(log.read(17, 1 << 20))[0] == 15


def test_a_slice_is_cut_at_batch_boundaries(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "0"})
    fill(log, 10)
    one = log.size // 10

    assert base_offsets(log.read(2, 3 * one + one // 2)) == [2, 3, 4]


def test_the_first_batch_is_given_even_when_it_is_too_large(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 2, value_bytes=5000)

    assert base_offsets(log.read(1, 100)) == [1]
    assert log.read(1, 100, at_least_one=False) == b""


def test_a_slice_ends_before_the_limit(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 10)

    found = log.slice(3, at_most=1 << 20, before=7)
    assert found is not None
    assert base_offsets(found.read()) == [3, 4, 5, 6]
    found.release()
    assert log.slice(7, at_most=1 << 20, before=7) is None


def test_offsets_between_the_limit_and_the_end_give_nothing_and_those_outside_are_refused(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 10)
    log.high_watermark = 10
    log.retention.advance_start(2)

    assert log.slice(8, at_most=100, before=5) is None
    assert log.slice(10, at_most=100, before=10) is None
    for outside in (1, 11):
        with pytest.raises(OffsetOutOfRange):
            log.slice(outside, at_most=100, before=10)


def test_every_offset_is_found_in_old_and_new_segments(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=SMALL_SEGMENTS)
    fill(log, 100, count=3)
    assert len(log.segments) > 5

    for offset in range(300):
        assert base_offsets(log.read(offset, 1))[0] == offset // 3 * 3


def test_every_offset_is_found_after_a_restart(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=SMALL_SEGMENTS)
    fill(log, 100, count=3)
    log.flushing.close()
    again = reopen(log, is_clean=True)

    assert (again.start_offset, again.end_offset, again.health.offline_reason) == (0, 300, None)
    for offset in range(300):
        assert base_offsets(again.read(offset, 1))[0] == offset // 3 * 3
    fill(again, 1)
    assert again.end_offset == 301


def test_more_batches_than_the_recent_ones_are_found_through_the_index_and_by_walking(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "2000"})
    fill(log, 1000)

    for offset in range(0, 1000, 7):
        found = log.slice(offset, at_most=200, before=1000)
        assert found is not None
        assert base_offsets(found.read())[0] == offset
        found.release()
    assert base_offsets(log.read(10, 1 << 20)) == list(range(10, 1000))


def test_segments_roll_by_size(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=SMALL_SEGMENTS)
    fill(log, 30)

    assert all(size <= 1000 for size in sizes(log))
    assert [s.base_offset for s in log.segments][:3] == [0, 12, 24]


def test_segments_roll_by_the_age_of_their_records(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings={"segment.ms": "1000"})
    log.append([a_batch(0, timestamp=5_000)])
    log.append([a_batch(1, timestamp=6_000)])
    log.append([a_batch(2, timestamp=6_001)])

    assert [s.base_offset for s in log.segments] == [0, 2]


def test_segments_of_records_without_timestamps_roll_by_the_clock(tmp_path: Path) -> None:
    clock = StillClock()
    log = a_log(tmp_path / "orders-0", settings={"segment.ms": "1000"}, clock=clock)
    log.append([a_batch(0, timestamp=-1)])
    clock.time += 1_001
    log.append([a_batch(1, timestamp=-1)])

    assert [s.base_offset for s in log.segments] == [0, 1]


def test_segments_roll_when_an_index_is_full(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings={"segment.index.bytes": "60", "index.interval.bytes": "0"})
    fill(log, 20)

    assert len(log.segments) > 1
    assert all(s.index is None or len(s.index) <= 5 for s in log.segments)


def test_segments_roll_when_relative_offsets_would_not_fit(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 1)
    log.append([a_batch(1 << 31)])
    log.append([a_batch(1 << 33)])

    assert [s.base_offset for s in log.segments] == [0, 1, 1 << 33]
    assert base_offsets(log.read(1, 1 << 20)) == [1 << 31]


def test_an_append_below_the_end_is_a_bug(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)

    with pytest.raises(Fatal):
        log.append([a_batch(1)])


def test_more_batches_than_one_system_call_takes_are_written(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    log.append([a_batch(offset) for offset in range(2000)])

    assert base_offsets(read_all(log)) == list(range(2000))


def test_a_short_write_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 1)
    real = os.pwritev
    monkeypatch.setattr(os, "pwritev", lambda fd, views, at: real(fd, [views[0][:20]], at))

    fill(log, 3)

    assert base_offsets(log.read(0, 1 << 20)) == [0, 1, 2, 3]


def test_a_full_disk_cuts_the_append_off_and_refuses_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    size = log.size
    real = os.pwritev

    def half_then_full(fd: int, views: list[memoryview], at: int) -> int:
        real(fd, [views[0][:30]], at)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "pwritev", half_then_full)
        with pytest.raises(KafkaStorageError, match="No space left"):
            fill(log, 1)

    assert (log.end_offset, log.size) == (3, size)
    assert Path(log.active.file.path).stat().st_size == size
    assert base_offsets(log.read(0, 1 << 20)) == [0, 1, 2]  # reads go on
    with pytest.raises(KafkaStorageError):
        fill(log, 1)
    assert log.health.offline_reason is not None


def test_a_log_with_half_a_batch_at_its_end_that_cannot_be_cut_off_waits_for_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shorter batch would leave the rest of the longer one behind it, in the middle of the log."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    real = os.pwritev

    def half_then_full(fd: int, views: list[memoryview], at: int) -> int:
        real(fd, [views[0][:-1]], at)
        raise OSError(errno.ENOSPC, "No space left on device")

    def fails(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr(os, "pwritev", half_then_full)
        failing.setattr(os, "ftruncate", fails)
        with pytest.raises(KafkaStorageError, match="No space left"):
            fill(log, 1, value_bytes=1_000)

    assert not log.health.try_again()
    again = reopen(log)
    assert base_offsets(read_all(again)) == [0, 1, 2]
    assert Path(again.active.file.path).stat().st_size == again.size


def test_a_log_stopped_by_a_full_disk_comes_back_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)

    def full(fd: int, views: list[memoryview], at: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwritev", full)
        with pytest.raises(KafkaStorageError):
            fill(log, 1)

    assert log.health.try_again()
    fill(log, 1)
    assert log.end_offset == 4


def test_a_log_that_got_no_descriptor_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients may use up all that the process may open: nothing was written, so nothing is in doubt."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    log.pool.close_all()

    def out_of_descriptors(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", out_of_descriptors)
        with pytest.raises(KafkaStorageError):
            fill(log, 1)

    assert log.health.try_again()
    fill(log, 1)
    assert log.end_offset == 4


@pytest.mark.parametrize("index_interval_bytes", [0, 400])
@pytest.mark.parametrize(("at", "wrong"), [(8, bytes(4)), (8, b"\x7f\xff\xff\xff"), (0, bytes(7) + b"\x64")])
def test_what_comes_after_a_broken_header_is_not_given_in_its_place(
    tmp_path: Path, at: int, wrong: bytes, index_interval_bytes: int
) -> None:
    """Its length, or its base offset, which no checksum covers."""
    settings = {"internal.segment.bytes": "2500", "index.interval.bytes": str(index_interval_bytes)}
    log = a_log(tmp_path / "orders-0", settings=settings)
    fill(log, 60)
    log.flushing.close()
    path = log.folder / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    place = 10 * (len(data) // 30) + at
    data[place : place + len(wrong)] = wrong
    path.write_bytes(data)
    again = reopen(log, is_clean=True)

    for offset in range(30):
        try:
            given = base_offsets(again.read(offset, 1))
        except CorruptMessage:
            assert offset >= 10
        else:
            assert given == [offset] or offset == 10
    assert base_offsets(again.read(30, 1)) == [30]
    if index_interval_bytes or wrong == bytes(4):
        assert [known.first_offset for known in again.damage.ranges[0]] == [10]


def test_warming_what_cannot_be_read_leaves_it_to_the_reader(tmp_path: Path) -> None:
    """A fetch of many partitions warms several: one that fails is not to end it for the others."""
    log = a_log(tmp_path / "orders-0", settings=SMALL_SEGMENTS)
    fill(log, 60)
    index = Path(log.segments[0].path(".index"))
    index.unlink(missing_ok=True)
    index.mkdir()  # reading it is an I/O error

    log.warm(0)


def test_a_log_stopped_by_an_io_error_stays_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)

    def broken(fd: int, views: list[memoryview], at: int) -> int:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwritev", broken)
        with pytest.raises(KafkaStorageError):
            fill(log, 1)

    assert not log.health.try_again()
    assert base_offsets(log.read(0, 1 << 20)) == [0, 1, 2]


def test_a_failure_after_the_write_stops_appends_and_keeps_what_was_written_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(ProducerBookkeeping, "_take_in", full)
        with pytest.raises(KafkaStorageError, match="producer state in doubt"):
            log.append([a_batch(3, producer_id=7, producer_epoch=0, base_sequence=0)])

    assert not log.health.try_again()
    again = reopen(log)
    assert (again.end_offset, again.producers.last_batches()) == (4, {7: (0, 3)})


def test_a_gap_is_no_damage_once_the_folder_says_so(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    log.append([a_batch(0), a_batch(5)])
    log.append([a_batch(9)])

    assert log.may_have_gaps
    assert base_offsets(read_all(reopen(log))) == [0, 5, 9]
    with pytest.raises(Fatal):
        log.append([a_batch(20), a_batch(19)])


def test_leader_epochs_follow_the_batches(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3, leader_epoch=1)
    fill(log, 2, leader_epoch=4)

    assert log.epochs.end_offset_for(1) == (1, 3)
    assert log.epochs.end_offset_for(3) == (1, 3)
    assert log.epochs.end_offset_for(4) == (4, 5)
    assert log.epochs.end_offset_for(9) == (-1, -1)
    assert log.epochs.latest == 4


def test_a_slice_keeps_its_file_open_until_it_is_released(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=SMALL_SEGMENTS)
    fill(log, 30)
    log.high_watermark = 30
    found = log.slice(0, at_most=1 << 20, before=30)
    assert isinstance(found, FileSlice)
    expected = found.read()

    log.retention.advance_start(25)
    assert log.retention.delete_old_segments(log.clock.now(), 30) == 2

    assert found.read() == expected
    found.release()
    found.release()
    assert log.start_offset == 25


def test_recent_appends_are_hot_without_asking(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 5)
    found = log.slice(2, at_most=1 << 20, before=5)
    assert found is not None

    assert found.is_recent
    assert found.is_hot()
    found.release()


def test_no_more_pages_are_asked_for_or_warmed_than_are_sent_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "PART_MAX", 200_000)
    log = a_log(tmp_path / "orders-0")
    fill(log, 5, value_bytes=100_000)
    log.flushing.close()
    found = reopen(log, is_clean=True).slice(0, at_most=1 << 20, before=5)
    assert found is not None
    real, ends = os.preadv, []

    def noting(fd: int, buffers: list[memoryview], position: int, flags: int = 0) -> int:
        ends.append(position + len(buffers[0]))
        return real(fd, buffers, position, flags)

    monkeypatch.setattr(os, "preadv", noting)
    found.warm()
    assert found.is_hot()

    assert max(ends) == 200_000
    found.release()


def test_old_pages_are_asked_for_and_can_be_warmed(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 5, value_bytes=100_000)
    log.flushing.close()
    again = reopen(log, is_clean=True)
    found = again.slice(0, at_most=1 << 20, before=5)
    assert found is not None
    os.posix_fadvise(found.fd, 0, 0, os.POSIX_FADV_DONTNEED)

    assert not found.is_recent
    found.warm()
    assert found.is_hot()
    found.release()
