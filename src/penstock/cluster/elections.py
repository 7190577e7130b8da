"""Who leads a partition and who counts as in sync, from how its brokers stand. Pure.

Theory. Every member of the in-sync set has all records below the high watermark, and so has every member of the
eligible set: it left the in-sync set when that fell below `min.insync.replicas`, since when the high watermark has
stood still (KIP-966, RULES 5). So whoever is elected from either loses nothing that was acknowledged. What always holds
of a verdict:
- a leader is a live member of the in-sync set, or there is none;
- the leader epoch rises by one when the leader changes, or when a replica is dropped, and only then (RULES 12): one
  that comes back begins with nothing, and what it fetched before must not count for it any more;
- the eligible set is empty where the in-sync set has its minimum, and holds no member of it;
- a broker that is declared lost, or that is stopping while another stays, is in no in-sync set (RULES 8).

Only where nobody is known to be complete, both sets being empty, does the last leader come back (RULES 4), and only
where the topic says so does an incomplete replica lead (unclean). Both are told loudly. One that has lost its log comes
back by neither while a replica is left that may have more (RULES 46).
"""

from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

import msgspec

from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.image.shapes import PartitionImage, record_from
from penstock.cluster.records import NO_LEADER, PartitionRecord
from penstock.model import BrokerId, LeaderEpoch

Brokers = tuple[BrokerId, ...]


class ElectionView(msgspec.Struct, frozen=True):
    """How the brokers stand at one moment, as far as elections care."""

    live: frozenset[BrokerId]
    """Registered."""
    stopping: frozenset[BrokerId] = frozenset()
    doubted: frozenset[BrokerId] = frozenset()
    """Registered again after a probe found them gone: they lead only where nobody else can (RULES 16)."""
    is_patient: bool = False
    """The metadata store was away: whoever is not registered may merely not have come back yet (RULES 11)."""

    @property
    def steady(self) -> frozenset[BrokerId]:
        return self.live - self.stopping - self.doubted

    def keeps(self, broker: BrokerId) -> bool:
        return self.is_patient or broker in self.live


class ElectedFrom(Enum):
    """How a leader came to lead, from the best way to the worst."""

    KEPT = "kept"
    IN_SYNC = "in sync"
    ELIGIBLE = "eligible"
    LAST_LEADER = "last leader"
    UNCLEAN = "unclean"
    NOBODY = "nobody"


class ElectionResult(NamedTuple):
    record: PartitionRecord
    how: ElectedFrom


class LeaderChoice(NamedTuple):
    leader: BrokerId
    in_sync: Brokers
    how: ElectedFrom


def eligible_after(
    *, in_sync_before: Sequence[BrokerId], in_sync: Sequence[BrokerId], eligible: Sequence[BrokerId], in_sync_min: int
) -> Brokers:
    """The eligible set after the in-sync set has become this one; `in_sync_min` is at most the number of replicas."""
    if len(in_sync) >= in_sync_min:
        return ()
    left = (broker for broker in in_sync_before if broker not in in_sync)
    stayed = (broker for broker in eligible if broker not in in_sync)
    return tuple(dict.fromkeys((*stayed, *left)))


