"""The runtime around a machine: append and apply together, replies at the high watermark, nobody left waiting."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.support.clocks import ManualClock

from penstock.coordinators.decision import Command, Decision, Loaded, Reply, Timer
from penstock.coordinators.runtime import Runtime, java_hash
from penstock.errors import (
    CoordinatorNotAvailable,
    KafkaStorageError,
    NotCoordinator,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    Refusal,
)
from penstock.model import Millis, TopicPartition
from penstock.wire.batch import BatchHeader


class Add(Command, frozen=True, kw_only=True):
    value: bytes


class Wait(Command, frozen=True, kw_only=True):
    pass


class Sleep(Command, frozen=True, kw_only=True):
    pass


class Sums:
    """Keeps what it is given; Wait is never answered; Sleep asks for a timer."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []
        self.began = 0

    def decide(self, command: Any, now: Millis) -> Decision:
        match command:
            case Add(value=value, address=address):
                return Decision(records=(value,), replies=(Reply(address, len(self.kept) + 1),))
            case Loaded():
                return Decision(notes=("loaded",))
            case Sleep():
                return Decision(timers=(Timer(("alarm",), now, Add(value=b"alarm")),))
            case _:
                return Decision()

    def apply(self, change: Any) -> None:
        if change == "loaded":
            self.began += 1
        else:
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

    def read(self, start: int, at_most: int) -> bytes:
        return b"".join(batch for base, batch in self.batches if base >= start)


class FakePartition:
    topic, index = "__sums", 0
    topic_partition = TopicPartition("__sums", 0)  # type: ignore[arg-type]

    def __init__(self) -> None:
        self.log = FakeLog()
        self.is_leader = True
        self.leader_epoch = 1
        self.high_watermark = 0
        self.replicates = True
        self.fault: Refusal | None = None
        self.watchers: list[Any] = []

    def append(self, records: memoryview, *, acks: int) -> Any:
        if self.fault is not None:
            raise self.fault
        header = BatchHeader.peek(records, 0)
        batch = bytearray(records)
        batch[:8] = self.log.end_offset.to_bytes(8, "big")
        self.log.batches.append((self.log.end_offset, bytes(batch)))
        self.log.end_offset += header.last_offset + 1
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


class World:
    def __init__(self, partition: FakePartition | None = None) -> None:
        self.partition = partition or FakePartition()
        self.partitions = FakePartitions(self.partition)
        self.tasks: list[asyncio.Task[Any]] = []
        self.runtime = Runtime(
            "__sums",
            new_machine=lambda _partition: Sums(),
            codec=Codec(),
            partitions=self.partitions,  # type: ignore[arg-type]
            clock=ManualClock(),
            spawn=self._spawn,
        )

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    async def loaded(self) -> "World":
        await asyncio.gather(*self.tasks)
        return self

    @property
    def machine(self) -> Any:
        (shard,) = self.runtime.shards()
        return shard.machine

    async def add(self, value: bytes) -> Any:
        return await self.runtime.ask(0, lambda address: Add(address=address, value=value))


async def test_a_command_is_kept_applied_and_answered() -> None:
    world = await World().loaded()
    assert [await world.add(b"a"), await world.add(b"b")] == [1, 2]
    assert world.machine.kept == [b"a", b"b"] and world.machine.began == 1


async def test_whoever_leads_next_replays_what_was_written_but_for_noise() -> None:
    world = await World().loaded()
    for value in (b"a", b"noise", b"b"):
        await world.add(value)
    again = await World(world.partition).loaded()
    assert again.machine.kept == [b"a", b"b"]


async def test_a_reply_waits_for_the_high_watermark_but_the_next_command_sees_the_change() -> None:
    world = await World().loaded()
    world.partition.replicates = False
    first = world.runtime.send(0, lambda address: Add(address=address, value=b"a"))
    second = world.runtime.send(0, lambda address: Add(address=address, value=b"b"))
    await asyncio.sleep(0)
    assert not first.done() and world.machine.kept == [b"a", b"b"]
    world.partition.catch_up()
    assert [await first, await second] == [1, 2]


@pytest.mark.parametrize(
    ("fault", "answer"),
    [
        (NotEnoughReplicas(), CoordinatorNotAvailable),
        (NotLeaderOrFollower(), NotCoordinator),
        (KafkaStorageError(), NotCoordinator),
    ],
)
async def test_an_append_that_is_refused_leaves_the_machine_as_it_was(fault: Refusal, answer: type[Refusal]) -> None:
    world = await World().loaded()
    machine = world.machine
    world.partition.fault = fault
    with pytest.raises(answer):
        await world.add(b"a")
    assert machine.kept == []
    world.partition.fault = None
    if answer is NotCoordinator:
        with pytest.raises(NotCoordinator):
            await world.add(b"a")


async def test_whoever_waits_when_leadership_goes_is_told() -> None:
    world = await World().loaded()
    parked = world.runtime.send(0, lambda address: Wait(address=address))
    world.partition.replicates = False
    unreplicated = world.runtime.send(0, lambda address: Add(address=address, value=b"a"))
    world.partition.is_leader = False
    world.partitions.tell(world.partition)
    assert isinstance(await parked, NotCoordinator) and isinstance(await unreplicated, NotCoordinator)
    with pytest.raises(NotCoordinator):
        await world.add(b"b")


async def test_a_new_epoch_while_loading_begins_anew() -> None:
    world = World()
    world.partition.leader_epoch = 2
    world.partitions.tell(world.partition)
    await world.loaded()
    world.partition.catch_up()
    assert await world.add(b"a") == 1


async def test_a_timer_comes_back_as_a_command() -> None:
    world = await World().loaded()
    world.runtime.tell(0, Sleep())
    for _ in range(3):
        await asyncio.sleep(0)
    assert world.machine.kept == [b"alarm"]


async def test_an_end_answers_all_and_stops_the_timers() -> None:
    world = await World().loaded()
    machine = world.machine
    parked = world.runtime.send(0, lambda address: Wait(address=address))
    world.runtime.tell(0, Sleep())
    world.runtime.discard()
    assert isinstance(await parked, NotCoordinator)
    await asyncio.sleep(0.01)
    assert machine.kept == []


def test_groups_hash_as_in_java() -> None:
    # "".hashCode(), "a".hashCode(), "group".hashCode(), and one beyond the basic plane
    assert [java_hash(text) for text in ("", "a", "group", "polygenelubricants")] == [0, 97, 98629247, 1 << 31]
    assert java_hash("\N{GRINNING FACE}") == (31 * 0xD83D + 0xDE00)
