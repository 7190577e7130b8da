"""What a partition knows of one producer: its epoch, its last five batches, and the transaction it has open."""

from collections import deque
from typing import Final, NamedTuple

from penstock.wire.batch import BatchHeader

BATCHES_REMEMBERED: Final = 5
"""As many as an idempotent producer may have in flight."""

NO_EPOCH: Final = -1
NO_OFFSET: Final = -1
NO_SEQUENCE: Final = -1

SEQUENCE_MASK: Final = 0x7FFFFFFF
"""Sequences count to 2^31 - 1 and start again at 0."""
_SMALL: Final = 1 << 29
"""Python compares and masks numbers up to 2^30 fast, larger ones slowly."""


class Batch(NamedTuple):
    """Kept as the plain tuple that it is: to name the fields of each would cost as much as the rest of an update."""

    base_sequence: int  # -1 of whoever counts none, as `last_sequence` then
    base_offset: int
    last_offset_delta: int
    timestamp: int

    @property
    def last_sequence(self) -> int:
        first = self.base_sequence
        return first if first < 0 else (first + self.last_offset_delta) & SEQUENCE_MASK

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta


class ProducerState:
    """Plain ints in slots: `next_sequence` is all that an append of the next batch looks at."""

    __slots__ = (
        "_rows",
        "coordinator_epoch",
        "epoch",
        "last_timestamp",
        "next_sequence",
        "producer_id",
        "transaction_first_offset",
        "unbroken_from",
    )

    def __init__(self, producer_id: int, epoch: int) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.coordinator_epoch = -1
        self.last_timestamp = -1
        self.transaction_first_offset = NO_OFFSET
        self.next_sequence = 0
        self.unbroken_from = 0
        """From this sequence on all of the epoch is in the log. What a start reads from a snapshot begins anew."""
        self._rows: deque[tuple[int, int, int, int]] = deque(maxlen=BATCHES_REMEMBERED)

    def took(self, header: BatchHeader) -> None:
        """The batch that was to come next is in the log."""
        sequence, delta = self.next_sequence, header.last_offset_delta
        self.last_timestamp = timestamp = header.max_timestamp
        self._rows.append((sequence, header.base_offset, delta, timestamp))
        following = sequence + delta + 1
        # Nearly always below: to mask each time was a twentieth of what idempotence adds to an append.
        self.next_sequence = following if following < _SMALL else following & SEQUENCE_MASK

    def remember(self, batch: Batch) -> None:
        if batch.base_sequence != self.next_sequence:
            self.unbroken_from = batch.base_sequence
        self._rows.append(batch)
        self.next_sequence = (batch.last_sequence + 1) & SEQUENCE_MASK

    def move_to(self, epoch: int) -> None:
        """A new epoch starts its sequences anew."""
        if epoch != self.epoch:
            self.epoch = epoch
            self._rows.clear()
            self.next_sequence = self.unbroken_from = 0

    @property
    def batches(self) -> list[Batch]:
        """The last five, oldest first."""
        return [Batch._make(row) for row in self._rows]

    def find(self, *, base_sequence: int, last_sequence: int) -> Batch | None:
        for batch in self.batches:
            if batch.last_sequence == last_sequence and batch.base_sequence == base_sequence:
                return batch
        return None

    def find_next_after(self, *, base_sequence: int, last_sequence: int) -> Batch | None:
        """The oldest batch that is remembered, if these sequences are known to be in the log before it.

        Those from before the count began again at 0 are not.
        """
        if not self._rows:
            return None
        oldest = Batch._make(self._rows[0])
        return oldest if self.unbroken_from <= base_sequence <= last_sequence < oldest.base_sequence else None

    @property
    def last_sequence(self) -> int:
        return Batch._make(self._rows[-1]).last_sequence if self._rows else NO_SEQUENCE

    @property
    def last_offset(self) -> int:
        """Of its last data batch that is remembered."""
        return Batch._make(self._rows[-1]).last_offset if self._rows else NO_OFFSET
