"""Bugs that can be switched on, one for each promise that a test must be able to find broken.

Nothing but a test sets one.
"""

import msgspec


class DedupBugs(msgspec.Struct, frozen=True, kw_only=True):
    counts_before_commit: bool = False
    """Ids of an open transaction count already: should it be aborted, a record is lost."""
    counts_from_the_last: bool = False
    """A duplicate makes its id count for longer."""
    forgets_the_start: bool = False
    """Ids of deleted records go on counting."""


NO_BUGS = DedupBugs()
