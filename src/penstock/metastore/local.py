"""What the two stores that live in our own process share: fan-out to watchers, and leases by the clock."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

from penstock.metastore.port import (
    HISTORY_REVISIONS_MAX,
    WATCH_BACKLOG_MAX,
    Changes,
    Compacted,
    LeaseGone,
    LeaseId,
    Revision,
    Written,
)
from penstock.model import Clock


def _only(prefix: str, changes: Changes) -> Changes | None:
    events = tuple(
        event
        for event in changes.events
        if (event.item.key if isinstance(event, Written) else event.key).startswith(prefix)
    )
    return Changes(changes.revision, events) if events else None


class _Watcher:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.backlog: deque[Changes] = deque()
        self.overrun = False
        self.woken = asyncio.Event()

    def offer(self, changes: Changes) -> None:
        wanted = _only(self.prefix, changes)
        if wanted is None:
            return
        if len(self.backlog) >= WATCH_BACKLOG_MAX:
            self.overrun = True
        else:
            self.backlog.append(wanted)
        self.woken.set()


class Watchers:
    """Tells every watcher of every change, in order, and remembers the last ones for watches that start in the past."""

    def __init__(self, revision: Revision) -> None:
        self._history: deque[Changes] = deque(maxlen=HISTORY_REVISIONS_MAX)
        self._oldest = Revision(revision + 1)
        self._watchers: set[_Watcher] = set()
        self._closed = False

    def tell(self, changes: Changes) -> None:
        if len(self._history) == HISTORY_REVISIONS_MAX:
            self._oldest = Revision(self._history[0].revision + 1)
        self._history.append(changes)
        for watcher in self._watchers:
            watcher.offer(changes)

    async def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        if from_revision < self._oldest:
            raise Compacted(self._oldest)
        watcher = _Watcher(prefix)
        # No await from here to the registration, so no change falls between the past and the present.
        for changes in self._history:
            if changes.revision >= from_revision:
                watcher.offer(changes)
        self._watchers.add(watcher)
        try:
            while not self._closed:
                while watcher.backlog:
                    changes = watcher.backlog.popleft()
                    if changes.revision >= from_revision:
                        yield changes
                if watcher.overrun:
                    raise Compacted(self._oldest)
                watcher.woken.clear()
                await watcher.woken.wait()
        finally:
            self._watchers.discard(watcher)

    def close(self) -> None:
        """End every watch, so that whoever iterates one comes back from it."""
        self._closed = True
        for watcher in self._watchers:
            watcher.woken.set()


class Leases:
    """Which leases live, and until when by the monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ttl_ms: dict[LeaseId, int] = {}
        self._deadline: dict[LeaseId, float] = {}
        self._last = 0

    def grant(self, ttl_ms: int) -> LeaseId:
        lease = LeaseId(self._last + 1)
        self.restore(lease, ttl_ms)
        return lease

    def restore(self, lease: LeaseId, ttl_ms: int) -> None:
        """Take up a lease kept on disk; it gets its full time, since nobody could keep it alive while we were away."""
        self._last = max(self._last, lease)
        self._ttl_ms[lease] = ttl_ms
        self.keep_alive(lease)

    def keep_alive(self, lease: LeaseId) -> None:
        if lease not in self._ttl_ms:
            raise LeaseGone(f"lease {lease} has ended")
        self._deadline[lease] = self._clock.monotonic() + self._ttl_ms[lease] / 1000

    def end(self, lease: LeaseId) -> None:
        if self._ttl_ms.pop(lease, None) is None:
            raise LeaseGone(f"lease {lease} has ended")
        del self._deadline[lease]

    def require(self, leases: set[LeaseId]) -> None:
        for lease in sorted(leases):
            if lease not in self._ttl_ms:
                raise LeaseGone(f"lease {lease} has ended")

    def overdue(self) -> list[LeaseId]:
        now = self._clock.monotonic()
        return sorted(lease for lease, deadline in self._deadline.items() if deadline <= now)

    def next_deadline_s(self) -> float | None:
        """Seconds until the next lease runs out, or None while there is none."""
        return min(self._deadline.values()) - self._clock.monotonic() if self._deadline else None
