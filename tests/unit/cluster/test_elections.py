"""Who leads, who is in sync, who is eligible: one sentence a rule."""

from typing import TypedDict

import pytest

from penstock.cluster.bugs import ClusterBugs
from penstock.cluster.elections import (
    ElectedFrom,
    ElectionResult,
    ElectionView,
    eligible_after,
    forget,
    prefer,
    settle,
    step_down,
)
from penstock.cluster.image.shapes import PartitionImage
from penstock.cluster.records import PartitionRecord
from penstock.metastore import Revision
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex


def ids(*numbers: int) -> tuple[BrokerId, ...]:
    return tuple(BrokerId(number) for number in numbers)


def a_partition(
    *,
    replicas: tuple[int, ...] = (1, 2, 3),
    leader: int = 1,
    in_sync: tuple[int, ...] = (1, 2, 3),
    eligible: tuple[int, ...] = (),
    adding: tuple[int, ...] = (),
    removing: tuple[int, ...] = (),
    last_leader: int = -1,
    without_log: tuple[int, ...] = (),
    epoch: int = 5,
) -> PartitionImage:
    return PartitionImage(
        index=PartitionIndex(0),
        leader=BrokerId(leader),
        leader_epoch=LeaderEpoch(epoch),
        replicas=ids(*replicas),
        in_sync=ids(*in_sync),
        eligible=ids(*eligible),
        adding=ids(*adding),
        removing=ids(*removing),
        revision=Revision(7),
        last_leader=BrokerId(last_leader),
        without_log=ids(*without_log),
    )


def image_of(record: PartitionRecord) -> PartitionImage:
    """What everybody sees once it is written."""
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    return PartitionImage(index=PartitionIndex(0), revision=Revision(8), **fields)


class _Missing(TypedDict):
    lost_page_cache: bool
    has_log: bool


LOG_MISSING = _Missing(lost_page_cache=False, has_log=False)


def standing(
    *live: int, stopping: tuple[int, ...] = (), doubted: tuple[int, ...] = (), is_patient: bool = False
) -> ElectionView:
    return ElectionView(frozenset(ids(*live)), frozenset(ids(*stopping)), frozenset(ids(*doubted)), is_patient)


def settled(
    partition: PartitionImage, brokers: ElectionView, *, in_sync_min: int = 1, may_be_unclean: bool = False
) -> ElectionResult:
    verdict = settle(partition, brokers, in_sync_min=in_sync_min, may_be_unclean=may_be_unclean)
    assert verdict is not None
    return verdict


def test_where_all_is_well_nothing_is_decided() -> None:
    assert settle(a_partition(), standing(1, 2, 3), in_sync_min=2) is None


def test_the_next_in_sync_replica_leads_under_the_next_epoch_when_the_leader_is_lost() -> None:
    record, how = settled(a_partition(in_sync=(1, 3)), standing(2, 3))
    assert (record.leader, record.leader_epoch, how) == (3, 6, ElectedFrom.IN_SYNC)


@pytest.mark.parametrize(
    ("in_sync", "eligible", "leader", "last_leader", "how"),
    [
        ((0, 1), (), 1, -1, ElectedFrom.IN_SYNC),
        ((), (0, 1), 1, -1, ElectedFrom.ELIGIBLE),
        ((), (0,), 0, -1, ElectedFrom.ELIGIBLE),
        ((), (), -1, 0, ElectedFrom.LAST_LEADER),
        ((), (), -1, -1, ElectedFrom.UNCLEAN),
    ],
)
def test_a_broker_whose_id_is_0_is_elected_like_any_other(
    in_sync: tuple[int, ...], eligible: tuple[int, ...], leader: int, last_leader: int, how: ElectedFrom
) -> None:
    partition = a_partition(replicas=(0, 1), in_sync=in_sync, eligible=eligible, leader=leader, last_leader=last_leader)
    found = settled(partition, standing(0), may_be_unclean=how is ElectedFrom.UNCLEAN)
    assert (found.record.leader, found.how) == (0, how)


