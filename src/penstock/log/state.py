"""What a partition's log is made of, and whether it may be used: the ground for reading, cutting and flushing.

Who may touch what. A log belongs to the event loop: every attribute is read and written there, without locks. Threads
get an order that was fixed on the loop (a flush job, a tuple of segments) and report back to the loop, which alone
changes the log. `segments` is an immutable tuple, replaced whole: whoever holds one may go on reading it. Before a log
is handed out (`recovery.open_log`) it belongs to the thread that opens it.
"""

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from penstock.errors import KafkaStorageError
from penstock.log.damage.damage import Damage
from penstock.log.epochs import LeaderEpochs
from penstock.log.file_pool import FilePool
from penstock.log.producers.producers import ProducerStates
from penstock.log.segments.abort_sums import AbortSums
from penstock.log.segments.segment import Segment
from penstock.model import Clock, TopicId, TopicPartition

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog
    from penstock.settings.config import Config, TopicConfig

_log = structlog.get_logger(__name__)

DAMAGE_NOTE: Final = "penstock-damaged"
"""Lies in a partition's folder while it is known to be damaged. The next start reads the whole log, and removes the
note if it finds nothing wrong any more."""

GAPS_NOTE: Final = "penstock-offset-gaps"
"""Lies in a partition's folder once offsets may be missing in it. Everywhere else a gap is damage."""

FLUSHED_NOTE: Final = "penstock-flushed-before-counting"
"""Lies in a partition's folder while nothing there counts before it is on disk: losing the page cache is no loss."""

DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)

PASSING: Final = (*DISK_FULL, errno.EMFILE, errno.ENFILE)
"""Without a descriptor nothing was begun: a file that could not be opened was neither written nor flushed."""

WANTS: Final = (*PASSING, errno.ENOMEM, errno.EACCES, errno.EPERM, errno.EROFS)
"""What an error at start says of the machine and of how it is set up, and not of a log."""


def steady_ms(clock: Clock) -> int:
    """For what is due after a while, whatever becomes of the time of day."""
    return round(clock.monotonic() * 1000)


class Trouble(msgspec.Struct, frozen=True):
    """Why a log takes no appends.

    Disk full passes, and so does a want of descriptors: housekeeping looks for free space and lifts it, so that no
    restart is needed. Any other failed write or fsync stays until the broker is started again, when recovery reads what
    is really on disk; reads go on. Damage below the recovery point stops reads too: what is left is not all that was
    acknowledged (RULES 21). So does a log that could not be opened (`open_again`), of which nobody knows anything yet.
    """

    reason: str
    stops_reads: bool
    may_pass: bool
    is_unmade: bool = False
    """There is no log at all yet (`LogFolder.stand_in`): there is nothing to mend, or to be set aside."""

    def refusal(self) -> KafkaStorageError:
        return KafkaStorageError(self.reason)


