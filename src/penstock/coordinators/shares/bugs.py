"""Bugs of the share coordinator, for a simulation that is to find them. All are off."""

from typing import Final

import msgspec


class ShareBugs(msgspec.Struct, frozen=True):
    ignores_leader_epochs: bool = False
    """A former leader of the partition goes on writing."""
    snapshots_without_the_write: bool = False
    """A write that is due to become a snapshot is left out of it."""
    cuts_needed_updates: bool = False
    """The log is cut at the newest snapshot of all, not at the oldest."""
    repeats_go_back: bool = False
    """A write that comes late takes the start back."""


NO_BUGS: Final = ShareBugs()
