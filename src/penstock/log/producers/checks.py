"""Whether a producer's batch, or a coordinator's marker, may follow what a partition knows of that producer.

The rules and their order are Kafka's. A batch is the next one if it has the producer's epoch and the sequence after
the last; a batch among the last five remembered is a duplicate and gets the answer of the first time; anything else of
that epoch is out of order. A lower epoch is fenced, a higher one starts at sequence 0.

One rule is ours (docs/adr/0090): a batch from before the five, of sequences that are known to be in the log, is a
duplicate too.
"""

from typing import Final

import msgspec

from penstock.errors import InvalidProducerEpoch, InvalidTxnState, OutOfOrderSequence, TransactionCoordinatorFenced
from penstock.log.producers.producer import NO_EPOCH, ProducerState
from penstock.wire.batch import TRANSACTIONAL, BatchHeader

EPOCH_MAX: Final = 0x7FFF
EPOCH_BUMPED_FROM: Final = 2
"""The transaction version from which every end of a transaction raises the producer's epoch (KIP-890)."""


class Duplicate(msgspec.Struct, frozen=True, gc=False):
    """Where the batch is that was sent again, and the timestamp that its first sending was answered with.

    Where that is forgotten `base_offset` is -1, and it lies before `last_offset`.
    """

    base_offset: int
    last_offset: int
    timestamp: int


def find_duplicate(state: ProducerState, header: BatchHeader) -> Duplicate | None:
    if header.producer_epoch != state.epoch:
        return None
    batch = state.find(base_sequence=header.base_sequence, last_sequence=header.last_sequence)
    return None if batch is None else Duplicate(batch.base_offset, batch.last_offset, batch.timestamp)


def check_batch(state: ProducerState, header: BatchHeader) -> Duplicate | None:
    """May a client's batch be appended? None: yes. Duplicate: it has been already. Else it is refused."""
    epoch, sequence = header.producer_epoch, header.base_sequence
    if epoch == state.epoch:
        if sequence != state.next_sequence:
            duplicate = find_duplicate(state, header)
            if duplicate is not None:
                return duplicate
            later = state.find_next_after(base_sequence=sequence, last_sequence=header.last_sequence)
            if later is not None:
                return Duplicate(base_offset=-1, last_offset=later.base_offset, timestamp=-1)
            raise OutOfOrderSequence(
                f"producer {state.producer_id} sent sequence {sequence}, the next is {state.next_sequence}"
            )
    else:
        check_epoch(state, epoch)
        if sequence != 0 and state.epoch != NO_EPOCH:
            raise OutOfOrderSequence(
                f"producer {state.producer_id} begins epoch {epoch} with sequence {sequence}, not with 0"
            )
    if state.transaction_first_offset >= 0 and not header.attributes & TRANSACTIONAL:
        raise InvalidTxnState(f"producer {state.producer_id} has a transaction open, the batch is outside it")
    return None


def check_epoch(state: ProducerState, epoch: int) -> None:
    if epoch < state.epoch:
        raise InvalidProducerEpoch(f"producer {state.producer_id} has epoch {state.epoch}, not {epoch} any more")


def check_marker(
    state: ProducerState, *, producer_epoch: int, coordinator_epoch: int, transaction_version: int
) -> None:
    """May a coordinator end this producer's transaction?

    From transaction version 2 on the marker has a higher epoch than the transaction's records: one of the same epoch is
    a former transaction's, late, and would end the one that is open now. It may come again where none is open, and
    where no higher epoch is left to have (KIP-1228).
    """
    check_epoch(state, producer_epoch)
    if (
        transaction_version >= EPOCH_BUMPED_FROM
        and producer_epoch == state.epoch
        and state.transaction_first_offset >= 0
        and producer_epoch != EPOCH_MAX
    ):
        raise InvalidProducerEpoch(
            f"a marker of epoch {producer_epoch} cannot end a transaction of epoch {state.epoch}"
            f" of producer {state.producer_id}, only a later one can"
        )
    if coordinator_epoch < state.coordinator_epoch:
        raise TransactionCoordinatorFenced(
            f"coordinator epoch {coordinator_epoch} is older than {state.coordinator_epoch}"
        )