def settle(
    partition: PartitionImage,
    view: ElectionView,
    *,
    in_sync_min: int,
    may_be_unclean: bool = False,
    bugs: ClusterBugs = NO_BUGS,
) -> ElectionResult | None:
    """What the partition should be, or None where it is that already."""
    replicas, adding, removing = partition.replicas, partition.adding, partition.removing
    in_sync = _staying(partition.in_sync, view)
    if (adding or removing) and _is_reassigned(partition, in_sync, in_sync_min):
        replicas = tuple(broker for broker in replicas if broker not in removing)
        in_sync = tuple(broker for broker in in_sync if broker in replicas)
        adding = removing = ()
    lowest = min(in_sync_min, len(replicas))
    eligible = eligible_after(
        in_sync_before=partition.in_sync, in_sync=in_sync, eligible=partition.eligible, in_sync_min=lowest
    )
    eligible = () if bugs.forgets_eligible else tuple(broker for broker in eligible if broker in replicas)
    choice = _choose(partition, view, replicas, in_sync, eligible, may_be_unclean=may_be_unclean, bugs=bugs)
    changed = choice.leader != partition.leader
    dropped = len(replicas) < len(partition.replicas) and not bugs.drops_in_same_epoch
    record = record_from(
        partition,
        replicas=replicas,
        adding=adding,
        removing=removing,
        leader=choice.leader,
        leader_epoch=_next(partition.leader_epoch, bugs) if changed or dropped else partition.leader_epoch,
        in_sync=choice.in_sync,
        eligible=()
        if choice.how is ElectedFrom.UNCLEAN
        else eligible_after(in_sync_before=(), in_sync=choice.in_sync, eligible=eligible, in_sync_min=lowest),
        last_leader=_last_leader(partition) if choice.leader < 0 else NO_LEADER,
    )
    return None if record == record_from(partition) else ElectionResult(record, choice.how)


def prefer(partition: PartitionImage, view: ElectionView) -> PartitionRecord | None:
    """Give a partition back to the replica that is named first, if that one can lead and does not."""
    first = partition.replicas[0] if partition.replicas else NO_LEADER
    if partition.leader in (first, NO_LEADER) or first not in partition.in_sync or first not in view.steady:
        return None
    return record_from(partition, leader=first, leader_epoch=_next(partition.leader_epoch))


def step_down(
    partition: PartitionImage,
    broker: BrokerId,
    *,
    lost_page_cache: bool,
    latest_epoch: int = -1,
    has_log: bool = True,
) -> PartitionRecord | None:
    """What a broker's new process makes of what its former one was, before it registers (RULES 2, 4).

    It leads nothing until it is elected anew. Where the machine was restarted, what was not flushed is gone, so it is
    neither in sync nor eligible until it has caught up; a killed process leaves its page cache, and stays. Where there
    is no log it is neither, whatever became of the machine, and not the last resort either (RULES 46).

    Its log holds records of the `latest_epoch`. That is later than the partition's own only where the store was taken
    back in time. Nobody may lead under an epoch that is past: followers would take its records for others, or be
    refused for good.
    """
    changes: dict[str, object] = {}
    if partition.leader == broker or latest_epoch > partition.leader_epoch:
        changes["leader_epoch"] = _next(LeaderEpoch(max(partition.leader_epoch, latest_epoch)))
    if partition.leader == broker:
        changes |= {"leader": NO_LEADER, "last_leader": broker}
    if not has_log and partition.counts_on(broker) and broker not in partition.without_log:
        changes["without_log"] = (*partition.without_log, broker)
    elif has_log and latest_epoch >= 0 and broker in partition.without_log and broker == partition.last_leader:
        # Nobody has led since it lost its log, so what it has now was not fetched: somebody has put the log back.
        changes["without_log"] = tuple(other for other in partition.without_log if other != broker)
    if (lost_page_cache or not has_log) and broker in partition.in_sync + partition.eligible:
        in_sync = tuple(other for other in partition.in_sync if other != broker)
        changes["in_sync"] = in_sync
        changes["eligible"] = tuple(other for other in partition.eligible if other != broker)
    return record_from(partition, **changes) if changes else None


def forget(partition: PartitionImage, broker: BrokerId) -> PartitionRecord | None:
    """What is left where nothing counts any more that a broker had: another folder may have its id next, and must not
    be elected for it. Nor as the last leader, should nobody have declared it lost yet.
    """
    changes: dict[str, object] = {
        "in_sync": tuple(other for other in partition.in_sync if other != broker),
        "eligible": tuple(other for other in partition.eligible if other != broker),
    }
    if broker == partition.leader:
        changes |= {"leader": NO_LEADER, "leader_epoch": _next(partition.leader_epoch), "last_leader": NO_LEADER}
    elif broker == partition.last_leader:
        changes["last_leader"] = NO_LEADER
    if broker in partition.replicas and broker not in partition.without_log:
        changes["without_log"] = (*partition.without_log, broker)
    record = record_from(partition, **changes)
    return None if record == record_from(partition) else record


