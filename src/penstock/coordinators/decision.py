"""What a replicated machine answers to a command: what to keep, when to look again, whom to answer.

A machine has two methods. `decide(command, now)` reads state and changes nothing; it may raise a Refusal, which goes
to the command's own address. `apply(change)` changes state and does nothing else: it must not fail and must not look at
the clock. So loading, replaying and live use are one path.
"""

from collections.abc import Sequence
from typing import Any, NewType, Protocol

import msgspec

from penstock.errors import Refusal
from penstock.model import Millis

Address = NewType("Address", int)
"""Who waits for a reply; the runtime knows the future behind it. NOBODY for what comes from a timer or from loading."""

NOBODY = Address(0)


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """Something asked of a machine. Subclasses add what is asked."""

    address: Address = NOBODY


class Loaded(Command, frozen=True, kw_only=True):
    """The log has been replayed and commands will come: the first command that a machine gets."""


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


class Decision(msgspec.Struct, frozen=True):
    records: Sequence[Any] = ()
    """To be written to the log, in one batch, then applied in order."""
    notes: Sequence[Any] = ()
    """Changes that need not survive a restart (who is connected, who waits): applied after the records, not written."""
    timers: Sequence[Timer] = ()
    replies: Sequence[Reply] = ()
    """Released when the high watermark has passed everything the machine has written so far (RULES 33)."""


class Machine(Protocol):
    def decide(self, command: Any, now: Millis) -> Decision: ...

    def apply(self, change: Any) -> None: ...


class RecordCodec(Protocol):
    """Between a machine's records and the keys and values of its internal topic."""

    def encode(self, record: Any) -> tuple[bytes, bytes | None]: ...

    def decode(self, key: bytes, value: bytes | None) -> Any | None:
        """None for a record that this version does not know: it is let be."""


def refused(address: Address, refusal: Refusal) -> Decision:
    return Decision(replies=(Reply(address, refusal),))
