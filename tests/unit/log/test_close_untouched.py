"""A log that was only led, and not written to, is closed without touching the disk: brokers may have thousands."""

from pathlib import Path

import pytest
from tests.support.logs import a_log, fill

from penstock.log import flushing


def test_an_epoch_without_a_record_is_not_worth_a_write(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    log.epochs.assign(1, 0)
    fill(log, 3)
    log.flushing.flush()
    log.epochs.assign(2, 3)
    needed = [log.epochs.is_unwritten]
    fill(log, 1, leader_epoch=2)
    needed.append(log.epochs.is_unwritten)
    assert needed == [False, True]
    log.flushing.close()
    again = a_log(tmp_path / "orders-0")
    assert again.epochs.epoch_at(3) == log.epochs.epoch_at(3)


def test_a_log_that_was_only_led_has_nothing_to_flush_at_its_end(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    log.flushing.flush(close=True)
    before = {path.name: path.stat().st_mtime_ns for path in log.folder.iterdir()}
    log.epochs.assign(log.epochs.latest + 1, log.end_offset)
    assert log.flushing.begin_close() is None
    assert {path.name: path.stat().st_mtime_ns for path in log.folder.iterdir()} == before
    log.pool.close_all()


@pytest.mark.parametrize("offset", [0, 10])
def test_a_log_that_began_anew_is_rid_of_its_old_files_for_good_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offset: int
) -> None:
    """Back after a loss of power, they would be taken for all that there is, and the log for damaged, or whole."""
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    log.flushing.flush(close=True)
    log.truncation.start_anew(offset)
    synced: list[str] = []
    monkeypatch.setattr(flushing, "sync_folder", synced.append)
    log.flushing.close()
    assert str(log.folder) in synced
