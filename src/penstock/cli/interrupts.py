"""Ctrl-C where it does no harm: not between doing something and remembering that it was done."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_wait() -> Iterator[Callable[[], None]]:
    """Within, the first Ctrl-C only waits for the function that this yields to be called; a second one is at once."""
    pending = False

    def check() -> None:
        if pending:
            raise KeyboardInterrupt

    def remember(_number: int, _frame: FrameType | None) -> None:
        nonlocal pending
        check()
        pending = True

    if threading.current_thread() is not threading.main_thread():
        yield check
        return
    before = signal.signal(signal.SIGINT, remember)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
