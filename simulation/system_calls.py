"""Puts simulated disks below the real code: the system calls that change files are seen, and may fail.

Files are real ones, in memory where the machine has /dev/shm. Within `interposed` every call that changes one below a
disk's folder is told to that `Disk` when it has happened, and before that asked for: whether it fails, or power is lost
there. All other paths are let be. Nothing here runs in threads: `InlineExecutor` does their work where it is ordered.
"""

import builtins
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

from penstock.log import flushing
from penstock.log.folders import folder as log_folder
from simulation.storage import Disk, File, Folder

_T = TypeVar("_T")

CREATES = os.O_CREAT
_WRITES = set("wax+")


class InlineExecutor(Executor):
    """Does at once what a thread would do."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def submit(self, work: Callable[..., _T], /, *arguments: Any, **more: Any) -> "Future[_T]":
        done: Future[_T] = Future()
        try:
            done.set_result(work(*arguments, **more))
        except Exception as error:
            done.set_exception(error)
        return done


@contextmanager
def disk_space() -> Iterator[Path]:
    """A folder for disks, gone afterwards."""
    in_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="penstock-simulation-", dir=in_memory) as folder:
        yield Path(folder)


class Interposer:
    """The calls as the code makes them. `real` has the ones that it stands in for."""

    def __init__(self) -> None:
        self._disks: dict[str, Disk] = {}
        self._open: dict[int, tuple[Disk, File | Folder, str]] = {}
        self._roots: tuple[str, ...] = ()
        self._abandoned: set[int] = set()
        self.real = {name: getattr(os, name) for name in _CALLS}
        self._io_open = io.open

    def attach(self, disk: Disk) -> None:
        self._disks[disk.prefix] = disk
        self._roots = tuple(self._disks)

    def detach(self, disk: Disk) -> None:
        """Who has used it is dead: the kernel closes its files, and lets its locks go."""
        del self._disks[disk.prefix]
        self._roots = tuple(self._disks)
        for fd in [fd for fd, held in self._open.items() if held[0] is disk]:
            self.close(fd)

    def abandon(self, disk: Disk) -> None:
        """As `detach`, but the numbers stay taken: who has used it is dead, and may yet be made to close its files when
        the world ends, by numbers that would be others' then.
        """
        del self._disks[disk.prefix]
        self._roots = tuple(self._disks)
        nothing = self.real["open"](os.devnull, os.O_RDWR)
        for fd in [fd for fd, held in self._open.items() if held[0] is disk]:
            del self._open[fd]
            os.dup2(nothing, fd)
            self._abandoned.add(fd)
        self.real["close"](nothing)

    def let_go(self) -> None:
        """At the end of the world."""
        for fd in (*self._open, *self._abandoned):
            self.real["close"](fd)
        self._open.clear()
        self._abandoned.clear()

    def _disk_of(self, path: Any) -> tuple[Disk, str] | None:
        text = os.fspath(path) if not isinstance(path, int) else ""
        if not text.startswith(self._roots) or not self._roots:
            return None
        for prefix, disk in self._disks.items():
            if text.startswith(prefix):
                return disk, text
        return None

    # Files -----------------------------------------------------------------------------------------------------------

    def open(self, path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        found = self._disk_of(path)
        if found is None:
            fd: int = self.real["open"](path, flags, mode, **more)
            return fd
        disk, text = found
        is_new = bool(flags & CREATES) and not os.path.exists(text)
        if is_new or flags & os.O_TRUNC:
            disk.before_change("open", text)
        fd = self.real["open"](path, flags, mode, **more)
        if is_new:
            disk.made(text, File())
        node = disk.node(text)
        if flags & os.O_TRUNC and isinstance(node, File):
            disk.cut(node, 0)
        self._open[fd] = disk, node, text
        return fd

    def close(self, fd: int) -> None:
        if fd in self._abandoned:
            return
        self._open.pop(fd, None)
        self.real["close"](fd)

    def write(self, fd: int, data: Any) -> int:
        if (held := self._open.get(fd)) is None:
            count: int = self.real["write"](fd, data)
            return count
        disk, file, path = held
        disk.before_change("write", path)
        position = os.lseek(fd, 0, os.SEEK_CUR)
        count = self.real["write"](fd, data)
        assert isinstance(file, File)
        disk.wrote(file, position, bytes(memoryview(data)[:count]))
        return count

    def pwrite(self, fd: int, data: Any, position: int) -> int:
        return self.pwritev(fd, [data], position)

    def pwritev(self, fd: int, views: Any, position: int, *more: Any) -> int:
        if (held := self._open.get(fd)) is None:
            count: int = self.real["pwritev"](fd, views, position, *more)
            return count
        disk, file, path = held
        disk.before_change("write", path)
        count = self.real["pwritev"](fd, views, position, *more)
        assert isinstance(file, File)
        disk.wrote(file, position, b"".join(views)[:count])
        return count

    def ftruncate(self, fd: int, size: int) -> None:
        held = self._open.get(fd)
        if held is not None:
            held[0].before_change("truncate", held[2])
        self.real["ftruncate"](fd, size)
        if held is not None:
            assert isinstance(held[1], File)
            held[0].cut(held[1], size)

    def truncate(self, path: Any, size: int) -> None:
        found = self._disk_of(path)
        if found is not None:
            found[0].before_change("truncate", found[1])
        self.real["truncate"](path, size)
        if found is not None:
            file = found[0].node(found[1])
            assert isinstance(file, File)
            found[0].cut(file, size)

    def posix_fallocate(self, fd: int, start: int, size: int) -> None:
        if (held := self._open.get(fd)) is not None:
            held[0].before_change("allocate", held[2])
            return  # the reserve would be eight megabytes of nothing a broker
        self.real["posix_fallocate"](fd, start, size)

    def fsync(self, fd: int) -> None:
        if (held := self._open.get(fd)) is not None:
            held[0].before_change("sync", held[2])
            held[0].synced(held[1])
            return
        self.real["fsync"](fd)

    # Names -----------------------------------------------------------------------------------------------------------

    def rename(self, path: Any, to: Any, **more: Any) -> None:
        found = self._disk_of(path)
        if found is not None:
            found[0].before_change("rename", found[1])
        self.real["replace"](path, to, **more)
        if found is not None:
            found[0].renamed(found[1], os.fspath(to))

    def unlink(self, path: Any, **more: Any) -> None:
        self._remove("unlink", path, more)

    def rmdir(self, path: Any, **more: Any) -> None:
        self._remove("rmdir", path, more)

    def _remove(self, call: str, path: Any, more: Any) -> None:
        found = self._disk_of(path)
        if found is not None and os.path.lexists(path):
            found[0].before_change(call, found[1])
        self.real[call](path, **more)
        if found is not None:
            found[0].removed(found[1])

    def mkdir(self, path: Any, mode: int = 0o777, **more: Any) -> None:
        found = self._disk_of(path)
        if found is not None:
            found[0].before_change("mkdir", found[1])
        self.real["mkdir"](path, mode, **more)
        if found is not None:
            found[0].made(found[1], Folder())

    def rmtree(self, path: Any, ignore_errors: bool = False) -> None:
        try:
            for entry in sorted(os.scandir(path), key=lambda each: each.name):
                if entry.is_dir():
                    self.rmtree(entry.path, ignore_errors)
                else:
                    Path(entry.path).unlink()
            Path(path).rmdir()
        except OSError:
            if not ignore_errors:
                raise

    # Python's own files ----------------------------------------------------------------------------------------------

    def io_open(self, path: Any, mode: str = "r", buffering: int = -1, *more: Any, **other: Any) -> Any:
        if _WRITES.isdisjoint(mode) or isinstance(path, int) or self._disk_of(path) is None:
            return self._io_open(path, mode, buffering, *more, **other)
        flags = os.O_CREAT | os.O_WRONLY | (os.O_TRUNC if "w" in mode else 0)
        raw = _RawFile(self.open(path, flags, 0o666))
        if "a" in mode:
            os.lseek(raw.fileno(), 0, os.SEEK_END)
        buffered = io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding="utf-8")


class _RawFile(io.RawIOBase):
    def __init__(self, fd: int) -> None:
        self._fd = fd

    def fileno(self) -> int:
        return self._fd

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return os.write(self._fd, data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self._fd)


_CALLS = {
    "open": Interposer.open,
    "close": Interposer.close,
    "write": Interposer.write,
    "pwrite": Interposer.pwrite,
    "pwritev": Interposer.pwritev,
    "ftruncate": Interposer.ftruncate,
    "truncate": Interposer.truncate,
    "posix_fallocate": Interposer.posix_fallocate,
    "fsync": Interposer.fsync,
    "fdatasync": Interposer.fsync,
    "rename": Interposer.rename,
    "replace": Interposer.rename,
    "unlink": Interposer.unlink,
    "rmdir": Interposer.rmdir,
    "mkdir": Interposer.mkdir,
}


@contextmanager
def interposed(disks: Iterable[Disk] = ()) -> Iterator[Interposer]:
    interposer = Interposer()
    for disk in disks:
        interposer.attach(disk)
    with ExitStack() as stack:
        for name, call in _CALLS.items():
            stack.enter_context(mock.patch.object(os, name, call.__get__(interposer)))
        for module in (io, builtins):
            stack.enter_context(mock.patch.object(module, "open", interposer.io_open))
        stack.enter_context(mock.patch.object(shutil, "rmtree", interposer.rmtree))
        stack.enter_context(mock.patch.object(flushing, "sync_data", interposer.fsync))
        stack.enter_context(mock.patch.object(log_folder, "ThreadPoolExecutor", InlineExecutor))
        yield interposer
