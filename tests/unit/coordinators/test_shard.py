"""The runtime around a machine: append and apply together, replies at the high watermark, nobody left waiting."""

import asyncio
from collections import OrderedDict
from functools import partial

import pytest
from tests.support.shards import Add, FakePartition, ShardWorld, Sleep, Wait
from tests.support.virtual_time import LoopClock, in_virtual_time, stand_still

from penstock.coordinators import runtime, shard
from penstock.coordinators.decision import NOBODY
from penstock.coordinators.runtime import java_hash
from penstock.errors import (
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    InvalidTxnState,
    KafkaStorageError,
    MessageTooLarge,
    NotCoordinator,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    Refusal,
    UnknownServerError,
)


async def test_a_command_is_kept_applied_and_answered() -> None:
    world = await ShardWorld().loaded()
    assert [await world.add(b"a"), await world.add(b"b")] == [1, 2]
    assert world.machine.kept == [b"a", b"b"] and world.machine.began == 1


async def test_whoever_leads_next_replays_what_was_written_but_for_noise() -> None:
    world = await ShardWorld().loaded()
    for value in (b"a", b"noise", b"b"):
        await world.add(value)
    again = await ShardWorld(world.partition).loaded()
    assert again.machine.kept == [b"a", b"b"]


async def test_a_reply_waits_for_the_high_watermark_but_the_next_command_sees_the_change() -> None:
    world = await ShardWorld().loaded()
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
    world = await ShardWorld().loaded()
    machine = world.machine
    world.partition.fault = fault
    with pytest.raises(answer):
        await world.add(b"a")
    assert machine.kept == []


def a_world(partition: FakePartition | None = None) -> ShardWorld:
    """One whose time is the loop's."""
    return ShardWorld(partition, clock=LoopClock())


async def what_was_put_off() -> None:
    """Until it has been tried again, in virtual time."""
    await asyncio.sleep(2 * max(runtime.RELOAD_AFTER_S, shard.PUT_OFF_MS / 1_000))


@in_virtual_time
async def test_a_log_that_took_no_record_is_read_again_when_it_does() -> None:
    """A full disk moves no leadership where nobody else could lead: the same epoch goes on when there is room."""
    world = await a_world().loaded()
    await world.add(b"a")
    world.partition.fault, world.partition.log.trouble = KafkaStorageError(), "disk full"
    with pytest.raises(NotCoordinator):
        await world.add(b"b")
    await what_was_put_off()
    with pytest.raises(NotCoordinator):
        await world.add(b"b")
    world.partition.fault = world.partition.log.trouble = None
    await what_was_put_off()
    assert await world.add(b"c") == 2 and world.machine.kept == [b"a", b"c"]


@in_virtual_time
async def test_a_log_that_could_not_be_read_is_read_again() -> None:
    world = await a_world().loaded()
    await world.add(b"a")
    world.partition.log.is_readable = False
    again = await a_world(world.partition).loaded()
    with pytest.raises(NotCoordinator):
        await again.add(b"b")
    world.partition.log.is_readable = True
    await what_was_put_off()
    assert await again.add(b"b") == 2


@in_virtual_time
async def test_a_machine_that_fails_to_take_in_what_is_written_is_replaced_by_one_that_reads_it() -> None:
    world = await a_world().loaded()
    parked = world.runtime.send(0, lambda address: Wait(address=address))
    world.machine.bugs.add(b"a")
    with pytest.raises(NotCoordinator):
        await world.add(b"a")
    assert isinstance(await parked, NotCoordinator)
    await what_was_put_off()
    assert world.machine.kept == [b"a"]


@in_virtual_time
async def test_a_timer_is_not_lost_to_a_bug() -> None:
    world = await a_world().loaded()
    world.machine.bugs.add(Add)
    world.runtime.tell(0, Sleep())
    with pytest.raises(UnknownServerError):
        await world.add(b"a")
    await what_was_put_off()
    world.machine.bugs.clear()
    await what_was_put_off()
    assert world.machine.kept == [b"alarm"]


@in_virtual_time
async def test_nothing_begins_anew_after_the_end() -> None:
    world = await a_world().loaded()
    world.partition.fault = KafkaStorageError()
    with pytest.raises(NotCoordinator):
        await world.add(b"a")
    world.runtime.discard()
    world.partition.leader_epoch += 1
    world.partitions.tell(world.partition)
    await what_was_put_off()
    assert world.runtime.shards() == []


async def test_whoever_waits_when_leadership_goes_is_told() -> None:
    world = await ShardWorld().loaded()
    parked = world.runtime.send(0, lambda address: Wait(address=address))
    world.partition.replicates = False
    unreplicated = world.runtime.send(0, lambda address: Add(address=address, value=b"a"))
    world.partition.is_leader = False
    world.partitions.tell(world.partition)
    assert isinstance(await parked, NotCoordinator) and isinstance(await unreplicated, NotCoordinator)
    with pytest.raises(NotCoordinator):
        await world.add(b"b")


