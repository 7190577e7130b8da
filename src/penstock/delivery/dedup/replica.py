"""The ids of one partition, at its leader and at every follower.

A follower takes in what is committed, a little later; so what a new leader has to take in is short, and nothing that a
follower has taken in is ever cut, but in a disaster, after which all is read again. A leader takes in what it appends
as it appends it, and what others append for it (markers) before it looks at the next batch. Until its table has come to
the log's end it refuses batches with NOT_ENOUGH_REPLICAS, which every producer tries again.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from msgspec.structs import replace

from penstock.delivery.dedup.appending import PreparedBatch
from penstock.delivery.dedup.files import read_snapshots, write_snapshot
from penstock.delivery.dedup.ids import BatchIds, IdRule, find_ids
from penstock.delivery.dedup.machine import IdTable
from penstock.delivery.dedup.metrics import DedupMetrics
from penstock.delivery.dedup.replay import Step, steps_in, take_in
from penstock.delivery.dedup.snapshot import Preface, freeze
from penstock.errors import NotEnoughReplicas, Refusal
from penstock.log import FileSlice
from penstock.model import Clock
from penstock.replication import Opened, Partition, RecordsRefused, Walk
from penstock.settings import topic as settings
from penstock.wire.batch import BatchHeader
from penstock.wire.survey import Survey

PIECE_BYTES: Final = 1 << 20
AT_ONCE_MAX: Final = 64 * 1024
"""Bytes that others appended, and that a leader takes in on the loop before it looks at a batch."""
TAKE_IN_EVERY_S: Final = 0.2
LOOKS_EVERY_S: Final = 30.0
RETRY_S: Final = 0.5
FAR: Final = 200_000
"""Offsets behind which it is worth asking from where on records are young enough to matter."""
SNAPSHOT_AFTER: Final = 20_000
"""New ids after which a table is written down, if they are a tenth of it: so the work stays in proportion."""
REASONS_MAX: Final = 1_000

_log = structlog.get_logger(__name__)


class IdReplica:
    """A `Deduplicator` of its partition."""

    def __init__(
        self,
        partition: Partition,
        *,
        clock: Clock,
        metrics: DedupMetrics,
        is_only_partition: Callable[[], bool],
        transaction_ms_max: Callable[[], int],
    ) -> None:
        self.partition = partition
        self.table: IdTable | None = None
        """None until one is begun for the log and the settings as they are."""
        self.clock = clock
        self.metrics = metrics
        self._is_only_partition = is_only_partition
        self._transaction_ms_max = transaction_ms_max
        self._wake = asyncio.Event()
        self._is_over = False
        self._seen: tuple[object, str, int, int] | None = None
        self.said_shrunk_at = 0
        self._written = 0
        """Ids that had been taken in when the table was last written down."""
        self.rule = IdRule.of(partition.config[settings.PENSTOCK_DEDUP_BY])

    def close(self) -> None:
        self._is_over = True
        if self.partition.deduplicator is self:
            self.partition.deduplicator = None
        self._wake.set()

    def partition_moved(self) -> None:
        self._wake.set()

    @property
    def _name(self) -> str:
        return str(self.partition.topic_partition)

    # Before an append ---------------------------------------------------------------------------------------------

    def look_into(self, open_with: Callable[[Walk], Opened]) -> Opened:
        rule = self.rule
        found: list[BatchIds] = []

        def walk(batch: memoryview, *, pause: Callable[[], None] | None = None) -> Survey:
            ids = find_ids(batch, rule, consecutive=True, pause=pause)
            found.append(ids)
            return ids.survey(BatchHeader.peek(batch))

        opened = open_with(walk)
        (ids,) = found
        if ids.empty:
            raise _refused(ids.empty, "its id has no bytes")
        if ids.keyless and not self._is_only_partition():
            raise _refused(ids.keyless, "it has an id and no key: sent again, it could come to another partition")
        prepared = PreparedBatch(self, self.partition, opened.view, ids, rule)
        if self.table is not None and self.partition.is_leader:
            prepared.guess(self.table)
        return replace(opened, appender=prepared)

    def ready_table(self) -> IdTable:
        """The table, level with the log; before an append, on the loop."""
        table = self.table
        if table is None or self._is_stale(table):
            self._wake.set()
            raise NotEnoughReplicas(f"the ids of {self._name} are being read")
        partition, left = self.partition, AT_ONCE_MAX
        while table.end < partition.end_offset:
            data = partition.reader.load(table.end, left) if left > 0 else b""
            if not data:
                self._wake.set()
                raise NotEnoughReplicas(f"the ids of {self._name} are being read")
            left -= len(data)
            for step in steps_in(data, self.rule, start=partition.start_offset):
                take_in(table, step)
        return table

    def _is_stale(self, table: IdTable) -> bool:
        partition = self.partition
        return self._seen != self._now_seen() or not partition.start_offset <= table.end <= partition.end_offset

    def _now_seen(self) -> tuple[object, str, int, int]:
        """All on which a table rests: once one of these has changed, it is begun anew."""
        config = self.partition.config
        return (
            self.partition.reader.lineage(),
            config[settings.PENSTOCK_DEDUP_BY],
            config[settings.PENSTOCK_DEDUP_WINDOW_MS],
            config[settings.PENSTOCK_DEDUP_IDS_MAX],
        )

    # Taking in ----------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """For as long as the partition is here, and its topic wants it."""
        self.partition.waiters.watch(self)
        try:
            while not self._is_over:
                try:
                    rest_s = await self.turn()
                except (Refusal, OSError) as error:
                    _log.warning("ids not read", partition=self._name, reason=str(error))
                    rest_s = RETRY_S
                except Exception as bug:
                    _log.error("ids not read", partition=self._name, exc_info=bug)
                    rest_s = RETRY_S
                await self._rest(rest_s)
        finally:
            self.partition.waiters.unwatch(self)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()
        if not self._is_over and not self._is_behind_as_leader():
            await asyncio.sleep(TAKE_IN_EVERY_S)  # a follower's records come one by one

    def _is_behind_as_leader(self) -> bool:
        partition = self.partition
        if not partition.is_leader:
            return False
        table = self.table
        return table is None or table.end < partition.end_offset or self._is_stale(table)

    async def turn(self) -> float:
        """How long to rest, if nothing happens before."""
        partition, table = self.partition, self.table
        if partition.trouble is not None and partition.trouble.stops_reads:
            return LOOKS_EVERY_S
        if table is None or self._is_stale(table):
            table = await self._begin()
        if self._upto() - table.end > FAR:
            table = await self._skip_old(table)
        while not self._is_over and not self._is_stale(table) and self.table is table:
            upto = self._upto()
            if table.end >= upto:
                break
            piece = partition.reader.piece(table.end, bytes_max=PIECE_BYTES, before=upto)
            if piece is None:
                table.end = max(table.end, upto)
                break
            try:
                steps = await asyncio.to_thread(_read_steps, piece, self.rule, partition.start_offset)
            finally:
                piece.release()
            if not self._is_stale(table):
                for step in steps:
                    take_in(table, step)
        if self._is_stale(table):
            return 0.0
        if table.taken - self._written >= max(SNAPSHOT_AFTER, len(table) // 10):
            await self.write_down()
        return LOOKS_EVERY_S

    async def _begin(self) -> IdTable:
        """From the newest snapshot that is of this log, else from the records that the window holds."""
        self.table = None
        seen = self._now_seen()
        _, by, window_ms, ids_max = seen
        self.rule = IdRule.of(by)
        partition, folder, table = self.partition, self.partition.reader.folder, None
        for preface, found in await asyncio.to_thread(read_snapshots, folder) if folder is not None else ():
            if (preface.by, preface.window_ms, preface.ids_max) == (by, window_ms, ids_max) and self._has(preface):
                table = found
                break
        if table is None:
            table = IdTable(window_ms=window_ms, ids_max=ids_max)
        table.end = max(table.end, partition.start_offset)
        self._written = table.taken
        self._seen, self.table = seen, table
        _log.info(
            "ids begun", partition=self._name, known=len(table), read_from=table.end, log_end=partition.end_offset
        )
        return table

    def _upto(self) -> int:
        partition = self.partition
        return partition.end_offset if partition.is_leader else partition.high_watermark

    async def _skip_old(self, table: IdTable) -> IdTable:
        """Go on where records are as young as the window, if that is further on: before, nothing counts any more. A
        transaction that was committed then may have begun earlier.
        """
        seen, partition = self._seen, self.partition
        since_ms = self.clock.now() - table.window_ms - 3 * table.resolution_ms - self._transaction_ms_max()
        found_at = await partition.reader.find_by_time(since_ms)
        place = self._upto() if found_at is None else found_at.offset
        if place > table.end and self._seen == seen and not self._is_stale(table):
            self.table = table = IdTable(window_ms=table.window_ms, ids_max=table.ids_max)
            table.end = place
        return table

    async def write_down(self) -> None:
        """So that a restart has little to read."""
        table, reader = self.table, self.partition.reader
        folder = reader.folder
        if table is None or self._seen is None or folder is None or self._is_stale(table):
            return
        if self.partition.start_offset < table.end:
            self._written = table.taken
            frozen = freeze(table, by=self._seen[1], epoch=reader.epoch_at(table.end - 1))
            await asyncio.to_thread(write_snapshot, folder, frozen)

    def _has(self, preface: Preface) -> bool:
        """Whether the log has what was taken in up to there, and not something else that came to its place."""
        partition, end = self.partition, preface.end
        is_within = partition.start_offset < end <= partition.end_offset
        return is_within and partition.reader.epoch_at(end - 1) == preface.epoch


def _read_steps(piece: FileSlice, rule: IdRule, start: int) -> list[Step]:
    return steps_in(piece.read(), rule, start=start)


def _refused(places: list[int], why: str) -> RecordsRefused:
    return RecordsRefused(f"record {places[0]}: {why}", [(place, why) for place in places[:REASONS_MAX]])
