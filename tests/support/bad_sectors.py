"""Sectors that a disk does not give back: EIO below the log's file layer, for this process or for a broker program.

    with BadSectors(tmp_path / "bad") as bad:                 # in this process
        bad.add(segment, 4096)

    bad = BadSectors(tmp_path / "bad")                        # in a broker, also while it runs
    ClusterOfPrograms(..., under=lambda broker_id: bad.under if broker_id == 1 else ())
    bad.add(segment, 4096)
    bad.clear()

As with a real disk, a read gets what lies before the sector and the next one fails, a read that may not wait says that
it would have to, and a write over the whole sector makes it good: the disk takes a spare one. A file keeps its bad
sectors when it is renamed, and another file of that name has none.

The broker's program is run by this file, which exchanges `os.pread` and its like first (`python bad_sectors.py CONTROL
python -m penstock.cli up ...`). What is bad stands in the control file, a line a sector: its file's device and inode,
and its first byte.
"""

from __future__ import annotations

import errno
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECTOR = 4096

Sector = tuple[int, int, int]
"""Device and inode of a file, and the sector's first byte."""


class BadSectors:
    def __init__(self, control: Path) -> None:
        self._control = control
        self._seen = 0
        self._bad: dict[tuple[int, int], set[int]] = {}
        self._real: dict[str, Any] = {}
        self._mended: set[Sector] = set()

    @property
    def under(self) -> tuple[str, ...]:
        """What to run a broker under."""
        return (sys.executable, __file__, str(self._control))

    def add(self, path: Path, *positions: int) -> None:
        """The sectors that hold these bytes of a file."""
        facts = path.stat()
        rows = [f"{facts.st_dev} {facts.st_ino} {position // SECTOR * SECTOR}\n" for position in positions]
        with self._control.open("a") as control:
            control.write("".join(rows))

    def clear(self) -> None:
        """The disk is whole again."""
        self._control.write_text("\n")

    # In the process that reads ----------------------------------------------------------------------------------

    def __enter__(self) -> BadSectors:
        for name in ("pread", "preadv", "read", "sendfile", "pwrite", "pwritev"):
            self._real[name] = getattr(os, name)
            setattr(os, name, getattr(self, f"_{name}"))
        return self

    def __exit__(self, *_: object) -> None:
        for name, function in self._real.items():
            setattr(os, name, function)

    def _bad_of(self, fd: int) -> set[int] | None:
        try:
            written_at = self._control.stat().st_mtime_ns
        except FileNotFoundError:
            return None
        if written_at != self._seen:
            self._seen = written_at
            self._bad = {}
            rows = [line.split() for line in self._control.read_text().splitlines() if line.strip()]
            for device, inode, position in (map(int, row) for row in rows):
                if (device, inode, position) not in self._mended:
                    self._bad.setdefault((device, inode), set()).add(position)
            if not rows:
                self._mended.clear()
        if not self._bad:
            return None
        facts = os.fstat(fd)
        return self._bad.get((facts.st_dev, facts.st_ino))

    def _readable(self, fd: int, size: int, position: int, *, may_wait: bool = True) -> int:
        """How many bytes can be read from there at once; OSError where not one."""
        bad = self._bad_of(fd)
        ahead = [each for each in bad or () if each + SECTOR > position and each < position + size]
        if not ahead or position >= os.fstat(fd).st_size:
            return size
        if min(ahead) > position:
            return min(ahead) - position
        if not may_wait:
            raise BlockingIOError(errno.EAGAIN, "it would have to wait")
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def _pread(self, fd: int, size: int, position: int) -> bytes:
        return bytes(self._real["pread"](fd, self._readable(fd, size, position), position))

    def _preadv(self, fd: int, buffers: list[Any], position: int, flags: int = 0) -> int:
        views = [memoryview(each).cast("B") for each in buffers]
        wanted = sum(map(len, views))
        left = self._readable(fd, wanted, position, may_wait=not flags & os.RWF_NOWAIT)
        fitting = []
        for view in views:
            if left:
                fitting.append(view[:left])
                left -= len(fitting[-1])
        return int(self._real["preadv"](fd, fitting, position, flags))

    def _read(self, fd: int, size: int) -> bytes:
        if self._bad_of(fd):
            size = self._readable(fd, size, os.lseek(fd, 0, os.SEEK_CUR))
        return bytes(self._real["read"](fd, size))

    def _sendfile(self, out: int, fd: int, position: int, size: int) -> int:
        return int(self._real["sendfile"](out, fd, position, self._readable(fd, size, position)))

    def _pwrite(self, fd: int, data: Any, position: int) -> int:
        return self._written(fd, position, int(self._real["pwrite"](fd, data, position)))

    def _pwritev(self, fd: int, buffers: list[Any], position: int, *more: int) -> int:
        return self._written(fd, position, int(self._real["pwritev"](fd, buffers, position, *more)))

    def _written(self, fd: int, position: int, size: int) -> int:
        bad = self._bad_of(fd)
        if bad:
            facts = os.fstat(fd)
            for each in [each for each in bad if position <= each and each + SECTOR <= position + size]:
                bad.remove(each)
                self._mended.add((facts.st_dev, facts.st_ino, each))
        return size


def main(control: str, *command: str) -> None:
    del sys.path[0]  # this folder: what lies here is no part of what is run
    module, *arguments = command[command.index("-m") + 1 :]
    sys.argv = [module, *arguments]
    run: Callable[..., Any] = runpy.run_module
    with BadSectors(Path(control)):
        run(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
