"""What the share machine does unasked: it finds how far its log may be cut, renews the snapshots that keep it from
being cut, and forgets what was kept of topics that are deleted.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from penstock.coordinators.decision import RUNNER, Command, Decision, Reply, Timer
from penstock.coordinators.shares.bugs import ShareBugs
from penstock.coordinators.shares.commands import ColdDue, CutLog, ForgetTopics, PruneDue
from penstock.coordinators.shares.records import Forgotten, Snapshot
from penstock.coordinators.shares.state import PartitionState, ShareLimits
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.model import Millis, TopicId

States = Mapping[SharePartitionKey, PartitionState]

FORGOTTEN_AT_ONCE: Final = 1_000
RENEWED_AT_ONCE: Final = 200
ROWS_AT_ONCE: Final = 4_000
"""What goes into one batch of the log: a few milliseconds' work, and far from the largest batch there may be."""
GO_ON_AFTER_MS: Final = 100


def first_timers(now: Millis, limits: ShareLimits) -> tuple[Timer, ...]:
    return (_prune_timer(now, limits), _cold_timer(Millis(now + limits.cold_after_ms)))


def _prune_timer(now: Millis, limits: ShareLimits) -> Timer:
    return Timer(("prune",), Millis(now + limits.prune_interval_ms), PruneDue())


def _cold_timer(at: Millis) -> Timer:
    return Timer(("cold",), at, ColdDue())


def cut(states: States, index: int, newest_at: int, now: Millis, limits: ShareLimits, bugs: ShareBugs) -> Decision:
    """The order is given once everything written so far is replicated: a snapshot that only this broker has would be
    lost with it, and what it stands for is cut.
    """
    oldest = next(iter(states.values()), None)
    before = newest_at if oldest is None or bugs.cuts_needed_updates else oldest.snapshot_at
    return Decision(timers=(_prune_timer(now, limits),), replies=(Reply(RUNNER, CutLog(index, before)),))


def renew_cold(states: States, newest_at: int, now: Millis, wall: Millis, limits: ShareLimits) -> Decision:
    records = [] if _is_short(states, newest_at, limits) else list(_renewed(states, wall, limits))
    is_full = len(records) >= RENEWED_AT_ONCE or sum(len(each.batches) for each in records) >= ROWS_AT_ONCE
    again = GO_ON_AFTER_MS if is_full else limits.cold_after_ms
    return Decision(records=records, timers=(_cold_timer(Millis(now + again)),))


def _is_short(states: States, newest_at: int, limits: ShareLimits) -> bool:
    """Whether most of the log is of use: to write it anew would gain little, each time."""
    oldest = next(iter(states.values()), None)
    return oldest is None or newest_at - oldest.snapshot_at <= 2 * len(states) + limits.updates_per_snapshot


def _renewed(states: States, wall: Millis, limits: ShareLimits) -> Iterator[Snapshot]:
    """The oldest first, until the first that is not cold."""
    rows = 0
    for key, state in islice(states.items(), RENEWED_AT_ONCE):
        if 0 <= wall - state.write_timestamp < limits.cold_after_ms or rows >= ROWS_AT_ONCE:
            return
        rows += len(state.ranges)
        yield Snapshot(
            key=key,
            snapshot_epoch=state.snapshot_epoch + 1,
            state_epoch=state.state_epoch,
            leader_epoch=state.leader_epoch,
            progress=state.progress,
            create_timestamp=state.create_timestamp,
            write_timestamp=wall,
            batches=tuple(state.ranges),
            relay=state.relay,
        )


def forget(states: States, topic_ids: frozenset[TopicId], now: Millis) -> Decision:
    gone = islice((key for key in states if key.topic_id in topic_ids), FORGOTTEN_AT_ONCE + 1)
    records = [Forgotten(key) for key in gone]
    command: Command = ForgetTopics(topic_ids=topic_ids)
    left = len(records) > FORGOTTEN_AT_ONCE
    name = ("forget", *sorted(topic_id.hex() for topic_id in topic_ids))
    timers = (Timer(name, Millis(now + GO_ON_AFTER_MS), command),) if left else ()
    return Decision(records=records[:FORGOTTEN_AT_ONCE], timers=timers)
