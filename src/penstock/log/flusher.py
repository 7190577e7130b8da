"""Group commit: many appends wait for one fdatasync.

`await flusher.durable(log, upto)` returns when everything below `upto` is on disk. A log has one flush in flight;
whoever comes meanwhile waits for it, and the next one covers all that was appended until it begins. So the wait is at
most two fdatasyncs, however many producers there are. A failed one takes the log offline and is never retried (RULES
20).
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from penstock.errors import KafkaStorageError
from penstock.log.flushing import FlushJob, write_flush_note
from penstock.log.partition_log import PartitionLog
from penstock.metrics import Metrics, counter, histogram


class FlushMetrics(Metrics, prefix="penstock_log"):
    flushes = counter("Flushes of a log to disk. Far fewer than batches, where producers share them.")
    flush_seconds = histogram("How long a flush took, from its beginning to its news reaching the event loop.")


class Flusher:
    def __init__(self, threads: int = 4, *, metrics: FlushMetrics | None = None) -> None:
        self._executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="flush")
        self._in_flight: dict[PartitionLog, asyncio.Future[None]] = {}
        self.metrics = metrics or FlushMetrics()

    async def durable(self, log: PartitionLog, upto: int) -> None:
        """Return when the log is on disk below `upto`; KafkaStorageError if it never will be."""
        while log.recovery_point < upto:
            if log.trouble is not None and not log.trouble.may_pass:
                raise log.trouble.refusal()
            if log.end_offset < upto:
                raise KafkaStorageError(f"{log.partition} was cut to {log.end_offset}, {upto} is gone")
            await self._next(log)

    async def note(self, log: PartitionLog, *, holds: bool) -> None:
        """Have the log's folder say, for good, whether everything in it was flushed before it counted (FLUSHED_NOTE).
        OSError: what it says is not known. KafkaStorageError: the log is not there any more, or not readable.
        """
        log.is_flush_noted = True  # until it is surely not so
        await asyncio.get_running_loop().run_in_executor(self._executor, partial(write_flush_note, log, holds=holds))
        log.is_flush_noted = holds

    def is_busy(self, log: PartitionLog) -> bool:
        """Whether a flush of the log is in flight."""
        return log in self._in_flight

    async def landed(self, log: PartitionLog) -> None:
        """Wait for the flush that is in flight, if there is one, whatever comes of it."""
        flight = self._in_flight.get(log)
        await (asyncio.sleep(0) if flight is None else asyncio.wait([flight]))

    async def _next(self, log: PartitionLog) -> None:
        """Wait for a flush that began after this call, or for the one in flight, which may be enough."""
        flight = self._in_flight.get(log)
        if flight is None:
            flight = self._in_flight[log] = self._start(log)
        # Whoever waits may be cancelled; the flush goes on for the others.
        await asyncio.wait([flight])
        if not flight.cancelled() and flight.exception() is not None and log.trouble is not None:
            raise log.trouble.refusal()  # also where it may pass: trying at once would only fail again

    def _start(self, log: PartitionLog) -> asyncio.Future[None]:
        job = log.flushing.begin()
        self.metrics.flushes += 1
        loop = asyncio.get_running_loop()
        started = loop.time()
        flight = loop.run_in_executor(self._executor, job.run)
        flight.add_done_callback(lambda _done: self.metrics.flush_seconds.record(loop.time() - started))
        flight.add_done_callback(lambda done: self._landed(log, job, done))
        return flight

    def _landed(self, log: PartitionLog, job: FlushJob, done: "asyncio.Future[None]") -> None:
        del self._in_flight[log]
        try:
            log.flushing.end(job, None if done.cancelled() else done.exception())
        except KafkaStorageError:
            pass  # the log is offline now; those who wait see it there

    async def close(self) -> None:
        """Wait for what is in flight."""
        if self._in_flight:
            await asyncio.wait(list(self._in_flight.values()))
        self._executor.shutdown(wait=True)
