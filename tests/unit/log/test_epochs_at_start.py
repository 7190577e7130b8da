"""Leader epochs that a start finds, believes and writes again."""

import errno
import struct
from pathlib import Path

import pytest
from tests.support.logs import (
    THREE_A_SEGMENT,
    a_batch,
    a_log,
    base_offsets,
    fill,
    headers_in,
    read_all,
    reopen,
)

from penstock.log import truncation
from penstock.log.epochs import LEADER_EPOCH_MAX
from penstock.log.folder_port import FolderPort
from penstock.log.partition_log import PartitionLog


def test_a_leader_epoch_whose_records_were_cut_does_not_come_back_with_a_crash(tmp_path: Path) -> None:
    """What took their place is of an earlier epoch: whoever has it would be told to cut it, committed as it is."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 4, leader_epoch=4)
    fill(log, 2, leader_epoch=5)
    log.flushing.flush()
    log.truncation.cut(to=4)
    fill(log, 1, leader_epoch=4)
    fill(log, 1, leader_epoch=6)
    told = log.epochs.end_offset_for(4)
    assert log.epochs.snapshot() == [(4, 0), (6, 5)] and told == (4, 5)

    again = reopen(log)

    assert again.epochs.snapshot() == [(4, 0), (6, 5)]
    assert again.epochs.end_offset_for(4) == told


def test_leader_epochs_of_a_log_that_began_anew_do_not_come_back_with_a_crash(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3, leader_epoch=5)
    log.flushing.flush()
    log.truncation.start_anew(10)
    fill(log, 1, leader_epoch=4)

    again = reopen(log)

    assert again.epochs.snapshot() == log.epochs.snapshot() == [(4, 10)]


@pytest.mark.parametrize("has_landed", [True, False])
def test_a_flush_under_way_does_not_bring_back_leader_epochs_of_a_log_that_began_anew(
    tmp_path: Path, has_landed: bool
) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3, leader_epoch=5)
    job = log.flushing.begin()
    log.truncation.start_anew(10)
    job.run()
    if has_landed:
        log.flushing.end(job)
    fill(log, 1, leader_epoch=4)

    assert reopen(log).epochs.snapshot() == [(4, 10)]
    log.flushing.flush()
    assert reopen(log).epochs.snapshot() == [(4, 10)]


def test_leader_epochs_whose_removal_failed_halfway_are_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 20, leader_epoch=5)
    log.flushing.flush()

    def no_descriptor(_folder: str) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as busy:
        busy.setattr(truncation, "sync_folder", no_descriptor)
        with pytest.raises(OSError, match="Too many"):
            log.truncation.start_anew(30)
    log.flushing.flush()

    assert reopen(log).epochs.snapshot() == [(5, 0)]


def test_a_crash_before_a_log_has_begun_anew_leaves_it_with_its_leader_epochs(tmp_path: Path) -> None:
    class Full(FolderPort):
        def start_rises(self, log: PartitionLog) -> None:
            raise OSError(errno.ENOSPC, "full")

    log = a_log(tmp_path / "orders-0")
    fill(log, 3, leader_epoch=5)
    log.flushing.flush()
    log.home = Full()
    with pytest.raises(OSError, match="full"):
        log.truncation.start_anew(10)
    before = [(5, 0)]
    assert log.epochs.snapshot() == before

    assert reopen(log, recovery_point=0).epochs.snapshot() == before
    log.flushing.flush()
    assert reopen(log, is_clean=True).epochs.snapshot() == before


def test_leader_epochs_of_first_records_are_known_again_where_a_crash_takes_the_logs_start_back(
    tmp_path: Path,
) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for epoch in (1, 2, 3):
        log.append([a_batch(log.end_offset, leader_epoch=epoch)])
    log.high_watermark = 3
    log.retention.advance_start(2)
    log.flushing.flush()  # writes the epochs as of the new start, which no checkpoint tells yet
    log.pool.close_all()
    log.start_offset = 0

    again = reopen(log)

    assert again.trouble is None
    assert again.epochs.snapshot() == [(1, 0), (2, 1), (3, 2)]


def test_leader_epochs_above_the_recovery_point_are_read_off_the_batches(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3, leader_epoch=1)
    log.flushing.flush()
    fill(log, 2, leader_epoch=2)
    fill(log, 2, leader_epoch=5)

    assert reopen(log).epochs.snapshot() == [(1, 0), (2, 3), (5, 5)]


def set_epoch(log: PartitionLog, number: int, epoch: int) -> None:
    """Of a batch of the first segment, as a flipped bit does it: the checksum does not cover it."""
    path = Path(log.active.file.path)
    data = bytearray(path.read_bytes())
    position = sum(header.size for header in list(headers_in(bytes(data)))[:number])
    struct.pack_into(">i", data, position + 12, epoch)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("number", "epoch", "end_offset"),
    [
        pytest.param(6, LEADER_EPOCH_MAX, 6, id="the last batch, later than any can be"),
        pytest.param(4, 66, 4, id="one in the middle, later than any"),
        pytest.param(4, 4, 4, id="one in the middle, later than those that follow"),
        pytest.param(6, 1, 3, id="earlier than those before: who is wrong?"),
        pytest.param(6, -2, 3, id="none at all"),
        pytest.param(3, 66, 3, id="the first that was not flushed"),
        pytest.param(0, 66, 7, id="one that was flushed: the epochs are on disk"),
    ],
)
def test_a_leader_epoch_that_cannot_be_true_ends_an_unflushed_tail(
    tmp_path: Path, number: int, epoch: int, end_offset: int
) -> None:
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "0"})
    fill(log, 3, leader_epoch=1)
    log.flushing.flush()
    fill(log, 4, leader_epoch=2)
    set_epoch(log, number, epoch)

    again = reopen(log)
    assert again.trouble is None
    assert again.end_offset == end_offset
    assert again.epochs.snapshot() == [(1, 0), (2, 3)][: 1 if end_offset == 3 else 2]
    fill(again, 2, leader_epoch=5)
    assert base_offsets(read_all(again)) == [*range(end_offset + 2)]
    assert again.epochs.latest == 5


def test_a_leader_epoch_may_be_as_late_as_one_that_was_flushed(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3, leader_epoch=LEADER_EPOCH_MAX + 7)
    log.flushing.flush()
    fill(log, 2, leader_epoch=LEADER_EPOCH_MAX + 7)
    assert reopen(log).end_offset == 5
    fill(log, 1, leader_epoch=LEADER_EPOCH_MAX + 9)
    assert reopen(log).end_offset == 5


def test_a_wrong_epoch_at_the_end_of_a_segment_is_seen_in_the_next(tmp_path: Path) -> None:
    """What comes after it goes; it stays itself, as one that was written after a real election would."""
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    fill(log, 3, leader_epoch=1)
    last = len(list(headers_in(Path(log.active.file.path).read_bytes()))) - 1
    set_epoch(log, last, 3)
    first, end_offset = log.active, log.end_offset
    fill(log, 3, leader_epoch=1)
    assert log.active is not first

    again = reopen(log)
    assert again.end_offset == end_offset
    assert again.epochs.snapshot() == [(1, 0), (3, end_offset - 1)]


@pytest.mark.parametrize("is_clean", [True, False])
@pytest.mark.parametrize("torn", ["garbage", "0\n2\n0 0\n", "0\n1\n0\n", "7\n0\n"])
def test_leader_epochs_that_cannot_be_read_are_made_again_from_the_batches(
    tmp_path: Path, torn: str, is_clean: bool
) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for epoch in range(3):
        fill(log, 10, leader_epoch=epoch)
    log.flushing.close()
    known = log.epochs.snapshot()
    (log.folder / "leader-epoch-checkpoint").write_text(torn)

    again = reopen(log, is_clean=is_clean)

    assert again.health.offline_reason is None and again.end_offset == 30
    assert again.epochs.snapshot() == known == [(0, 0), (1, 10), (2, 20)]
    again.flushing.close()
    assert reopen(again, is_clean=True).epochs.snapshot() == known
