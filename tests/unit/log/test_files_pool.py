"""A bounded number of descriptors for any number of files."""

import errno
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.support.logs import a_log, fill

from penstock.errors import KafkaStorageError
from penstock.log.file_pool import CLOSED, FilePool, PooledFile, read_whole, write_atomically


def some_files(folder: Path, pool: FilePool, count: int) -> list[PooledFile]:
    for number in range(count):
        (folder / f"{number}.log").write_bytes(b"%d" % number)
    return [PooledFile(pool, str(folder / f"{number}.log")) for number in range(count)]


def test_no_more_than_the_bound_are_open_and_each_is_readable(tmp_path: Path) -> None:
    pool = FilePool(4)
    files = some_files(tmp_path, pool, 20)

    for _ in range(3):
        for number, file in enumerate(files):
            assert os.pread(file.descriptor(), 10, 0) == b"%d" % number
            assert pool.open_now <= 4
    pool.close_all()
    assert pool.open_now == 0


def test_a_file_in_steady_use_stays_open_while_others_come_and_go(tmp_path: Path) -> None:
    pool = FilePool(3)
    hot, *others = some_files(tmp_path, pool, 10)
    hot.descriptor()
    opened = pool.opened

    for file in others:
        file.descriptor()
        hot.descriptor()

    assert pool.opened <= opened + 9 + 1  # once at most it loses its place before its use was seen
    pool.close_all()


def test_a_pinned_file_is_never_closed_under_its_holder(tmp_path: Path) -> None:
    pool = FilePool(2)
    held, *others = some_files(tmp_path, pool, 6)
    fd = held.pin()

    for file in others:
        file.descriptor()

    assert os.pread(fd, 10, 0) == b"0"
    held.unpin()
    pool.close_all()


def test_when_all_are_pinned_readers_are_refused_and_an_append_is_not(tmp_path: Path) -> None:
    pool = FilePool(2)
    first, second, third = some_files(tmp_path, pool, 3)
    first.pin()
    second.pin()

    with pytest.raises(KafkaStorageError, match=r"penstock\.open\.files\.max"):
        third.pin()
    assert third.descriptor() >= 0

    for file in (first, second):
        file.unpin()
    pool.close_all()


def test_a_forgotten_file_is_closed_when_its_last_holder_lets_go(tmp_path: Path) -> None:
    pool = FilePool(2)
    (file,) = some_files(tmp_path, pool, 1)
    fd = file.pin()
    file.forget()
    assert os.pread(fd, 10, 0) == b"0"

    file.unpin()

    assert file.fd == CLOSED
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def test_the_pool_gives_way_when_the_process_runs_out_of_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = FilePool(10)
    *others, last = some_files(tmp_path, pool, 5)
    for file in others:
        file.descriptor()
    real, failures = os.open, [OSError(errno.EMFILE, "Too many open files")]

    def scarce(path: str, flags: int, mode: int = 0o777) -> int:
        if failures:
            raise failures.pop()
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", scarce)

    assert last.descriptor() >= 0
    assert pool.open_now < 5
    pool.close_all()


def test_an_atomic_write_replaces_the_file_whole(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint")
    write_atomically(path, b"one")
    write_atomically(path, b"two")

    assert read_whole(path) == b"two"
    assert [entry.name for entry in tmp_path.iterdir()] == ["checkpoint"]
    assert read_whole(str(tmp_path / "missing")) is None


def test_a_flush_that_cannot_begin_lets_go_of_what_it_had_pinned(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    fill(log, 2)
    log.rolling.roll()
    fill(log, 2)
    closed, active = log.segments
    closed.file.descriptor()
    pin = PooledFile.pin

    def pin_but_the_active(file: PooledFile, *, for_reader: bool = True) -> int:
        if file is active.file:
            raise OSError(errno.EMFILE, "too many open files")
        return pin(file, for_reader=for_reader)

    with patch.object(PooledFile, "pin", pin_but_the_active), pytest.raises(OSError, match="too many open files"):
        log.flushing.begin()
    assert closed.file.pins == 0
    log.pool.close_all()
