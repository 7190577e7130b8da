"""Bringing a log to the disk, and moving its recovery point.

A flush has three parts: `begin` on the loop fixes what is to be done and pins the files, `FlushJob.run` does it in a
thread while appends go on, `end` on the loop moves the recovery point. What must be on disk before it moves:
the batches, the indexes of closed segments with the sums of those that have none of their own, the leader epochs, and
the names of new files in the folder.

A failed fsync is never retried: the kernel may have dropped the pages and would call the second one a success. The log
goes offline, and the recovery point stays where it is (RULES 20).

A log may be deleted while its flush waits for the disk, and another made under its name. What is written by name is
written only while the log has it: files of the old one would be believed of the new one.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import KafkaStorageError
from penstock.log.file_pool import PooledFile, private_descriptor, remove_files, sync_file, sync_folder
from penstock.log.folder_port import steady_ms
from penstock.log.health import DISK_FULL, PASSING
from penstock.log.machine import flush_is_due
from penstock.log.notes import FLUSHED_NOTE
from penstock.log.segments.files import INDEX, TIME_INDEX
from penstock.log.segments.segment import Segment
from penstock.settings.topic import FLUSH_MESSAGES, FLUSH_MS

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

sync_data: Callable[[int], None] = os.fdatasync
"""The one place through which batches reach the disk; tests make it fail."""


class FlushJob:
    def __init__(self, log: "PartitionLog", *, upto_offset: int, segments: list[Segment], close: bool) -> None:
        self.log = log
        self.upto_offset = upto_offset
        self.is_data_synced = False
        """Whether the batches are on disk: what may fail after that can be written again from memory."""
        self.cuts = log.cuts
        self.folder = str(log.folder)
        self.files: list[PooledFile] = []
        self.paths: list[str] = []
        """Closed segments that are not open: the thread opens one after the other, however many there are."""
        self.indexes = [s for s in segments if s.is_index_unwritten and (close or not s.is_active)]
        self.transactions = [s.transactions for s in segments if s.transactions is not None]
        self.must_note_aborts = any(not log.aborts.sums.is_noted(s) for s in segments if close or not s.is_active)
        self.epochs = log.epochs.snapshot() if log.epochs.is_dirty else None
        self.epochs_file, self.epochs_removals = log.epochs, log.epochs.removals
        self.must_sync_folder = not log.is_folder_synced
        try:
            for segment in segments:
                if segment.file.fd >= 0 or (segment.is_active and segment.is_created):
                    segment.file.pin(for_reader=False)
                    self.files.append(segment.file)
                elif segment.is_created:
                    self.paths.append(segment.file.path)
        except BaseException:
            self.release()  # what was pinned so far would never be closed
            raise
        log.epochs.is_dirty = False
        log.is_folder_synced = True
        log.flushing.being_indexed.update(self.indexes)

    def run(self) -> None:
        """Blocks; in a thread. OSError where anything did not reach the disk; KafkaStorageError where the log was
        deleted, or found damaged, meanwhile.
        """
        for file in self.files:
            sync_data(file.fd)
        for path in self.paths:
            try:
                with private_descriptor(path) as fd:
                    sync_data(fd)
            except FileNotFoundError:
                continue  # retention was faster
        self.is_data_synced = True
        for segment in self.indexes:
            self.log.health.ensure_readable()
            segment.write_indexes(*segment.index_bytes(), durably=True)
        for index in self.transactions:
            with suppress(FileNotFoundError):  # retention was faster, or a cut
                index.flush()
        if self.must_note_aborts:
            self.log.aborts.sums.write()
        self.log.health.ensure_readable()
        if self.epochs is not None:
            self.epochs_file.write(self.epochs, removals=self.epochs_removals)
        if self.must_sync_folder:
            metadata = os.path.join(self.folder, "partition.metadata")
            if os.path.exists(metadata):
                sync_file(metadata)
            sync_folder(self.folder)
            sync_folder(str(Path(self.folder).parent))

    def release(self) -> None:
        for file in self.files:
            file.unpin()
        self.files = []
        self.log.flushing.being_indexed.difference_update(self.indexes)


def write_flush_note(log: "PartitionLog", *, holds: bool) -> None:
    """Blocks; in a thread. The folder itself may be new, and must last as well."""
    log.health.ensure_readable()
    folder = str(log.folder)
    path = os.path.join(folder, FLUSHED_NOTE)
    if holds:
        with open(path, "wb"):
            pass
    else:
        remove_files([path])
    sync_folder(folder)
    if holds:
        sync_folder(str(Path(folder).parent))


class Flushing:
    __slots__ = ("_flushed_at", "_log", "being_indexed")

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log
        self._flushed_at = steady_ms(log.clock)
        self.being_indexed: set[Segment] = set()
        """Closed segments whose indexes a flush is about to write, by name: their files are not exchanged meanwhile."""

    def is_late(self, now: int) -> bool:
        """Whether flush.ms has passed over unflushed records, by `steady_ms`."""
        log = self._log
        unflushed = log.end_offset - log.recovery_point
        return unflushed > 0 and flush_is_due(  # nothing is, in most logs at most times
            unflushed_records=unflushed,
            since_flush_ms=now - self._flushed_at,
            flush_messages=log.config[FLUSH_MESSAGES],
            flush_ms=log.config[FLUSH_MS],
            before_ack=False,
        )

    def begin(self, *, upto: int | None = None, close: bool = False) -> FlushJob:
        """Fix what a flush of everything below `upto` (the log's end) has to do."""
        log = self._log
        upto = log.end_offset if upto is None else upto
        segments = [s for s in log.segments if s.base_offset < upto or close]
        first = len(segments) - 1
        # A segment that was flushed to its end before it was closed has its indexes in memory alone.
        while first > 0 and (
            segments[first].base_offset > log.recovery_point or segments[first - 1].is_index_unwritten
        ):
            first -= 1
        return FlushJob(log, upto_offset=upto, segments=segments[max(first, 0) :], close=close)

    def end(self, job: FlushJob, error: BaseException | None = None) -> None:
        """The job is done, or has failed with `error`, which is then raised as KafkaStorageError."""
        log = self._log
        job.release()
        if error is not None:
            log.epochs.is_dirty = log.epochs.is_dirty or job.epochs is not None
            log.is_folder_synced = log.is_folder_synced and not job.must_sync_folder
        if isinstance(error, OSError):
            raise self._failed(job, error) from error
        if error is not None:
            raise error
        log.health.ensure_readable()
        if job.epochs is not None and job.epochs_removals == log.epochs.removals:
            log.epochs.on_disk = job.epochs
        if job.cuts != log.cuts:
            # The log was cut meanwhile: what was written down of it may be of records that are gone.
            remove_files(segment.path(suffix) for segment in job.indexes for suffix in (INDEX, TIME_INDEX))
            return
        for segment in job.indexes:
            segment.indexes_written()
        log.recovery_point = max(log.recovery_point, job.upto_offset)
        self._flushed_at = steady_ms(log.clock)

    def _failed(self, job: FlushJob, error: OSError) -> KafkaStorageError:
        """A failed fsync stays failed. Without room for an index or the epochs, the next flush writes them."""
        may_pass = error.errno in PASSING and (job.is_data_synced or error.errno not in DISK_FULL)
        reason = f"flush failed: {error.strerror or error}"
        return self._log.health.take_offline(reason, stops_reads=False, may_pass=may_pass)

    def flush(self, *, close: bool = False) -> None:
        """All three parts at once; blocks."""
        trouble = self._log.trouble
        if trouble is not None and not trouble.may_pass:
            raise trouble.refusal()
        job = self.begin(close=close)
        self.end(job, _error_of(job))

    # --- at the end ---

    def begin_close(self) -> FlushJob | None:
        """What is to be flushed at the end, with the active segment's indexes; None where the files have it all.

        A log that nobody wrote to has nothing to do here and touches no file; one that was begun anew elsewhere has old
        files to be rid of for good.
        """
        log = self._log
        if log.trouble is not None and not log.trouble.may_pass:
            return None
        was_written_to = log.end_offset or log.cuts
        is_flushed = log.end_offset == log.recovery_point and (log.is_folder_synced or not was_written_to)
        are_indexes_written = log.active.is_index_written and not any(s.is_index_unwritten for s in log.segments)
        if is_flushed and are_indexes_written and not log.epochs.is_unwritten:
            return None
        return self.begin(close=True)

    def end_close(self, job: FlushJob | None, error: BaseException | None = None) -> None:
        """Take the producers' snapshot and let the files go; KafkaStorageError where not all reached the disk."""
        log = self._log
        try:
            if job is not None:
                self.end(job, error)
            if log.trouble is None and log.end_offset > log.start_offset:
                log.producers.history.take_snapshot(log.end_offset, flush=True)
        except OSError as failed:
            raise log.health.fail("close failed", failed) from failed
        finally:
            for segment in log.segments:
                segment.file.forget()
        if log.trouble is not None:
            raise log.trouble.refusal()

    def close(self) -> None:
        """Flush and close; blocks."""
        job = self.begin_close()
        self.end_close(job, None if job is None else _error_of(job))


def _error_of(job: FlushJob) -> OSError | None:
    """Run a job here; what came of it."""
    try:
        job.run()
    except OSError as error:
        return error
    return None