def test_a_lost_broker_leaves_the_in_sync_set_in_the_same_write_as_the_election() -> None:
    record, _ = settled(a_partition(), standing(2, 3))
    assert (record.leader, record.in_sync) == (2, (2, 3))


def test_a_lost_follower_leaves_the_in_sync_set_and_the_epoch_stays() -> None:
    record, how = settled(a_partition(), standing(1, 2))
    assert (record.leader, record.leader_epoch, record.in_sync, how) == (1, 5, (1, 2), ElectedFrom.KEPT)


def test_who_leaves_an_in_sync_set_below_its_minimum_becomes_eligible() -> None:
    record, _ = settled(a_partition(in_sync=(1, 2)), standing(1, 3), in_sync_min=2)
    assert (record.in_sync, record.eligible) == ((1,), (2,))


def test_who_leaves_an_in_sync_set_that_keeps_its_minimum_does_not() -> None:
    record, _ = settled(a_partition(), standing(1, 2), in_sync_min=2)
    assert (record.in_sync, record.eligible) == ((1, 2), ())


def test_a_minimum_above_the_number_of_replicas_counts_as_all_of_them() -> None:
    record, _ = settled(a_partition(replicas=(1, 2), in_sync=(1, 2)), standing(1), in_sync_min=5)
    assert (record.in_sync, record.eligible) == ((1,), (2,))


def test_eligible_replicas_lead_when_nobody_in_sync_is_left() -> None:
    record, how = settled(a_partition(in_sync=(1,), eligible=(2,)), standing(2, 3), in_sync_min=2)
    assert (record.leader, record.in_sync, record.eligible, how) == (2, (2,), (1,), ElectedFrom.ELIGIBLE)


def test_a_leader_that_resigned_leads_again_only_where_nobody_else_is_eligible() -> None:
    resigned = a_partition(leader=1, in_sync=(), eligible=(1, 3))
    record, how = settled(resigned, standing(1, 2, 3), in_sync_min=2)
    assert (record.leader, record.in_sync, record.eligible, how) == (3, (3,), (1,), ElectedFrom.ELIGIBLE)
    record, _ = settled(resigned, standing(1, 2), in_sync_min=2)
    assert (record.leader, record.in_sync, record.eligible) == (1, (1,), (3,))


def test_nobody_leads_where_only_incomplete_replicas_live() -> None:
    record, how = settled(a_partition(in_sync=(1,)), standing(2, 3))
    assert (record.leader, record.in_sync, record.eligible, record.last_leader) == (-1, (), (1,), 1)
    assert (record.leader_epoch, how) == (6, ElectedFrom.NOBODY)


def test_the_last_in_sync_replica_leads_again_when_it_comes_back() -> None:
    record, how = settled(a_partition(leader=-1, in_sync=(), eligible=(1,), last_leader=1), standing(1, 2, 3))
    assert (record.leader, record.in_sync, record.last_leader, how) == (1, (1,), -1, ElectedFrom.ELIGIBLE)


def test_the_only_replica_comes_back_after_a_kill() -> None:
    lost, _ = settled(a_partition(replicas=(1,), in_sync=(1,)), standing(2))
    assert (lost.leader, lost.in_sync, lost.eligible) == (-1, (), (1,))
    back, _ = settled(
        a_partition(replicas=(1,), leader=-1, in_sync=(), eligible=(1,), last_leader=1, epoch=6), standing(1, 2)
    )
    assert (back.leader, back.leader_epoch, back.in_sync) == (1, 7, (1,))


def test_the_last_leader_is_elected_where_nobody_is_known_to_be_complete() -> None:
    record, how = settled(a_partition(leader=-1, in_sync=(), last_leader=3), standing(1, 2, 3))
    assert (record.leader, record.in_sync, how) == (3, (3,), ElectedFrom.LAST_LEADER)


def test_the_last_leader_is_not_elected_while_an_eligible_replica_is_awaited() -> None:
    partition = a_partition(leader=-1, in_sync=(), eligible=(2,), last_leader=3)
    assert settle(partition, standing(1, 3), in_sync_min=2) is None


