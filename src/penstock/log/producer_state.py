"""What a partition knows of one producer: its epoch, its last five batches, and the transaction it has open."""

from collections import deque
from typing import Final

import msgspec

BATCHES_REMEMBERED: Final = 5
"""As many as an idempotent producer may have in flight."""

NO_EPOCH: Final = -1
NO_OFFSET: Final = -1
NO_SEQUENCE: Final = -1

SEQUENCE_MASK: Final = 0x7FFFFFFF
"""Sequences count to 2^31 - 1 and start again at 0."""


class Batch(msgspec.Struct, frozen=True, gc=False):
    last_sequence: int
    base_offset: int
    last_offset: int
    timestamp: int

    @property
    def base_sequence(self) -> int:
        return (self.last_sequence - (self.last_offset - self.base_offset)) & SEQUENCE_MASK


class ProducerState:
    """Plain ints in slots: `next_sequence` is all that an append of the next batch looks at."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "epoch",
        "last_timestamp",
        "next_sequence",
        "producer_id",
        "transaction_first_offset",
    )

    def __init__(self, producer_id: int, epoch: int) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.coordinator_epoch = -1
        self.last_timestamp = -1
        self.transaction_first_offset = NO_OFFSET
        self.next_sequence = 0
        self.batches: deque[Batch] = deque(maxlen=BATCHES_REMEMBERED)

    def remember(self, batch: Batch) -> None:
        self.batches.append(batch)
        self.next_sequence = (batch.last_sequence + 1) & SEQUENCE_MASK

    def move_to(self, epoch: int) -> None:
        """A new epoch starts its sequences anew."""
        if epoch != self.epoch:
            self.epoch = epoch
            self.batches.clear()
            self.next_sequence = 0

    def find(self, *, base_sequence: int, last_sequence: int) -> Batch | None:
        for batch in self.batches:
            if batch.last_sequence == last_sequence and batch.base_sequence == base_sequence:
                return batch
        return None

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    @property
    def last_offset(self) -> int:
        """Of its last data batch that is remembered."""
        return self.batches[-1].last_offset if self.batches else NO_OFFSET
