"""The offset checkpoints of one data folder: what a restart will know of its logs.

A picture is taken on the loop, written in a thread, and reported back. Pictures are numbered: where two threads are at
it the older one must not land on top. That is what the lock is for; it is held while files are written.

What a cut has to say at once it says beside its log (cut_notes.py): nothing that grows with the logs of a folder is
written on the loop. Checkpoints that say it too take these notes away.

Rows go by a topic's name, and another topic may come to it: whose they are is written down before them, and stays so
until they are gone.

The cleaner's offsets are written before the recovery points: so none is ever above its log's, and whoever cuts a log
below the one has lowered the other. So are the starts: a log that begins anew, and is empty, misses nothing.
"""

import threading
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import structlog

from penstock.errors import Fatal
from penstock.log.checkpoint_files import (
    CLEANER_OFFSETS,
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    TOPIC_IDS,
    CheckpointUnreadable,
    read_offsets,
    read_topic_ids,
    write_offsets,
    write_topic_ids,
)
from penstock.log.cut_notes import CutNotes, HeldNote
from penstock.log.partition_log import PartitionLog
from penstock.model import TopicId, TopicPartition

Offsets = dict[TopicPartition, int]

_log = structlog.get_logger(__name__)


Taken = tuple[PartitionLog, int, int, int, int, int]
"""A log, and as they were: how far it was cleaned, recovery point, start, high watermark, how often it had been cut. By
the time that these are on disk others may have the log's name, or it may be shorter."""


class CheckpointSnapshot:
    """What is to be written. There may be thousands of logs, so the loop only notes their numbers. Rows are made of
    them by whoever asks first: nearly always the thread that writes them.
    """

    def __init__(
        self, number: int, logs: list[Taken], notes: dict[PartitionLog, HeldNote], *, lost: Offsets, shortened: Offsets
    ) -> None:
        self.number = number
        self.logs = logs
        self.notes = notes
        """What the logs' own folders say, and these say too."""
        self._lost = lost
        self._shortened = shortened

    @cached_property
    def files(self) -> dict[str, Offsets]:
        """Zero is what a missing row means, so idle partitions need none."""
        recovery_points: Offsets = dict(self._lost)
        cleaned: Offsets = {}
        starts: Offsets = {}
        high_watermarks: Offsets = {}
        for log, clean_upto, recovery_point, start_offset, high_watermark, _ in self.logs:
            if clean_upto:
                cleaned[log.partition] = clean_upto
            if recovery_point:
                recovery_points[log.partition] = recovery_point
            if start_offset:
                starts[log.partition] = start_offset
            if high_watermark:
                high_watermarks[log.partition] = high_watermark
        high_watermarks.update(self._shortened)
        return {
            CLEANER_OFFSETS: cleaned,
            LOG_START_OFFSETS: starts,
            RECOVERY_POINTS: recovery_points,
            HIGH_WATERMARKS: high_watermarks,
        }

    @cached_property
    def topic_ids(self) -> dict[TopicPartition, TopicId]:
        return {log.partition: log.topic_id for log, _, point, _, mark, _ in self.logs if point or mark}

    def has(self, partition: TopicPartition) -> bool:
        return any(partition in offsets for offsets in self.files.values())


