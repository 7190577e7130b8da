"""A machine that keeps what it is given, on a partition in memory: for the runtime that all coordinators share."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from tests.support.clocks import ManualClock

from penstock.coordinators.decision import (
    ClockMoved,
    Command,
    Decision,
    EndTransaction,
    InTransaction,
    Loaded,
    Reply,
    Timer,
    TransactionEnded,
)
from penstock.coordinators.runtime import Runtime
from penstock.errors import InvalidTxnState, KafkaStorageError, Refusal
from penstock.model import Clock, Millis, TopicPartition
from penstock.replication import Promise
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker


class Add(Command, frozen=True, kw_only=True):
    value: bytes


class AddWithin(Add, frozen=True, kw_only=True):
    """Add within a producer's transaction."""

    producer_id: int
    guard: Any = None


class Wait(Command, frozen=True, kw_only=True):
    pass


class Sleep(Command, frozen=True, kw_only=True):
    pass


class Sums:
    """Keeps what it is given; Wait is never answered; Sleep asks for a timer; `bugs` make what they name fail."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []
        self.pending: dict[int, list[bytes]] = {}
        self.began = 0
        self.wall_ahead_ms = 0
        self.asked_at: list[Millis] = []
        self.bugs: set[Any] = set()

    def decide(self, command: Any, now: Millis) -> Decision:
        self.asked_at.append(now)
        if type(command) in self.bugs:
            raise ZeroDivisionError
        match command:
            case AddWithin(value=value, address=address, producer_id=producer_id, guard=guard):
                replies = (Reply(address, len(self.kept)),)
                return Decision(records=(value,), producer=(producer_id, 3), guard=guard, replies=replies)
            case Add(value=value, address=address):
                return Decision(records=(value,), replies=(Reply(address, len(self.kept) + 1),))
            case Loaded():
                return Decision(notes=("loaded",))
            case Sleep():
                return Decision(timers=(Timer(("alarm",), now, Add(value=b"alarm")),))
            case _:
                return Decision()

    def apply(self, change: Any) -> None:
        if change in self.bugs:
            raise ZeroDivisionError
        match change:
            case "loaded":
                self.began += 1
            case ClockMoved(wall_ahead_ms):
                self.wall_ahead_ms = wall_ahead_ms
            case InTransaction(producer_id, record):
                self.pending.setdefault(producer_id, []).append(record)
            case TransactionEnded(producer_id, is_committed):
                ended = self.pending.pop(producer_id, [])
                self.kept += ended if is_committed else []
            case _:
                self.kept.append(change)


class Codec:
    def encode(self, record: bytes) -> tuple[bytes, bytes]:
        return record, record

    def decode(self, key: bytes, value: bytes | None) -> bytes:
        if key == b"noise":
            raise ValueError("noise")
        return key


class FakeLog:
    def __init__(self) -> None:
        self.start_offset = 0
        self.end_offset = 0
        self.batches: list[tuple[int, bytes]] = []
        self.trouble: str | None = None
        self.is_readable = True

    def load(self, start: int, at_most: int) -> bytes:
        if not self.is_readable:
            raise KafkaStorageError("all open files are in use")
        return b"".join(batch for base, batch in self.batches if base >= start)


class FakePartition:
    topic, index = "__sums", 0
    topic_partition = TopicPartition("__sums", 0)  # type: ignore[arg-type]
    waiters = transactions = followers = property(lambda self: self)
    reader = property(lambda self: self.log)
    start_offset = property(lambda self: self.log.start_offset)
    end_offset = property(lambda self: self.log.end_offset)
    trouble = property(lambda self: self.log.trouble)

    def __init__(self) -> None:
        self.log = FakeLog()
        self.is_leader = True
        self.leader_epoch = 1
        self.high_watermark = 0
        self.replicates = True
        self.fault: Refusal | None = None
        self.open: set[int] = set()
        self.watchers: list[Any] = []

    def append(self, records: memoryview, *, acks: int, guard: Any = None, by_coordinator: bool = False) -> Any:
        header = BatchHeader.peek(records, 0)
        if header.is_transactional:
            assert by_coordinator and header.base_sequence == -1
            if guard is None and header.producer_id not in self.open:
                raise InvalidTxnState
            self.open.add(header.producer_id)
        return self._write(bytearray(records))

    def append_marker(self, marker: Marker, *, producer_id: int, producer_epoch: int, transaction_version: int) -> Any:
        self.open.discard(producer_id)
        return self._write(build_marker(marker, producer_id=producer_id, producer_epoch=producer_epoch, timestamp=0))

    def _write(self, batch: bytearray) -> Any:
        if self.fault is not None:
            raise self.fault
        batch[:8] = self.log.end_offset.to_bytes(8, "big")
        self.log.batches.append((self.log.end_offset, bytes(batch)))
        self.log.end_offset += BatchHeader.peek(batch, 0).last_offset_delta + 1
        if self.replicates:
            self.high_watermark = self.log.end_offset

        class Appended:
            next_offset = self.log.end_offset

        return Appended

    def watch(self, waiter: Any) -> None:
        self.watchers.append(waiter)

    def unwatch(self, waiter: Any) -> None:
        if waiter in self.watchers:
            self.watchers.remove(waiter)

    def catch_up(self) -> None:
        self.high_watermark = self.log.end_offset
        for watcher in list(self.watchers):
            watcher.partition_moved()


class FakePartitions:
    def __init__(self, partition: FakePartition) -> None:
        self.partition = partition
        self.tell: Any = None

    def subscribe(self, callback: Any) -> None:
        self.tell = callback
        callback(self.partition)


class ShardWorld:
    def __init__(self, partition: FakePartition | None = None, *, clock: Clock | None = None) -> None:
        self.partition = partition or FakePartition()
        self.partitions = FakePartitions(self.partition)
        self.tasks: list[asyncio.Task[Any]] = []
        self.clock = ManualClock()
        self.runtime = Runtime(
            "__sums",
            new_machine=lambda _partition: Sums(),
            codec=Codec(),
            partitions=self.partitions,  # type: ignore[arg-type]
            clock=clock or self.clock,
            spawn=self._spawn,
        )

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    async def loaded(self) -> "ShardWorld":
        await asyncio.gather(*self.tasks)
        return self

    @property
    def machine(self) -> Any:
        (shard,) = self.runtime.shards()
        return shard.machine

    async def add(self, value: bytes) -> Any:
        return await self.runtime.ask(0, lambda address: Add(address=address, value=value))

    async def add_within(self, producer_id: int, value: bytes, guard: Any = None) -> Any:
        return await self.runtime.ask(
            0, lambda address: AddWithin(address=address, value=value, producer_id=producer_id, guard=guard)
        )

    def end(self, producer_id: int, *, commits: bool) -> Promise[Any]:
        marker = Marker(MarkerType.COMMIT if commits else MarkerType.ABORT, 0)
        return self.runtime.send(
            0,
            lambda address: EndTransaction(
                address=address, marker=marker, producer_id=producer_id, producer_epoch=3, transaction_version=2
            ),
        )
