"""The scrub: closed segments are read again, slowly, and every checksum verified, before a disk's rot meets a reader.

It goes round all logs at `penstock.scrub.bytes.per.second`, and begins a new round when `penstock.scrub.interval.ms`
has passed since the last one began. What it finds bad is remembered by the log (see damage) and reported; the walk goes
on after the bad batch where its length can still be believed. An index of aborted transactions that is not what was
written is built again from the batches.
"""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import structlog

from penstock.log.damage.damage import BadBatch, find_bad
from penstock.log.damage.suspects import UNSENT, look_again
from penstock.log.file_pool import private_descriptor
from penstock.log.pace import Pace, Stopped
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.segment import Segment
from penstock.metrics import MetricsRegistry, reading
from penstock.model import Clock
from penstock.settings.broker import PENSTOCK_SCRUB_BYTES_PER_SECOND, PENSTOCK_SCRUB_INTERVAL_MS

if TYPE_CHECKING:
    from penstock.settings import Config

_log = structlog.get_logger(__name__)


DAMAGED = reading(
    "penstock_log_damaged_batches", "Batches found bad, which are not served.", labels=("topic", "partition")
)


FIRST_DELAY_S: Final = 600.0
"""After a start the first round begins this late, not an interval late: a broker may never run for that long."""


class Scrubber:
    """Owned by the event loop; reads in one thread."""

    def __init__(self, logs: Callable[[], Iterable[PartitionLog]], config: "Config", clock: Clock) -> None:
        self._logs = logs
        self._config = config
        self._clock = clock
        self._pace = Pace(lambda: max(1.0, config[PENSTOCK_SCRUB_BYTES_PER_SECOND]))
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="scrub")

    def expose(self, registry: MetricsRegistry) -> None:
        registry.read(DAMAGED, lambda: self._by_partition(lambda log: log.damage.count))
        registry.read(UNSENT, lambda: self._by_partition(lambda log: log.damage.unsent))

    def _by_partition(self, value: Callable[[PartitionLog], int]) -> list[tuple[tuple[str, ...], float]]:
        """Of the few that have any."""
        found = ((log.partition, value(log)) for log in self._logs())
        return [((partition.topic, str(partition.partition)), count) for partition, count in found if count]

    async def run(self) -> None:
        """Round after round until cancelled; an interval of -1 means never."""
        try:
            first_delay_s = min(FIRST_DELAY_S, self._config[PENSTOCK_SCRUB_INTERVAL_MS] / 1000)
            began = self._clock.monotonic() - self._config[PENSTOCK_SCRUB_INTERVAL_MS] / 1000 + first_delay_s
            while True:
                interval_s = self._config[PENSTOCK_SCRUB_INTERVAL_MS] / 1000
                left_s = began + interval_s - self._clock.monotonic()
                if interval_s < 0 or left_s > 0:
                    await asyncio.sleep(min(left_s, 60) if interval_s >= 0 else 60)
                    continue
                began = self._clock.monotonic()
                try:
                    await self.round()
                except Exception:  # a bug, or a disk that fails: the next round tries again
                    _log.exception("scrub round ended early")
                await asyncio.sleep(0)
        finally:
            self.stop()

    def stop(self) -> None:
        self._pace.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)

    async def round(self) -> int:
        """Read every closed segment once; how many bad batches were found."""
        found = 0
        for log in list(self._logs()):
            if log.health.is_readable:
                found += await self.scrub(log)
        return found

    async def scrub(self, log: PartitionLog) -> int:
        loop = asyncio.get_running_loop()
        found = 0
        for segment in log.segments[:-1]:
            try:
                bad = await loop.run_in_executor(self._executor, self._read, segment, segment.size)
            except FileNotFoundError:  # retention or compaction was faster
                continue
            except Stopped:
                return found
            except OSError as error:
                _log.warning("segment not scrubbed", file=segment.file.path, reason=str(error))
                continue
            if not log.health.is_readable:
                return found  # deleted, perhaps: what was read may be another's
            if segment not in log.segments:
                continue
            for one in bad:
                log.damage.report(segment.base_offset, one.where, one.reason)
            found += len(bad)
            await self._scrub_aborts(log, segment)
        await look_again(log)
        log.damage.keep_only({segment.base_offset for segment in log.segments})
        return found

    async def _scrub_aborts(self, log: PartitionLog, segment: Segment) -> None:
        """An index of aborted transactions has no checksum of its own, but what was written is known (abort_sums)."""
        index, cuts = segment.transactions, log.cuts
        if index is None:
            return
        try:
            is_intact = await asyncio.get_running_loop().run_in_executor(self._executor, index.is_intact)
        except OSError:  # the disk itself will not give it
            is_intact = False
        if not is_intact and log.cuts == cuts and log.health.is_readable:
            log.aborts.doubt(index)

    def _read(self, segment: Segment, size: int) -> list[BadBatch]:
        with private_descriptor(segment.file.path) as fd:
            return find_bad(
                fd,
                segment,
                position=0,
                end=size,
                size=size,
                expected_offset=segment.base_offset,
                on_batch=self._spend,
            )

    def _spend(self, size: int) -> None:
        self._pace.spend(size)
