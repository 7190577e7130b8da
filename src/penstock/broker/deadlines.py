"""Long waits of which nearly all end before their time.

The loop keeps every timer in a heap until its time has come, cancelled or not, and compares them in Python: a tenth of
what a long poll costs, and thousands of dead timers. Here all who wait equally long stand in one line, in the order of
their deadlines, and one timer looks after the first of them.

Clients choose how long they wait. Whoever names ever other times leaves a line behind with each, so lines in which
nobody waits any more are swept when there are many; and a line is cleared when most in it have gone.
"""

from asyncio import AbstractEventLoop, TimerHandle
from collections import deque
from collections.abc import Callable
from typing import Final

LINES_MAX: Final = 64
"""Lines from which on those that are empty are looked for."""
GONE_MAX: Final = 64
"""Of a line: from so many on, if they are most of it, those that have gone are taken out."""


class Deadline:
    __slots__ = ("at", "call", "line")

    def __init__(self, at: float, call: Callable[[], None], line: "_Line") -> None:
        self.at = at
        self.call: Callable[[], None] | None = call
        self.line = line

    def cancel(self) -> None:
        if self.call is not None:
            self.call = None
            self.line.gone += 1


class _Line:
    """All who wait equally long, first come first."""

    __slots__ = ("gone", "timer", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[Deadline] = deque()
        self.gone = 0
        """How many of them have been cancelled."""
        self.timer: TimerHandle | None = None

    def clear_front(self) -> None:
        waiting = self.waiting
        while waiting and waiting[0].call is None:
            waiting.popleft()
            self.gone -= 1

    def add(self, deadline: Deadline) -> None:
        self.clear_front()
        if self.gone > GONE_MAX and 2 * self.gone > len(self.waiting):
            self.waiting = deque(each for each in self.waiting if each.call is not None)
            self.gone = 0
        self.waiting.append(deadline)


class Deadlines:
    __slots__ = ("_lines", "_loop", "_sweep_at")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._lines: dict[int, _Line] = {}
        """By milliseconds. A line that is there has a timer."""
        self._sweep_at = LINES_MAX

    def call_later(self, wait_ms: int, call: Callable[[], None]) -> Deadline:
        line = self._lines.get(wait_ms)
        at = self._loop.time() + wait_ms / 1000
        if line is None:
            if len(self._lines) >= self._sweep_at:
                self._sweep()
            line = self._lines[wait_ms] = _Line()
            line.timer = self._loop.call_at(at, self._look, wait_ms)
        deadline = Deadline(at, call, line)
        line.add(deadline)
        return deadline

    def _sweep(self) -> None:
        for wait_ms, line in list(self._lines.items()):
            if line.gone == len(line.waiting):
                del self._lines[wait_ms]
                if line.timer is not None:
                    line.timer.cancel()
        self._sweep_at = max(LINES_MAX, 2 * len(self._lines))

    def _look(self, wait_ms: int) -> None:
        line, now = self._lines[wait_ms], self._loop.time()
        due = []
        line.clear_front()
        while line.waiting and line.waiting[0].at <= now:
            due.append(line.waiting.popleft())
            line.clear_front()
        if line.waiting:
            line.timer = self._loop.call_at(line.waiting[0].at, self._look, wait_ms)
        else:
            del self._lines[wait_ms]
        for deadline in due:
            call, deadline.call = deadline.call, None
            if call is not None:
                self._loop.call_soon(call)

    def __len__(self) -> int:
        return sum(len(line.waiting) for line in self._lines.values())
