"""Records that wait to be written: batches, and what a sender of a record is told of it."""

from collections.abc import Generator
from typing import Any

import msgspec

from penstock.client.tasks import Future
from penstock.model import TopicPartition
from penstock.wire.records import Header, Record

RECORD_OVERHEAD: int = 24
"""Lengths and deltas of a record at most, but for its headers."""


NO_OFFSET: int = -1


class Written(msgspec.Struct, frozen=True):
    """Where a record is."""

    topic: str
    partition: int
    offset: int
    """-1 where nobody told: with acks=0, or when an earlier attempt had written it."""


class Batch:
    """Records of one partition that are sent together; they are all written, or none is."""

    __slots__ = ("created_s", "done", "halves", "is_closed", "is_uncertain", "records", "size_bytes")

    def __init__(self, created_s: float) -> None:
        self.records: list[Record] = []
        self.size_bytes = 0
        self.created_s = created_s
        self.is_closed = False
        """No more records are added: it is full, or was sent."""
        self.is_uncertain = False
        """It was sent, and the answer was lost: it may have been written."""
        self.done: Future[int] = Future()
        """The offset of its first record."""
        self.halves: tuple[Batch, Batch] | None = None
        """What it was split into, because it was too large for the topic."""

    def add(self, timestamp_ms: int, key: bytes | None, value: bytes | None, headers: tuple[Header, ...]) -> int:
        index = len(self.records)
        self.records.append(Record(index, timestamp_ms, key, value, headers))
        return index

    def split(self) -> "tuple[Batch, Batch]":
        """Two batches in place of this one; whoever waits for it waits for both of them."""
        middle = len(self.records) // 2
        first, second = Batch(self.created_s), Batch(self.created_s)
        for half, records in ((first, self.records[:middle]), (second, self.records[middle:])):
            for each in records:
                half.add(each.timestamp, each.key, each.value, each.headers)
                half.size_bytes += size_of(each.key, each.value, each.headers)
            half.is_closed = True
        self.halves = (first, second)
        first.done.when_done(lambda: second.done.when_done(lambda: self.done.resolve(NO_OFFSET)))
        return self.halves


def size_of(key: bytes | None, value: bytes | None, headers: tuple[Header, ...]) -> int:
    """About how many bytes a record takes in a batch."""
    size = RECORD_OVERHEAD + len(key or b"") + len(value or b"")
    for name, content in headers:
        size += len(name) + len(content or b"") + RECORD_OVERHEAD
    return size


class Sent:
    """A record on its way. Its value, when it `is_done`: where it was written, or raised, what it was refused with."""

    __slots__ = ("_batch", "_index", "place")

    def __init__(self, place: TopicPartition, batch: Batch, index: int) -> None:
        self.place = place
        self._batch = batch
        self._index = index

    @property
    def is_done(self) -> bool:
        return self._batch.done.is_done

    @property
    def future(self) -> Future[int]:
        """Done when the record's batch is."""
        return self._batch.done

    def value(self) -> Written:
        batch, index = self._batch, self._index
        while batch.halves is not None:
            first, second = batch.halves
            batch, index = (first, index) if index < len(first.records) else (second, index - len(first.records))
        base = batch.done.value()
        return Written(*self.place, base + index if base >= 0 else NO_OFFSET)

    def __await__(self) -> "Generator[Future[Any], None, Written]":
        yield from self._batch.done.__await__()
        return self.value()