async def test_a_new_epoch_while_loading_begins_anew() -> None:
    world = ShardWorld()
    world.partition.leader_epoch = 2
    world.partitions.tell(world.partition)
    await world.loaded()
    world.partition.catch_up()
    assert await world.add(b"a") == 1


async def test_a_timer_comes_back_as_a_command() -> None:
    world = await ShardWorld().loaded()
    world.runtime.tell(0, Sleep())
    for _ in range(3):
        await asyncio.sleep(0)
    assert world.machine.kept == [b"alarm"]


@in_virtual_time
async def test_a_timer_that_is_late_waits_for_those_who_could_not_be_heard_meanwhile() -> None:
    """As after SIGSTOP and SIGCONT: what clients sent meanwhile is still in their sockets."""
    world = await ShardWorld(clock=LoopClock()).loaded()
    world.runtime.tell(0, Sleep())
    stand_still(seconds=60)
    await asyncio.sleep(0.001)
    assert await world.add(b"heard") == 1
    await asyncio.sleep(60)
    assert world.machine.kept == [b"heard", b"alarm"]


@in_virtual_time
async def test_where_everything_is_always_late_timers_go_off_all_the_same() -> None:
    world = await ShardWorld(clock=LoopClock()).loaded()
    world.runtime.tell(0, Sleep())
    for _ in range(3):
        stand_still(seconds=60)
        await asyncio.sleep(0.001)
    assert world.machine.kept == [b"alarm"]


@pytest.mark.parametrize(
    ("fault", "answer"), [(NotEnoughReplicas(), CoordinatorNotAvailable), (MessageTooLarge(), UnknownServerError)]
)
@in_virtual_time
async def test_what_nobody_waits_for_is_tried_again_until_it_can_be_written(
    fault: Refusal, answer: type[Refusal]
) -> None:
    world = await a_world().loaded()
    world.partition.fault = fault
    world.runtime.tell(0, Sleep())  # its alarm writes
    world.runtime.tell(0, Add(value=b"done work"))
    with pytest.raises(answer):
        await world.add(b"a")
    await what_was_put_off()
    assert world.machine.kept == []
    world.partition.fault = None
    await what_was_put_off()
    assert sorted(world.machine.kept) == [b"alarm", b"done work"]


@in_virtual_time
async def test_whoever_waits_too_long_is_told_and_what_was_written_stays() -> None:
    world = await a_world().loaded()
    world.partition.replicates = False
    late = world.runtime.send(0, lambda address: Add(address=address, value=b"a"), within_s=0.01)
    with pytest.raises(CoordinatorNotAvailable):
        await world.runtime.ask(0, lambda address: Wait(address=address), within_s=0.01)
    assert isinstance(await late, CoordinatorNotAvailable) and world.machine.kept == [b"a"]
    world.partition.replicates = True
    world.partition.catch_up()  # nobody is answered twice
    assert await world.runtime.ask(0, lambda address: Add(address=address, value=b"b"), within_s=60) == 2


@in_virtual_time
async def test_an_answer_that_rests_with_others_is_waited_for_and_its_replication_is_not_for_ever() -> None:
    """As a JoinGroup: members may take minutes, but once the generation is decided only the log is in the way."""
    world = await a_world().loaded()
    undecided = world.runtime.send(0, lambda address: Wait(address=address), replicated_within_s=0.01)
    world.partition.replicates = False
    late = world.runtime.send(0, lambda address: Add(address=address, value=b"a"), replicated_within_s=0.01)
    assert isinstance(await asyncio.wait_for(late, 60), CoordinatorNotAvailable)
    assert world.machine.kept == [b"a"] and not undecided.done()
    world.partition.replicates = True
    world.partition.catch_up()
    assert await world.runtime.ask(0, lambda address: Add(address=address, value=b"b")) == 2


@in_virtual_time
async def test_those_who_gave_up_or_went_do_not_pile_up_while_nothing_is_replicated() -> None:
    world = await a_world().loaded()
    world.partition.replicates = False
    (busy,) = world.runtime.shards()
    for _ in range(3):
        sent = world.runtime.send(0, lambda address: Add(address=address, value=b"a"), within_s=0.001)
        assert isinstance(await sent, CoordinatorNotAvailable)
    gone = world.runtime.send(0, lambda address: Add(address=address, value=b"a"))
    gone.cancel()
    await asyncio.sleep(0)
    assert not busy._waiting and not busy._asking - {NOBODY} and not world.runtime._pending


