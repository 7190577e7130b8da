"""A range of a segment's file, lent to whoever sends it: the descriptor is pinned until `release`."""

import errno
import os
from typing import TYPE_CHECKING, Final

from penstock.log.file_pool import UNREADABLE, PooledFile
from penstock.log.segments.scan import READ_SIZE

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

PROBE_EVERY: Final = 64 << 10
"""One page in this many bytes is asked for: pages are read ahead and dropped in runs, so neighbours share a fate."""

PART_MAX: Final = 4 << 20
"""What is asked about, read and sent at once of a slice: where memory is short, the first pages of a larger one would
be gone again by the time that its last are there, over and over."""

_NOT_THERE = (errno.EAGAIN, *UNREADABLE)


class FileSlice:
    """Whole batches of one segment. `first_offset` is what was asked for; the first batch may begin before it."""

    __slots__ = ("fd", "file", "first_offset", "is_recent", "log", "position", "size")

    def __init__(
        self,
        file: PooledFile,
        position: int,
        size: int,
        *,
        first_offset: int,
        is_recent: bool,
        log: "PartitionLog | None" = None,
    ) -> None:
        """`log` is to hear of it if this cannot be sent."""
        self.fd = file.pin()
        self.file: PooledFile | None = file
        self.position = position
        self.size = size
        self.first_offset = first_offset
        self.is_recent = is_recent
        self.log = log

    def first(self, size: int) -> "FileSlice":
        """So many of its bytes, lent on their own; on the event loop."""
        assert self.file is not None
        return FileSlice(
            self.file, self.position, size, first_offset=self.first_offset, is_recent=self.is_recent, log=self.log
        )

    def release(self) -> None:
        """Let the descriptor go; on the event loop. Twice does no harm."""
        file, self.file = self.file, None
        if file is not None:
            file.unpin()

    @property
    def part_end(self) -> int:
        """Where the part ends that is to be sent next."""
        return self.position + min(self.size, PART_MAX)

    def is_hot(self) -> bool:
        """Whether sending the next part will not wait for the disk. What was appended lately is taken to be in memory,
        unasked.
        """
        if self.is_recent:
            return True
        end = self.part_end
        page = [bytearray(1)]
        try:
            for position in range(self.position, end, PROBE_EVERY):
                os.preadv(self.fd, page, position, os.RWF_NOWAIT)
            os.preadv(self.fd, page, end - 1, os.RWF_NOWAIT)
        except OSError as error:
            # A file system that cannot answer without waiting (tmpfs on older kernels) keeps its pages in memory.
            return error.errno not in _NOT_THERE
        return True

    def warm(self) -> None:
        """Bring the pages of the next part in; blocks, so in a thread."""
        buffer = memoryview(bytearray(min(self.size, READ_SIZE)))
        position, end = self.position, self.part_end
        while position < end:
            count = os.preadv(self.fd, [buffer[: end - position]], position)
            if not count:
                return
            position += count

    def read(self) -> bytes:
        """The bytes themselves, owned. OSError where they cannot be had, or the file is shorter than it should be."""
        parts = []
        position, end = self.position, self.position + self.size
        while position < end:
            part = os.pread(self.fd, end - position, position)
            if not part:
                raise self.ends_early()
            parts.append(part)
            position += len(part)
        return b"".join(parts)

    def ends_early(self) -> OSError:
        """What is wrong where nothing comes any more."""
        return OSError(errno.EIO, f"the file ends before {self.position + self.size}, where the slice does")
