"""Throttles of replicas that catch up: whom they concern, and how much they let through."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.support.logs import StillClock
from tests.support.replicas import Replicas

from penstock.model import BrokerId
from penstock.replication import Throttle
from penstock.settings import Config

ME, CATCHING_UP, IN_SYNC = BrokerId(1), BrokerId(3), BrokerId(2)


@pytest.fixture
async def replicas_with(tmp_path: Path) -> AsyncIterator[Callable[[str], Replicas]]:
    made: list[Replicas] = []

    def make(listed: str) -> Replicas:
        made.append(Replicas(tmp_path / str(len(made)), settings={"leader.replication.throttled.replicas": listed}))
        made[-1].remove_from_in_sync(CATCHING_UP)
        return made[-1]

    yield make
    for replicas in made:
        await replicas.close()


def a_throttle(clock: StillClock, rate: int | None = 1_000) -> Throttle:
    settings = {} if rate is None else {"leader.replication.throttled.rate": str(rate)}
    return Throttle.of_leader(ME, Config.for_broker(settings), clock)


def test_a_second_s_worth_may_be_used_at_once_and_the_rest_is_waited_for() -> None:
    clock = StillClock()
    throttle = a_throttle(clock, rate=1_000)
    assert not throttle.is_used_up()
    throttle.use(1_500)
    assert throttle.is_used_up()
    clock.time += 500
    assert throttle.is_used_up(), "what was used beyond it is made good first"
    clock.time += 1
    assert not throttle.is_used_up()


def test_what_is_not_used_is_not_saved_for_longer_than_a_second() -> None:
    clock = StillClock()
    throttle = a_throttle(clock, rate=1_000)
    clock.time += 60_000
    throttle.is_used_up()
    throttle.use(1_000)
    assert throttle.is_used_up()


async def test_replicas_that_are_listed_and_not_in_sync_are_concerned(
    replicas_with: Callable[[str], Replicas],
) -> None:
    throttle = a_throttle(StillClock())
    for listed, concerned in (("0:1", True), ("*", True), ("0:3", False), ("1:1", False), ("", False)):
        partition = replicas_with(listed).leader
        assert throttle.concerns(partition, CATCHING_UP) == concerned, listed
        assert not throttle.concerns(partition, IN_SYNC), "acks=all waits for it"


async def test_without_a_rate_nobody_is_held_back(replicas_with: Callable[[str], Replicas]) -> None:
    assert not a_throttle(StillClock(), rate=None).concerns(replicas_with("*").leader, CATCHING_UP)
