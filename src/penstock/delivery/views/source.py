"""In front of a partition's log, for readers of a view: each read is a scan, in a thread, within bounds.

The range to be scanned is chosen on the loop, and its file pinned there. The thread reads, decides and rebuilds; it
touches neither the log nor anything else that the loop owns.
"""

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import structlog

from penstock.delivery.views.filter import Filter
from penstock.delivery.views.metrics import ViewMetrics
from penstock.delivery.views.scan import SLICE_MIN, DamagedBatch, Range, Scanned, scan
from penstock.errors import CorruptMessage, KafkaStorageError, PolicyViolation, Refusal
from penstock.log import BadBatch, FileSlice, Suspect, examine, not_sent, suspect_slice
from penstock.replication import LaterRecords, NoMatch, Promise, RecordBytes, Records
from penstock.replication.log_port import LogPort
from penstock.settings import Config
from penstock.settings.broker import PENSTOCK_VIEW_SCAN_BYTES_MAX

THREADS: Final = 2
SCAN_SECONDS_MAX: Final = 0.25
"""A scan ends with the batch in which this is over, whatever its filter costs."""
SHARE: Final = 2
"""One partition's scan takes up to half of what a fetch may look through: so the last one that it begins fits too."""

_log = structlog.get_logger(__name__)


class Scans:
    """The threads that all views share."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="view-scan")

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    @property
    def bytes_max(self) -> int:
        return self._config[PENSTOCK_VIEW_SCAN_BYTES_MAX] // SHARE

    def begin(self, source: FileSlice, where: Range, wanted: Filter) -> asyncio.Future[Scanned]:
        return asyncio.get_running_loop().run_in_executor(self._executor, partial(_scan, source.fd, where, wanted))


class ViewSource:
    """The records of one view. `wanted` is exchanged when its filter is altered: the next scan goes by the new one."""

    def __init__(self, scans: Scans, wanted: Filter | None, metrics: ViewMetrics) -> None:
        self.wanted = wanted
        self._scans = scans
        self._metrics = metrics

    def slice(
        self, log: LogPort, start: int, *, at_most: int, before: int, at_least_one: bool
    ) -> Records | LaterRecords | None:
        wanted = self.wanted
        if at_most <= 0 and not at_least_one:
            return None
        if wanted is None:
            raise PolicyViolation("this version cannot read the view's filter")
        bytes_max = self._scans.bytes_max
        found = log.slice(start, at_most=bytes_max, before=before)
        if found is None or (wanted.is_everything and found.size <= at_most):
            return found
        where = Range(
            found.position,
            found.position + found.size,
            start,
            answer_max=max(at_most, 0),
            at_least_one=at_least_one,
            unpacked_max=bytes_max,
        )
        later = LaterRecords(min(max(at_most, 1), found.size), covers=found)
        work = self._scans.begin(found, where, wanted)
        work.add_done_callback(partial(self._scanned, later, found, before))
        later.add_done_callback(partial(_cancel, work))
        return later

    def _scanned(self, later: LaterRecords, found: FileSlice, before: int, work: "asyncio.Future[Scanned]") -> None:
        try:
            if later.done():
                return  # nobody waits any more
            try:
                later.set_result(self._records(work.result(), found, before))
            except (asyncio.CancelledError, Exception) as error:
                later.set_exception(self._refusal(error, found))
        finally:
            found.release()

    def _records(self, scanned: Scanned, found: FileSlice, before: int) -> Records:
        metrics = self._metrics
        metrics.scanned_bytes += scanned.scanned_bytes
        metrics.scanned_records += scanned.scanned_records
        metrics.matched += scanned.matched_records
        metrics.filler += scanned.has_filler
        if not scanned.has_match and scanned.next_offset >= 0:
            is_at_end = scanned.next_offset >= before
            return NoMatch.up_to(scanned.next_offset, scanned.batches, is_at_end=is_at_end)
        size = len(scanned.batches)
        if scanned.is_whole and (size >= SLICE_MIN or size == found.size):
            return found.first(size)
        return RecordBytes(scanned.batches)

    def _refusal(self, error: BaseException, found: FileSlice) -> Refusal:
        """What the reader is told. Where the file is at fault its log hears of it, as when it cannot be sent."""
        if isinstance(error, asyncio.CancelledError):
            return KafkaStorageError("the broker stops")
        if isinstance(error, Refusal):
            return error
        if isinstance(error, DamagedBatch | OSError):
            self._metrics.damaged += 1
            suspected = suspect_slice(found)
            if suspected is not None:
                _examine(suspected, str(error))
            if isinstance(error, DamagedBatch):
                return CorruptMessage(f"a batch that the view looked through is damaged {error}")
            return KafkaStorageError(f"the view's source cannot be read: {error.strerror or error}")
        _log.error("view not scanned", exc_info=error)
        return CorruptMessage("the view could not be read")


def _cancel(work: "asyncio.Future[Scanned]", later: Promise[Records]) -> None:
    if later.cancelled():
        work.cancel()


def _examine(suspected: Suspect, reason: str) -> None:
    looking = asyncio.get_running_loop().run_in_executor(None, examine, suspected)

    def told(done: "asyncio.Future[list[BadBatch]]") -> None:
        if not done.cancelled() and done.exception() is None:
            not_sent(suspected, done.result(), reason)

    looking.add_done_callback(told)


def _scan(fd: int, where: Range, wanted: Filter) -> Scanned:
    """In a thread."""
    over_at = time.thread_time() + SCAN_SECONDS_MAX
    return scan(
        partial(_read, fd),
        where,
        wanted,
        pause=_let_others_run,
        is_over=lambda: time.thread_time() >= over_at,
    )


def _read(fd: int, position: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.pread(fd, size, position)
        if not part:
            raise OSError(5, f"the file ends at {position}")
        parts.append(part)
        position += len(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _let_others_run() -> None:
    """Give the interpreter away for a moment: the event loop needs it more."""
    time.sleep(0)
