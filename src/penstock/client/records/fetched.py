"""Records out of what a broker answered to Fetch: batches read, checked, and left out where nobody shall see them."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from penstock.errors import CorruptMessage, UnsupportedForMessageFormat
from penstock.wire import Malformed
from penstock.wire.batch import CONTROL, HEADER_SIZE, LENGTH_OVERHEAD, OFFSET_AND_LENGTH, TRANSACTIONAL, BatchHeader
from penstock.wire.markers import MarkerType, read_marker
from penstock.wire.records import Header, crc_of, iterate

MAGIC_AT: Final = 16
MAGIC: Final = 2


class ConsumedRecord(msgspec.Struct, frozen=True, gc=False):
    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...] = ()
    leader_epoch: int = -1


class Fetched:
    """What came for one partition and is not handed out yet. Unpacked batch by batch, when it is asked for."""

    def __init__(
        self, topic: str, partition: int, data: Any, position: int, aborted: Iterable[tuple[int, int]] | None
    ) -> None:
        """`aborted`: producer id and first offset of each aborted transaction in it; None: all records are shown."""
        self.position = position
        """The offset that comes next: what is below was handed out, or is not for anybody."""
        self.leader_epoch = -1
        """Of the last record below it."""
        self._topic = topic
        self._partition = partition
        self._view = memoryview(data or b"")
        self._aborted = None if aborted is None else sorted(aborted, key=lambda each: each[1], reverse=True)
        self._hidden: set[int] = set()
        self._records: Iterator[ConsumedRecord] = iter(())
        self._after = position
        self._epoch = -1

    def take(self, at_most: int) -> list[ConsumedRecord]:
        """The next records; fewer than that mean that it is over. CorruptMessage: it cannot be read."""
        taken: list[ConsumedRecord] = []
        while len(taken) < at_most:
            record = next(self._records, None)
            if record is not None:
                taken.append(record)
                self.position, self.leader_epoch = record.offset + 1, record.leader_epoch
            elif not self._next_batch():
                break
        return taken

    def _next_batch(self) -> bool:
        self.position = max(self.position, self._after)
        view = self._view
        if len(view) < HEADER_SIZE:
            return False
        _, length = OFFSET_AND_LENGTH.unpack_from(view)
        size = length + LENGTH_OVERHEAD
        if size > len(view):
            return False  # brokers cut their answers at a number of bytes; what is cut off is asked for again
        if view[MAGIC_AT] != MAGIC:
            raise UnsupportedForMessageFormat(f"{self._where}: a batch of version {view[MAGIC_AT]}, only 2 is read")
        batch, self._view = view[:size], view[size:]
        header = BatchHeader.peek(batch)
        if header.crc != crc_of(batch):
            raise CorruptMessage(f"{self._where}: the checksum of the batch at {header.base_offset} is wrong")
        self._after, self._epoch = header.next_offset, header.leader_epoch
        self._records = iter(()) if self._is_hidden(header, batch) else self._shown(header, batch)
        return True

    def _shown(self, header: BatchHeader, batch: memoryview) -> Iterator[ConsumedRecord]:
        begin, topic, partition, epoch = self.position, self._topic, self._partition, header.leader_epoch
        try:
            for each in iterate(batch):
                if each.offset >= begin:
                    yield ConsumedRecord(
                        topic, partition, each.offset, each.timestamp, each.key, each.value, each.headers, epoch
                    )
        except Malformed as error:
            raise CorruptMessage(f"{self._where}: the batch at {header.base_offset} cannot be read: {error}") from error

    def _is_hidden(self, header: BatchHeader, batch: memoryview) -> bool:
        """Markers are for nobody; records of aborted transactions for nobody who reads committed ones."""
        if self._aborted is None:
            return bool(header.attributes & CONTROL)
        while self._aborted and self._aborted[-1][1] <= header.last_offset:
            self._hidden.add(self._aborted.pop()[0])
        if header.attributes & CONTROL:
            marker = read_marker(batch)
            if marker is not None and marker.type is MarkerType.ABORT:
                self._hidden.discard(header.producer_id)
            return True
        return bool(header.attributes & TRANSACTIONAL) and header.producer_id in self._hidden

    @property
    def _where(self) -> str:
        return f"{self._topic}-{self._partition}"
