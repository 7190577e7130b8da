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


NO_BUGS = ShareBugs()
