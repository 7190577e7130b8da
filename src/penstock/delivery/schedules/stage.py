"""What is due soon, with its records at hand: read from the log ahead of time, in the order of the log. Pure.

A compressed batch whose records are due one by one would else be unpacked for each of them.
"""

import heapq
from collections.abc import Iterable
from typing import Final

from penstock.delivery.relay.batches import size_of
from penstock.delivery.schedules.wheel import Due
from penstock.wire.records import Record

AHEAD_MS: Final = 20_000
SOON_MS: Final = 1_000
COUNT_MAX: Final = 50_000
BYTES_MAX: Final = 48 * 1024 * 1024
GUESS_BYTES: Final = 64 * 1024
"""How large a record is thought to be until some were read."""


class Stage:
    def __init__(self) -> None:
        self._due: list[Due] = []
        self._records: dict[int, Record] = {}
        self._missing: set[int] = set()
        self._size = 0
        self._typical_size = float(GUESS_BYTES)
        """Of those that were read lately."""

    def __len__(self) -> int:
        return len(self._due)

    @property
    def _most(self) -> int:
        """How many there may be, as large as they mostly are; at least one must be able to, whatever its size."""
        return max(1, min(COUNT_MAX, int(BYTES_MAX / self._typical_size)))

    @property
    def room(self) -> int:
        """How many more may come."""
        if not self._due:
            return self._most
        left = (BYTES_MAX - self._size) / self._typical_size - len(self._missing)
        return max(0, min(COUNT_MAX - len(self._due), int(left)))

    def wants_more(self, next_ms: int | None, now: int) -> bool:
        """Whether to fill it up, where all that is elsewhere is due at `next_ms` or later. Many records at a time:
        those of one batch are unpacked together.
        """
        if next_ms is None or next_ms > now + AHEAD_MS // 2:
            return False
        return 2 * self.room >= self._most or next_ms <= now + SOON_MS

    def add(self, due: Iterable[Due]) -> None:
        for each in due:
            heapq.heappush(self._due, each)
            if each[1] not in self._records:
                self._missing.add(each[1])

    @property
    def is_full(self) -> bool:
        return self._size > BYTES_MAX

    def wanted(self) -> list[int]:
        """Offsets whose records are to be read. With too much at hand only the one without which nothing goes on."""
        if not self._missing:
            return []  # a set that was large is slow to look through, even when nothing is left in it
        if not self.is_full:
            return sorted(self._missing)
        first = self.first()
        return [first[1]] if first is not None and first[1] in self._missing else []

    def bring(self, offset: int, record: Record | None) -> None:
        """None where the log holds no such record any more."""
        if offset in self._missing:
            self._missing.remove(offset)
            if record is not None:
                self._records[offset] = record
                size = size_of(record)
                self._size += size
                self._typical_size += (size - self._typical_size) / 32

    def first(self) -> Due | None:
        return self._due[0] if self._due else None

    def is_ready(self, due: Due) -> bool:
        return due[1] not in self._missing

    def pop(self) -> tuple[Due, Record | None]:
        due = heapq.heappop(self._due)
        record = self._records.pop(due[1], None)
        if record is not None:
            self._size -= size_of(record)
        self._missing.discard(due[1])
        return due, record

    def all(self) -> list[Due]:
        """In no order."""
        return list(self._due)

    def put_back(self, due: Due, record: Record) -> None:
        """What was popped."""
        self.add([due])
        self.bring(due[1], record)

    def record_of(self, due: Due) -> Record | None:
        return self._records.get(due[1])

    def count_due(self, now: int) -> int:
        return sum(due_ms <= now for due_ms, _ in self._due)