class FolderCheckpoints:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken = 0
        self._written = 0
        self._on_their_way: dict[int, CheckpointSnapshot] = {}
        self._lock = threading.Lock()
        self.notes = CutNotes()
        self._unreadable: set[str] = set()
        self.on_disk: dict[str, Offsets] = {
            name: self._read(name) for name in (CLEANER_OFFSETS, RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS)
        }
        self.topic_ids = self._read_topic_ids()
        """Of those that have rows; one that is not here may be anybody's."""
        if not self.knows_flushed and not self.on_disk[HIGH_WATERMARKS]:
            raise Fatal(
                f"{folder / RECOVERY_POINTS} cannot be read, nor does {HIGH_WATERMARKS} say how far logs should reach: "
                "restore one of them; without both, damage would be taken for torn tails, and cut"
            )

    def _read(self, name: str) -> Offsets:
        """Only damage leaves one unreadable, as files are replaced whole. Of high watermarks leaders find out how far
        their followers are, and followers are told: until then less is shown, no more. Without the cleaner's a log is
        compacted from its beginning. For the others see `knows_...`.
        """
        try:
            return read_offsets(str(self._folder / name))
        except CheckpointUnreadable as error:
            _log.warning("checkpoint unreadable, found out anew", reason=str(error))
            self._unreadable.add(name)
            return {}

    def _read_topic_ids(self) -> dict[TopicPartition, TopicId]:
        try:
            return read_topic_ids(str(self._folder / TOPIC_IDS))
        except CheckpointUnreadable as error:
            _log.warning("checkpoint unreadable, found out anew", reason=str(error))
            self._unreadable.add(TOPIC_IDS)
            return {}

    def forget_topic_ids(self) -> None:
        """Somebody else wrote the rows since."""
        self.topic_ids = {}
        self._unreadable.add(TOPIC_IDS)

    @property
    def knows_flushed(self) -> bool:
        """Whether it is known what was flushed. If not, all of a log is read, and what is missing below its high
        watermark or wrong there is damage: no less than recovery points would say, as it was acknowledged.
        """
        return RECOVERY_POINTS not in self._unreadable

    @property
    def knows_starts(self) -> bool:
        """Whether it is known where logs begin. If not, they begin with their first segments, as in Kafka: records that
        were deleted one by one, DeleteRecords, are there again as far as those hold them.
        """
        return LOG_START_OFFSETS not in self._unreadable

    @property
    def knows_committed(self) -> bool:
        """Whether a log that has no row had nothing that was committed."""
        return HIGH_WATERMARKS not in self._unreadable

    def least_ends(self) -> Offsets:
        """How far logs reach at least."""
        return self.on_disk[RECOVERY_POINTS if self.knows_flushed else HIGH_WATERMARKS]

    def take(
        self,
        logs: Iterable[PartitionLog],
        *,
        lost: Mapping[TopicPartition, int],
        shortened: Mapping[TopicPartition, int],
    ) -> CheckpointSnapshot:
        """On the loop. `lost`: how far logs should reach that are not there. `shortened`: high watermarks that logs had
        which end below them.
        """
        taken = [
            (log, log.clean_upto, log.recovery_point, log.start_offset, log.high_watermark, log.cuts) for log in logs
        ]
        self._taken += 1
        picture = CheckpointSnapshot(self._taken, taken, self.notes.taken(), lost=dict(lost), shortened=dict(shortened))
        self._on_their_way[self._taken] = picture
        return picture

    def write(self, picture: CheckpointSnapshot) -> None:
        """In a thread, or at start and end. Files that would not change are not written."""
        try:
            with self._lock:
                if picture.number >= self._written:
                    self._write(picture)
        finally:
            self._on_their_way.pop(picture.number, None)

    def _write(self, picture: CheckpointSnapshot) -> None:
        self.notes.make_starts_last(picture.notes)
        self._write_topic_ids(picture.topic_ids)
        for name, offsets in picture.files.items():
            if offsets != self.on_disk[name] or name in self._unreadable:
                write_offsets(str(self._folder / name), offsets)
                self._unreadable.discard(name)
                self.on_disk[name] = offsets
        self._written = picture.number
        self.notes.drop(picture.notes)

    def is_latest(self, picture: CheckpointSnapshot) -> bool:
        """Whether it is what the files say; one that came later may have been written before it, or after."""
        return picture.number == self._written

    def _write_topic_ids(self, topic_ids: dict[TopicPartition, TopicId]) -> None:
        """Those of rows that are still on disk stay: their logs are lost, or deleted, and a crash may come first. Most
        have none of that, and thousands of logs may each want this written in turn: so only the others are looked at.
        """
        left = self.topic_ids.keys() - topic_ids.keys()
        wanted = topic_ids | {partition: self.topic_ids[partition] for partition in left if self.knows(partition)}
        if wanted != self.topic_ids or TOPIC_IDS in self._unreadable:
            write_topic_ids(str(self._folder / TOPIC_IDS), wanted)
            self._unreadable.discard(TOPIC_IDS)
            self.topic_ids = wanted

    def knows(self, partition: TopicPartition) -> bool:
        """Whether the files have a row for a partition."""
        return any(partition in offsets for offsets in self.on_disk.values())

    def may_know(self, partition: TopicPartition) -> bool:
        """Whether they have, or may get one from a picture that a thread is about to write."""
        return self.knows(partition) or any(picture.has(partition) for picture in tuple(self._on_their_way.values()))
