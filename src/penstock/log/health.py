"""Whether a log may be used: what stops it, for how long, and how it comes back."""

import errno
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from penstock.errors import KafkaStorageError
from penstock.log.notes import DAMAGE_NOTE

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

_log = structlog.get_logger(__name__)

DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)

PASSING: Final = (*DISK_FULL, errno.EMFILE, errno.ENFILE)
"""Without a descriptor nothing was begun: a file that could not be opened was neither written nor flushed."""

WANTS: Final = (*PASSING, errno.ENOMEM, errno.EACCES, errno.EPERM, errno.EROFS)
"""What an error at start says of the machine and of how it is set up, and not of a log."""

FREE_BYTES_MIN: Final = 64 << 20
"""Free space at which a log that was stopped by a full disk is tried again."""


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


class Health:
    """Moves the log's `trouble`, which every append and every slice looks at."""

    __slots__ = ("_log", "open_again")

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log
        self.open_again: Callable[[], PartitionLog] | None = None
        """Of a log that a start could not open for want of room, descriptors and the like: it is not damaged, and
        nothing here is of it but what the checkpoints say. Opens it, in a thread, or comes back as much in want."""

    @property
    def offline_reason(self) -> str | None:
        trouble = self._log.trouble
        return None if trouble is None else trouble.reason

    @property
    def is_readable(self) -> bool:
        """False of a damaged log, and of one that was deleted or set aside: another may have its folder's name then."""
        trouble = self._log.trouble
        return trouble is None or not trouble.stops_reads

    def ensure_readable(self) -> None:
        trouble = self._log.trouble
        if trouble is not None and trouble.stops_reads:
            raise trouble.refusal()

    def take_offline(self, reason: str, *, stops_reads: bool, may_pass: bool = False) -> KafkaStorageError:
        """Refuse appends from now on. The first trouble stays, unless a worse one follows."""
        log = self._log
        trouble = Trouble(f"{log.partition}: {reason}", stops_reads=stops_reads, may_pass=may_pass)
        if log.trouble is None or (stops_reads and not log.trouble.stops_reads) or log.trouble.may_pass:
            log.trouble = trouble
            _log.error("log offline", partition=str(log.partition), reason=reason, reads=not stops_reads)
            if stops_reads:
                self._remember_damage(reason)
        return log.trouble.refusal()

    def _remember_damage(self, reason: str) -> None:
        try:
            (self._log.folder / DAMAGE_NOTE).write_text(reason + "\n")
        except OSError as error:
            _log.error("damage not noted", partition=str(self._log.partition), reason=str(error))

    def fail(self, what: str, error: OSError) -> KafkaStorageError:
        """An operation on the disk failed."""
        return self.take_offline(
            f"{what}: {error.strerror or error}", stops_reads=False, may_pass=error.errno in PASSING
        )

    def leave_unread(self, error: OSError, open_again: "Callable[[], PartitionLog]") -> None:
        """Neither read nor written until it could be opened."""
        log = self._log
        reason = f"not opened yet, to be tried again: {error.strerror or error}"
        log.trouble = Trouble(f"{log.partition}: {reason}", stops_reads=True, may_pass=False)
        self.open_again = open_again
        _log.error("log not opened", partition=str(log.partition), reason=str(error))

    def try_again(self) -> bool:
        """Lift a trouble that may pass, if there is room on the disk again; the next append will tell."""
        log = self._log
        if log.trouble is None or not log.trouble.may_pass or not self.has_room():
            return False
        log.trouble = None
        _log.info("log back", partition=str(log.partition))
        return True

    def has_room(self) -> bool:
        try:
            room = os.statvfs(self._log.folder)
        except OSError:
            return True  # the next attempt will tell
        return room.f_bavail * room.f_frsize >= FREE_BYTES_MIN
