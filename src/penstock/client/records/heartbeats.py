"""The heartbeats of a group's member: now and then, at once where something is to be said, again after a failure.

Of both kinds of groups whose members are told their share by the broker: consumer groups and share groups.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from penstock.client.core import Core
from penstock.client.outcomes import place
from penstock.client.tasks import Future, Task, first_of
from penstock.errors import FencedMemberEpoch, NetworkFailure, Refusal, RequestTimedOut, UnknownMemberId
from penstock.model import TopicPartition


class Heartbeats:
    def __init__(self, core: Core, beat: Callable[[], Coroutine[Any, Any, None]], fenced: Callable[[], None]) -> None:
        """`beat` sends one and takes its answer in; `fenced` is told that the group has given the member up."""
        self.interval_s = 1.0
        self.error: Refusal | None = None
        """Why it cannot be a member."""
        self.changed: Future[None] = Future()
        """Done when there is something to see at the member."""
        self._core = core
        self._beat = beat
        self._fenced = fenced
        self._soon: Future[None] = Future()
        self._task: Task[None] | None = None

    def start(self) -> None:
        if self._task is None:
            self._task = self._core.scheduler.start(self._go_on())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def soon(self) -> None:
        self._soon.resolve(None)

    def tell(self) -> None:
        changed, self.changed = self.changed, Future()
        changed.resolve(None)

    async def _go_on(self) -> None:
        while self.error is None:
            try:
                await self._beat()
                pause_s = self.interval_s
            except (FencedMemberEpoch, UnknownMemberId):
                self._fenced()
                self.tell()
                continue
            except Refusal as error:
                if not (error.retriable or isinstance(error, (NetworkFailure, RequestTimedOut))):
                    self.error = error
                    self.tell()
                    return
                pause_s = self._core.settings.retry_pause_s
            self._soon, timer = Future(), self._core.scheduler.pause(pause_s)
            await first_of([self._soon, timer])
            timer.resolve(None)


async def named(core: Core, assignment: Any, topics: tuple[str, ...]) -> set[TopicPartition]:
    """Partitions are told by their topics' ids. A topic that was made anew has another one."""
    names = core.metadata.names
    if any(each.topic_id not in names for each in assignment.topic_partitions):
        await core.refresh(topics)
    return {
        place(names[each.topic_id], index)
        for each in assignment.topic_partitions
        if each.topic_id in names
        for index in each.partitions
    }
