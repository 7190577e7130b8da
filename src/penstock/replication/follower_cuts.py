"""Cuts that a leader's answers ask for: many at once in a thread's writes, one at a time on the loop.

Cutting a log, or beginning it anew at an offset, waits for the disk; after a change of leaders, or where a broker is
new, one answer may ask for thousands.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from penstock.model import BrokerId
from penstock.replication.followed_partition import NOT_ASKED, FollowedPartition
from penstock.replication.follower_session import FollowerSession
from penstock.replication.machine import Diverging

CUTS_AT_ONCE: Final = 200

Where = Diverging | int
"""Where the leader's log and ours part, or the offset to begin anew at."""


class FollowerCuts:
    def __init__(
        self,
        session: FollowerSession,
        leader: BrokerId,
        *,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        on_cut: Callable[[FollowedPartition], None],
        on_failed: Callable[[FollowedPartition, Exception], None],
    ) -> None:
        self._session = session
        self._leader = leader
        self._spawn = spawn
        self._on_cut = on_cut
        self._on_failed = on_failed
        self._waiting: deque[tuple[FollowedPartition, Where, Callable[[], None] | None]] = deque()
        """With what a thread is to write first."""
        self._is_cutting = False
        self._has_cut = False
        """Within the answer that is being taken in."""

    def begin_answer(self) -> None:
        self._has_cut = False

    def cut_or_wait(self, place: FollowedPartition, where: Where) -> None:
        """What the disk must say first a thread writes, for many at once. Where it need say nothing the first is cut at
        once; between the others everybody is served. What was asked before the cut is no answer to what is asked after
        it, and may come before the log is cut or after more has been appended.
        """
        place.asked_in = NOT_ASKED
        write = place.partition.follower_log.cut_ahead(where)
        if write is None and not self._has_cut:
            self._has_cut = True
            self._cut(place, where)
            return
        place.is_busy = True
        self._waiting.append((place, where, write))
        if not self._is_cutting:
            self._is_cutting = True
            self._spawn(self._cut_in_turns())

    async def _cut_in_turns(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(0)
                some = [self._waiting.popleft() for _ in range(min(len(self._waiting), CUTS_AT_ONCE))]
                if writes := [write for _, _, write in some if write is not None]:
                    await asyncio.to_thread(_call_all, writes)
                for place, where, _ in some:
                    if self._session.has(place) and place.is_current(self._leader):
                        try:
                            self._cut(place, where)
                        except Exception as error:
                            self._on_failed(place, error)
                        await asyncio.sleep(0)
        finally:
            self._is_cutting = False

    def _cut(self, place: FollowedPartition, where: Where) -> None:
        if isinstance(where, Diverging):
            place.partition.follower_log.cut_back(where)
        else:
            place.partition.follower_log.start_anew(where)
        self._on_cut(place)


def _call_all(writes: list[Callable[[], None]]) -> None:
    """In a thread. What fails is tried again by the cut itself, where it belongs to its log."""
    for write in writes:
        with suppress(OSError):
            write()
