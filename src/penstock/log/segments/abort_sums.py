"""What the indexes of aborted transactions of a log should hold: Kafka's format has neither a count nor a checksum.

An index that lost whole entries, or is gone, looks like one that never had them. It would have read_committed consumers
shown records that were aborted, and compaction put those in the place of others. So their sizes and checksums are noted
in a file beside the segments, at the latest when a flush has the recovery point pass a closed segment; what is above it
is read again anyway.

A sum that does not hold costs no more than a look at the batches, from which the index is built again. So little
depends on when the file is written: after a cut, or a swap by compaction, a crash may leave it with an older sum. Of
the active segment it has one of some moment: what came later follows that.
"""

import threading
from typing import TYPE_CHECKING, Final

import structlog

from penstock.log.checkpoint_files import CheckpointUnreadable, read_rows, write_rows
from penstock.log.segments.transaction_index import EMPTY, Sum

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog
    from penstock.log.segments.segment import Segment

_log = structlog.get_logger(__name__)

FILE_NAME: Final = "penstock-aborted-transactions"


class AbortSums:
    __slots__ = ("_lock", "_log", "noted")

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log
        self._lock = threading.Lock()
        self.noted: dict[int, Sum] = {}
        """By base offset of the segment, as the file has it; replaced whole. Without a row nothing is known."""

    def load(self) -> None:
        try:
            rows = read_rows(self._path) or []
            self.noted = {int(base): (int(size), int(checksum)) for base, size, checksum in rows}
        except (CheckpointUnreadable, ValueError) as error:
            _log.warning("sums of aborted transactions unreadable", folder=str(self._log.folder), reason=str(error))

    def is_noted(self, segment: "Segment") -> bool:
        held = EMPTY if segment.transactions is None else segment.transactions.sum
        return self.noted.get(segment.base_offset, EMPTY) == held

    def write(self) -> None:
        """Note what is known by now, if it is anything new. Blocks; in a thread, or two."""
        with self._lock:
            held = [(segment.base_offset, segment.transactions) for segment in self._log.segments]
            sums = {base: index.sum for base, index in held if index is not None and index.sum != EMPTY}
            if sums != self.noted and self._log.health.is_readable:
                rows = [f"{base} {size} {checksum}" for base, (size, checksum) in sums.items()]
                write_rows(self._path, rows)
                self.noted = sums

    @property
    def _path(self) -> str:
        return str(self._log.folder / FILE_NAME)
