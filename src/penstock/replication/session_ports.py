"""What a fetch session needs of the broker around it; `penstock.broker` has both."""

from collections.abc import Callable
from typing import Protocol


class AfterReceivePort(Protocol):
    def soon(self, call: Callable[[], None]) -> None:
        """Call it when all requests of the receive that is under way are handled, or in the loop's next turn."""


class DeadlinePort(Protocol):
    def cancel(self) -> None: ...


class DeadlinesPort(Protocol):
    def call_later(self, wait_ms: int, call: Callable[[], None]) -> DeadlinePort: ...
