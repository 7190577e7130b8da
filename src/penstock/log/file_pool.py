"""Open files, bounded: thousands of partitions share a few hundred descriptors.

The pool belongs to the event loop: only the loop opens, evicts and closes here. Threads (recovery, compaction, flushes)
either open a descriptor of their own with `private_descriptor`, or use one that the loop has pinned for them.

A pinned file is never closed under its holder: a response being sent, or a flush under way, pins. The unpinned ones are
closed by the clock algorithm (second chance), which needs one attribute store a use where a true LRU needs a list move.

The bound: `open_max` descriptors. Where every one of them is pinned, a further pin (a reader's) is refused with
KafkaStorageError, which clients retry; an append may still open its file, out of a small reserve on top.
"""

import errno
import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from penstock.errors import KafkaStorageError
from penstock.log.segments.indexes import IndexCache

CLOSED: Final = -1
RESERVE_FRACTION: Final = 8
"""Appends may go over the bound by an eighth while readers hold everything else."""

UNREADABLE: Final = (errno.EIO, errno.EBADMSG, errno.EUCLEAN, errno.ENODATA, errno.EILSEQ, errno.EREMOTEIO)
"""What a disk, or a file system that checks itself, says of bytes that it cannot give back."""

_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)
_FLAGS = os.O_RDWR | os.O_CLOEXEC


class PooledFile:
    """One file of a log; it has a descriptor only while the pool leaves it one."""

    __slots__ = ("fd", "is_doomed", "path", "pins", "pool", "used")

    def __init__(self, pool: "FilePool", path: str) -> None:
        self.pool = pool
        self.path = path
        self.fd = CLOSED
        self.pins = 0
        self.used = False
        self.is_doomed = False

    def descriptor(self) -> int:
        """A descriptor good until the next call into the pool: for a read or write that happens at once."""
        self.used = True
        return self.fd if self.fd >= 0 else self.pool.open(self)

    def pin(self, *, for_reader: bool = True) -> int:
        """A descriptor good until `unpin`, whatever else is opened meanwhile."""
        self.used = True
        if self.fd < 0:
            self.pool.open(self, for_reader=for_reader)
        self.pins += 1
        return self.fd

    def unpin(self) -> None:
        self.pins -= 1
        if self.is_doomed and not self.pins:
            self.pool.close(self)

    def create(self) -> int:
        """Make the file if it is not there, and open it."""
        return self.fd if self.fd >= 0 else self.pool.open(self, flags=_FLAGS | os.O_CREAT)

    def forget(self) -> None:
        """Close for good: now, or when the last holder lets go."""
        self.is_doomed = True
        if not self.pins:
            self.pool.close(self)


class FilePool:
    def __init__(self, open_max: int) -> None:
        if open_max < 1:
            raise ValueError(f"a pool needs at least one descriptor, not {open_max}")
        self.open_max = open_max
        self.opened = 0
        """Files opened so far, for a metric: far more than there are files means that the pool is too small."""
        self.indexes = IndexCache()
        self._clock: deque[PooledFile] = deque()

    @property
    def open_now(self) -> int:
        return len(self._clock)

    def open(self, file: PooledFile, *, for_reader: bool = False, flags: int = _FLAGS) -> int:
        if len(self._clock) >= self.open_max:
            self._make_room(for_reader=for_reader)
        try:
            fd = os.open(file.path, flags, 0o644)
        except OSError as error:
            if error.errno not in _OUT_OF_DESCRIPTORS or not self._evict_half():
                raise
            fd = os.open(file.path, flags, 0o644)
        file.fd = fd
        file.used = True
        self.opened += 1
        self._clock.append(file)
        return fd

    def close(self, file: PooledFile) -> None:
        if file.fd < 0:
            return
        self._clock.remove(file)
        fd, file.fd = file.fd, CLOSED
        os.close(fd)

    def close_all(self) -> None:
        """At the end, when nothing is pinned any more."""
        for file in list(self._clock):
            self.close(file)

    def _make_room(self, *, for_reader: bool) -> None:
        if self._evict_one() or len(self._clock) < self._limit(for_reader=for_reader):
            return
        raise KafkaStorageError(f"all {len(self._clock)} open files are in use (penstock.open.files.max)")

    def _limit(self, *, for_reader: bool) -> int:
        return self.open_max if for_reader else self.open_max + max(1, self.open_max // RESERVE_FRACTION)

    def _evict_one(self) -> bool:
        """Two rounds at most: the first takes each file's second chance, the second finds one without."""
        clock = self._clock
        for _ in range(2 * len(clock)):
            file = clock[0]
            if file.pins or file.used:
                file.used = False
                clock.rotate(-1)
                continue
            clock.popleft()
            fd, file.fd = file.fd, CLOSED
            os.close(fd)
            return True
        return False

    def _evict_half(self) -> bool:
        """Somebody else (sockets) took the descriptors we counted on: give way."""
        closed = [self._evict_one() for _ in range((len(self._clock) + 1) // 2)]
        return any(closed)


@contextmanager
def private_descriptor(path: str, flags: int = os.O_RDONLY) -> Iterator[int]:
    """A descriptor outside the pool, for a thread; there are as many at once as there are threads."""
    fd = os.open(path, flags | os.O_CLOEXEC, 0o644)
    try:
        yield fd
    finally:
        os.close(fd)


def sync_folder(path: str) -> None:
    """Make creations, renames and removals in a folder last."""
    with private_descriptor(path, os.O_DIRECTORY) as fd:
        os.fsync(fd)


def sync_file(path: str) -> None:
    with private_descriptor(path) as fd:
        os.fsync(fd)


def write_atomically(path: str, data: bytes, *, durably: bool = True) -> None:
    """Replace a small file whole or not at all: temporary file, fsync, rename, fsync of the folder."""
    temporary = path + ".tmp"
    with private_descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
        if durably:
            os.fsync(fd)
    Path(temporary).replace(path)
    if durably:
        sync_folder(str(Path(path).parent))


def names_in(folder: Path) -> list[str]:
    return [entry.name for entry in os.scandir(folder)]


def rename_if_there(path: str, to: str) -> bool:
    try:
        Path(path).rename(to)
    except FileNotFoundError:
        return False
    return True


class Renames:
    """Renames of which all happen, or none."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []

    def add(self, path: str, to: str) -> None:
        if rename_if_there(path, to):
            self.done.append((path, to))

    def undo(self) -> None:
        """The last one first: a crash on the way leaves what one on the way there would have left."""
        for path, to in reversed(self.done):
            Path(to).rename(path)


def remove_files(paths: Iterable[str]) -> None:
    for path in paths:
        Path(path).unlink(missing_ok=True)


def read_whole(path: str) -> bytes | None:
    """A small file's bytes; None where there is no such file."""
    try:
        with private_descriptor(path) as fd:
            parts = []
            while part := os.read(fd, 1 << 20):
                parts.append(part)
    except FileNotFoundError:
        return None
    return b"".join(parts)
