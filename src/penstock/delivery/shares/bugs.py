"""Bugs that can be switched on, one for each promise that a simulation must be able to find broken.

Nothing but a simulation sets one.
"""

import msgspec


class ShareBugs(msgspec.Struct, frozen=True, kw_only=True):
    answers_before_written: bool = False
    """An acknowledgement is answered although nobody has written it yet."""
    forgets_delivery_counts: bool = False
    """What is written of a record that comes back says that nobody had it."""
    keeps_ended_locks_quiet: bool = False
    """Whoever waits is not told that a lock has ended."""


class HoldingBugs(msgspec.Struct, frozen=True, kw_only=True):
    """Of the rules that hold records back."""

    forgets_waits: bool = False
    """Until when a record waits is not written."""
    waits_after_leaving: bool = False
    """What a member had that left waits, although nobody may have seen it."""
    ends_keys_early: bool = False
    """The next record of a key is set free before it is written that the one before it is done."""
    begins_without_keys: bool = False
    """A new leader gives out what it finds without reading keys first."""
    spans_locks_only: bool = False
    """Locks do not bound what members have where the window is wide."""


NO_BUGS = ShareBugs()
ALL_HELD_WELL = HoldingBugs()
