"""One replica's move to another data folder: copy the log while it is in use, then go on with the copy.

The copy may lag behind for hours. When what is left can be copied at once, logs are exchanged between two turns of the
loop, so that nobody sees a moment without one. What the exchange leaves on disk at each step is told in
log/future_logs.py.

What holds at the exchange: the copy has every batch of the log, at its offset; what of the log was on disk is on disk
in the copy; no flush of either is under way.
"""

import os
from typing import Final

import structlog

from penstock.errors import KafkaStorageError
from penstock.log import FREE_BYTES_MIN, CannotCopy, Flusher, LogCopy, LogFolder
from penstock.replication.log_port import on_disk
from penstock.replication.move_pace import MovePace
from penstock.replication.partition import Partition

PIECES_AT_ONCE: Final = 4
"""As many as the last step may copy while everybody waits."""
TRIES: Final = 20
"""While flushes are held; then they go on, and the copy tries again."""
UNFLUSHED_BYTES_MAX: Final = 64 << 20
"""Copied before it is flushed, so that the last flush is short."""

_log = structlog.get_logger(__name__)


class Move:
    def __init__(
        self, partition: Partition, *, origin: LogFolder, target: LogFolder, flusher: Flusher, pace: MovePace
    ) -> None:
        self.partition = partition
        self.origin = origin
        self.target = target
        self.log = on_disk(partition.log)
        self.copy = target.futures.logs[partition.topic_partition]
        self.is_done = False
        self._copying = LogCopy(self.log, self.copy)
        self._flusher = flusher
        self._pace = pace
        self._unflushed_bytes = 0

    async def run(self) -> None:
        """Until the replica is in its new folder. CannotCopy, KafkaStorageError or OSError: it stays in the old one."""
        self.log.is_being_copied = True
        try:
            await self._copy_all()
            while not await self._finish():
                await self._copy_all()
        finally:
            # Whoever still cleans the old log after the exchange must not touch it either.
            self.log.is_being_copied = self.is_done
        await self.target.futures.settle(self.log, self.origin)

    async def _copy_all(self, *, paced: bool = True) -> None:
        """To the log's end, as it is then."""
        while not self._copying.has_all():
            self._check_room()
            size = await self._copying.copy_piece()
            self._unflushed_bytes += size
            if self._unflushed_bytes >= UNFLUSHED_BYTES_MAX:
                await self._flush()
            if paced:
                await self._pace.spend(size)

    def _check_room(self) -> None:
        """Given up before the disk is full: that would stop the logs that are there already."""
        room = os.statvfs(self.target.path)
        if room.f_bavail * room.f_frsize < FREE_BYTES_MIN:
            raise CannotCopy(f"{self.target.path} has less than {FREE_BYTES_MIN >> 20} MiB left")

    async def _flush(self) -> None:
        self._unflushed_bytes = 0
        try:
            await self._flusher.durable(self.copy, self.copy.end_offset)
        except KafkaStorageError:
            if self.copy.trouble is not None:
                raise  # else it was cut: what is left will be flushed

    async def _finish(self) -> bool:
        """Go on with the copy, if it has everything; False where that was not to be had at once."""
        await self._flush()
        self._copying.level_marks(self.partition.high_watermark)
        await self.target.futures.prepare(self.log, self.origin)
        release = self.partition.durability.hold()
        try:
            for _ in range(TRIES):  # the flush that was under way lands, no other begins: the copy can draw level
                await self._copy_all(paced=False)
                if not self.partition.durability.is_as_durable(self.copy):
                    await self._flush()
                if self._may_exchange():
                    self._exchange()
                    return True
                await self._flusher.landed(self.log)
        finally:
            release()
        return False

    def _may_exchange(self) -> bool:
        """Whether the copy has all of the log, to the last batch, and is as safe; copies the very last itself."""
        if self.partition.log is not self.log:
            raise CannotCopy("the replica has another log now")
        return (
            self.partition.durability.is_as_durable(self.copy)
            and not self._flusher.is_busy(self.log)
            and not self._flusher.is_busy(self.copy)
            and self._copying.copy_rest(pieces_max=PIECES_AT_ONCE)
        )

    def _exchange(self) -> None:
        # Whatever can fail comes first: until the rename, which `promote` begins with, nothing has happened.
        self._copying.level_marks(self.partition.high_watermark)
        self._copying.take_over()
        self.target.futures.promote(self.partition.topic_partition, self.origin)
        self.is_done = True
        self.partition.exchange_log(self.copy)
        _log.info("replica moved", partition=str(self.log.partition), folder=str(self.target.path))
