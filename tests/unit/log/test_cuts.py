"""Cutting a log: truncation, beginning anew, and what is known of producers afterwards."""

import errno
from pathlib import Path

import pytest
from tests.support.logs import (
    HOUR_MS,
    THREE_A_SEGMENT,
    a_batch,
    a_filled_log,
    a_log,
    a_log_whose_index_is_wrong,
    base_offsets,
    fill,
    no_room,
    read_all,
    reopen,
)

from penstock.errors import KafkaStorageError
from penstock.log import file_pool as files
from penstock.log import flushing
from penstock.log.file_pool import names_in, rename_if_there
from penstock.log.folder_port import FolderPort
from penstock.log.partition_log import PartitionLog
from penstock.log.producers.bookkeeping import ProducerBookkeeping
from penstock.wire.batch import CRC, CRC_AT, MAX_TIMESTAMP_AT, TIMESTAMP, BatchHeader
from penstock.wire.records import crc_of


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


def test_a_cut_by_a_wrong_index_finds_the_largest_timestamp(tmp_path: Path) -> None:
    log = a_log_whose_index_is_wrong(tmp_path)

    log.truncation.cut(to=9)

    found = log.times.find_largest()
    assert found is not None
    assert (found.timestamp, found.offset) == (1_004, 4)
