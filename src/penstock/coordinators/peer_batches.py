"""Questions to other brokers, many in one request: one is under way to each broker, and what comes meanwhile leaves
with the next. Alone, a question leaves at once; under load, requests grow instead of becoming many.
"""

import asyncio
from asyncio import Future
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, Final, Generic, TypeVar

from penstock.errors import Refusal
from penstock.model import BrokerId

TOGETHER_MAX: Final = 200

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class PeerBatches(Generic[Question, Answer]):
    def __init__(
        self,
        send: Callable[[BrokerId, list[Question]], Awaitable[list[Answer]]],
        *,
        about: Callable[[Question], Hashable],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        """`send` asks one broker and answers in the order of the questions; a Refusal is for all of them. Two questions
        `about` the same never share a request: answers are told apart by that.
        """
        self._send = send
        self._about = about
        self._spawn = spawn
        self._waiting: dict[BrokerId, list[tuple[Question, Future[Answer]]]] = {}

    async def ask(self, broker_id: BrokerId, question: Question) -> Answer:
        answer: Future[Answer] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.get(broker_id)
        if waiting is None:
            self._waiting[broker_id] = [(question, answer)]
            self._spawn(self._send_all(broker_id))
        else:
            waiting.append((question, answer))
        return await answer

    async def _send_all(self, broker_id: BrokerId) -> None:
        """Until nobody waits any more. A list that is there means that this task is."""
        while waiting := self._waiting[broker_id]:
            together, self._waiting[broker_id] = self._part(waiting)
            if not together:
                continue  # all have gone
            try:
                answers = await self._send(broker_id, [question for question, _ in together])
                for (_, answer), told in zip(together, answers, strict=True):
                    if not answer.done():
                        answer.set_result(told)
            except Exception as error:  # a Refusal, or a bug that whoever asked is the one to hear of
                _fail([answer for _, answer in together], error)
            except asyncio.CancelledError:
                _fail([answer for _, answer in together + self._waiting.pop(broker_id)], None)
                raise
        del self._waiting[broker_id]

    def _part(
        self, waiting: list[tuple[Question, "Future[Answer]"]]
    ) -> tuple[list[tuple[Question, "Future[Answer]"]], list[tuple[Question, "Future[Answer]"]]]:
        """What goes into the next request, and what is left for those after it. Who has gone is forgotten."""
        together: dict[Hashable, tuple[Question, Future[Answer]]] = {}
        left = []
        for question, answer in waiting:
            about = self._about(question)
            if answer.done():
                continue
            if about in together or len(together) >= TOGETHER_MAX:
                left.append((question, answer))
            else:
                together[about] = (question, answer)
        return list(together.values()), left


def _fail(answers: "list[Future[Any]]", error: Exception | None) -> None:
    for answer in answers:
        if answer.done():
            continue
        if error is None:
            answer.cancel()
        elif isinstance(error, Refusal):
            answer.set_exception(type(error)(error.message))  # one each: whoever raises it adds its own traceback
        else:
            answer.set_exception(error)
