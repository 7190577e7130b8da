"""Two writes of one share partition made one: what comes of it is the same, whichever came first."""

import msgspec

from penstock.coordinators.shares.commands import Write
from penstock.coordinators.shares.progress import UNCHANGED, Progress
from penstock.coordinators.shares.ranges import StateRanges
from penstock.coordinators.shares.states import newer_relay


def joined(first: Write, second: Write) -> Write | None:
    """None where they come from different leaders, or from before and after an initialization."""
    if (first.state_epoch, first.leader_epoch) != (second.state_epoch, second.leader_epoch):
        return None
    batches = StateRanges(first.batches)
    batches.add(second.batches)
    return msgspec.structs.replace(
        first,
        progress=_progress(first.progress, second.progress),
        batches=tuple(batches),
        relay=newer_relay(first.relay, second.relay),
    )


def _progress(first: Progress, second: Progress) -> Progress:
    """A write that names no start counts from the one that the coordinator has, which may be the other's."""
    if UNCHANGED in (first.start_offset, second.start_offset):
        start = max(first.start_offset, second.start_offset)
        return Progress(start, second.delivery_complete_count)
    return first.after(second)
