"""Bugs that the simulation plants to see whether it finds them. Nothing but a test ever sets one."""

import msgspec


class ClusterBugs(msgspec.Struct, frozen=True):
    joins_without_registration: bool = False
    """RULES 1: a follower is added to the in-sync set though it may have registered anew since it fetched."""
    keeps_epoch_of_former_self: bool = False
    """RULES 2: a new incarnation goes on leading under the leader epoch of the process before it."""
    elects_outside_in_sync: bool = False
    """Any live replica may lead, whatever it has."""
    elects_without_new_epoch: bool = False
    """Nothing fences the leader before: the epoch stays as it was."""
    forgets_eligible: bool = False
    """RULES 5: members that leave an in-sync set below its minimum do not join the eligible set."""
    drops_in_same_epoch: bool = False
    """ADR 27: a replica is dropped, and comes back empty, without a new epoch: a fetch from before may still count."""
    trusts_flush_setting: bool = False
    """RULES 20: who lost its page cache is complete because the topic asks for flushes now, whenever that began."""
    takes_missing_logs_for_empty: bool = False
    """RULES 46: a broker whose log is not there any more counts as it did, and begins with an empty one."""


NO_BUGS = ClusterBugs()
