"""The leader's decisions: how far the high watermark may go, who is in sync, and what a pending write means."""

import pytest
from tests.support.leaders import LAG_MS, LeaderBench, a_state

from penstock.errors import NotLeaderOrFollower, StaleBrokerEpoch
from penstock.model import BrokerId
from penstock.replication.machine import Proposal


def a_shrink_to(bench: LeaderBench, *in_sync: int) -> Proposal:
    """Everybody else stays behind until they are proposed to leave."""
    bench.append(1)
    for broker in in_sync:
        if broker != 1:
            bench.fetch(broker, bench.log_end)
    bench.now += LAG_MS + 1
    for broker in in_sync:
        if broker != 1:
            bench.fetch(broker, bench.log_end)
    proposal = bench.tick()
    assert proposal is not None and set(proposal.in_sync) == set(in_sync)
    return proposal


# How far the high watermark may go


def test_the_high_watermark_is_the_least_end_of_the_in_sync_set() -> None:
    bench = LeaderBench(end=50, high_watermark=50)
    bench.append(10)
    bench.fetch(2, 60)
    assert bench.high_watermark == 50
    bench.fetch(3, 55)
    assert bench.high_watermark == 55
    bench.fetch(3, 60)
    assert bench.high_watermark == 60


def test_a_leader_without_followers_is_the_whole_in_sync_set() -> None:
    bench = LeaderBench(replicas=(1,), in_sync=(1,))
    bench.append(7)
    assert bench.high_watermark == 57 and bench.machine.is_alone


def test_a_follower_that_is_not_in_sync_holds_nobody_back() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    bench.append(10)
    bench.fetch(3, 0)
    bench.fetch(2, 60)
    assert bench.high_watermark == 60


def test_a_follower_that_has_not_fetched_in_this_epoch_counts_as_having_nothing() -> None:
    bench = LeaderBench(end=50, high_watermark=40)
    bench.fetch(2, 50)
    assert bench.high_watermark == 40
    bench.fetch(3, 50)
    assert bench.high_watermark == 50


def test_the_high_watermark_never_falls() -> None:
    bench = LeaderBench(end=50, high_watermark=50)
    bench.fetch(2, 20)
    bench.fetch(3, 20)
    assert bench.high_watermark == 50


# RULES 5


def test_below_the_minimum_in_sync_the_high_watermark_stands_still_for_every_acks_level() -> None:
    bench = LeaderBench(in_sync=(1,), in_sync_min=2)
    bench.append(10)
    assert bench.high_watermark == 50 and not bench.machine.has_enough_in_sync
    proposal = bench.fetch(2, 60)
    assert proposal is not None and bench.high_watermark == 50
    bench.written(proposal)
    assert bench.high_watermark == 60 and bench.machine.has_enough_in_sync


def test_the_minimum_is_never_more_than_there_are_replicas() -> None:
    bench = LeaderBench(replicas=(1,), in_sync=(1,), in_sync_min=2)
    bench.append(1)
    assert bench.high_watermark == 51


def test_who_leaves_an_in_sync_set_that_is_below_its_minimum_becomes_eligible() -> None:
    bench = LeaderBench(in_sync=(1, 2), in_sync_min=2)
    proposal = a_shrink_to(bench, 1)
    assert proposal.in_sync == (1,) and proposal.eligible == (2,)


def test_nobody_becomes_eligible_while_enough_are_in_sync() -> None:
    bench = LeaderBench(in_sync_min=2)
    proposal = a_shrink_to(bench, 1, 2)
    assert proposal.eligible == ()


def test_those_who_leave_at_once_become_eligible_together() -> None:
    bench = LeaderBench(in_sync_min=2)
    assert a_shrink_to(bench, 1).eligible == (2, 3)


def test_the_eligible_set_is_emptied_when_enough_are_in_sync_again() -> None:
    bench = LeaderBench(in_sync=(1,), eligible=(2,), in_sync_min=2)
    proposal = bench.fetch(3, 50)
    assert proposal is not None
    assert proposal.in_sync == (1, 3) and proposal.eligible == ()


def test_a_lower_minimum_counts_only_once_nobody_is_eligible_any_more() -> None:
    """Else the high watermark could pass what an eligible replica has, which may still be elected."""
    bench = LeaderBench(in_sync=(1,), eligible=(2,), in_sync_min=2)
    bench.append(10)
    proposal = bench.machine.in_sync_min_changed(1)
    assert proposal is not None and proposal.eligible == ()
    assert bench.high_watermark == 50
    bench.written(proposal)
    assert bench.high_watermark == 60


# RULES 6


def test_while_a_join_is_pending_the_joining_follower_counts_already() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    assert bench.fetch(3, 50) is not None
    bench.append(10)
    bench.fetch(2, 60)
    assert bench.high_watermark == 50
    bench.fetch(3, 60)
    assert bench.high_watermark == 60


def test_while_a_leave_is_pending_the_leaving_follower_still_counts() -> None:
    bench = LeaderBench(in_sync=(1, 2, 3))
    proposal = a_shrink_to(bench, 1, 2)
    assert bench.high_watermark == 50
    bench.written(proposal)
    assert bench.high_watermark == 51


