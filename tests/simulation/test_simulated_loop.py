"""The loop of simulated worlds: what becomes of processes that are killed or stopped, and of all of them in the end."""

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from simulation.loop import OWNER, WORLD, Owner, SimulatedLoop


class Process(Owner):
    """Waits within an asynchronous generator, as a broker that watches the store does, and tells what happens to it."""

    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self.told: list[str] = []
        context = WORLD.copy()
        context.run(OWNER.set, self)
        self.task: asyncio.Task[Any] = loop.create_task(self._live(), context=context)

    async def _live(self) -> None:
        try:
            async with aclosing(self._ticks()) as ticks:
                async for tick in ticks:
                    self.told.append(tick)
        finally:
            await asyncio.sleep(1)
            self.told.append("ended")

    async def _ticks(self) -> AsyncGenerator[str, None]:
        while True:
            await asyncio.sleep(1)
            yield "tick"


@pytest.fixture
def loop() -> SimulatedLoop:
    return SimulatedLoop()


def run_for(loop: SimulatedLoop, seconds: float) -> None:
    loop.run(until_s=loop.time() + seconds)


def test_a_killed_process_does_nothing_any_more_not_even_at_its_end(loop: SimulatedLoop) -> None:
    process = Process(loop)
    run_for(loop, 1.5)
    process.is_dead = True
    run_for(loop, 5)
    assert process.told == ["tick"] and not process.task.done()
    loop.close()


def test_a_stopped_process_goes_on_where_it_was(loop: SimulatedLoop) -> None:
    process = Process(loop)
    process.is_paused = True
    run_for(loop, 5)
    assert process.told == []
    loop.resume(process)
    run_for(loop, 1.5)
    assert process.told == ["tick"]
    loop.close()


@pytest.mark.parametrize("fate", ["lives", "is killed", "is killed before its first step", "is stopped", "waits"])
def test_the_end_of_a_world_ends_every_task_and_leaves_the_collector_nothing(loop: SimulatedLoop, fate: str) -> None:
    """Warnings are errors: an unfinished coroutine that is collected would fail this test."""
    process = Process(loop)
    process.is_dead = fate == "is killed before its first step"
    run_for(loop, 1.5)
    process.is_dead = process.is_dead or fate == "is killed"
    process.is_paused = fate == "is stopped"
    if fate != "waits":
        run_for(loop, 2)
    told = list(process.told)
    loop.close()
    assert process.task.cancelled()
    assert process.told == told, "no time passes: what it would still have waited for does not come"
    del process
    gc.collect()


def test_a_killed_process_that_gathers_what_is_done_already_ends_too(loop: SimulatedLoop) -> None:
    async def gathers() -> None:
        async def part() -> None:
            await asyncio.sleep(1)
            process.is_dead = True  # so that nobody hears of this part's end

        await asyncio.gather(part())

    process = Process(loop)
    context = WORLD.copy()
    context.run(OWNER.set, process)
    task = loop.create_task(gathers(), context=context)
    run_for(loop, 2)
    loop.close()
    assert task.cancelled()


def test_a_failure_while_a_world_ends_is_not_its_story(loop: SimulatedLoop) -> None:
    async def fails_when_it_ends() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise AssertionError("too late")

    loop.spawn(fails_when_it_ends())
    run_for(loop, 1)
    loop.close()
    assert loop.failure is None


def test_a_task_that_will_not_end_is_named(loop: SimulatedLoop) -> None:
    async def will_not_end() -> None:
        while not is_enough:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    is_enough: list[bool] = []
    loop.spawn(will_not_end())
    run_for(loop, 1)
    with pytest.raises(AssertionError, match="will_not_end"):
        loop.close()
    is_enough.append(True)
    loop.close()
