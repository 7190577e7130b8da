"""Guards of transactions that are about to begin on a partition (RULES 30).

The first batch of a transaction may be appended only if the coordinator knows of the partition: else nobody would ever
write a marker there, and the last stable offset would hang for good. Asking takes time, and meanwhile the transaction
may be aborted and its marker written. So a guard is taken before the coordinator is asked, and must still be the
producer's guard at the append: a marker, or the transaction's first batch, makes an end of it. All requests of one
producer that ask at the same time share one guard.

A guard also remembers the lowest sequence that asked. Until that one is appended no higher one is: a retry of the
lower one, refused for a passing reason, would be out of order for ever.

Only a leader has guards, and only in memory: a new leader epoch begins without.
"""

from typing import Final

import msgspec

from penstock.errors import OutOfOrderSequence
from penstock.wire.batch import BatchHeader

GUARDS_MAX: Final = 10_000
"""Guards a partition. At this many the oldest is dropped: its producer's append is refused, and is sent again."""


class VerificationGuard(msgspec.Struct, eq=False, gc=False):
    """Proof that no marker came between a question to the coordinator and an append; one object is one guard."""

    producer_id: int
    producer_epoch: int
    lowest_sequence: int
    adds: bool
    """Whether the coordinator is asked to add the partition (transaction version 2) or only whether it is in."""
    coordinator_epoch: int = -1
    """Of the coordinator whose marker came last for the producer; one of an older epoch has been replaced since."""
    is_void: bool = False
    """The partition is led anew since: whether a marker came between nobody knows. It is no fault of the producer's."""

    def join(self, producer_epoch: int, sequence: int) -> None:
        """Another batch of the producer asks too."""
        if producer_epoch > self.producer_epoch:
            self.producer_epoch, self.lowest_sequence = producer_epoch, sequence
        elif producer_epoch == self.producer_epoch and sequence < self.lowest_sequence:
            self.lowest_sequence = sequence


class Verifications:
    """The guards of one partition, by producer id."""

    def __init__(self) -> None:
        self._guards: dict[int, VerificationGuard] = {}

    def __len__(self) -> int:
        return len(self._guards)

    def take(
        self, producer_id: int, *, producer_epoch: int, sequence: int, adds: bool, coordinator_epoch: int = -1
    ) -> VerificationGuard:
        guard = self._guards.get(producer_id)
        if guard is not None:
            guard.join(producer_epoch, sequence)
            return guard
        if len(self._guards) >= GUARDS_MAX:
            del self._guards[next(iter(self._guards))]
        guard = VerificationGuard(producer_id, producer_epoch, sequence, adds, coordinator_epoch)
        self._guards[producer_id] = guard
        return guard

    def is_valid(self, producer_id: int, guard: VerificationGuard | None) -> bool:
        return guard is not None and self._guards.get(producer_id) is guard

    def check_sequence(self, header: BatchHeader, *, has_batches: bool) -> None:
        """Refuse a client's batch that must wait for one with a lower sequence; `has_batches`: its producer's are
        remembered here.
        """
        guard = self._guards.get(header.producer_id)
        if guard is None:
            return
        sequence = header.base_sequence
        if guard.adds and sequence != 0 and not has_batches:
            raise OutOfOrderSequence(f"producer {header.producer_id} begins with sequence {sequence}, not with 0")
        if sequence > guard.lowest_sequence:
            raise OutOfOrderSequence(
                f"producer {header.producer_id} sent sequence {sequence} while {guard.lowest_sequence} waits"
            )

    def end(self, producer_id: int) -> None:
        """The transaction has begun here, or is over."""
        self._guards.pop(producer_id, None)

    def clear(self) -> None:
        for guard in self._guards.values():
            guard.is_void = True
        self._guards.clear()
