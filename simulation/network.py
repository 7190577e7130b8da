"""The network between brokers, clients and the store: slow, lossy, cut one way or both, never corrupting.

Messages are calls: `ask` carries one to a broker's process and its answer back, each with a delay of its own, so that
what was sent later may well arrive earlier. Nobody at the address is told at once, as a kernel does; silence ends with
the caller's timeout, and what was asked may happen all the same, later.
"""

import asyncio
import contextvars
import random
from collections.abc import Callable
from typing import Any, Protocol

from simulation.loop import WORLD, Owner, SimulatedLoop

STORE = 0
"""The store's address; brokers have their ids, clients negative numbers."""


DELAY_S_MAX = 4.0
"""Longer than every timeout, and than the shortest lease."""


class Process(Protocol):
    context: contextvars.Context

    def answer(self, carry_out: Callable[..., None], *arguments: Any) -> None: ...


class Network:
    def __init__(self, loop: SimulatedLoop, dice: random.Random, find: Callable[[int], Process | None]) -> None:
        self._loop = loop
        self.dice = self._dice = dice
        self._find = find
        self.cuts: set[tuple[int, int]] = set()
        """Directions in which nothing passes."""
        self.loss = 0.0
        self.slowness = 1.0
        self.is_calm = False
        """Nothing is late any more."""
        self.lost = self.late = 0

    def delay_s(self) -> float:
        dice = self._dice
        chance = dice.random()
        if chance < 0.95 or self.is_calm:
            return dice.random() * 0.004 * self.slowness
        self.late += 1
        return min(dice.random() * (0.2 if chance < 0.995 else 2.5) * self.slowness, DELAY_S_MAX)

    def passes(self, source: int, target: int) -> bool:
        if (source, target) in self.cuts or (self.loss and self._dice.random() < self.loss):
            self.lost += 1
            return False
        return True

    async def ask(
        self,
        source: int,
        target: int,
        question: Callable[[Any], Any],
        *,
        timeout_s: float,
        context: Any = None,
    ) -> Any:
        """What `question(process)` returns, or what the future that it returns comes to. `context` is the asker's."""
        loop = self._loop
        answer: asyncio.Future[Any] = loop.create_future()
        timer = loop.call_later(timeout_s, fail, answer, TimeoutError(), context=context)
        if self.passes(source, target):
            back = _Answer(self, answer, source, target, context if context is not None else WORLD)
            loop.call_later(self.delay_s(), self._arrive, target, question, back, context=WORLD)
        try:
            return await answer
        finally:
            timer.cancel()

    def _arrive(self, target: int, question: Callable[[Any], Any], back: "_Answer") -> None:
        process = self._find(target)
        if process is None:
            back.fail(ConnectionRefusedError(f"nobody at {target}"))
        else:
            self._loop.call_soon(process.answer, _carry_out, process, question, back, context=process.context)

    def reply(self, back: "_Answer", deliver: Callable[..., None], value: Any) -> None:
        if self.passes(back.target, back.source):
            self._loop.call_later(self.delay_s(), deliver, back.answer, value, context=back.context)


class _Answer:
    __slots__ = ("answer", "context", "network", "source", "target")

    def __init__(
        self,
        network: Network,
        answer: "asyncio.Future[Any]",
        source: int,
        target: int,
        context: Any,
    ) -> None:
        self.network = network
        self.answer = answer
        self.source = source
        self.target = target
        self.context = context

    def give(self, value: Any) -> None:
        self.network.reply(self, resolve, value)

    def fail(self, error: BaseException) -> None:
        self.network.reply(self, fail, error)


def _carry_out(process: Owner, question: Callable[[Any], Any], back: _Answer) -> None:
    try:
        value = question(process)
    except AssertionError:
        raise
    except Exception as error:
        back.fail(error)
        return
    if isinstance(value, asyncio.Future):
        value.add_done_callback(lambda done: _forward(done, back))
    else:
        back.give(value)


def _forward(done: "asyncio.Future[Any]", back: _Answer) -> None:
    if done.cancelled():
        return
    error = done.exception()
    if error is not None:
        back.fail(error)
    else:
        back.give(done.result())


def resolve(answer: "asyncio.Future[Any]", value: Any) -> None:
    if not answer.done():
        answer.set_result(value)


def fail(answer: "asyncio.Future[Any]", error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)