def test_an_incomplete_replica_leads_only_where_the_topic_allows_it() -> None:
    partition = a_partition(leader=-1, in_sync=(), eligible=(1,), last_leader=1)
    assert settle(partition, standing(2, 3), in_sync_min=1) is None
    record, how = settled(partition, standing(2, 3), may_be_unclean=True)
    assert (record.leader, record.in_sync, record.eligible, how) == (2, (2,), (), ElectedFrom.UNCLEAN)


def test_a_stopping_leader_is_replaced_and_leaves_the_in_sync_set() -> None:
    record, how = settled(a_partition(), standing(1, 2, 3, stopping=(1,)))
    assert (record.leader, record.leader_epoch, record.in_sync, how) == (2, 6, (2, 3), ElectedFrom.IN_SYNC)


def test_a_stopping_leader_that_nobody_can_replace_leads_on() -> None:
    assert settle(a_partition(in_sync=(1,)), standing(1, 2, 3, stopping=(1,)), in_sync_min=1) is None


def test_when_all_are_stopping_nobody_is_moved() -> None:
    assert settle(a_partition(), standing(1, 2, 3, stopping=(1, 2, 3)), in_sync_min=1) is None


def test_a_leader_that_left_the_in_sync_set_itself_is_replaced() -> None:
    record, _ = settled(a_partition(in_sync=(2, 3)), standing(1, 2, 3))
    assert (record.leader, record.leader_epoch, record.in_sync) == (2, 6, (2, 3))


def test_a_doubted_leader_is_replaced_but_stays_in_sync() -> None:
    record, _ = settled(a_partition(), standing(1, 2, 3, doubted=(1,)))
    assert (record.leader, record.in_sync) == (2, (1, 2, 3))


def test_a_doubted_replica_leads_where_there_is_no_other() -> None:
    record, _ = settled(a_partition(leader=3, in_sync=(1, 3)), standing(1, 2, doubted=(1,)))
    assert (record.leader, record.in_sync) == (1, (1,))


def test_while_patient_nobody_is_taken_for_lost() -> None:
    assert settle(a_partition(), standing(3, is_patient=True), in_sync_min=2) is None
    leaderless = a_partition(leader=-1, in_sync=(), eligible=(1, 3), last_leader=1)
    record, _ = settled(leaderless, standing(3, is_patient=True), in_sync_min=1)
    assert record.leader == 3, "but whoever is there may lead"


def test_a_reassignment_ends_when_all_that_were_added_are_in_sync() -> None:
    moving = a_partition(replicas=(4, 2, 1, 3), in_sync=(1, 2), adding=(4,), removing=(1, 3))
    assert settle(moving, standing(1, 2, 3, 4), in_sync_min=1) is None
    caught_up = a_partition(replicas=(4, 2, 1, 3), in_sync=(1, 2, 4), adding=(4,), removing=(1, 3))
    record, _ = settled(caught_up, standing(1, 2, 3, 4))
    assert (record.replicas, record.in_sync, record.leader) == ((4, 2), (2, 4), 4)
    assert (record.adding, record.removing, record.leader_epoch) == ((), (), 6)


def test_a_replica_that_is_dropped_is_dropped_under_a_new_epoch_though_the_leader_stays() -> None:
    """Should it come back it has nothing, and a fetch of its that was long on the way must not say otherwise."""
    caught_up = a_partition(replicas=(1, 4, 3), in_sync=(1, 3, 4), adding=(4,), removing=(3,))
    record, _ = settled(caught_up, standing(1, 2, 3, 4))
    assert (record.replicas, record.leader, record.leader_epoch) == ((1, 4), 1, 6)


def test_a_reassignment_does_not_end_with_fewer_complete_than_a_commit_takes() -> None:
    """The one that stays may be about to lose what it has: the minimum is what acknowledged records can count on."""
    moving = a_partition(replicas=(1, 2, 3), in_sync=(1, 3), removing=(3,))
    assert settle(moving, standing(1, 2, 3), in_sync_min=2) is None
    assert settled(moving, standing(1, 2, 3), in_sync_min=1)[0].replicas == (1, 2)
    shrinking = a_partition(replicas=(1, 2, 3), in_sync=(1, 2, 3), removing=(2, 3))
    assert settled(shrinking, standing(1, 2, 3), in_sync_min=2)[0].replicas == (1,), "one is all there is to be"


