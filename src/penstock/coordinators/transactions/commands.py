"""What can be asked of the transaction machine, what it answers, and what it orders to be done."""

from collections.abc import Sequence

import msgspec

from penstock.coordinators.decision import Command
from penstock.coordinators.transactions.state import TransactionState, TransactionVersion
from penstock.model import Millis, TopicPartition

# From clients


class InitProducer(Command, frozen=True, kw_only=True):
    """A producer begins, or goes on after an error (KIP-360: then it names the id and the epoch it has)."""

    transactional_id: str
    timeout_ms: int
    expected: tuple[int, int] | None = None
    new_producer_id: int | None = None
    """None at first: an id is fetched only when `NeedsProducerId` was answered."""


class AddPartitions(Command, frozen=True, kw_only=True):
    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: frozenset[TopicPartition]
    version: TransactionVersion


class VerifyPartitions(Command, frozen=True, kw_only=True):
    """Answered with those of the partitions that are in the open transaction."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: frozenset[TopicPartition]


class EndTransaction(Command, frozen=True, kw_only=True):
    transactional_id: str
    producer_id: int
    producer_epoch: int
    commits: bool
    version: TransactionVersion
    new_producer_id: int | None = None


class Describe(Command, frozen=True, kw_only=True):
    transactional_id: str


class ListTransactions(Command, frozen=True, kw_only=True):
    """Empty filters let everything through; a duration below 0 is none. `ids` are those to look at; None: all."""

    ids: Sequence[str] | None = None
    producer_ids: frozenset[int] = frozenset()
    states: frozenset[TransactionState] | None = None
    duration_ms: int = -1


# From the broker


class MarkersWritten(Command, frozen=True, kw_only=True):
    """Every partition of a prepared transaction has its marker: the end is complete."""

    due: "MarkersDue"


class AbortTimedOut(Command, frozen=True, kw_only=True):
    """A transaction that timed out needs a new producer id to be aborted, and here it is."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    new_producer_id: int


# From timers


class TimeoutsDue(Command, frozen=True, kw_only=True):
    """Look for transactions that are open for too long."""


class ResumeDue(Command, frozen=True, kw_only=True):
    """Order the markers of ends that the coordinator before this one left unfinished: these are left."""

    left: Sequence[str]


class ExpiryDue(Command, frozen=True, kw_only=True):
    """Look for transactional ids that nobody has used for too long."""


# Answers


class Producer(msgspec.Struct, frozen=True, gc=False):
    producer_id: int
    producer_epoch: int


class NeedsProducerId(msgspec.Struct, frozen=True, gc=False):
    """The epochs of the present id are used up: ask again with a new one. Ids come from elsewhere, and take time."""


# Notes: what changes without being kept


class TimeoutsBounded(msgspec.Struct, frozen=True, gc=False):
    """From now on no open transaction has more time left than its timeout: the clock of whoever opened it may have been
    ahead, by hours for which nobody would read past it.
    """

    now: Millis


# Orders to whoever runs the machine


class MarkersDue(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a transaction is settled: tell these partitions."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    commits: bool
    partitions: frozenset[TopicPartition]
    version: TransactionVersion
    coordinator_index: int
    """The partition of `__transaction_state`, and the leader epoch under which this coordinator has it."""
    coordinator_epoch: int


class ProducerIdDue(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction timed out under its id's last epoch: bring a new id with `AbortTimedOut`."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    coordinator_index: int
