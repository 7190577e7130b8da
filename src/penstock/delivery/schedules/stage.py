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


class Stage:
    def __init__(self) -> None:
        self._due: list[Due] = []
        self._records: dict[int, Record] = {}
        self._missing: set[int] = set()
        self._size = 0

    def __len__(self) -> int:
        return len(self._due)

    @property
    def room(self) -> int:
        """How many more may come; at least one must be able to, whatever its size."""
        if self._size > BYTES_MAX and self._due:
            return 0
        return COUNT_MAX - len(self._due)

    def wants_more(self, next_ms: int | None, now: int) -> bool:
        """Whether to fill it up, where all that is elsewhere is due at `next_ms` or later. Many records at a time:
        those of one batch are unpacked together.
        """
        if next_ms is None or next_ms > now + AHEAD_MS // 2:
            return False
        return self.room >= COUNT_MAX // 2 or next_ms <= now + SOON_MS

    def add(self, due: Iterable[Due]) -> None:
        for each in due:
            heapq.heappush(self._due, each)
            if each[1] not in self._records:
                self._missing.add(each[1])

    @property
    def missing(self) -> set[int]:
        """Offsets whose records are to be read."""
        return self._missing

    def bring(self, offset: int, record: Record | None) -> None:
        """None where the log holds no such record any more."""
        if offset in self._missing:
            self._missing.remove(offset)
            if record is not None:
                self._records[offset] = record
                self._size += size_of(record)

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