def test_a_reassignment_does_not_end_with_nobody_complete() -> None:
    moving = a_partition(replicas=(2, 1), in_sync=(1,), removing=(1,))
    assert settle(moving, standing(1, 2), in_sync_min=1) is None


def test_the_eligible_set_is_emptied_when_the_minimum_is_met() -> None:
    before, after = ids(1), ids(1, 2)
    assert eligible_after(in_sync_before=before, in_sync=after, eligible=ids(3), in_sync_min=2) == ()
    assert eligible_after(in_sync_before=before, in_sync=after, eligible=ids(2, 3), in_sync_min=3) == (3,)


def test_a_minimum_that_was_lowered_empties_the_eligible_set() -> None:
    record, _ = settled(a_partition(in_sync=(1,), eligible=(2,)), standing(1, 2, 3), in_sync_min=1)
    assert (record.leader, record.leader_epoch, record.eligible) == (1, 5, ())


def test_the_first_replica_is_preferred_when_it_is_in_sync_and_steady() -> None:
    record = prefer(a_partition(leader=2), standing(1, 2, 3))
    assert record is not None and (record.leader, record.leader_epoch) == (1, 6)
    assert prefer(a_partition(leader=1), standing(1, 2, 3)) is None
    assert prefer(a_partition(leader=2, in_sync=(2, 3)), standing(1, 2, 3)) is None
    assert prefer(a_partition(leader=2), standing(2, 3)) is None
    assert prefer(a_partition(leader=2), standing(1, 2, 3, doubted=(1,))) is None
    assert prefer(a_partition(leader=2), standing(1, 2, 3, stopping=(1,))) is None


def test_a_new_process_leads_nothing_that_its_former_self_led_and_stays_in_sync() -> None:
    record = step_down(a_partition(), BrokerId(1), lost_page_cache=False)
    assert record is not None
    assert (record.leader, record.leader_epoch, record.last_leader, record.in_sync) == (-1, 6, 1, (1, 2, 3))
    assert step_down(a_partition(), BrokerId(2), lost_page_cache=False) is None


def test_a_restarted_machine_makes_a_replica_neither_in_sync_nor_eligible() -> None:
    record = step_down(a_partition(in_sync=(1, 2), eligible=(3,)), BrokerId(2), lost_page_cache=True)
    assert record is not None and (record.leader, record.in_sync, record.eligible) == (1, (1,), (3,))
    record = step_down(a_partition(in_sync=(1,), eligible=(2, 3)), BrokerId(2), lost_page_cache=True)
    assert record is not None and (record.in_sync, record.eligible) == ((1,), (3,))


def test_the_only_replica_on_a_restarted_machine_comes_back_as_the_last_leader() -> None:
    record = step_down(a_partition(replicas=(1,), in_sync=(1,)), BrokerId(1), lost_page_cache=True)
    assert record is not None and (record.in_sync, record.eligible, record.last_leader) == ((), (), 1)
    back, how = settled(a_partition(replicas=(1,), leader=-1, in_sync=(), last_leader=1, epoch=6), standing(1))
    assert (back.leader, how) == (1, ElectedFrom.LAST_LEADER)


def test_nobody_leads_on_under_an_epoch_that_the_log_of_a_new_process_is_past() -> None:
    """As after the store was put back from a backup."""
    for broker, leader in ((1, -1), (2, 1)):
        record = step_down(a_partition(), BrokerId(broker), lost_page_cache=False, latest_epoch=9)
        assert record is not None
        assert (record.leader, record.leader_epoch, record.in_sync) == (leader, 10, (1, 2, 3))
    assert step_down(a_partition(), BrokerId(2), lost_page_cache=False, latest_epoch=5) is None


