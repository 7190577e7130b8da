"""What is known of a transactional id: its producer, the transaction it is in, and how far that has come.

    Empty ──> Ongoing ──> PrepareCommit ──> CompleteCommit ──> Ongoing ...
                    └───> PrepareAbort  ──> CompleteAbort  ──> Ongoing ...

InitProducerId leads from Empty and Complete* back to Empty under a higher epoch. Once Prepare* is in the log the
outcome is settled; what remains is to tell every partition. PrepareEpochFence and Dead are Kafka's names for moments
that pass between two records there; here such a step is one record, so they are only ever asked for, in filters.
"""

import enum

import msgspec

from penstock.model import Millis, TopicPartition

NO_PRODUCER_ID = -1
NO_EPOCH = -1
NOT_STARTED = Millis(-1)

EPOCH_MAX = 0x7FFF
LAST_EPOCH_GIVEN = EPOCH_MAX - 1
"""The one above it is kept for fencing whoever has it."""


class TransactionState(enum.Enum):
    """With the numbers and names that Kafka gives them in the log and in answers."""

    EMPTY = 0, "Empty"
    ONGOING = 1, "Ongoing"
    PREPARE_COMMIT = 2, "PrepareCommit"
    PREPARE_ABORT = 3, "PrepareAbort"
    COMPLETE_COMMIT = 4, "CompleteCommit"
    COMPLETE_ABORT = 5, "CompleteAbort"
    DEAD = 6, "Dead"
    PREPARE_EPOCH_FENCE = 7, "PrepareEpochFence"

    def __init__(self, number: int, label: str) -> None:
        self.number = number
        self.label = label


STATE_BY_NUMBER = {state.number: state for state in TransactionState}
STATE_BY_LABEL = {state.label: state for state in TransactionState}

PREPARED = frozenset((TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT))
AT_REST = frozenset((TransactionState.EMPTY, TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT))


class TransactionVersion(enum.IntEnum):
    """Levels of the feature `transaction.version`: the protocol that a client uses with its coordinator."""

    TV0 = 0
    TV1 = 1
    TV2 = 2
    """KIP-890: every end of a transaction raises the producer's epoch, and producing adds partitions."""

    @property
    def bumps_epoch(self) -> bool:
        return self >= TransactionVersion.TV2


class Transaction(msgspec.Struct, frozen=True, kw_only=True):
    transactional_id: str
    producer_id: int
    producer_epoch: int = NO_EPOCH
    last_epoch: int = NO_EPOCH
    """The epoch before, if its producer asked for the present one itself: it may ask again."""
    previous_producer_id: int = NO_PRODUCER_ID
    next_producer_id: int = NO_PRODUCER_ID
    """Of a prepared end that used up the last epoch: what the producer is called once the end is complete."""
    timeout_ms: int
    state: TransactionState = TransactionState.EMPTY
    partitions: frozenset[TopicPartition] = frozenset()
    started_at: Millis = NOT_STARTED
    updated_at: Millis
    client_version: TransactionVersion = TransactionVersion.TV0

    @property
    def is_epoch_used_up(self) -> bool:
        return self.producer_epoch >= LAST_EPOCH_GIVEN

    @property
    def is_committing(self) -> bool:
        return self.state is TransactionState.PREPARE_COMMIT

    def moved_to(self, state: TransactionState, at: Millis, **changes: object) -> "Transaction":
        """The transaction after a step; the producer id it had before the step is remembered, as Kafka does."""
        return msgspec.structs.replace(
            self, state=state, updated_at=at, previous_producer_id=self.producer_id, **changes
        )


class TransactionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that bound transactions, as they were when the broker started."""

    timeout_max_ms: int = 900_000
    timeouts_interval_ms: int = 10_000
    id_expiration_ms: int = 7 * 24 * 3_600_000
    expiry_interval_ms: int = 3_600_000
    ids_max: int = 20_000
    """Transactional ids on one partition of `__transaction_state`; more are refused."""