def _staying(in_sync: Brokers, view: ElectionView) -> Brokers:
    kept = tuple(broker for broker in in_sync if view.keeps(broker))
    staying = tuple(broker for broker in kept if broker not in view.stopping)
    return staying if any(broker in view.live for broker in staying) else kept


def _is_reassigned(partition: PartitionImage, in_sync: Brokers, in_sync_min: int) -> bool:
    """Whoever was to be added has caught up, and as many of those who stay are complete as a commit takes: what the
    others are dropped with must survive as much as it did with them.
    """
    if not all(broker in in_sync for broker in partition.adding):
        return False
    wanted = [broker for broker in partition.replicas if broker not in partition.removing]
    return sum(broker in in_sync for broker in wanted) >= max(1, min(in_sync_min, len(wanted)))


def _choose(
    partition: PartitionImage,
    view: ElectionView,
    replicas: Brokers,
    in_sync: Brokers,
    eligible: Brokers,
    *,
    may_be_unclean: bool,
    bugs: ClusterBugs,
) -> LeaderChoice:
    if bugs.elects_outside_in_sync and not view.keeps(partition.leader):
        anyone = _best(replicas, replicas, view)
        return (
            LeaderChoice(anyone, (anyone,), ElectedFrom.IN_SYNC)
            if anyone >= 0
            else LeaderChoice(NO_LEADER, in_sync, ElectedFrom.NOBODY)
        )
    leader = partition.leader
    if leader in in_sync and (leader in view.steady or leader not in view.live):
        return LeaderChoice(leader, in_sync, ElectedFrom.KEPT)
    best = _best(in_sync, replicas, view)
    if leader in in_sync and leader in view.live and best not in view.steady:
        return LeaderChoice(leader, in_sync, ElectedFrom.KEPT)  # nobody could do better
    if best >= 0:
        return LeaderChoice(best, in_sync, ElectedFrom.IN_SYNC)
    if in_sync:
        return LeaderChoice(NO_LEADER, in_sync, ElectedFrom.NOBODY)  # they may come back yet
    others = tuple(broker for broker in eligible if broker != leader)  # one that leads and is not in sync has resigned
    best = _best(others, replicas, view)
    if best < 0:
        best = _best(eligible, replicas, view)
    if best >= 0:
        return LeaderChoice(best, (best,), ElectedFrom.ELIGIBLE)
    last = partition.last_resort
    if not eligible and last in replicas and last in view.live:
        return LeaderChoice(last, (last,), ElectedFrom.LAST_LEADER)
    best = _best(partition.with_log or replicas, replicas, view)
    if may_be_unclean and best >= 0:
        return LeaderChoice(best, (best,), ElectedFrom.UNCLEAN)
    return LeaderChoice(NO_LEADER, (), ElectedFrom.NOBODY)


def _best(candidates: Collection[BrokerId], replicas: Iterable[BrokerId], view: ElectionView) -> BrokerId:
    """The first live one in the order of preference; those who are doubted or stopping only if there is no other."""
    live = [broker for broker in replicas if broker in candidates and broker in view.live]
    for worse in (view.doubted | view.stopping, view.stopping, frozenset[BrokerId]()):
        for broker in live:
            if broker not in worse:
                return broker
    return NO_LEADER


def _last_leader(partition: PartitionImage) -> BrokerId:
    return partition.leader if partition.leader >= 0 else partition.last_leader


def _next(epoch: LeaderEpoch, bugs: ClusterBugs = NO_BUGS) -> LeaderEpoch:
    return epoch if bugs.elects_without_new_epoch else LeaderEpoch(epoch + 1)
