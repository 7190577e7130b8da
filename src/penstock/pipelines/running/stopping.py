"""Ending a job from outside: the first Ctrl-C or SIGTERM asks it to stop, the second is as usual."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol


class Stopping(Protocol):
    """What a job looks at between two steps; a threading.Event is one."""

    def is_set(self) -> bool: ...


@contextmanager
def stop_on_signals(tell: Callable[[], None] = lambda: None) -> Iterator[threading.Event]:
    """Yields an event that SIGINT and SIGTERM set; then `tell` is called, within the signal's handler. Enter it after
    the session is made: PySpark takes SIGINT for itself when it starts, to cancel what runs and throw
    KeyboardInterrupt."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.set()
        signal.signal(number, before[signal.Signals(number)])
        tell()

    for number in before:
        signal.signal(number, ask)
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
