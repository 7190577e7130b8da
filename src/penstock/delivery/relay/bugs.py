"""Bugs that a simulation switches on, one for each promise of the relay that it must be able to find broken."""

import msgspec


class RelayBugs(msgspec.Struct, frozen=True, kw_only=True):
    done_before_append: bool = False
    """An intent counts as done when it was sent, whatever the answer."""
    new_sequence_after_failover: bool = False
    """Open intents get new sequences when another leader takes the home over."""
    forgets_an_intent: bool = False
    """Who takes the home over goes on behind its open intents."""
    sends_before_replicated: bool = False
    """A batch is sent although its intent may yet be lost."""
    looks_too_late: bool = False
    """A target that has forgotten the producer looks through its log from behind the open batches on."""


NO_BUGS = RelayBugs()