async def test_many_who_waited_are_answered_at_once_in_their_order() -> None:
    """Brokers come back and the high watermark passes all of them. The first of a plain dict is found by passing over
    all that were taken out before it: with 30,000 that is half a second in which nobody else has the loop.
    """
    world = await ShardWorld().loaded()
    world.partition.replicates = False
    answered: list[int] = []
    for number in range(1_000):
        asked = world.runtime.send(0, lambda address: Add(address=address, value=b"a"))
        asked.add_done_callback(partial(lambda number, _done: answered.append(number), number))
    (busy,) = world.runtime.shards()
    assert len(busy._waiting) == 1_000 and isinstance(busy._waiting, OrderedDict)
    world.partition.replicates = True
    world.partition.catch_up()
    assert not busy._waiting
    await asyncio.sleep(0)
    assert answered == list(range(1_000))


@in_virtual_time
async def test_an_end_answers_all_and_stops_the_timers() -> None:
    world = await a_world().loaded()
    machine = world.machine
    parked = world.runtime.send(0, lambda address: Wait(address=address))
    world.runtime.tell(0, Sleep())
    world.runtime.discard()
    assert isinstance(await parked, NotCoordinator)
    await what_was_put_off()
    assert machine.kept == []


async def test_records_of_a_transaction_are_pending_until_the_marker_is_written() -> None:
    world = await ShardWorld().loaded()
    await world.add_within(7, b"a", guard="a guard")
    await world.add_within(7, b"b")
    await world.add(b"c")
    assert world.machine.kept == [b"c"]
    await world.end(7, commits=True)
    assert world.machine.kept == [b"c", b"a", b"b"]


async def test_a_marker_is_applied_when_it_is_written_and_answered_when_it_is_replicated() -> None:
    world = await ShardWorld().loaded()
    await world.add_within(7, b"a", guard="a guard")
    world.partition.replicates = False
    ended = world.end(7, commits=True)
    await asyncio.sleep(0)
    assert world.machine.kept == [b"a"] and not ended.done()
    world.partition.catch_up()
    assert await ended is None


async def test_a_marker_that_is_refused_leaves_the_transaction_open() -> None:
    world = await ShardWorld().loaded()
    await world.add_within(7, b"a", guard="a guard")
    world.partition.fault = NotEnoughReplicas()
    assert isinstance(await world.end(7, commits=False), CoordinatorNotAvailable)
    assert world.machine.pending == {7: [b"a"]}
    world.partition.fault = None
    await world.end(7, commits=True)
    assert world.machine.kept == [b"a"]


async def test_whoever_leads_next_finds_the_open_transaction_and_the_next_marker_ends_it() -> None:
    world = await ShardWorld().loaded()
    for producer_id, value in ((7, b"a"), (8, b"b"), (9, b"c")):
        await world.add_within(producer_id, value, guard="a guard")
    await world.end(8, commits=False)
    await world.end(9, commits=True)
    again = await ShardWorld(world.partition).loaded()
    assert (again.machine.kept, again.machine.pending) == ([b"c"], {7: [b"a"]})
    await again.end(7, commits=True)
    assert again.machine.kept == [b"c", b"a"]


async def test_a_transaction_that_its_coordinator_does_not_know_writes_nothing() -> None:
    world = await ShardWorld().loaded()
    with pytest.raises(InvalidTxnState):
        await world.add_within(7, b"a")
    assert world.machine.pending == {} and world.partition.log.batches == []


async def test_whoever_comes_while_the_log_is_read_is_told_so() -> None:
    world = ShardWorld()
    with pytest.raises(CoordinatorLoadInProgress):
        await world.add(b"a")
    await world.loaded()
    assert await world.add(b"a") == 1


async def test_a_clock_that_is_set_moves_no_time_that_machines_go_by() -> None:
    world = await ShardWorld().loaded()
    began = world.machine.asked_at[-1]
    world.clock.advance(1_000)
    world.clock.set(by_ms=3_600_000)
    await world.add(b"a")
    assert world.machine.asked_at[-1] == began + 1_000 and world.machine.wall_ahead_ms == 3_600_000
    world.clock.set(by_ms=-7_200_000)
    await world.add(b"b")
    assert world.machine.asked_at[-1] == began + 1_000 and world.machine.wall_ahead_ms == -3_600_000


def test_groups_hash_as_in_java() -> None:
    # "".hashCode(), "a".hashCode(), "group".hashCode(), and one beyond the basic plane
    assert [java_hash(text) for text in ("", "a", "group", "polygenelubricants")] == [0, 97, 98629247, 1 << 31]
    assert java_hash("\N{GRINNING FACE}") == (31 * 0xD83D + 0xDE00)
