"""Share coordinators asked from anywhere: in place or by request, again while they are away, writes joined."""

import asyncio
from typing import Any, cast

import pytest
from tests.support.share_machine import AVAILABLE, KEY, OTHER_TOPIC, TOPIC, batch
from tests.support.virtual_time import LoopClock, in_virtual_time

from penstock.coordinators.shares import commands
from penstock.coordinators.shares.joining import joined
from penstock.coordinators.shares.metrics import ShareStateMetrics
from penstock.coordinators.shares.peer_requests import EXCHANGES
from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.service import partition_of
from penstock.coordinators.shares.share_coordinators import PATIENCE_S, ShareCoordinators
from penstock.coordinators.shares.states import SharePartitionKey, ShareState, ShareSummary, StateBatch
from penstock.errors import (
    ClusterAuthorizationFailed,
    CoordinatorLoadInProgress,
    CoordinatorNotAvailable,
    FencedLeaderEpoch,
    FencedStateEpoch,
    NetworkFailure,
    NotCoordinator,
    Refusal,
    RequestTimedOut,
    UnknownTopicOrPartition,
)
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId
from penstock.replication import Promise

HERE, THERE = BrokerId(1), BrokerId(2)
STATE = ShareState(3, 40, (batch(41, 41), batch(44, 46, AVAILABLE, 2, 900)))
SUMMARY = ShareSummary(3, 7, 40, 2)


class Topic:
    def __init__(self, count: int) -> None:
        self.partitions = [object()] * count


class World:
    """Groups whose names begin with "far" are coordinated by broker 2. What is asked is answered from a list of
    refusals first, and then as it should be.
    """

    def __init__(self) -> None:
        self.asked: list[commands.Question] = []
        self.requests: list[Any] = []
        self.refusals: list[Refusal] = []
        self.not_here: list[Refusal] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.topics_by_id = {TOPIC: Topic(2)}
        self.registry = MetricsRegistry()
        self.tasks: list[asyncio.Task[Any]] = []
        self.coordinators = ShareCoordinators(
            self,
            self,
            cast(Any, self),
            me=HERE,
            clock=LoopClock(),
            spawn=lambda work: self.tasks.append(asyncio.ensure_future(work)),
            registry=self.registry,
        )

    @property
    def metrics(self) -> ShareStateMetrics:
        return self.registry.of(ShareStateMetrics)

    async def coordinator_of(self, key: str) -> BrokerId:
        return THERE if key.startswith("far") else HERE

    def _answer(self, question: commands.Question) -> Any:
        self.asked.append(question)
        if self.refusals:
            return self.refusals.pop(0)
        answers: dict[type[Any], Any] = {commands.Read: STATE, commands.Summarize: SUMMARY}
        return answers.get(type(question))

    def ask(self, *args: Any, **more: Any) -> Any:
        return self._ask_there(*args, **more) if len(args) > 1 else self._ask_here(*args)

    def _ask_here(self, question: commands.Question) -> Promise[Any]:
        if self.not_here:
            raise self.not_here.pop(0)
        promise = Promise[Any]()

        async def later() -> None:
            await self.gate.wait()
            answer = self._answer(question)
            if not promise.done():
                promise.set_result(answer)

        if self.gate.is_set():
            promise.set_result(self._answer(question))
        else:
            self.tasks.append(asyncio.ensure_future(later()))
        return promise

    async def _ask_there(self, broker: BrokerId, request: Any, *, version: int, **_: Any) -> Any:
        assert broker == THERE
        self.requests.append(request)
        await self.gate.wait()
        exchange = next(each for each in EXCHANGES.values() if isinstance(request, each.request))
        asked = exchange.request.decode(request.encode(version), version)
        response = exchange.respond(asked, [self._answer(question) for question in exchange.questions(asked)])
        return exchange.response.decode(response.encode(version), version)

    async def write(self, key: SharePartitionKey, *batches: StateBatch, start: int = -1, epoch: int = 0) -> None:
        await self.coordinators.write(
            key, state_epoch=3, leader_epoch=epoch, start_offset=start, delivery_complete_count=1, batches=batches
        )


def named(group: str, partition: int = 0) -> SharePartitionKey:
    return SharePartitionKey(group, TOPIC, partition)


