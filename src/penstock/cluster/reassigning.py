"""Moving a partition to other brokers: what is asked, and what the partition becomes. Pure.

While it moves, a partition's replicas are the new ones and then those that are to go: `adding` and `removing` say
which. The leader copies to those that are added as to any follower; when all of them are in sync the controller drops
those that are to go (`elections.settle`). What takes no copying happens at once.
"""

import msgspec

from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.elections import ElectionView, settle
from penstock.cluster.image.shapes import PartitionImage, record_from
from penstock.cluster.placement import check_by_hand
from penstock.cluster.records import PartitionRecord
from penstock.errors import InvalidReplicaAssignment, InvalidReplicationFactor, NoReassignmentInProgress
from penstock.model import BrokerId, LeaderEpoch

Brokers = tuple[BrokerId, ...]


def before_reassignment(partition: PartitionImage) -> Brokers:
    """The replicas that there were, or would be again if what is under way were cancelled."""
    return tuple(broker for broker in partition.replicas if broker not in partition.adding)


def reassigned(
    partition: PartitionImage,
    target: tuple[int, ...],
    view: ElectionView,
    *,
    known: frozenset[BrokerId],
    in_sync_min: int,
    may_change_factor: bool,
    bugs: ClusterBugs = NO_BUGS,
) -> PartitionRecord:
    before = before_reassignment(partition)
    wanted = check_by_hand(target, known | set(partition.replicas), replication_factor=None)
    if not may_change_factor and len(wanted) != len(before):
        raise InvalidReplicationFactor(
            f"the partition has {len(before)} replicas and would have {len(wanted)}: the request does not allow that"
        )
    adding = tuple(broker for broker in wanted if broker not in before)
    removing = tuple(broker for broker in before if broker not in wanted)
    return _moved(
        partition,
        view,
        replicas=(*wanted, *removing),
        adding=adding,
        removing=removing,
        in_sync_min=in_sync_min,
        bugs=bugs,
    )


def cancelled(
    partition: PartitionImage, view: ElectionView, *, in_sync_min: int, bugs: ClusterBugs = NO_BUGS
) -> PartitionRecord:
    if not (partition.adding or partition.removing):
        raise NoReassignmentInProgress
    before = before_reassignment(partition)
    return _moved(partition, view, replicas=before, adding=(), removing=(), in_sync_min=in_sync_min, bugs=bugs)


def _moved(
    partition: PartitionImage,
    view: ElectionView,
    *,
    replicas: Brokers,
    adding: Brokers,
    removing: Brokers,
    in_sync_min: int,
    bugs: ClusterBugs,
) -> PartitionRecord:
    in_sync = tuple(broker for broker in partition.in_sync if broker in replicas)
    eligible = tuple(broker for broker in partition.eligible if broker in replicas)
    complete = _complete(partition)
    if complete and complete.isdisjoint(replicas):
        raise InvalidReplicaAssignment(
            "only replicas that are being added are complete: without them acknowledged records would be lost"
        )
    asked = msgspec.structs.replace(
        partition, replicas=replicas, adding=adding, removing=removing, in_sync=in_sync, eligible=eligible
    )
    verdict = settle(asked, view, in_sync_min=in_sync_min, bugs=bugs)
    record = record_from(asked) if verdict is None else verdict.record
    is_dropping = not set(partition.replicas) <= set(replicas) and not bugs.drops_in_same_epoch
    if record.leader_epoch == partition.leader_epoch and is_dropping:
        # Whoever is dropped here begins with nothing should it come back, as where a move ends (`elections.settle`).
        record = msgspec.structs.replace(record, leader_epoch=LeaderEpoch(partition.leader_epoch + 1))
    return record


def _complete(partition: PartitionImage) -> set[BrokerId]:
    """Who has all that was acknowledged, as elections go by it; none of them may be there now."""
    return set(partition.in_sync or partition.eligible or (partition.last_resort,)) & set(partition.replicas)
