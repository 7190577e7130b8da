"""A partition that leaves records out whose id it has, on a real log, and what is in it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.partitions import SomePartitions

from penstock.delivery.dedup.marks import read_mark
from penstock.delivery.dedup.metrics import DedupMetrics
from penstock.delivery.dedup.replica import IdReplica
from penstock.replication import ALL, Appended, Partition
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.notes import may_be_note, read_note
from penstock.wire.records import Record, build_batch, iterate

WINDOW_MS = 64_000
STEP_MS = WINDOW_MS // 64
"""From one mark to the next, at least."""


class Deduplicating:
    def __init__(self, folder: Path, settings: dict[str, str], *, is_only: bool = True) -> None:
        defaults = {"penstock.dedup.by": "header:id", "penstock.dedup.window.ms": str(WINDOW_MS)}
        self.world = SomePartitions(folder, 1, defaults | settings)
        self._is_only = is_only
        self.metrics = DedupMetrics()
        self.replica = self.restarted()

    @property
    def partition(self) -> Partition:
        return self.world[0]

    def time_passes(self, by_ms: int) -> None:
        self.world.clock.time += by_ms

    def restarted(self) -> IdReplica:
        """What a process that has just begun knows of the partition: nothing."""
        self.replica = IdReplica(
            self.partition,
            clock=self.world.clock,
            metrics=self.metrics,
            is_only_partition=lambda: self._is_only,
            transaction_ms_max=lambda: 0,
        )
        self.partition.deduplicator = self.replica
        return self.replica

    async def ready(self) -> "Deduplicating":
        while await self.replica.turn() == 0:
            pass
        return self

    def batch(
        self,
        *ids: str | None,
        key: bytes | None = b"k",
        producer: int = -1,
        sequence: int = -1,
        transactional: bool = False,
        compression: int = 0,
    ) -> bytearray:
        now = self.world.clock.now()
        records = [
            Record(place, now + place, key, b"v", () if each is None else (("id", each.encode()),))
            for place, each in enumerate(ids)
        ]
        return build_batch(
            records,
            producer_id=producer,
            producer_epoch=0 if producer >= 0 else -1,
            base_sequence=sequence,
            transactional=transactional,
            compression=compression,
        )

    def append(self, batch: bytearray) -> Appended:
        partition = self.partition
        opened = partition.open(memoryview(batch))
        header = BatchHeader.peek(batch)
        guard = None
        if header.is_transactional:
            guard = partition.transactions.begin_check(header.producer_id, 0, header.base_sequence)
        return partition.append_opened(opened, acks=ALL, guard=guard)

    def send(self, *ids: str | None, **more: object) -> list[str | None]:
        """Which of them are in the log now."""
        appended = self.append(self.batch(*ids, **more))  # type: ignore[arg-type]
        return [record_id for offset, record_id in self.records() if offset >= appended.base_offset]

    def end_transaction(self, producer: int, kind: MarkerType) -> None:
        self.partition.transactions.append_marker(
            Marker(kind, 0), producer_id=producer, producer_epoch=0, transaction_version=0
        )

    def batches(self) -> list[bytes]:
        data = self.partition.reader.load(self.partition.start_offset, 1 << 30)
        found = []
        position = 0
        while position < len(data):
            header = BatchHeader.peek(data, position)
            found.append(data[position : position + header.size])
            position += header.size
        return found

    def records(self) -> list[tuple[int, str | None]]:
        """Offsets and ids."""
        return [
            (record.offset, _text(dict(record.headers).get("id")))
            for batch in self.batches()
            if not BatchHeader.peek(batch).is_control
            for record in iterate(batch)
        ]

    def marks(self) -> int:
        notes = [read_note(batch) for batch in self.batches() if may_be_note(BatchHeader.peek(batch))]
        return sum(read_mark(note) is not None for note in notes if note is not None)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


MakeDeduplicating = Callable[..., "Deduplicating"]


@asynccontextmanager
async def deduplicating(folder: Path, *, is_only: bool = True, **settings: str) -> AsyncIterator[Deduplicating]:
    made = Deduplicating(folder, {name.replace("_", "."): value for name, value in settings.items()}, is_only=is_only)
    try:
        yield await made.ready()
    finally:
        await made.world.close()


def ids(count: int, first: int = 0) -> Sequence[str]:
    return [f"id-{number}" for number in range(first, first + count)]