def test_a_write_that_timed_out_is_pending_not_failed() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    proposal = bench.fetch(3, 50)
    assert proposal is not None
    bench.machine.timed_out(proposal, bench.now)
    bench.append(10)
    bench.fetch(2, 60)
    assert bench.high_watermark == 50, "broker 3 may be in the set by now, and lead next"
    assert bench.tick() is None, "one write at a time"


def test_what_the_watch_shows_settles_a_pending_write() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    assert bench.fetch(3, 50) is not None
    bench.append(10)
    bench.fetch(2, 60)
    bench.machine.updated(a_state(in_sync=(1, 2), revision=101), bench.now)
    assert bench.high_watermark == 60, "another write was first, so ours never can be made"


def test_an_answer_that_comes_after_the_watch_has_told_changes_nothing() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    proposal = bench.fetch(3, 50)
    assert proposal is not None
    bench.machine.updated(a_state(in_sync=(1, 2, 3), revision=101), bench.now)
    bench.machine.updated(a_state(in_sync=(1, 2), revision=102), bench.now)
    bench.written(proposal, revision=101)
    assert bench.machine.image.revision == 102 and bench.machine.image.in_sync == (1, 2)


def test_a_refused_write_leaves_the_old_set() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    proposal = bench.fetch(3, 50)
    assert proposal is not None
    bench.machine.conflicted(proposal, bench.now)
    bench.append(10)
    bench.fetch(2, 60)
    assert bench.high_watermark == 60


def test_an_older_state_than_the_one_known_is_not_taken() -> None:
    bench = LeaderBench(in_sync=(1, 2, 3))
    bench.machine.updated(a_state(in_sync=(1,), revision=99), bench.now)
    assert bench.machine.image.in_sync == (1, 2, 3)


# RULES 7


def test_a_follower_joins_when_it_has_the_high_watermark_and_the_epochs_start() -> None:
    """A new leader may learn late how far its predecessor had come, but all of that is before its own epoch."""
    bench = LeaderBench(end=50, high_watermark=30, in_sync=(1, 2))
    assert bench.fetch(3, 40) is None
    proposal = bench.fetch(3, 50)
    assert proposal is not None and proposal.in_sync == (1, 2, 3)


def test_a_follower_that_is_not_registered_or_about_to_stop_does_not_join() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    del bench.brokers[BrokerId(3)]
    assert bench.fetch(3, 50) is None


def test_a_follower_that_caught_up_while_a_write_was_pending_joins_after_it() -> None:
    bench = LeaderBench(in_sync=(1,))
    first = bench.fetch(2, 50)
    assert first is not None and bench.fetch(3, 50) is None
    second = bench.written(first)
    assert second is not None and second.in_sync == (1, 2, 3) and second.joining == {3: 30}
    assert second.expected_revision == 101


def test_a_stranger_is_refused() -> None:
    with pytest.raises(NotLeaderOrFollower):
        LeaderBench().fetch(4, 50)


def test_an_in_sync_follower_that_has_lost_records_leaves_at_once() -> None:
    """It was elected from otherwise: what is below the high watermark was acknowledged."""
    bench = LeaderBench(end=50, high_watermark=50, in_sync=(1, 2, 3))
    proposal = bench.fetch(2, 10)
    assert proposal is not None and proposal.in_sync == (1, 3)


# RULES 1


def test_a_join_names_the_registration_that_the_fetch_came_from() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    proposal = bench.fetch(3, 50)
    assert proposal is not None and proposal.joining == {3: 30} and proposal.expected_revision == 100


def test_registering_again_clears_what_a_follower_had() -> None:
    bench = LeaderBench()
    bench.append(10)
    bench.fetch(2, 60)
    bench.register(2, 99)
    bench.fetch(3, 60)
    assert bench.high_watermark == 50, "who knows what broker 2 came back with"
    bench.fetch(2, 60, broker_epoch=99)
    assert bench.high_watermark == 60


def test_a_fetch_under_a_new_registration_starts_from_nothing_before_the_image_has_it() -> None:
    bench = LeaderBench(in_sync=(1, 2))
    bench.fetch(3, 50, broker_epoch=77)
    assert bench.machine.pending is None, "the image does not know that registration yet"
    proposal = bench.register(3, 77)
    assert proposal is not None and proposal.joining == {3: 77}


def test_a_fetch_under_a_former_registration_is_refused() -> None:
    bench = LeaderBench()
    bench.register(2, 99)
    with pytest.raises(StaleBrokerEpoch):
        bench.fetch(2, 50, broker_epoch=20)


# Shrinking, RULES 8


def test_a_follower_that_stays_behind_for_too_long_leaves() -> None:
    bench = LeaderBench()
    bench.fetch(2, 50)
    bench.fetch(3, 50)
    bench.append(10)
    bench.fetch(2, 60)
    assert bench.tick(after_ms=LAG_MS) is None
    bench.fetch(2, 60)
    proposal = bench.tick(after_ms=1)
    assert proposal is not None and proposal.in_sync == (1, 2)


