"""Long waits of which nearly all end before their time.

The loop keeps every timer in a heap until its time has come, cancelled or not, and compares them in Python: a tenth of
what a long poll costs, and thousands of dead timers. Here all who wait equally long stand in one line, in the order of
their deadlines, and one timer looks after the first of them.
"""

from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Callable


class Deadline:
    __slots__ = ("at", "call")

    def __init__(self, at: float, call: Callable[[], None]) -> None:
        self.at = at
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        self.call = None


class Deadlines:
    __slots__ = ("_lines", "_loop")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._lines: dict[int, deque[Deadline]] = {}
        """By milliseconds. A line that is there has a timer."""

    def call_later(self, wait_ms: int, call: Callable[[], None]) -> Deadline:
        deadline = Deadline(self._loop.time() + wait_ms / 1000, call)
        line = self._lines.get(wait_ms)
        if line is None:
            self._lines[wait_ms] = deque((deadline,))
            self._loop.call_at(deadline.at, self._look, wait_ms)
            return deadline
        while line and line[0].call is None:
            line.popleft()
        line.append(deadline)
        return deadline

    def _look(self, wait_ms: int) -> None:
        line, now = self._lines[wait_ms], self._loop.time()
        due = []
        while line and (line[0].call is None or line[0].at <= now):
            due.append(line.popleft())
        if line:
            self._loop.call_at(line[0].at, self._look, wait_ms)
        else:
            del self._lines[wait_ms]
        for deadline in due:
            call, deadline.call = deadline.call, None
            if call is not None:
                self._loop.call_soon(call)

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))
