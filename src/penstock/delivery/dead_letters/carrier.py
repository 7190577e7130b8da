"""Carries out what the relay of a home decides: asks targets where they end, sends batches, tells what came of it."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import structlog

from penstock.delivery.relay import batches
from penstock.delivery.relay.entries import Target
from penstock.delivery.relay.machine import Answer, RelayMachine, Send, Start
from penstock.delivery.relay.sender import RelaySender, TargetGone
from penstock.errors import OutOfOrderSequence, Refusal
from penstock.model import Clock
from penstock.wire.records import Record

_log = structlog.get_logger(__name__)


class Carrier:
    def __init__(
        self,
        home: str,
        machine: RelayMachine,
        *,
        sender: RelaySender,
        next_producer_id: Callable[[], Awaitable[int]],
        records_of: Callable[[Send], Awaitable[Sequence[Record]]],
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        is_over: Callable[[], bool],
        on_answer: Callable[[Start | Send, Answer], None],
    ) -> None:
        """`on_answer` is told after the machine is."""
        self._home = home
        self._machine = machine
        self._sender = sender
        self._next_producer_id = next_producer_id
        self._records_of = records_of
        self._clock = clock
        self._spawn = spawn
        self._is_over = is_over
        self._on_answer = on_answer

    def carry(self, step: Start | Send) -> None:
        self._spawn(self._start(step) if isinstance(step, Start) else self._send(step))

    async def _start(self, step: Start) -> None:
        try:
            from_offset = await self._sender.end_of(step.target)
            producer_id = await self._next_producer_id() if step.wants_id else -1
        except Exception as error:
            self._answered(step, self._answer_for(error, step.target))
        else:
            now = self._clock.now()
            self._machine.started(step, producer_id=producer_id, from_offset=from_offset, now=now)
            self._on_answer(step, Answer.TAKEN)

    async def _send(self, step: Send) -> None:
        try:
            records = await self._records_of(step)
            batch = batches.build(
                records,
                producer_id=step.producer_id,
                epoch=step.epoch,
                sequence=step.sequence,
                now=self._clock.now(),
                size=sum(map(batches.size_of, records)),
            )
            if self._is_over():
                return
            offset = await self._sender.send(step.target, batch, from_offset=step.from_offset)
        except Exception as error:
            self._answered(step, self._answer_for(error, step.target))
        else:
            self._answered(step, Answer.TAKEN, offset)

    def _answered(self, step: Start | Send, answer: Answer, offset: int = -1) -> None:
        self._machine.answered(step, answer, self._clock.now(), offset=offset)
        self._on_answer(step, answer)

    def _answer_for(self, error: Exception, target: Target) -> Answer:
        if isinstance(error, TargetGone):
            return Answer.GONE
        if isinstance(error, OutOfOrderSequence):
            return Answer.OUT_OF_ORDER
        if isinstance(error, Refusal):
            _log.info("records not moved yet", home=self._home, target=str(target), reason=error.message)
        else:
            _log.error("records not moved", home=self._home, target=str(target), exc_info=error)
        return Answer.LATER
