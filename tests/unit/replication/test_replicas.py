"""A leader and its followers on real logs: what is acknowledged when, what is cut, what a follower keeps."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.replicas import Replicas

from penstock.errors import (
    CorruptMessage,
    FencedLeaderEpoch,
    NotEnoughReplicas,
    NotEnoughReplicasAfterAppend,
    NotLeaderOrFollower,
    OffsetNotAvailable,
    OffsetOutOfRange,
)
from penstock.log.notes import FLUSHED_NOTE
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication import ALL, Partition
from penstock.replication.following import Follower
from penstock.replication.log_port import on_disk
from penstock.replication.machine import Leader
from penstock.wire.batch import BatchHeader
from penstock.wire.fetch import FetchPartition


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Callable[..., Replicas]]:
    made: list[Replicas] = []

    def make_one(**more: Any) -> Replicas:
        made.append(Replicas(tmp_path / str(len(made)), **more))
        return made[-1]

    yield make_one
    for replicas in made:
        await replicas.close()


async def test_followers_hold_the_leaders_bytes(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a", b"b")
    replicas.append(b"c")
    replicas.replicate()
    assert replicas.bytes_of(1) == replicas.bytes_of(2) == replicas.bytes_of(3)
    assert [replicas[broker].high_watermark for broker in (1, 2, 3)] == [3, 3, 3]


async def test_acks_all_waits_until_every_in_sync_replica_has_the_record(make: Callable[..., Replicas]) -> None:
    replicas = make()
    acknowledged = replicas.leader.acknowledged(replicas.append(b"a"), acks=ALL)
    assert acknowledged is not None
    replicas.replicate(2)
    await asyncio.sleep(0)
    assert not acknowledged.done()
    replicas.replicate(3)
    assert acknowledged.done() and acknowledged.result() is None


async def test_acks_1_waits_for_nobody(make: Callable[..., Replicas]) -> None:
    replicas = make()
    assert replicas.leader.acknowledged(replicas.append(b"a", acks=1), acks=1) is None
    assert replicas.leader.high_watermark == 0


async def test_with_too_few_in_sync_acks_all_is_refused_before_anything_is_written(
    make: Callable[..., Replicas],
) -> None:
    replicas = make(settings={"min.insync.replicas": "2"})
    replicas.remove_from_in_sync(2)
    replicas.remove_from_in_sync(3)
    with pytest.raises(NotEnoughReplicas):
        replicas.append(b"a")
    assert replicas.leader.log.end_offset == 0


async def test_acks_all_that_waits_while_the_in_sync_set_becomes_too_small_is_told_so(
    make: Callable[..., Replicas],
) -> None:
    replicas = make(settings={"min.insync.replicas": "2"})
    acknowledged = replicas.leader.acknowledged(replicas.append(b"a"), acks=ALL)
    assert acknowledged is not None
    replicas.remove_from_in_sync(2)
    assert not acknowledged.done()
    replicas.remove_from_in_sync(3)
    with pytest.raises(NotEnoughReplicasAfterAppend):
        await acknowledged


async def test_who_waits_at_a_leader_that_is_deposed_is_sent_to_the_new_one(make: Callable[..., Replicas]) -> None:
    replicas = make()
    acknowledged = replicas.leader.acknowledged(replicas.append(b"a"), acks=ALL)
    assert acknowledged is not None
    replicas.elect(2)
    with pytest.raises(NotLeaderOrFollower):
        await acknowledged
    assert isinstance(replicas[1].role, Follower) and isinstance(replicas[2].role, Leader)


async def test_a_duplicate_is_acknowledged_when_the_first_one_is_replicated(make: Callable[..., Replicas]) -> None:
    replicas = make()
    first = replicas.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
    again = replicas.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
    assert again.base_offset == first.base_offset
    acknowledged = replicas.leader.acknowledged(again, acks=ALL)
    assert acknowledged is not None
    replicas.replicate()
    assert acknowledged.done()


async def test_a_duplicate_waits_for_its_own_offset_not_for_those_appended_since(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
    later = replicas.leader.acknowledged(replicas.append(b"b"), acks=ALL)
    again = replicas.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
    acknowledged = replicas.leader.acknowledged(again, acks=ALL)
    assert later is not None and acknowledged is not None
    for broker in (2, 3):
        replicas.fetch(broker, bytes_max=1)  # one batch
        replicas.fetch(broker, bytes_max=1)  # says so, and gets the next
    assert acknowledged.done() and not later.done()


async def test_a_retry_to_a_freshly_promoted_follower_is_recognised(make: Callable[..., Replicas]) -> None:
    replicas = make()
    first = replicas.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
    replicas.replicate()
    replicas.elect(2)
    again = replicas.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
    assert again.base_offset == first.base_offset and replicas[2].log.end_offset == 1


async def test_a_tail_that_the_new_leader_does_not_have_is_cut_and_its_producer_forgotten(
    make: Callable[..., Replicas],
) -> None:
    replicas = make()
    replicas.append(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
    replicas.replicate()
    replicas.append(b"lost", producer_id=7, producer_epoch=0, base_sequence=1)
    replicas.append(b"lost too", producer_id=8, producer_epoch=0, base_sequence=0)
    replicas.elect(2)
    replicas.append(b"b", producer_id=7, producer_epoch=0, base_sequence=1)
    assert replicas.fetch(1) == "cut"
    replicas.replicate()
    assert replicas.bytes_of(1) == replicas.bytes_of(2) == replicas.bytes_of(3)
    states = [{s.producer_id: s.last_sequence for s in replicas[b].log.producers.describe()} for b in (1, 2, 3)]
    assert states == [{7: 1}] * 3
    assert [replicas[b].log.epochs.snapshot() for b in (1, 2, 3)] == [[(1, 0), (2, 1)]] * 3


async def test_logs_that_parted_twice_find_together_again(make: Callable[..., Replicas]) -> None:
    """Each of the two led an epoch that the other has not seen."""
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas.append(b"only at 1")
    replicas.elect(2)
    replicas.append(b"only at 2")
    replicas.append(b"only at 2, too")
    replicas.elect(3)
    replicas.append(b"b")
    replicas.replicate()
    assert replicas.bytes_of(1) == replicas.bytes_of(2) == replicas.bytes_of(3)
    assert [replicas[b].log.epochs.snapshot() for b in (1, 2, 3)] == [[(1, 0), (3, 1)]] * 3


async def test_an_epoch_that_was_led_without_a_record_leaves_no_trace(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas.elect(2)
    replicas.elect(3)
    replicas.append(b"b")
    assert replicas.fetch(2) == "records"
    replicas.replicate()
    assert [replicas[b].log.epochs.snapshot() for b in (1, 2, 3)] == [[(1, 0), (3, 1)]] * 3


async def test_a_fetch_whose_tail_is_not_the_leaders_is_no_progress(make: Callable[..., Replicas]) -> None:
    replicas = make(brokers=(1, 2))
    replicas.append(b"a")
    replicas.replicate()
    replicas.append(b"lost")
    replicas.elect(2)
    replicas.append(b"b")
    assert replicas.fetch(1) == "cut"
    assert replicas.leader.high_watermark == 1


async def test_between_high_watermark_and_end_a_fetch_finds_nothing_and_the_latest_offset_is_unknown(
    make: Callable[..., Replicas],
) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas.append(b"b")
    replicas.fetch(2)
    replicas.elect(2)
    leader = replicas.leader
    assert leader.high_watermark == 1 and leader.log.end_offset == 2
    assert leader.reader.read(1, bytes_max=1000, committed_only=False, at_least_one=True).records is None
    assert leader.reader.read(2, bytes_max=1000, committed_only=False, at_least_one=True).records is None
    with pytest.raises(OffsetNotAvailable):
        leader.reader.latest_offset(committed_only=False)
    with pytest.raises(OffsetOutOfRange):
        leader.reader.read(3, bytes_max=1000, committed_only=False, at_least_one=True)
    replicas.replicate()
    assert leader.reader.latest_offset(committed_only=False) == 2


def _behind_a_start_of(start: int, replicas: Replicas) -> None:
    """Follower 3 has nothing yet when its leader, with eleven records, deletes those before `start`."""
    replicas.append(*(b"x" for _ in range(10)))
    replicas.replicate(2)
    replicas.remove_from_in_sync(3)
    replicas.append(b"y")
    replicas.replicate(2)
    replicas.leader.delete_records(start)
    assert replicas.fetch(3) == "began anew"
    replicas.replicate()
    assert replicas[3].log.start_offset == start and replicas[3].log.end_offset == 11


async def test_a_follower_below_the_leaders_start_begins_anew_there(make: Callable[..., Replicas]) -> None:
    replicas = make()
    _behind_a_start_of(10, replicas)
    assert replicas.bytes_of(3) == replicas.bytes_of(1)


async def test_a_leaders_start_within_a_batch_is_the_followers_too(make: Callable[..., Replicas]) -> None:
    replicas = make()
    _behind_a_start_of(4, replicas)
    assert replicas[3].log.read(4, 1 << 20) == replicas[1].log.read(4, 1 << 20)


async def test_a_log_start_travels_to_followers_and_delete_records_waits_for_theirs(
    make: Callable[..., Replicas],
) -> None:
    replicas = make()
    for _ in range(3):
        replicas.append(b"a")
    replicas.replicate()
    assert replicas.leader.delete_records(2) == 2
    deleted = replicas.leader.followers.deleted_everywhere(2)
    assert deleted is not None and not deleted.done()
    replicas.replicate()
    assert [replicas[broker].log.start_offset for broker in (1, 2, 3)] == [2, 2, 2]
    assert deleted.done()


async def test_a_follower_flushes_before_the_leader_hears_of_what_it_has(make: Callable[..., Replicas]) -> None:
    replicas = make(settings={"penstock.flush.before.ack": "true"})
    replicas.append(b"a")
    replicas.fetch(2)
    assert not replicas[2].follower_log.is_flushed
    await replicas[2].follower_log.flush()
    assert replicas[2].log.recovery_point == 1
    assert replicas.fetch(2) == "nothing"


async def test_a_leader_that_flushes_before_it_acknowledges_counts_itself_after_the_flush(
    make: Callable[..., Replicas],
) -> None:
    replicas = make(settings={"penstock.flush.before.ack": "true"})
    acknowledged = replicas.leader.acknowledged(replicas.append(b"a"), acks=ALL)
    assert acknowledged is not None
    for broker in (2, 3):
        replicas.fetch(broker)
        await replicas[broker].follower_log.flush()
        replicas.fetch(broker)
    await asyncio.wait_for(acknowledged, 60)
    assert replicas.leader.log.recovery_point == 1


async def test_a_topic_that_begins_to_flush_first_flushes_what_it_had_before_anything_more_counts(
    make: Callable[..., Replicas],
) -> None:
    """From the setting on, a machine that loses its page cache is taken to have lost nothing (RULES 20)."""
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    assert [replicas[broker].log.recovery_point for broker in (1, 2, 3)] == [0, 0, 0], "nobody has asked for a flush"
    replicas.config.replace_overrides({"penstock.flush.before.ack": "true"})
    assert not replicas[2].follower_log.is_flushed and not replicas[3].follower_log.is_flushed
    acknowledged = replicas.leader.acknowledged(replicas.append(b"b"), acks=ALL)
    assert acknowledged is not None
    for broker in (2, 3):
        await replicas[broker].follower_log.flush()
        replicas.fetch(broker)
        await replicas[broker].follower_log.flush()
        replicas.fetch(broker)
    await asyncio.wait_for(acknowledged, 60)
    assert [replicas[broker].log.recovery_point for broker in (1, 2, 3)] == [2, 2, 2]


async def test_a_topic_that_begins_to_flush_first_does_so_also_where_nobody_writes(
    make: Callable[..., Replicas],
) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas.config.replace_overrides({"flush.messages": "1"})
    for broker in (1, 2, 3):
        replicas[broker].followers.look_after(lag_ms_max=30_000)
    await replicas.idle()
    assert [replicas[broker].log.recovery_point for broker in (1, 2, 3)] == [1, 1, 1]
    assert [replicas[broker].high_watermark for broker in (1, 2, 3)] == [1, 1, 1]


def is_flush_noted(partition: Partition) -> bool:
    return (on_disk(partition.log).folder / FLUSHED_NOTE).exists()


async def test_a_folder_says_that_all_was_flushed_before_it_counted_once_that_is_so(
    make: Callable[..., Replicas],
) -> None:
    """Whoever lost its page cache goes by the note (RULES 20): the setting may have come while it was down."""
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    follower = replicas[2]
    release = follower.durability.hold()
    replicas.config.replace_overrides({"penstock.flush.before.ack": "true"})
    follower.followers.look_after(lag_ms_max=30_000)
    await asyncio.sleep(0)
    assert not is_flush_noted(follower), "what it told the leader of is not on disk yet"
    release()
    await replicas.idle()
    assert not is_flush_noted(follower), "only a process that is registered speaks for itself"
    follower.followers.look_after(lag_ms_max=30_000)
    await replicas.idle()
    assert is_flush_noted(follower) and not is_flush_noted(replicas[3])


async def test_as_long_as_the_folder_says_so_records_are_flushed_before_they_count(
    make: Callable[..., Replicas],
) -> None:
    replicas = make(settings={"penstock.flush.before.ack": "true"})
    follower = replicas[2]
    follower.followers.look_after(lag_ms_max=30_000)
    await replicas.idle()
    assert is_flush_noted(follower)
    replicas.config.replace_overrides({})
    replicas.append(b"a")
    replicas.fetch(2)
    assert not follower.follower_log.is_flushed, "the note would be a lie"
    await follower.follower_log.flush()
    follower.followers.look_after(lag_ms_max=30_000)
    await replicas.idle()
    assert not is_flush_noted(follower)
    replicas.append(b"b")
    replicas.fetch(2)
    assert follower.follower_log.place() == (2, 1) and follower.log.recovery_point == 1, "no flush any more"


async def test_a_process_that_comes_upon_the_note_of_the_former_one_keeps_to_it(make: Callable[..., Replicas]) -> None:
    replicas = make(settings={"penstock.flush.before.ack": "true"})
    replicas[2].followers.look_after(lag_ms_max=30_000)
    await replicas.idle()
    replicas.config.replace_overrides({})
    await replicas.restart(2)
    assert replicas[2].log.is_flush_noted
    replicas.append(b"a")
    replicas.fetch(2)
    assert not replicas[2].follower_log.is_flushed


async def test_records_from_before_flushing_was_asked_for_count_again_when_they_are_flushed(
    make: Callable[..., Replicas],
) -> None:
    replicas = make()
    acknowledged = replicas.leader.acknowledged(replicas.append(b"a"), acks=ALL)
    assert acknowledged is not None
    for broker in (2, 3):
        replicas.fetch(broker)
    for broker in (1, 2, 3):
        replicas[broker].config.replace_overrides({"penstock.flush.before.ack": "true"})
        replicas[broker].current_rules()
    assert not any(replicas[broker].follower_log.is_flushed for broker in (1, 2, 3))
    for broker in (2, 3):
        replicas.fetch(broker)  # had the leader counted what it has in memory, all would have it now
    assert replicas.leader.high_watermark == 0 and not acknowledged.done()
    await asyncio.wait_for(acknowledged, 60)
    assert replicas.leader.log.recovery_point == 1


async def test_records_that_wait_for_a_flush_count_at_once_when_flushing_is_no_longer_asked_for(
    make: Callable[..., Replicas],
) -> None:
    replicas = make(settings={"penstock.flush.before.ack": "true"})
    release = replicas.leader.durability.hold()
    one, all_of_them = (
        replicas.leader.acknowledged(appended, acks=acks)
        for appended, acks in ((replicas.append(b"a"), 1), (replicas.append(b"b"), ALL))
    )
    assert one is not None and all_of_them is not None
    for broker in (1, 2, 3):
        replicas[broker].config.replace_overrides({})
        replicas[broker].current_rules()
    await asyncio.wait_for(one, 60)
    replicas.replicate()
    await asyncio.wait_for(all_of_them, 60)
    assert replicas.leader.log.recovery_point == 0
    release()


async def test_a_damaged_batch_from_the_leader_is_not_appended(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    data = bytearray(replicas.bytes_of(1))
    data[-1] ^= 1
    with pytest.raises(CorruptMessage):
        replicas[2].follower_log.append(memoryview(data))
    assert replicas[2].log.end_offset == 0


async def test_what_comes_before_a_damaged_batch_is_taken(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.append(b"b")
    data = bytearray(replicas.bytes_of(1))
    data[-1] ^= 1
    replicas[2].follower_log.append(memoryview(data))
    assert replicas[2].log.end_offset == 1


async def test_less_than_a_batch_is_no_answer(make: Callable[..., Replicas]) -> None:
    """Asking again at once would go on for ever."""
    replicas = make()
    replicas.append(b"a")
    data = bytearray(replicas.bytes_of(1))
    data[8] ^= 1  # its length
    with pytest.raises(CorruptMessage):
        replicas[2].follower_log.append(memoryview(data))


async def test_a_batch_that_is_cut_short_is_left_for_the_next_fetch(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.append(b"b")
    data = replicas.bytes_of(1)
    replicas[2].follower_log.append(memoryview(bytearray(data[:-1])))
    assert replicas[2].log.end_offset == 1


async def test_what_is_fetched_twice_is_appended_once(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    data = memoryview(bytearray(replicas.bytes_of(1)))
    replicas[2].follower_log.append(data)
    replicas[2].follower_log.append(data)
    assert replicas[2].log.end_offset == 1


async def test_a_leader_whose_disk_is_full_resigns_once(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.leader.log.health.take_offline("no space left", stops_reads=False, may_pass=True)
    for _ in range(2):
        with pytest.raises(Exception, match="no space left"):
            replicas.append(b"b")
    assert replicas.resigned == [1]


async def test_a_leader_whose_log_is_found_damaged_while_nobody_writes_resigns(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.leader.log.health.take_offline("damage found by a reader", stops_reads=True)
    assert replicas.resigned == []
    replicas.leader.followers.look_after(lag_ms_max=30_000)
    assert replicas.resigned == [1]


async def test_a_leader_that_had_nobody_to_make_way_for_resigns_when_there_is(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas.remove_from_in_sync(2)
    replicas.remove_from_in_sync(3)
    replicas.leader.log.health.take_offline("input/output error", stops_reads=False)
    replicas.leader.followers.look_after(lag_ms_max=30_000)
    assert replicas.resigned == []
    replicas.fetch(2)
    assert replicas.state.in_sync == (1, 2)
    replicas.leader.followers.look_after(lag_ms_max=30_000)
    assert replicas.resigned == [1]


async def test_a_leader_alone_in_sync_resigns_where_somebody_eligible_is_there(make: Callable[..., Replicas]) -> None:
    replicas = make(settings={"min.insync.replicas": "2"})
    replicas.append(b"a")
    replicas.replicate()
    epoch = replicas.epochs.pop(BrokerId(2))
    replicas.epochs.pop(BrokerId(3))
    replicas.below_minimum(in_sync=1, eligible=2)
    replicas.leader.log.health.take_offline("input/output error", stops_reads=False)
    replicas.leader.followers.look_after(lag_ms_max=30_000)
    assert replicas.resigned == [], "nobody is there"
    replicas.epochs[BrokerId(2)] = epoch
    replicas.leader.followers.look_after(lag_ms_max=30_000)
    assert replicas.resigned == [1]


async def test_only_a_full_disk_leaves_a_log_what_it_had_for_certain(make: Callable[..., Replicas]) -> None:
    for may_pass, stays_below in ((True, 2), (False, 0)):
        replicas = make(settings={"min.insync.replicas": "2"})
        replicas.leader.log.health.take_offline("write failed", stops_reads=False, may_pass=may_pass)
        assert replicas.leader.leadership.eligible_below == stays_below


async def test_a_damaged_leader_does_not_hold_it_against_followers_that_they_stay_behind(
    make: Callable[..., Replicas],
) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.leader.log.health.take_offline("damage found by a reader", stops_reads=True)
    replicas.clock.time += 60_000
    replicas.leader.followers.look_after(lag_ms_max=30_000)
    assert replicas.state.in_sync == (1, 2, 3) and replicas.resigned == [1]


async def test_a_follower_whose_log_is_found_damaged_while_nobody_writes_leaves(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas[2].log.health.take_offline("damage found by a scrub", stops_reads=True)
    replicas[2].followers.look_after(lag_ms_max=30_000)
    assert replicas.state.in_sync == (1, 3)


async def test_a_follower_takes_no_records_from_producers(make: Callable[..., Replicas]) -> None:
    replicas = make()
    with pytest.raises(NotLeaderOrFollower):
        replicas.append(b"a", at=2)


async def test_a_deposed_leader_that_has_not_heard_of_it_commits_nothing(make: Callable[..., Replicas]) -> None:
    """Its followers left it, so nothing that it appends is ever acknowledged with acks=all."""
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    old = replicas[1]
    replicas._change(leader=BrokerId(2), leader_epoch=LeaderEpoch(2))
    for broker in (2, 3):
        replicas[broker].leadership.assign(replicas.state)
    acknowledged = old.acknowledged(replicas.append(b"lost", at=1), acks=ALL)
    assert acknowledged is not None
    replicas.append(b"b")
    replicas.replicate(3)
    assert not acknowledged.done() and old.high_watermark == 1
    asked = FetchPartition(0, 1, 1000, current_leader_epoch=2, last_fetched_epoch=1)
    with pytest.raises(Exception, match="newer"):
        old.followers.fetched(BrokerId(3), asked, broker_epoch=30)


async def test_what_was_fetched_in_an_earlier_epoch_does_not_count_though_the_leader_is_the_same(
    make: Callable[..., Replicas],
) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas.elect(1)
    role = replicas.leader.role
    assert isinstance(role, Leader)
    progress = role.progress_of(BrokerId(2))
    assert progress is not None and progress.end == -1


async def test_a_fetch_from_before_a_follower_began_anew_does_not_count(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    asked = FetchPartition(
        index=0, offset=1, bytes_max=1, current_leader_epoch=1, last_fetched_epoch=1, log_start_offset=0
    )
    replicas.remove_from_in_sync(2)
    replicas.elect(1)  # as `begin_anew` does: the same leader, in the next epoch
    with pytest.raises(FencedLeaderEpoch):
        replicas.leader.followers.fetched(BrokerId(2), asked, broker_epoch=20)
    assert replicas.state.in_sync == (1, 3)


async def test_a_restarted_follower_counts_by_what_it_came_back_with(make: Callable[..., Replicas]) -> None:
    replicas = make()
    replicas.append(b"a")
    replicas.replicate()
    replicas.append(b"b")
    replicas.fetch(2)
    replicas.fetch(2)
    await replicas.restart(2)
    replicas.replicate(3)
    assert replicas.leader.high_watermark == 1, "broker 2 has not said what it has, since"
    replicas.replicate()
    assert replicas.leader.high_watermark == 2
    assert BatchHeader.peek(replicas.bytes_of(2)).base_offset == 0
