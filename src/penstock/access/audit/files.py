"""A broker's audit log in a folder: `audit-<broker>-<first line>.jsonl`, the newest of which is written to.

Nothing here decides what is written. All of it blocks, and is for a thread.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from penstock.access.audit.chain import NO_HASH, Damaged, Head, read_line

TAIL_BYTES: Final = 4 * 1024 * 1024
"""How much of the newest file a start reads: more than any line has."""


class AuditFile(NamedTuple):
    broker_id: int
    first: int
    """The number of its first line."""
    path: Path


class Found(NamedTuple):
    """What a start found."""

    head: Head
    torn_bytes: int = 0
    """A line that broke off when the broker was killed. It is taken away."""
    damaged: int = 0
    """Lines after the head that are not as they were written."""


def files_in(folder: Path) -> list[AuditFile]:
    """Those of all brokers, each one's oldest first."""
    found = []
    for path in folder.glob("audit-*-*.jsonl"):
        _, broker_id, first = path.stem.split("-", 2)
        if broker_id.isdigit() and first.isdigit():
            found.append(AuditFile(int(broker_id), int(first), path))
    return sorted(found)


def lines_of(path: Path) -> Iterator[bytes]:
    """Its lines with their newlines."""
    with path.open("rb") as file:
        yield from file


class AuditFiles:
    """One broker's, opened to be written to."""

    def __init__(self, folder: Path, broker_id: int) -> None:
        self._folder = folder
        self._broker_id = broker_id
        self._fd: int | None = None
        self._path: Path | None = None
        self.size = 0
        """Of the newest file, so far as it is surely on disk."""

    def open(self) -> Found:
        """Look where the log ends, and take away a line that broke off. OSError where that cannot be."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        mine = self.kept()
        if not mine:
            return Found(Head())
        self._open(mine[-1].path)
        assert self._fd is not None
        size = os.fstat(self._fd).st_size
        start = max(0, size - TAIL_BYTES)
        tail = os.pread(self._fd, size - start, start)
        torn_bytes = len(tail) - (tail.rfind(b"\n") + 1)
        if torn_bytes:
            os.ftruncate(self._fd, size - torn_bytes)
            os.fsync(self._fd)
        self.size = size - torn_bytes
        lines = tail[: len(tail) - torn_bytes].split(b"\n")[:-1]
        damaged = 0
        for line in reversed(lines if start == 0 else lines[1:]):
            try:
                return Found(read_line(line).head, torn_bytes, damaged)
            except Damaged:
                damaged += 1
        return Found(Head(mine[-1].first - 1, NO_HASH), torn_bytes, damaged)

    def kept(self) -> list[AuditFile]:
        return [each for each in files_in(self._folder) if each.broker_id == self._broker_id]

    def append(self, lines: Sequence[bytes], *, first: int, begins_file: bool) -> None:
        """Write lines and have them on disk; `first` is the first one's number. On OSError none of them is there, as
        far as the disk can be believed, and the same call may be made again.
        """
        if begins_file or self._fd is None:
            self._begin(first)
        assert self._fd is not None
        data = b"".join(line + b"\n" for line in lines)
        try:
            _write(self._fd, data)
            os.fdatasync(self._fd)
        except OSError:
            self._take_back()
            raise
        self.size += len(data)

    def delete(self, paths: Sequence[Path]) -> None:
        for path in paths:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _begin(self, first: int) -> None:
        path = self._folder / f"audit-{self._broker_id}-{first:020d}.jsonl"
        if path != self._path:
            self._open(path)
            folder = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _open(self, path: Path) -> None:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            raise BlockingIOError(f"{path} is written to by another broker: give each cluster a folder") from error
        self.close()
        self._fd, self._path, self.size = fd, path, os.fstat(fd).st_size

    def _take_back(self) -> None:
        """After a failed write or fsync: what was acknowledged stays, what was not goes. A file whose fsync failed is
        not trusted with more (RULES 20): the next lines begin another.
        """
        assert self._fd is not None
        fd, self._fd = self._fd, None
        self._path = None
        try:
            os.ftruncate(fd, self.size)
            os.fsync(fd)
        except OSError:
            pass  # verify will tell what is there twice
        finally:
            os.close(fd)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
