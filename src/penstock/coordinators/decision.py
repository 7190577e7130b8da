"""What a replicated machine answers to a command: what to keep, when to look again, whom to answer.

A machine has two methods. `decide(command, now)` reads state and changes nothing; it may raise a Refusal, which goes
to the command's own address. `apply(change)` changes state and does nothing else: it must not fail and must not look at
the clock. So loading, replaying and live use are one path.
"""

from collections.abc import Callable, Sequence
from typing import Any, NewType, Protocol, runtime_checkable

import msgspec

from penstock.errors import Refusal
from penstock.model import Millis
from penstock.wire.markers import Marker

Address = NewType("Address", int)
"""Who waits for a reply; the runtime knows the future behind it. NOBODY for what comes from a timer or from loading."""

NOBODY = Address(0)
RUNNER = Address(-1)
"""Whoever runs the machine: a reply to it is an order to act, given once the high watermark passed what it rests on."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """Something asked of a machine. Subclasses add what is asked."""

    address: Address = NOBODY


class Loaded(Command, frozen=True, kw_only=True):
    """The log has been replayed and commands will come: the first command that a machine gets."""


class EndTransaction(Command, frozen=True, kw_only=True):
    """A producer's transaction is over. The shard writes the marker by itself; the machine learns of it as a change."""

    marker: Marker
    producer_id: int
    producer_epoch: int
    transaction_version: int


class Reply(msgspec.Struct, frozen=True, gc=False):
    address: Address
    value: Any
    """A response, or a Refusal."""


class Timer(msgspec.Struct, frozen=True):
    """Send `command` at a time; a timer of the same name is replaced, and `at` None removes it.

    Deadlines that move often (sessions) are kept by the machine: the timer's command looks whether it is really due and
    asks for a new timer if not, so that a heartbeat costs no timer.
    """

    name: tuple[str, ...]
    at: Millis | None
    command: Command | None = None


class Work(msgspec.Struct, frozen=True):
    """Something too long for the event loop. It runs in a thread, on what it was given and nothing else, and comes back
    as a command, to a machine that may have gone on meanwhile.
    """

    name: tuple[str, ...]
    run: Callable[[], Command]


class Decision(msgspec.Struct, frozen=True):
    records: Sequence[Any] = ()
    """To be written to the log, in one batch, then applied in order."""
    notes: Sequence[Any] = ()
    """Changes that need not survive a restart (who is connected, who waits): applied after the records, not written."""
    timers: Sequence[Timer] = ()
    replies: Sequence[Reply] = ()
    """Released when the high watermark has passed everything the machine has written so far (RULES 33)."""
    producer: tuple[int, int] | None = None
    """Id and epoch: the records belong to this producer's transaction and are applied as `InTransaction`."""
    guard: Any = None
    """What lets a transaction's first records into the log (RULES 30), as the command brought it."""
    work: Sequence[Work] = ()


# Changes that every machine may be given beside its own records and notes


class InTransaction(msgspec.Struct, frozen=True, gc=False):
    """A record of a transaction: it is in the log, and counts if and when the transaction commits."""

    producer_id: int
    record: Any


class TransactionEnded(msgspec.Struct, frozen=True, gc=False):
    """The marker is in the log: what the producer's transaction brought counts from here on, or never."""

    producer_id: int
    is_committed: bool


class ClockMoved(msgspec.Struct, frozen=True, gc=False):
    """The wall clock was set: it is so far ahead of `now`, which goes on evenly.

    Deadlines are kept by `now`, so that a clock that is set ends nobody's session; what is kept for people, or compared
    after a restart, is wall time: `now` plus this (0 until the first such change).
    """

    wall_ahead_ms: int


class Machine(Protocol):
    def decide(self, command: Any, now: Millis) -> Decision:
        """`now` is the wall clock's time when the shard began, gone on evenly since (`ClockMoved`)."""

    def apply(self, change: Any) -> None:
        """Kinds of change that mean nothing to a machine are let be."""


@runtime_checkable
class PlacedMachine(Machine, Protocol):
    """A machine that is told where in the log its records lie."""

    def place(self, batch_at: int) -> None:
        """What is applied from here on is in the batch that begins at this offset."""


class RecordCodec(Protocol):
    """Between a machine's records and the keys and values of its internal topic."""

    def encode(self, record: Any) -> tuple[bytes, bytes | None]: ...

    def decode(self, key: bytes, value: bytes | None) -> Any | None:
        """None for a record that this version does not know: it is let be."""


def refused(address: Address, refusal: Refusal) -> Decision:
    return Decision(replies=(Reply(address, refusal),))