@pytest.mark.parametrize("group", ["near", "far"])
async def test_each_question_is_asked_and_answered_whole(group: str) -> None:
    world, key = World(), named(group)
    await world.coordinators.initialize(key, state_epoch=3, start_offset=40)
    assert await world.coordinators.read(key, leader_epoch=7) == STATE
    await world.write(key, batch(41, 42), batch(50, 50, AVAILABLE, 3, 77), start=41, epoch=7)
    assert await world.coordinators.summary(key, leader_epoch=7) == SUMMARY
    await world.coordinators.delete(key)
    assert world.asked == [
        commands.Initialize(key=key, state_epoch=3, start_offset=40),
        commands.Read(key=key, leader_epoch=7),
        commands.Write(
            key=key,
            state_epoch=3,
            leader_epoch=7,
            progress=Progress(41, 1),
            batches=(batch(41, 42), batch(50, 50, AVAILABLE, 3, 77)),
        ),
        commands.Summarize(key=key, leader_epoch=7),
        commands.Delete(key=key),
    ]
    assert len(world.requests) == (5 if group == "far" else 0)


async def test_questions_to_one_broker_leave_together_by_group() -> None:
    world = World()
    world.gate.clear()
    keys = [named("far-a"), named("far-a", 1), named("far-b"), named("far-c")]
    first = asyncio.ensure_future(world.coordinators.read(named("far"), leader_epoch=0))
    await asyncio.sleep(0.001)
    rest = [asyncio.ensure_future(world.coordinators.read(key, leader_epoch=0)) for key in keys]
    await asyncio.sleep(0.001)
    world.gate.set()
    assert await asyncio.gather(first, *rest) == [STATE] * 5
    assert sorted(request.group_id for request in world.requests) == ["far", "far-a", "far-b", "far-c"]


@in_virtual_time
@pytest.mark.parametrize(
    "refusal",
    [
        CoordinatorLoadInProgress(),
        CoordinatorNotAvailable(),
        NotCoordinator(),
        NetworkFailure(),
        RequestTimedOut(),
        ClusterAuthorizationFailed(),
        UnknownTopicOrPartition(),
    ],
)
@pytest.mark.parametrize("group", ["near", "far"])
async def test_a_coordinator_that_is_away_is_asked_again(refusal: Refusal, group: str) -> None:
    world = World()
    world.refusals = [type(refusal)() for _ in range(3)]
    assert await world.coordinators.read(named(group), leader_epoch=0) == STATE
    assert len(world.asked) == 4 and world.metrics.retries == 3


@in_virtual_time
async def test_a_coordinator_that_has_moved_is_asked_again() -> None:
    world = World()
    world.not_here = [NotCoordinator(), CoordinatorLoadInProgress()]
    assert await world.coordinators.read(named("near"), leader_epoch=0) == STATE


@in_virtual_time
async def test_it_is_given_up_after_some_seconds_in_words_that_name_the_reason() -> None:
    world = World()
    world.refusals = [NotCoordinator("moved") for _ in range(1_000)]
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    with pytest.raises(CoordinatorNotAvailable, match="moved"):
        await world.write(named("far"), batch(1, 1))
    assert PATIENCE_S <= loop.time() - began_s <= PATIENCE_S + 1
    assert world.metrics.given_up == 1
    world.refusals.clear()
    await world.write(named("far"), batch(1, 1))


@pytest.mark.parametrize("group", ["near", "far"])
@pytest.mark.parametrize("refusal", [FencedLeaderEpoch("old"), FencedStateEpoch("old")])
async def test_a_fence_is_told_at_once(group: str, refusal: Refusal) -> None:
    world = World()
    world.refusals = [refusal]
    with pytest.raises(type(refusal), match="old"):
        await world.write(named(group), batch(1, 1))
    assert len(world.asked) == 1


async def test_of_a_topic_that_is_gone_nothing_is_left_to_delete() -> None:
    world = World()
    key = KEY._replace(topic_id=OTHER_TOPIC)
    world.refusals = [UnknownTopicOrPartition(), UnknownTopicOrPartition()]
    await world.coordinators.delete(key)
    with pytest.raises(UnknownTopicOrPartition):
        await world.coordinators.read(key, leader_epoch=0)


