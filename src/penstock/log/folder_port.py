"""What a log tells the data folder that it lies in."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock.model import Clock

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog


def steady_ms(clock: Clock) -> int:
    """For what is due after a while, whatever becomes of the time of day."""
    return round(clock.monotonic() * 1000)


class FolderPort:
    """A log without one (a test's) tells nobody."""

    def rolled(self, log: "PartitionLog") -> None:
        """A segment was closed: it should be flushed soon."""

    def start_rises(self, log: "PartitionLog") -> None:
        """The oldest segments are about to be removed, or all are and the log begins elsewhere: that must be on disk
        first, or the next start would take them for lost."""

    def recovery_point_falls(self, log: "PartitionLog") -> None:
        """The log is about to be cut below its recovery point: that must be on disk first, or the next start
        would take the missing records for damage, and what takes their place for clean."""

    def cut_ahead(self, log: "PartitionLog", *, to: int) -> Callable[[], None] | None:
        """The log may soon be cut to `to` or above: what is returned says so of the checkpoint already, in a thread,
        so that `recovery_point_falls` finds it said. OSError: that will have to try itself."""
        return None

    def start_ahead(self, log: "PartitionLog", offset: int, *, recovery_point: int) -> Callable[[], None] | None:
        """As `cut_ahead`, of a log that may soon begin anew at an offset, for `start_rises` too. It is empty, or has a
        segment below that offset, which tells for as long as it is there that the log has not begun anew."""
        return None

    def says_start(self, log: "PartitionLog", offset: int) -> bool:
        """Whether the disk says so already (`start_ahead`). From here on that stays until checkpoints say it."""
        return False

    def let_go(self, log: "PartitionLog") -> None:
        """The log was deleted, or moved away, with all that is in its folder."""

    def doomed(self, log: "PartitionLog", paths: list[str]) -> None:
        """Files to be removed after file.delete.delay.ms; they have been renamed already."""
