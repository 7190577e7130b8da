"""`python -m benchmarks.timed_loop FILE penstock-arguments`: the penstock command, with every step of its loop timed.

At SIGUSR1 the longest step since the last such signal is written to FILE as one line of JSON, and forgotten. Wall time
is what others wait for; the CPU time beside it tells how much of that was ours rather than the machine's.
"""

import asyncio
import gc
import json
import signal
import sys
from pathlib import Path
from time import perf_counter, thread_time
from types import FrameType
from typing import Any

from penstock.cli import main


class Holds:
    """The longest step by wall time, the longest by CPU time, and what they were."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.forget()

    def forget(self) -> None:
        self.wall_s = self.cpu_s = 0.0
        self.wall_of = self.cpu_of = ""

    def note(self, handle: Any, wall_s: float, cpu_s: float, collecting_s: float) -> None:
        if wall_s > self.wall_s:
            self.wall_s, self.wall_of = wall_s, _name(handle, collecting_s)
        if cpu_s > self.cpu_s:
            self.cpu_s, self.cpu_of = cpu_s, _name(handle, collecting_s)

    def write(self, _signal: int, _frame: FrameType | None) -> None:
        told = {"wall_s": self.wall_s, "wall_of": self.wall_of, "cpu_s": self.cpu_s, "cpu_of": self.cpu_of}
        self.forget()
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps(told))
        beside.replace(self._file)


def _name(handle: Any, collecting_s: float) -> str:
    """The coroutine behind a task's step, the function behind any other."""
    task = getattr(handle._callback, "__self__", None)
    name = getattr(task.get_coro(), "__qualname__", "") if isinstance(task, asyncio.Task) else repr(handle)[:100]
    return f"{name}, {collecting_s * 1000:.1f} ms of it looking for garbage"


class Collections:
    """The time that looking for garbage took: it strikes in the middle of any step, and is not that step's fault."""

    def __init__(self) -> None:
        self.wall_s = 0.0
        self._began = 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, _facts: dict[str, int]) -> None:
        if phase == "start":
            self._began = perf_counter()
        else:
            self.wall_s += perf_counter() - self._began


def time_steps(holds: Holds) -> None:
    """Every callback, every step of a task and every socket that is ready goes through here."""
    run, collections = asyncio.Handle._run, Collections()

    def timed(self: asyncio.Handle) -> None:
        wall, cpu, collected = perf_counter(), thread_time(), collections.wall_s
        run(self)
        holds.note(self, perf_counter() - wall, thread_time() - cpu, collections.wall_s - collected)

    asyncio.Handle._run = timed  # type: ignore[method-assign]


if __name__ == "__main__":
    holds = Holds(Path(sys.argv[1]))
    time_steps(holds)
    signal.signal(signal.SIGUSR1, holds.write)
    sys.argv[:] = ["penstock", *sys.argv[2:]]
    main()
