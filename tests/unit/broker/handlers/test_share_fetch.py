"""ShareFetch: who gets which records, sessions, waiting, and what is told of acknowledgements that came along."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.logs import base_offsets
from tests.support.partitions import ME
from tests.support.share_readers import GROUP, Make, acquired, parts_of, share_benches

from penstock.cluster import PartitionImage
from penstock.delivery.shares.rules import ShareRules
from penstock.errors import (
    FencedStateEpoch,
    GroupIdNotFound,
    InvalidRecordState,
    InvalidRequest,
    InvalidShareSessionEpoch,
    NotLeaderOrFollower,
    ShareSessionLimitReached,
    ShareSessionNotFound,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.metastore import Revision
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex
from penstock.replication import Promise
from penstock.wire.markers import Marker, MarkerType

ACCEPT, RELEASE, REJECT, RENEW = [1], [2], [3], [4]


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with share_benches(tmp_path) as making:
        yield making


def data_of(response: Any, index: int = 0) -> list[int]:
    part = parts_of(response).get(index)
    return [] if part is None else base_offsets(bytes(part.records or b""))


# Giving out -------------------------------------------------------------------------------------------------------


async def test_two_members_never_get_the_same_record(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=6)
    await bench.open("a", max_records=0)
    await bench.open("b", max_records=0)
    first = await bench.fetch("a", max_records=2, batch_size=2)
    second = await bench.fetch("b", max_records=3, batch_size=1)
    assert (acquired(first), data_of(first)) == ([(0, 1, 1)], [0, 1])
    assert (acquired(second), data_of(second)) == ([(2, 2, 1), (3, 3, 1), (4, 4, 1)], [2, 3, 4])
    third = await bench.fetch("a")
    assert (acquired(third), data_of(third)) == ([(5, 5, 1)], [5])
    assert acquired(await bench.fetch("b")) == []
    assert first.acquisition_lock_timeout_ms == 30_000


async def test_records_come_by_whole_batches_unless_the_member_insists_on_its_limit(make: Make) -> None:
    bench = make()
    for size in (4, 4, 4):
        bench.partitions[0].append(memoryview(bench.partitions.batch(size)), acks=1)
    await bench.open("a", max_records=0)
    loose = await bench.fetch("a", max_records=5)
    assert (acquired(loose), data_of(loose)) == ([(0, 7, 1)], [0, 4])
    strict = await bench.fetch("a", max_records=2, strict=True)
    assert (acquired(strict), data_of(strict)) == ([(8, 9, 1)], [8])
    rest = await bench.fetch("a", max_records=2, strict=True)
    assert (acquired(rest), data_of(rest)) == ([(10, 11, 1)], [8])


async def test_an_answer_holds_the_bytes_that_were_asked_for_and_at_least_a_batch(make: Make) -> None:
    bench = make(2)
    for index in (0, 1):
        bench.partitions.fill(index, batches=8)
    await bench.open("a", max_records=0)
    one = await bench.fetch("a", max_bytes=1)
    assert sorted(len(data_of(one, index)) for index in (0, 1)) == [0, 1]
    size = len(bytes(parts_of(one)[next(iter(parts_of(one)))].records or b""))
    several = await bench.fetch("a", max_bytes=6 * size)
    assert sorted(len(data_of(several, index)) for index in (0, 1)) == [3, 3], "each partition has its part of it"


async def test_the_window_is_a_span_of_offsets(make: Make) -> None:
    """One record that is held open stalls the partition when as many as the limit came after it."""
    bench = make(rules=ShareRules(reset="earliest", locks_max=5))
    bench.partitions.fill(0, batches=10)
    await bench.open("a", max_records=0)
    assert acquired(await bench.fetch("a")) == [(0, 4, 1)]
    assert acquired(await bench.fetch("a")) == []
    later = await bench.fetch("a", says={0: [(1, 4, ACCEPT)]})
    assert acquired(later) == [] and parts_of(later)[0].acknowledge_error_code == 0
    await bench.fetch("a", says={0: [(0, 0, ACCEPT)]})
    assert acquired(await bench.fetch("a")) == [(5, 9, 1)]


async def test_several_partitions_share_the_records_that_are_asked_for(make: Make) -> None:
    bench = make(3)
    for index in range(3):
        bench.partitions.fill(index, batches=4)
    await bench.open("a", max_records=0)
    response = await bench.fetch("a", max_records=6, batch_size=1)
    assert sum(len(acquired(response, index)) for index in range(3)) == 6


async def test_a_group_begins_where_its_setting_says(make: Make) -> None:
    latest = make(rules=ShareRules(reset="latest"))
    latest.partitions.fill(0, batches=3)
    await latest.open("a")
    assert latest.states.of(latest.key()).start_offset == 3, "kept before anything is given out"
    latest.partitions.fill(0)
    assert acquired(await latest.fetch("a")) == [(3, 3, 1)]

    ago = make(rules=ShareRules(reset="by_duration:PT1H"))
    ago.partitions.fill(0, batches=2)
    ago.clock.set(by_ms=ago.partitions.clock.now() - ago.clock.now() + 30 * 60_000)
    assert acquired(await ago.fetch("a", wait_ms=60_000, batch_size=9)) == [(0, 1, 1)]


async def test_what_was_written_is_all_that_a_new_leader_gives_out_again(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=6)
    await bench.open("a", max_records=0)
    assert acquired(await bench.fetch("a", batch_size=6)) == [(0, 5, 1)]
    await bench.acknowledge("a", {0: [(1, 2, ACCEPT), (4, 4, RELEASE)]})
    share = bench.share_partitions.find(bench.key())
    assert share is not None
    bench.share_partitions.drop(share)
    await bench.open("b", max_records=0)
    again = await bench.fetch("b", batch_size=10)
    assert acquired(again) == [(0, 0, 1), (3, 3, 1), (4, 4, 2), (5, 5, 1)]


async def test_aborted_records_are_given_to_nobody_who_reads_committed_ones(make: Make) -> None:
    bench = make(rules=ShareRules(reset="earliest", committed_only=True))
    partition = bench.partitions[0]
    bench.partitions.fill(0)
    for producer, ends in ((7, MarkerType.ABORT), (8, MarkerType.COMMIT)):
        for sequence in range(2):
            batch = bench.partitions.batch(producer=producer, sequence=sequence, transactional=True)
            guard = partition.transactions.begin_check(producer, 0, 0) if sequence == 0 else None
            partition.append(memoryview(batch), acks=1, guard=guard)
        partition.transactions.append_marker(
            Marker(ends, 0), producer_id=producer, producer_epoch=0, transaction_version=0
        )
    await bench.open("a", max_records=0)
    response = await bench.fetch("a", batch_size=1)
    got = [offset for first, last, _ in acquired(response) for offset in range(first, last + 1)]
    assert got == [0, 3, 4, 5, 6], "not 1 and 2, which were aborted; markers are the client's to skip"


async def test_nothing_of_an_open_transaction_is_given_to_who_reads_committed_records(make: Make) -> None:
    bench = make(rules=ShareRules(reset="earliest", committed_only=True))
    partition = bench.partitions[0]
    guard = partition.transactions.begin_check(7, 0, 0)
    partition.append(
        memoryview(bench.partitions.batch(producer=7, sequence=0, transactional=True)), acks=1, guard=guard
    )
    await bench.open("a", max_records=0)
    assert acquired(await bench.fetch("a")) == []
    parked = bench.call("a", wait_ms=60_000)
    partition.transactions.append_marker(
        Marker(MarkerType.COMMIT, 0), producer_id=7, producer_epoch=0, transaction_version=0
    )
    assert acquired(bench.response(await parked)) == [(0, 1, 1)]


async def test_records_that_the_log_lost_are_no_longer_waited_for(make: Make) -> None:
    bench = make(rules=ShareRules(reset="earliest", locks_max=4))
    bench.partitions.fill(0, batches=8)
    await bench.open("a", max_records=0)
    assert acquired(await bench.fetch("a")) == [(0, 3, 1)]
    bench.partitions[0].delete_records(3)
    assert acquired(await bench.fetch("a")) == [(4, 6, 1)]
    told = await bench.acknowledge("a", {0: [(0, 3, ACCEPT)]})
    assert told == {0: 0}, "what is gone from the log is nobody's fault"


# Sessions ---------------------------------------------------------------------------------------------------------


async def test_a_session_counts_its_requests(make: Make) -> None:
    bench = make()
    assert (await bench.fetch("a", epoch=1)).error_code == ShareSessionNotFound.code
    assert (await bench.fetch("a", epoch=0)).error_code == 0
    assert (await bench.fetch("a", epoch=3)).error_code == InvalidShareSessionEpoch.code
    assert (await bench.fetch("a", epoch=1)).error_code == 0
    assert (await bench.fetch("a", epoch=-1)).error_code == 0
    assert (await bench.fetch("a", epoch=2)).error_code == ShareSessionNotFound.code


async def test_a_session_begins_without_acknowledgements(make: Make) -> None:
    bench = make()
    response = await bench.fetch("a", epoch=0, says={0: [(0, 0, ACCEPT)]})
    assert response.error_code == InvalidRequest.code


@pytest.mark.parametrize("how", ["final epoch", "connection"])
async def test_what_a_member_has_goes_to_others_when_its_session_ends(make: Make, how: str) -> None:
    bench = make()
    bench.partitions.fill(0, batches=3)
    await bench.open("a", max_records=0)
    await bench.open("b", max_records=0)
    assert acquired(await bench.fetch("a", batch_size=3)) == [(0, 2, 1)]
    parked = bench.call("b", wait_ms=60_000)
    if how == "connection":
        bench.hang_up("a")
    else:
        response = await bench.fetch("a", epoch=-1, says={0: [(0, 0, ACCEPT)]})
        assert parts_of(response)[0].acknowledge_error_code == 0
    got = acquired(bench.response(await parked))
    assert got == ([(0, 2, 2)] if how == "connection" else [(1, 2, 2)])


async def test_a_group_that_nobody_reads_for_here_is_forgotten(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=3)
    await bench.open("a", max_records=0)
    await bench.fetch("a")
    bench.hang_up("a")
    await bench.settle()
    assert len(bench.share_partitions) == 0 and len(bench.shares.sessions) == 0
    await bench.open("b", max_records=0)
    assert acquired(await bench.fetch("b", batch_size=9)) == [(0, 2, 2)], "but not what became of its records"


async def test_who_finds_no_room_for_a_session_waits_before_it_is_told(make: Make) -> None:
    bench = make()
    for member in "abc":
        await bench.open(member)
    assert (await bench.fetch("d", epoch=0)).error_code == ShareSessionLimitReached.code
    assert isinstance(bench.call("d", epoch=0, wait_ms=60_000), Promise)
    assert (await bench.fetch("d", epoch=0, wait_ms=1)).error_code == ShareSessionLimitReached.code
    bench.hang_up("a")
    assert (await bench.fetch("d", epoch=0)).error_code == 0


async def test_an_answer_leaves_out_partitions_of_which_nothing_is_new(make: Make) -> None:
    bench = make(3)
    await bench.open("a", partitions=[0, 1])
    bench.partitions.fill(1)
    assert list(parts_of(await bench.fetch("a"))) == [1]
    bench.partitions.fill(2)
    assert list(parts_of(await bench.fetch("a", partitions=[2], wait_ms=60_000))) == [2]
    bench.partitions.fill(1)
    bench.partitions.fill(2)
    assert list(parts_of(await bench.fetch("a", forgets=[1]))) == [2]


# Waiting ----------------------------------------------------------------------------------------------------------


async def test_a_parked_fetch_wakes_for_new_records(make: Make) -> None:
    bench = make()
    await bench.open("a")
    parked = bench.call("a", wait_ms=60_000)
    assert isinstance(parked, Promise)
    bench.partitions.fill(0)
    assert acquired(bench.response(await parked)) == [(0, 0, 1)]


async def test_a_parked_fetch_wakes_when_another_member_makes_room(make: Make) -> None:
    bench = make(rules=ShareRules(reset="earliest", locks_max=2))
    bench.partitions.fill(0, batches=5)
    await bench.open("a", max_records=0)
    await bench.open("b", max_records=0)
    assert acquired(await bench.fetch("a")) == [(0, 1, 1)]
    parked = bench.call("b", wait_ms=60_000)
    await bench.acknowledge("a", {0: [(0, 0, ACCEPT)]})
    assert acquired(bench.response(await parked)) == [(2, 2, 1)]


async def test_a_parked_fetch_wakes_for_records_that_are_given_back(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=2)
    await bench.open("a", max_records=0)
    await bench.open("b", max_records=0)
    await bench.fetch("a")
    parked = bench.call("b", wait_ms=60_000)
    await bench.acknowledge("a", {0: [(1, 1, RELEASE)]})
    assert acquired(bench.response(await parked)) == [(1, 1, 2)]


async def test_a_parked_fetch_wakes_when_a_lock_ends(make: Make) -> None:
    bench = make(rules=ShareRules(reset="earliest", lock_ms=1))
    bench.partitions.fill(0)
    await bench.open("a", max_records=0)
    await bench.open("b", max_records=0)
    await bench.fetch("a")
    parked = bench.call("b", wait_ms=60_000)
    bench.clock.advance(1)
    assert acquired(bench.response(await parked)) == [(0, 0, 2)]
    assert bench.states.of(bench.key()).cells[0] == (0, 1), "and that it came back is written"
    assert (await bench.acknowledge("a", {0: [(0, 0, ACCEPT)]})) == {0: InvalidRecordState.code}


async def test_a_parked_fetch_wakes_when_the_logs_start_moves(make: Make) -> None:
    bench = make(rules=ShareRules(reset="earliest", locks_max=2))
    bench.partitions.fill(0, batches=5)
    await bench.open("a", max_records=0)
    await bench.fetch("a")
    parked = bench.call("a", wait_ms=60_000)
    bench.partitions[0].delete_records(1)
    assert acquired(bench.response(await parked)) == [(2, 2, 1)]


async def test_a_parked_fetch_wakes_when_its_partition_has_another_leader(make: Make) -> None:
    bench = make()
    await bench.open("a")
    parked = bench.call("a", wait_ms=60_000)
    two = BrokerId(2)
    bench.partitions[0].leadership.lead(epoch=LeaderEpoch(9), leader=two, replicas=(ME, two), in_sync=(ME, two))
    bench.partitions.tell(0)
    response = bench.response(await parked)
    part = parts_of(response)[0]
    assert part.error_code == NotLeaderOrFollower.code
    assert (part.current_leader.leader_id, part.current_leader.leader_epoch) == (2, 9)
    assert [each.node_id for each in response.node_endpoints] == [2]


async def test_a_fetch_waits_for_the_bytes_that_it_wants(make: Make) -> None:
    bench = make()
    await bench.open("a")
    parked = bench.call("a", wait_ms=60_000, min_bytes=150)
    bench.partitions.fill(0)
    await bench.settle()
    assert not parked.done()
    bench.partitions.fill(0, batches=2)
    assert len(data_of(bench.response(await parked))) == 3


async def test_a_fetch_is_given_what_there_is_when_its_wait_is_over(make: Make) -> None:
    bench = make()
    await bench.open("a")
    bench.partitions.fill(0)
    response = bench.response(await bench.call("a", wait_ms=1, min_bytes=1 << 20))
    assert acquired(response) == [(0, 0, 1)]


async def test_who_is_gone_while_it_waits_is_given_nothing(make: Make) -> None:
    bench = make()
    await bench.open("a")
    parked = bench.call("a", wait_ms=60_000)
    parked.cancel()
    bench.partitions.fill(0)
    await bench.settle()
    await bench.open("b", max_records=0)
    assert acquired(await bench.fetch("b")) == [(0, 0, 1)]


# Acknowledging along with a fetch ---------------------------------------------------------------------------------


async def test_an_answer_waits_until_what_was_said_is_written(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=2)
    await bench.open("a", max_records=0)
    await bench.fetch("a", max_records=1, batch_size=1)
    bench.states.gate.clear()
    outcome = bench.call("a", says={0: [(0, 0, ACCEPT)]})
    await bench.settle()
    assert isinstance(outcome, Promise) and not outcome.done()
    bench.states.gate.set()
    response = bench.response(await outcome)
    assert parts_of(response)[0].acknowledge_error_code == 0 and acquired(response) == [(1, 1, 1)]
    assert bench.states.of(bench.key()).cells == {0: (2, 1)}


async def test_renewing_fetches_nothing(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=2)
    await bench.open("a", max_records=0)
    await bench.fetch("a", max_records=1, batch_size=1)
    wrong = await bench.fetch("a", epoch=2, renews=True, says={0: [(0, 0, RENEW)]})
    assert wrong.error_code == InvalidRequest.code
    bench.clock.advance(20_000)
    right = await bench.fetch(
        "a", epoch=2, renews=True, max_records=0, max_bytes=0, min_bytes=0, says={0: [(0, 0, RENEW)]}
    )
    assert parts_of(right)[0].acknowledge_error_code == 0 and acquired(right) == []
    machine = bench.share_partitions.find(bench.key())
    assert machine is not None and machine.machine is not None
    assert machine.machine.window.ranges[0].deadline == bench.clock.monotonic() + 30


# Refusing ---------------------------------------------------------------------------------------------------------


async def test_partitions_that_are_not_here_are_refused_each_by_itself(make: Make) -> None:
    bench = make()
    three = (BrokerId(3),)
    bench.partitions.elsewhere[5] = PartitionImage(
        PartitionIndex(5), BrokerId(3), LeaderEpoch(4), three, three, (), (), (), Revision(1)
    )
    bench.partitions.fill(0)
    response = await bench.open("a", partitions=[0, 5, 7])
    codes = {index: part.error_code for index, part in parts_of(response).items()}
    assert codes == {5: NotLeaderOrFollower.code, 7: UnknownTopicOrPartition.code}
    assert parts_of(response)[5].current_leader.leader_id == 3
    assert acquired(await bench.fetch("a")) == [(0, 0, 1)]
    stranger = await bench.fetch("b", topic_id=bytes(15) + b"\1", partitions=[0])
    assert parts_of(stranger)[0].error_code == UnknownTopicId.code


async def test_a_state_that_cannot_be_read_is_read_again_for_the_next_fetch(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0)
    bench.states.refusal = GroupIdNotFound("gone")
    outcome = bench.call("a", wait_ms=60_000)
    assert parts_of(bench.response(await outcome))[0].error_code == GroupIdNotFound.code
    bench.states.refusal = None
    assert acquired(bench.response(await bench.call("a", wait_ms=60_000))) == [(0, 0, 1)]


async def test_a_share_partition_whose_state_another_writes_is_thrown_away(make: Make) -> None:
    """Somebody has set the group's offsets by hand."""
    bench = make()
    bench.partitions.fill(0, batches=4)
    await bench.open("a", max_records=0)
    await bench.fetch("a", max_records=2, batch_size=2)
    await bench.states.initialize(bench.key(), state_epoch=1, start_offset=3)
    response = await bench.fetch("a", says={0: [(0, 1, ACCEPT)]}, max_records=0)
    assert parts_of(response)[0].acknowledge_error_code == NotLeaderOrFollower.code
    got = bench.response(await bench.call("a", wait_ms=60_000))
    assert acquired(got) == [(3, 3, 1)]
    assert FencedStateEpoch.code != NotLeaderOrFollower.code


