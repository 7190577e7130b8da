"""The offset checkpoints of one data folder: what a restart will know of its logs.

A picture is taken on the loop, written in a thread, and reported back. Pictures are numbered: should a cut have to
write one at once while a thread is still busy with an older one, the older one must not land on top. That is what the
only lock of this package is for; it is held while a file is written, and contended only by a truncation.
"""

import threading
from collections.abc import Iterable
from pathlib import Path

import msgspec
import structlog

from penstock.errors import Fatal
from penstock.log.checkpoints import (
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    CheckpointUnreadable,
    read_offsets,
    write_offsets,
)
from penstock.log.partition_log import PartitionLog
from penstock.model import Offset, TopicPartition

Offsets = dict[TopicPartition, Offset]

_log = structlog.get_logger(__name__)


class Picture(msgspec.Struct, frozen=True, gc=False):
    number: int
    files: dict[str, Offsets]


class FolderCheckpoints:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken = 0
        self._written = 0
        self._lock = threading.Lock()
        try:
            self.on_disk: dict[str, Offsets] = {
                name: read_offsets(str(folder / name)) for name in (RECOVERY_POINTS, LOG_START_OFFSETS)
            }
        except CheckpointUnreadable as error:
            # Without recovery points damage would be taken for torn tails, and cut.
            raise Fatal(f"{error}: restore it, or remove it to have every log read from its start") from error
        try:
            self.on_disk[HIGH_WATERMARKS] = read_offsets(str(folder / HIGH_WATERMARKS))
        except CheckpointUnreadable as error:
            # Leaders find out how far their followers are, and followers are told: until then less is shown, no more.
            _log.warning("high watermarks unreadable, found out anew", reason=str(error))
            self.on_disk[HIGH_WATERMARKS] = {}

    def take(self, logs: Iterable[PartitionLog]) -> Picture:
        """On the loop. Zero is what a missing row means, so idle partitions need none."""
        recovery_points: Offsets = {}
        starts: Offsets = {}
        high_watermarks: Offsets = {}
        for log in logs:
            if log.recovery_point:
                recovery_points[log.partition] = Offset(log.recovery_point)
            if log.start_offset:
                starts[log.partition] = Offset(log.start_offset)
            if log.high_watermark:
                high_watermarks[log.partition] = Offset(log.high_watermark)
        self._taken += 1
        files = {RECOVERY_POINTS: recovery_points, LOG_START_OFFSETS: starts, HIGH_WATERMARKS: high_watermarks}
        return Picture(self._taken, files)

    def write(self, picture: Picture) -> None:
        """In a thread, or where it must happen now. Files that would not change are not written."""
        with self._lock:
            if picture.number < self._written:
                return
            for name, offsets in picture.files.items():
                if offsets != self.on_disk[name]:
                    write_offsets(str(self._folder / name), offsets)
                    self.on_disk[name] = offsets
            self._written = picture.number

    def knows(self, partition: TopicPartition) -> bool:
        """Whether the files have a row for a partition."""
        return any(partition in offsets for offsets in self.on_disk.values())