# Joined writes


async def begin(world: World, *writes: Any) -> "list[asyncio.Future[None]]":
    world.gate.clear()
    begun = []
    for write in writes:
        begun.append(asyncio.ensure_future(write))
        await asyncio.sleep(0.001)
    return begun


@pytest.mark.parametrize("group", ["near", "far"])
async def test_what_comes_while_a_write_is_under_way_leaves_as_one(group: str) -> None:
    world, key = World(), named(group)
    begun = await begin(world, *(world.write(key, batch(n, n), start=n) for n in range(10)))
    other = asyncio.ensure_future(world.write(named(group, 1), batch(5, 5)))
    await asyncio.sleep(0.001)
    world.gate.set()
    await asyncio.gather(*begun, other)
    written = [question for question in world.asked if question.key == key]
    assert len(written) == 2 and world.metrics.writes == 11 and world.metrics.joined_writes == 8
    assert written[1] == commands.Write(
        key=key, state_epoch=3, leader_epoch=0, progress=Progress(9, 1), batches=(batch(1, 9),)
    )
    await world.write(key, batch(20, 20))
    assert len(world.coordinators._writes._under_way) == 0


async def test_writes_of_different_leaders_are_not_joined() -> None:
    world = World()
    writes = [world.write(KEY, batch(n, n), epoch=n // 2) for n in range(5)]
    begun = await begin(world, *writes)
    world.gate.set()
    await asyncio.gather(*begun)
    assert [cast(commands.Write, each).leader_epoch for each in world.asked] == [0, 0, 1, 2]


async def test_a_fence_is_told_to_everybody_whose_write_was_in_it() -> None:
    world = World()
    begun = await begin(world, *(world.write(KEY, batch(n, n)) for n in range(4)))
    world.refusals = [FencedLeaderEpoch("first"), FencedLeaderEpoch("rest")]
    world.gate.set()
    outcomes = await asyncio.gather(*begun, return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["first", "rest", "rest", "rest"]
    assert outcomes[1] is not outcomes[2]


async def test_a_write_is_carried_out_though_whoever_asked_has_gone() -> None:
    world = World()
    begun = await begin(world, *(world.write(KEY, batch(2 * n, 2 * n)) for n in range(3)))
    begun[1].cancel()
    world.gate.set()
    await asyncio.gather(*begun, return_exceptions=True)
    assert cast(commands.Write, world.asked[1]).batches == (batch(2, 2), batch(4, 4))
    begun = await begin(world, *(world.write(KEY, batch(n, n)) for n in (8, 9)))
    begun[0].cancel()
    await asyncio.sleep(0.001)
    world.gate.set()
    await begun[1]


async def test_a_broker_that_ends_leaves_nobody_waiting() -> None:
    world = World()
    begun = await begin(world, *(world.write(KEY, batch(n, n)) for n in range(3)))
    begun[0].cancel()
    await asyncio.sleep(0.001)
    for task in world.tasks:
        task.cancel()
    outcomes = await asyncio.gather(*begun, return_exceptions=True)
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (Progress(3, 1), Progress(7, 0), Progress(7, 0)),
        (Progress(7, 0), Progress(3, 1), Progress(7, 0)),
        (Progress(-1, 1), Progress(-1, 2), Progress(-1, 2)),
        (Progress(5, 1), Progress(-1, 2), Progress(5, 2)),
        (Progress(-1, 2), Progress(5, 1), Progress(5, 1)),
    ],
)
def test_of_two_starts_the_further_one_is_joined(first: Progress, second: Progress, both: Progress) -> None:
    first_write, second_write = (
        commands.Write(key=KEY, state_epoch=1, leader_epoch=1, progress=progress) for progress in (first, second)
    )
    made = joined(first_write, second_write)
    assert made is not None and made.progress == both


def test_a_key_is_kept_where_kafka_keeps_it() -> None:
    """The absolute value of Java's hash. The second's is below zero, and the last one's has no such value."""
    assert [partition_of(key, 50) for key in ("a", "polygenelubricants!", "workers")] == [47, 15, 41]
    assert partition_of("polygenelubricants", 7) == 0
