"""Bugs that can be switched on, one for each rule that a simulation must be able to find broken.

Nothing but a simulation sets one. A machine is given `NO_BUGS` otherwise, and asks it only off the hot path.
"""

import msgspec


class ReplicationBugs(msgspec.Struct, frozen=True, kw_only=True):
    """Each names what a machine does wrong, and the rule (docs/rules.md) that it breaks."""

    joins_without_registration: bool = False
    """RULES 1: a write that adds a follower says nothing of the registration that its fetches came from."""
    keeps_progress_of_former_registration: bool = False
    """RULES 1: what a follower had before it registered again still counts."""
    counts_below_in_sync_min: bool = False
    """RULES 5: the high watermark moves on although fewer than min.insync.replicas are in sync."""
    forgets_pending_write: bool = False
    """RULES 6: while a write to the in-sync set is under way, only the old set counts."""
    takes_timeout_for_failure: bool = False
    """RULES 6: a write that timed out is taken for one that was not made."""
    joins_below_epoch_start: bool = False
    """RULES 7: caught up means the high watermark alone, which a new leader may know too late."""
    counts_diverging_fetch: bool = False
    """A fetch whose tail is not this leader's counts as progress."""
    counts_itself_alone: bool = False
    """The high watermark is the leader's own end."""
    skips_truncation: bool = False
    """A follower goes on at its end although its tail is not the leader's."""
    trusts_leaders_high_watermark: bool = False
    """A follower takes the leader's high watermark as its own although it has not all of the records below."""
    counts_while_somebody_is_eligible: bool = False
    """RULES 5: a minimum that was lowered lets the high watermark move on although somebody is eligible without it."""
    begins_anew_in_same_epoch: bool = False
    """ADR 27: a replica that is to begin with nothing does so although a fetch from before may still count."""
    acknowledges_duplicates_at_once: bool = False
    """RULES 26: a batch sent again is acknowledged although the first one is not replicated yet."""
    forgets_producers: bool = False
    """RULES 27: a follower keeps no producer state of what it replicates."""
    keeps_guards_past_markers: bool = False
    """RULES 30: a guard outlives the marker that ended the transaction it was taken for."""


NO_BUGS = ReplicationBugs()
