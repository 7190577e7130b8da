"""A loop in which waiting takes no time: when nothing is ready, the clock jumps to the next timer.

For tests of leases, heartbeats and back-offs on stores in memory. Real sockets and threads have no place in it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from penstock.model import Millis

_T = TypeVar("_T")
_P = ParamSpec("_P")
EPOCH_MS = 1_700_000_000_000


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._now_s = 1_000.0

    def time(self) -> float:
        return self._now_s

    def _run_once(self) -> None:
        if not self._ready:  # type: ignore[attr-defined]
            while self._scheduled and self._scheduled[0]._cancelled:  # type: ignore[attr-defined]
                self._scheduled.pop(0)  # type: ignore[attr-defined]
                self._scheduled.sort()  # type: ignore[attr-defined]
            if not self._scheduled:  # type: ignore[attr-defined]
                raise RuntimeError("everybody waits and nothing is scheduled: this would last for ever")
            self._now_s = max(self._now_s, self._scheduled[0]._when)  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


class LoopClock:
    """The running loop's time, as a Clock."""

    def now(self) -> Millis:
        return Millis(EPOCH_MS + int(self.monotonic() * 1000))

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def stand_still(*, seconds: float) -> None:
    """The process stops and goes on: timers are due that nobody came to, and the loop comes to them first."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    loop._now_s += seconds


def run_virtual(work: Coroutine[Any, Any, _T]) -> _T:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)


def in_virtual_time(test: Callable[_P, Coroutine[Any, Any, None]]) -> Callable[_P, None]:
    """For a test: it runs on a loop of its own."""

    @wraps(test)
    def run(*arguments: _P.args, **named: _P.kwargs) -> None:
        run_virtual(test(*arguments, **named))

    return run