def test_the_planted_bugs_are_bugs() -> None:
    brokers, partition = standing(2, 3), a_partition(in_sync=(1,))
    outside = settle(partition, brokers, in_sync_min=1, bugs=ClusterBugs(elects_outside_in_sync=True))
    assert outside is not None and outside.record.leader == 2
    same = settle(a_partition(), brokers, in_sync_min=1, bugs=ClusterBugs(elects_without_new_epoch=True))
    assert same is not None and same.record.leader_epoch == 5
    forgotten = settle(partition, brokers, in_sync_min=1, bugs=ClusterBugs(forgets_eligible=True))
    assert forgotten is not None and forgotten.record.eligible == ()


def test_a_replica_without_its_log_counts_no_more_and_others_lead() -> None:
    record = step_down(a_partition(leader=3, in_sync=(3,), eligible=(1, 2)), BrokerId(3), **LOG_MISSING)
    assert record is not None
    assert (record.leader, record.in_sync, record.eligible, record.without_log) == (-1, (), (1, 2), (3,))
    later, how = settled(image_of(record), standing(2, 3), in_sync_min=2)
    assert (later.leader, how) == (2, ElectedFrom.ELIGIBLE)


def test_a_last_leader_without_its_log_does_not_lead_while_another_replica_may_have_more() -> None:
    record = step_down(a_partition(leader=3, in_sync=(3,)), BrokerId(3), **LOG_MISSING)
    assert record is not None
    assert settle(image_of(record), standing(1, 2, 3), in_sync_min=1) is None
    later, how = settled(image_of(record), standing(1, 3), may_be_unclean=True)
    assert (later.leader, how) == (1, ElectedFrom.UNCLEAN), "whoever has a log, where somebody asks for anybody"
    assert settle(image_of(record), standing(3), in_sync_min=1, may_be_unclean=True) is None


def test_where_every_replica_has_lost_its_log_the_last_leader_leads() -> None:
    partition = a_partition(replicas=(2, 3), leader=-1, in_sync=(), eligible=(2,), last_leader=3, without_log=(3,))
    record = step_down(partition, BrokerId(2), **LOG_MISSING)
    assert record is not None and record.without_log == (3, 2)
    later, how = settled(image_of(record), standing(2, 3))
    assert (later.leader, later.in_sync, how) == (3, (3,), ElectedFrom.LAST_LEADER)
    assert later.without_log == (2,), "who is in sync has a log again"


def test_a_last_leader_whose_log_was_put_back_leads_again() -> None:
    partition = a_partition(leader=-1, in_sync=(), last_leader=3, without_log=(3,))
    assert step_down(partition, BrokerId(3), lost_page_cache=False) is None, "an empty log was made meanwhile"
    record = step_down(partition, BrokerId(3), lost_page_cache=False, latest_epoch=4)
    assert record is not None and record.without_log == ()
    later, how = settled(image_of(record), standing(1, 2, 3))
    assert (later.leader, how) == (3, ElectedFrom.LAST_LEADER)


def test_a_log_that_was_fetched_in_part_is_not_taken_for_one_put_back() -> None:
    partition = a_partition(leader=-1, in_sync=(), last_leader=1, without_log=(3,))
    assert step_down(partition, BrokerId(3), lost_page_cache=False, latest_epoch=4) is None


def test_the_only_replica_leads_again_without_its_log() -> None:
    record = step_down(a_partition(replicas=(1,), in_sync=(1,)), BrokerId(1), **LOG_MISSING)
    assert record is not None
    later, how = settled(image_of(record), standing(1))
    assert (later.leader, how) == (1, ElectedFrom.LAST_LEADER)


def test_a_replica_that_nobody_counts_on_says_nothing_of_a_log_that_it_never_had() -> None:
    assert step_down(a_partition(in_sync=(1, 2)), BrokerId(3), **LOG_MISSING) is None


def test_what_a_broker_had_that_is_unregistered_is_not_waited_for() -> None:
    partition = a_partition(replicas=(2, 3), leader=-1, in_sync=(), last_leader=3, without_log=(3,))
    record = forget(partition, BrokerId(2))
    assert record is not None
    later, how = settled(image_of(record), standing(3))
    assert (later.leader, how) == (3, ElectedFrom.LAST_LEADER)
