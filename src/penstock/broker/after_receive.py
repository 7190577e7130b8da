"""What the frames of one receive have set off, done when the last of them is handled.

An append wakes long polls, a follower's fetch releases the answers to many producers. Done at once, a long poll would
be answered with the first of many records, and each producer's answer would be a send of its own. Left to the loop,
each would wait for further turns of it. So it is gathered while frames are handled and done right after them.
"""

from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Callable
from typing import Final

AT_ONCE: Final = 64
"""Done within the turn of the loop that set them off; what is beyond is the next turn's, so that others get theirs."""


class AfterReceive:
    __slots__ = ("_due", "_is_receiving", "_loop")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._due: deque[Callable[[], None]] = deque()
        self._is_receiving = False

    def soon(self, call: Callable[[], None]) -> None:
        """Call it after the receive that is under way, or in the loop's next turn."""
        if self._is_receiving:
            self._due.append(call)
        else:
            self._loop.call_soon(call)

    def begin(self) -> None:
        self._is_receiving = True

    def settle_single(self) -> None:
        """The last frame is handled, what it is answered is not sent yet. If all that it set off is one thing, a long
        poll to answer, that is done first: a record is waited for longer than its acknowledgement, and a send takes as
        long as a read. Several would keep the producer waiting.
        """
        if len(self._due) == 1:
            self.settle()

    def settle(self) -> None:
        """The last frame is handled. What this sets off in its turn is done as well."""
        due = self._due
        done = 0
        while due:
            call = due.popleft()
            if done == AT_ONCE:
                self._loop.call_soon(call)
                continue
            done += 1
            try:
                call()
            except Exception as bug:
                # As the loop would say it; whoever was received from is not to blame.
                self._loop.call_exception_handler({"message": "not done after a receive", "exception": bug})
        self._is_receiving = False
