"""The closed segments of a replica's log, for whoever knows which of their records are finished and takes those out.

Offsets stay, and the log's start. Leaders and followers do it alike, each for its own log.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

from penstock.log import FileSlice, Keeping, KeptRecords, Pace, PartitionLog, cleanable_to
from penstock.replication.partition import Partition


class ClosedSegments:
    """Of the log that the partition has now."""

    def __init__(self, partition: Partition, log: PartitionLog) -> None:
        self._partition = partition
        self._log = log

    @classmethod
    def of(cls, partition: Partition) -> "ClosedSegments | None":
        """None where the log is no files."""
        log = partition.log
        return cls(partition, log) if isinstance(log, PartitionLog) else None

    @property
    def folder(self) -> Path:
        return self._log.folder

    @property
    def is_gone(self) -> bool:
        """The partition has another log by now, or none that can be read."""
        return self._log is not self._partition.log or not self._log.health.is_readable

    @property
    def upto(self) -> int:
        """Where the active segment begins."""
        return self._log.segments[-1].base_offset

    @property
    def is_sound(self) -> bool:
        return self._log.trouble is None and len(self._log.segments) > 1

    def slice(self, offset: int, *, bytes_max: int) -> FileSlice | None:
        """What is replicated."""
        return self._log.slice(offset, at_most=bytes_max, before=self._partition.high_watermark)

    def cleanable_to(self, offset: int) -> int:
        """The end of the last segment that may be rewritten and ends there or before; -1 where none does."""
        return cleanable_to(self._log, offset)

    async def keep(self, offsets: Sequence[int], upto: int, *, now: int, pace: Pace, executor: Executor) -> KeptRecords:
        """Of the records below `upto` only these, which rise; no notes. Stopped where the log was changed meanwhile."""
        return await Keeping(self._log, offsets, upto, now=now, pace=pace).run(executor)