class LogState:
    __slots__ = (
        "abort_sums",
        "being_indexed",
        "clean_upto",
        "clock",
        "config",
        "cuts",
        "damage",
        "end_offset",
        "epochs",
        "flushed_at",
        "folder",
        "high_watermark",
        "home",
        "is_being_copied",
        "is_flush_noted",
        "is_folder_synced",
        "may_have_gaps",
        "open_again",
        "partition",
        "pool",
        "producers",
        "recovery_point",
        "recovery_point_on_disk",
        "renaming",
        "segments",
        "size",
        "start_offset",
        "topic_id",
        "trouble",
    )

    def __init__(
        self,
        folder: Path,
        partition: TopicPartition,
        topic_id: TopicId,
        *,
        config: "Config | TopicConfig",
        pool: FilePool,
        clock: Clock,
    ) -> None:
        self.folder = folder
        self.partition = partition
        self.topic_id = topic_id
        self.config = config
        self.pool = pool
        self.clock = clock
        self.start_offset = 0
        self.end_offset = 0
        self.high_watermark = 0
        """Kept here for its checkpoint and as retention's limit; whoever leads or follows the partition moves it."""
        self.recovery_point = 0
        """Everything below it has been fdatasynced."""
        self.recovery_point_on_disk = 0
        """The one in the checkpoint file: what recovery will go by. Compaction stays below it."""
        self.segments: tuple[Segment, ...] = ()
        self.size = 0
        self.epochs = LeaderEpochs(str(folder), self)
        self.producers = ProducerStates(folder, config)
        self.damage = Damage(folder)
        """Single batches that a scrub found bad: the rest of the log is served on."""
        self.abort_sums = AbortSums(self)
        self.trouble: Trouble | None = None
        self.open_again: Callable[[], PartitionLog] | None = None
        """Of a log that a start could not open for want of room, descriptors and the like: it is not damaged, and
        nothing here is of it but what the checkpoints say. Opens it, in a thread, or comes back as much in want."""
        self.cuts = 0
        """How often bytes were taken off the end: a flush that began before a cut proves nothing after it."""
        self.is_folder_synced = True
        """False while files were made or renamed since the folder was last fsynced."""
        self.may_have_gaps = False
        """Offsets may be missing between batches, by compaction here or at the leader, and that is no damage."""
        self.is_flush_noted = False
        """The folder may say FLUSHED_NOTE: true from before it is written until it is surely gone. Read at start it
        tells of all processes so far."""
        self.clean_upto = 0
        """Compaction has been through everything below it: the cleaner's checkpoint."""
        self.renaming = threading.Lock()
        """Between threads that rename files and the loop, which may cut the log, begin it anew or delete it meanwhile:
        what has a file's name then is something else."""
        self.being_indexed: set[Segment] = set()
        """Closed segments whose indexes a flush is about to write, by name: their files are not exchanged meanwhile."""
        self.is_being_copied = False
        """On its way to another data folder: compaction waits, else the copy could keep what it takes out here."""
        self.flushed_at = steady_ms(clock)
        self.home: FolderPort | None = None

    @property
    def active(self) -> Segment:
        return self.segments[-1]

    @property
    def offline_reason(self) -> str | None:
        return None if self.trouble is None else self.trouble.reason

    def take_offline(self, reason: str, *, stops_reads: bool, may_pass: bool = False) -> KafkaStorageError:
        """Refuse appends from now on. The first trouble stays, unless a worse one follows."""
        trouble = Trouble(f"{self.partition}: {reason}", stops_reads=stops_reads, may_pass=may_pass)
        if self.trouble is None or (stops_reads and not self.trouble.stops_reads) or self.trouble.may_pass:
            self.trouble = trouble
            _log.error("log offline", partition=str(self.partition), reason=reason, reads=not stops_reads)
            if stops_reads:
                self._remember_damage(reason)
        return self.trouble.refusal()

    def leave_unread(self, error: OSError, open_again: "Callable[[], PartitionLog]") -> None:
        """Neither read nor written until it could be opened."""
        reason = f"not opened yet, to be tried again: {error.strerror or error}"
        self.trouble = Trouble(f"{self.partition}: {reason}", stops_reads=True, may_pass=False)
        self.open_again = open_again
        _log.error("log not opened", partition=str(self.partition), reason=str(error))

    def allow_gaps(self) -> None:
        """From now on a batch need not begin where the one before it ended."""
        if not self.may_have_gaps:
            (self.folder / GAPS_NOTE).touch()
            self.may_have_gaps = True
            self.is_folder_synced = False

    def _remember_damage(self, reason: str) -> None:
        try:
            (self.folder / DAMAGE_NOTE).write_text(reason + "\n")
        except OSError as error:
            _log.error("damage not noted", partition=str(self.partition), reason=str(error))

    def fail(self, what: str, error: OSError) -> KafkaStorageError:
        """An operation on the disk failed."""
        return self.take_offline(
            f"{what}: {error.strerror or error}", stops_reads=False, may_pass=error.errno in PASSING
        )

    def try_again(self) -> bool:
        """Lift a trouble that may pass, if there is room on the disk again; the next append will tell."""
        if self.trouble is None or not self.trouble.may_pass:
            return False
        if not self.has_room():
            return False
        self.trouble = None
        _log.info("log back", partition=str(self.partition))
        return True

    def has_room(self) -> bool:
        try:
            room = os.statvfs(self.folder)
        except OSError:
            return True  # the next attempt will tell
        return room.f_bavail * room.f_frsize >= FREE_BYTES_MIN

    @property
    def is_readable(self) -> bool:
        """False of a damaged log, and of one that was deleted or set aside: another may have its folder's name then."""
        return self.trouble is None or not self.trouble.stops_reads

    def ensure_readable(self) -> None:
        if self.trouble is not None and self.trouble.stops_reads:
            raise self.trouble.refusal()

    def __repr__(self) -> str:
        return f"<log {self.partition} [{self.start_offset}, {self.end_offset})>"


FREE_BYTES_MIN: Final = 64 << 20
"""Free space at which a log that was stopped by a full disk is tried again."""


class FolderPort:
    """What a log tells its data folder; a log without one (a test's) tells nobody."""

    def rolled(self, log: LogState) -> None:
        """A segment was closed: it should be flushed soon."""

    def start_rises(self, log: LogState) -> None:
        """The oldest segments are about to be removed, or all are and the log begins elsewhere: that must be on disk
        first, or the next start would take them for lost."""

    def recovery_point_falls(self, log: LogState) -> None:
        """The log is about to be cut below its recovery point: that must be on disk first, or the next start
        would take the missing records for damage, and what takes their place for clean."""

    def cut_ahead(self, log: LogState, *, to: int) -> Callable[[], None] | None:
        """The log may soon be cut to `to` or above: what is returned says so of the checkpoint already, in a thread,
        so that `recovery_point_falls` finds it said. OSError: that will have to try itself."""
        return None

    def start_ahead(self, log: LogState, offset: int) -> Callable[[], None] | None:
        """As `cut_ahead`, of an empty log that may soon begin anew at an offset, for `start_rises`."""
        return None

    def let_go(self, log: LogState) -> None:
        """The log was deleted, or moved away, with all that is in its folder."""

    def doomed(self, log: LogState, paths: list[str]) -> None:
        """Files to be removed after file.delete.delay.ms; they have been renamed already."""
