"""Which leader epoch wrote which offsets: the leader-epoch cache of a log and its checkpoint file.

Held as two rising lists (epoch, first offset of that epoch). What followers and clients ask is where an epoch ended:
there they find the point to which their own log agrees with the leader's (KIP-101, KIP-320).

The file is written by a flush, before the recovery point moves, never by an append: every epoch that began below
the recovery point is in the file, and recovery reads the later ones off the batches that it scans.
"""

import os
import threading
from bisect import bisect_left, bisect_right
from typing import Protocol

from penstock.log.checkpoint_files import CheckpointUnreadable, read_rows, write_rows
from penstock.log.file_pool import remove_files

FILE_NAME = "leader-epoch-checkpoint"
NO_EPOCH = -1
LEADER_EPOCH_MAX = 1 << 30
"""Later ones are damage that no checksum covers: nobody can have come to them."""


class HasEnd(Protocol):
    @property
    def end_offset(self) -> int: ...


class LeaderEpochs:
    __slots__ = ("_lock", "epochs", "folder", "is_dirty", "latest", "log", "on_disk", "removals", "starts")

    def __init__(self, folder: str, log: HasEnd) -> None:
        self.folder = folder
        self.log = log
        self.epochs: list[int] = []
        self.starts: list[int] = []
        self.latest = NO_EPOCH
        self.is_dirty = False
        self.on_disk: list[tuple[int, int]] = []
        self.removals = 0
        """How often the file was removed: a flush that began before does not bring it back."""
        self._lock = threading.Lock()

    @property
    def is_unwritten(self) -> bool:
        """Whether the file lacks an epoch that has a record. One that has none yet, such as every log gets when its
        broker starts, is not worth a write: the next start would drop it.
        """
        if not self.is_dirty:
            return False
        end_offset = self.log.end_offset
        held, on_disk = ([pair for pair in pairs if pair[1] < end_offset] for pairs in (self.snapshot(), self.on_disk))
        return held != on_disk

    def assign(self, epoch: int, start_offset: int) -> None:
        """An epoch begins at an offset. Entries that contradict it (they can only be leftovers) give way."""
        if epoch < 0 or (epoch == self.latest and self.starts[-1] <= start_offset):
            return
        keep = min(bisect_left(self.epochs, epoch), bisect_left(self.starts, start_offset))
        self.epochs[keep:], self.starts[keep:] = [epoch], [start_offset]
        self._changed()

    def end_offset_for(self, epoch: int) -> tuple[int, int]:
        """The largest epoch we know that is not later than `epoch`, and the offset after its last record.

        (-1, -1) where we know none: the asker is told that nothing here is comparable.
        """
        if epoch == NO_EPOCH or not self.epochs:
            return NO_EPOCH, -1
        if epoch == self.latest:
            return epoch, self.log.end_offset
        if epoch > self.latest:
            return NO_EPOCH, -1
        at = bisect_right(self.epochs, epoch)
        if at == 0:
            # Older than all we have: it ended, at the latest, where our first one begins.
            return epoch, self.starts[0]
        return self.epochs[at - 1], self.starts[at]

    def epoch_at(self, offset: int) -> int:
        """The epoch that wrote an offset; -1 where unknown."""
        at = bisect_right(self.starts, offset)
        return self.epochs[at - 1] if at else NO_EPOCH

    def cut_end(self, end_offset: int) -> None:
        """The log was cut: epochs that began at or after its end are gone."""
        keep = bisect_left(self.starts, end_offset)
        if keep < len(self.starts):
            del self.epochs[keep:], self.starts[keep:]
            self._changed()

    def cut_start(self, start_offset: int) -> None:
        """The log's head was deleted: the epoch that covers its new start now begins there."""
        drop = bisect_right(self.starts, start_offset) - 1
        if drop < 0 or (drop == 0 and self.starts[0] == start_offset):
            return
        del self.epochs[:drop], self.starts[:drop]
        self.starts[0] = start_offset
        self._changed()

    def clear(self) -> None:
        if self.epochs:
            self.epochs, self.starts = [], []
            self._changed()

    def remove_file(self) -> bool:
        """Before the log begins anew elsewhere: what it said would be believed of what comes to lie there. True where
        there was one: then the folder is to be fsynced.

        Should it not begin anew after all, the next flush writes it again, and a start reads it off the batches.
        """
        self.on_disk, self.is_dirty = [], bool(self.epochs)
        path = os.path.join(self.folder, FILE_NAME)
        with self._lock:
            self.removals += 1
            was_there = os.path.exists(path)
            remove_files([path])
        return was_there

    def take_over(self, other: "LeaderEpochs") -> None:
        """Know what the epochs of a log with the same records know."""
        self.epochs, self.starts = list(other.epochs), list(other.starts)
        self._changed()

    def _changed(self) -> None:
        self.latest = self.epochs[-1] if self.epochs else NO_EPOCH
        self.is_dirty = True

    def snapshot(self) -> list[tuple[int, int]]:
        """What a thread may write while appends go on."""
        return list(zip(self.epochs, self.starts, strict=True))

    def write(self, pairs: list[tuple[int, int]], *, removals: int) -> None:
        """In a thread. Not where the file was removed since the pairs were taken: their records are gone."""
        with self._lock:
            if removals == self.removals:
                write_epochs(self.folder, pairs)

    def load(self) -> None:
        rows = read_rows(os.path.join(self.folder, FILE_NAME)) or []
        try:
            pairs = [(int(epoch), int(start)) for epoch, start in rows]
        except ValueError as error:
            raise CheckpointUnreadable(f"{self.folder}: {FILE_NAME}: {error}") from error
        for epoch, start in pairs:
            self.assign(epoch, start)
        self.on_disk = self.snapshot()
        self.is_dirty = False


def write_epochs(folder: str, pairs: list[tuple[int, int]]) -> None:
    write_rows(os.path.join(folder, FILE_NAME), [f"{epoch} {start}" for epoch, start in pairs])