@pytest.mark.parametrize(
    ("how", "code"),
    [({"member": ""}, InvalidRequest.code), ({"member": "m" * 37}, InvalidRequest.code), ({"group": None}, 42)],
)
async def test_a_request_says_who_asks(make: Make, how: dict[str, Any], code: int) -> None:
    bench = make()
    assert (await bench.fetch(epoch=0, **how)).error_code == code


async def test_counters_tell_what_became_of_records(make: Make) -> None:
    bench = make()
    bench.partitions.fill(0, batches=4)
    await bench.open("a", max_records=0)
    await bench.fetch("a", batch_size=9)
    await bench.fetch("a", says={0: [(0, 3, [1, 2, 3, 1])]}, max_records=0)
    await bench.fetch("a")
    share = bench.share_partitions.find(bench.key())
    assert share is not None
    counted = share.metrics
    assert (counted.acquired, counted.acknowledged, counted.released, counted.rejected) == (5, 2, 1, 1)
    assert counted.redelivered == 1
    assert share.key.group_id == GROUP


async def test_cold_records_are_read_in_a_thread(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make()
    bench.partitions.fill(0, batches=3)
    await bench.open("a", max_records=0)
    monkeypatch.setattr("penstock.log.FileSlice.is_hot", lambda _slice: False)
    outcome = bench.call("a")
    assert asyncio.iscoroutine(outcome)
    assert acquired(bench.response(await bench.come(outcome))) == [(0, 2, 1)]


async def test_a_session_begins_with_word_of_each_partition_even_if_there_is_nothing(make: Make) -> None:
    bench = make(3)
    await bench.open("a", partitions=[0, 1, 2])
    first = bench.call("b", [0, 2], min_bytes=0, wait_ms=60_000)
    assert not isinstance(first, Promise), "nothing is waited for by who wants no bytes"
    assert {
        index: (part.error_code, part.acquired_records) for index, part in parts_of(bench.response(first)).items()
    } == {
        0: (0, []),
        2: (0, []),
    }
    assert parts_of(await bench.fetch("b", min_bytes=0)) == {}


async def test_each_record_finds_one_of_those_who_wait(make: Make) -> None:
    bench = make()
    waiting = {}
    for member in ("a", "b", "c"):
        await bench.open(member, max_records=0)
        waiting[member] = bench.call(member, wait_ms=60_000)
    for number in range(3):
        bench.partitions.fill(0, batches=1)
        await bench.settle()
        assert sum(each.done() for each in waiting.values()) == number + 1
    firsts = [acquired(bench.response(await each)) for each in waiting.values()]
    assert sorted(firsts) == [[(0, 0, 1)], [(1, 1, 1)], [(2, 2, 1)]]