@pytest.mark.parametrize("is_told_by_watch", [False, True])
def test_a_follower_that_joins_with_much_to_catch_up_on_has_the_whole_time_to_do_so(is_told_by_watch: bool) -> None:
    """Below the minimum the high watermark stands still: whoever comes back has all that is below it, and joins, but
    may lack what was written since. It would be put out at the next look, and join with its next fetch, on and on.
    """
    bench = LeaderBench(in_sync_min=2, replicas=(1, 2), in_sync=(1, 2))
    bench.fetch(2, 50)
    bench.append(1_000_000)
    late = bench.tick(after_ms=LAG_MS + 1)
    assert late is not None and late.in_sync == (1,) and late.eligible == (2,)
    bench.written(late)
    proposal = bench.fetch(2, 60)
    assert proposal is not None and proposal.in_sync == (1, 2)
    if is_told_by_watch:
        bench.machine.updated(a_state(replicas=(1, 2), in_sync=(1, 2), revision=102), bench.now)
    else:
        bench.written(proposal, 102)
    bench.fetch(2, 70)
    assert bench.tick(after_ms=LAG_MS) is None
    late = bench.tick(after_ms=1)
    assert late is not None and late.in_sync == (1,) and late.eligible == (2,)


def test_a_follower_that_has_everything_stays_in_sync_however_long_nothing_happens() -> None:
    bench = LeaderBench()
    bench.fetch(2, 50)
    bench.fetch(3, 50)
    for _ in range(10):
        assert bench.tick(after_ms=LAG_MS) is None
    bench.append(1)
    assert bench.tick() is None, "the first append after a quiet hour finds nobody late"


def test_a_follower_is_up_with_the_leader_if_it_has_what_there_was_at_its_last_fetch() -> None:
    """However fast producers are, a follower that keeps pace is never quite at the end."""
    bench = LeaderBench()
    bench.fetch(3, 50)
    for _ in range(20):
        at = bench.log_end
        bench.append(10)
        bench.now += LAG_MS // 2
        bench.fetch(2, at)
        bench.fetch(3, bench.log_end)
        assert bench.tick() is None


# Replicas come and go


def test_a_replica_that_is_added_is_followed_from_then_on_and_one_that_is_removed_is_forgotten() -> None:
    bench = LeaderBench(replicas=(1, 2), in_sync=(1, 2))
    bench.brokers[BrokerId(3)] = 30
    bench.machine.updated(a_state(replicas=(1, 2, 3), in_sync=(1, 2), revision=101), bench.now)
    proposal = bench.fetch(3, 50)
    assert proposal is not None and proposal.in_sync == (1, 2, 3)
    bench.machine.updated(a_state(replicas=(1, 3), in_sync=(1, 3), revision=103), bench.now)
    with pytest.raises(NotLeaderOrFollower):
        bench.fetch(2, 50)


# RULES 19


def test_the_low_watermark_waits_for_live_replicas_only() -> None:
    bench = LeaderBench()
    bench.fetch(2, 50, log_start=20)
    assert bench.machine.low_watermark(30) == -1, "broker 3 has not said anything yet"
    bench.fetch(3, 50, log_start=10)
    assert bench.machine.low_watermark(30) == 10
    del bench.brokers[BrokerId(3)]
    assert bench.machine.low_watermark(30) == 20


def test_a_follower_that_has_lost_records_is_not_even_eligible() -> None:
    bench = LeaderBench(end=50, high_watermark=50, in_sync=(1, 2), in_sync_min=2)
    proposal = bench.fetch(2, 10)
    assert proposal is not None and proposal.in_sync == (1,) and proposal.eligible == ()


def test_a_fetch_that_comes_late_over_a_former_connection_is_no_loss() -> None:
    """In an epoch, under one registration, nobody loses what it had: the follower stays in sync, and may be elected."""
    bench = LeaderBench(end=50, in_sync=(1, 2), in_sync_min=2)
    bench.fetch(2, 20)
    bench.fetch(2, 50)
    assert bench.machine.high_watermark == 50
    assert bench.fetch(2, 20) is None
    assert bench.machine.image.in_sync == (1, 2) and bench.machine.high_watermark == 50


def test_a_follower_that_left_by_itself_joins_only_when_it_has_asked_again() -> None:
    bench = LeaderBench()
    bench.fetch(2, 50)
    bench.fetch(3, 50)
    assert bench.machine.updated(a_state(in_sync=(1, 3), revision=101), bench.now) is None
    proposal = bench.fetch(2, 50)
    assert proposal is not None and proposal.in_sync == (1, 2, 3)


def test_a_leader_that_has_resigned_proposes_nothing_more() -> None:
    bench = LeaderBench()
    assert bench.machine.updated(a_state(in_sync=(2, 3), revision=101), bench.now) is None
    assert bench.fetch(2, 50) is None and bench.tick(after_ms=LAG_MS + 1) is None
