"""Fetch: partitions in which nothing happens, sessions, waiting, and where an index must be loaded first."""

import asyncio
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support.fetches import FetchBench, Make, fetch_benches
from tests.support.logs import TOPIC_ID, base_offsets
from tests.support.partitions import ME

from penstock.broker.fetch_answers import idle as idle_answer
from penstock.broker.fetch_answers import read
from penstock.errors import (
    FencedLeaderEpoch,
    NotLeaderOrFollower,
    OffsetNotAvailable,
    OffsetOutOfRange,
    Refusal,
    UnknownServerError,
    UnknownTopicOrPartition,
)
from penstock.log import PartitionLog
from penstock.metastore import Unavailable
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication import Promise
from penstock.wire.fetch import FetchPartition as Asked
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.fetch_request import FetchPartition, FetchTopic

ALL_VERSIONS = range(4, 19)


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with fetch_benches(tmp_path) as making:
        yield making


@pytest.mark.parametrize("version", ALL_VERSIONS)
@pytest.mark.parametrize("committed_only", [False, True])
async def test_partitions_with_and_without_news_stand_side_by_side(
    make: Make, version: int, committed_only: bool
) -> None:
    bench = make(3)
    bench.partitions.fill(1, batches=2)
    found = bench.read(bench.call({0: 0, 1: 0, 2: 0}, version=version, committed_only=committed_only), version)
    assert list(found) == [0, 1, 2]
    assert [part.high_watermark for part in found.values()] == [0, 2, 0]
    assert [part.last_stable_offset for part in found.values()] == [0, 2, 0]
    assert [part.error_code for part in found.values()] == [0, 0, 0]
    assert [base_offsets(bytes(part.records or b"")) for part in found.values()] == [[], [0, 1], []]
    nothing: list[Any] | None = [] if committed_only else None
    assert [part.aborted_transactions for part in found.values()] == [nothing] * 3
    assert bench.partitions.metrics.totalfetchrequests == 3


async def test_partitions_are_answered_in_the_order_in_which_they_were_asked_for(make: Make) -> None:
    """Clients that ask for the topics by turns read them by turns."""
    bench = make(2)
    missing = FetchTopic(topic_id=bytes(15) + b"\1", partitions=[FetchPartition(partition=5)])
    answer = bench.response(bench.call({1: 0, 0: 0}, between=missing))
    order = [(topic.topic_id, part.partition_index) for topic in answer.responses for part in topic.partitions]
    assert order == [(TOPIC_ID, 1), (missing.topic_id, 5), (TOPIC_ID, 0), (missing.topic_id, 5)]


async def test_what_is_called_idle_is_what_a_read_would_find(make: Make) -> None:
    """For every offset and epoch around those that matter: idle, if and only if the long way finds nothing wrong."""
    bench = make(1)
    partition = bench.partitions[0]
    bench.partitions.fill(0, batches=3)
    partition.log.retention.advance_start(1)
    idle = 0
    for offset, epoch, leader in product(range(-1, 6), (-1, 2, 3, 4), (ME, BrokerId(2))):
        partition.leader = leader
        asked = Asked(0, offset, 1 << 20, epoch)
        if not partition.is_idle_at(offset, epoch, False):
            continue
        idle += 1
        for committed_only in (False, True):
            answer = read(partition, asked, committed_only, 1 << 20, at_least_one=True)
            assert answer == idle_answer(partition, committed_only)
            assert (offset, answer.records) == (3, None)
    assert idle == 2, "at the end, with the leader's epoch or none"
    partition.leader = ME
    partition.log.health.take_offline("damaged", stops_reads=True)
    assert not partition.is_idle_at(3, -1, False)
    with pytest.raises(Refusal):
        read(partition, Asked(0, 3, 1 << 20, -1), False, 1 << 20, at_least_one=True)


async def test_an_incremental_answer_leaves_out_what_is_known(make: Make) -> None:
    bench = make(3)
    full = bench.response(bench.call({0: 0, 1: 0, 2: 0}, session=(0, 0)))
    assert len(full.responses[0].partitions) == 3

    assert bench.read(bench.call({}, session=(full.session_id, 1))) == {}
    bench.partitions.fill(1)
    assert list(bench.read(bench.call({}, session=(full.session_id, 2)))) == [1]
    # The fetcher has got the record: its offset is at the end again, and nothing is left to say.
    assert bench.read(bench.call({1: 1}, session=(full.session_id, 3))) == {}
    bench.partitions[1].delete_records(1)
    moved = bench.read(bench.call({}, session=(full.session_id, 4)))
    assert [(index, part.log_start_offset) for index, part in moved.items()] == [(1, 1)]
    assert bench.read(bench.call({}, session=(full.session_id, 5))) == {}
    assert bench.partitions.metrics.totalfetchrequests == 3 * 6


async def test_an_incremental_answer_tells_of_trouble_until_it_is_gone(make: Make) -> None:
    bench = make(2)
    session_id = bench.response(bench.call({0: 0, 1: 0, 7: 0}, session=(0, 0))).session_id
    for epoch in (1, 2):
        found = bench.read(bench.call({}, session=(session_id, epoch)))
        assert {index: part.error_code for index, part in found.items()} == {7: UnknownTopicOrPartition.code}
    bench.partitions[0].leadership.retire()
    found = bench.read(bench.call({}, session=(session_id, 3)))
    assert found[0].error_code == NotLeaderOrFollower.code
    bench.partitions[0].leadership.lead(epoch=LeaderEpoch(5), leader=ME, replicas=(ME,), in_sync=(ME,))
    found = bench.read(bench.call({}, session=(session_id, 4)))
    assert found[0].error_code == 0, "that it is well again is news"
    assert 0 not in bench.read(bench.call({}, session=(session_id, 5)))


async def test_a_follower_serves_consumers_that_know_of_followers_up_to_its_high_watermark(make: Make) -> None:
    bench = make(1)
    bench.partitions.fill(0, batches=2)
    two = BrokerId(2)
    bench.partitions[0].leadership.lead(epoch=LeaderEpoch(4), leader=two, replicas=(ME, two), in_sync=(ME, two))
    old = bench.read(bench.call({0: 0}, version=10), version=10)
    assert old[0].error_code == NotLeaderOrFollower.code
    new = bench.read(bench.call({0: 0}, epoch=4))
    assert new[0].error_code == 0 and new[0].records and new[0].high_watermark == 2
    ahead = bench.read(bench.call({0: 9}, epoch=4))
    assert ahead[0].error_code == OffsetNotAvailable.code, "the leader may have it: no reason to start over"
    fenced = bench.read(bench.call({0: 0}, epoch=3))
    assert fenced[0].error_code == FencedLeaderEpoch.code and fenced[0].current_leader.leader_id == 2


async def test_a_wrong_epoch_or_offset_is_refused_even_where_nothing_is_new(make: Make) -> None:
    bench = make(1)
    assert bench.read(bench.call({0: 0}, epoch=2))[0].error_code == FencedLeaderEpoch.code
    assert bench.read(bench.call({0: 0}, epoch=3))[0].error_code == 0
    assert bench.read(bench.call({0: -1}))[0].error_code == OffsetOutOfRange.code


async def test_that_there_is_no_such_offset_is_said_when_the_store_has_confirmed_who_leads(make: Make) -> None:
    """A consumer that is told so begins anew: a leader that was replaced, and does not know it yet, must not."""
    bench = make(2)
    bench.partitions.fill(1)
    found = bench.read(await bench.call({0: 1, 1: 0}))
    assert [part.error_code for part in found.values()] == [OffsetOutOfRange.code, 0]
    assert (bench.store.times, base_offsets(bytes(found[1].records or b""))) == (1, [0])
    two = BrokerId(2)
    bench.store.news = lambda: bench.partitions[0].leadership.lead(
        epoch=LeaderEpoch(4), leader=two, replicas=(ME, two), in_sync=(two,)
    )
    found = bench.read(await bench.call({0: 1}, version=10), version=10)
    assert found[0].error_code == NotLeaderOrFollower.code


async def test_a_leader_that_cannot_ask_the_store_sends_consumers_beyond_its_end_to_look_elsewhere(make: Make) -> None:
    bench = make(1)

    def fail() -> None:
        raise Unavailable("cut off")

    bench.store.news = fail
    found = bench.read(await bench.call({0: 1}))
    assert found[0].error_code == NotLeaderOrFollower.code
    assert found[0].current_leader.leader_id == -1, "who leads is not known"


async def test_a_fetch_that_finds_nothing_waits_for_the_append_that_satisfies_it(make: Make) -> None:
    bench = make(3)
    session_id = bench.response(bench.call({0: 0, 1: 0, 2: 0}, session=(0, 0))).session_id
    waiting = bench.call({}, session=(session_id, 1), wait_ms=30_000)
    assert isinstance(waiting, Promise)
    await asyncio.sleep(0)
    assert not waiting.done()
    bench.partitions.fill(2)
    bench.partitions.fill(0)
    found = bench.read(cast(list[Any], await waiting))
    assert {index: base_offsets(bytes(part.records or b"")) for index, part in found.items()} == {0: [0], 2: [0]}
    assert not any(bench.partitions[index].waiters.watchers for index in bench.partitions)


@pytest.mark.parametrize("is_woken", [True, False])
async def test_a_bug_does_not_leave_whoever_waits_waiting_nor_a_file_open(
    make: Make, monkeypatch: pytest.MonkeyPatch, is_woken: bool
) -> None:
    bench = make(1)
    future = bench.call({0: 0}, wait_ms=600_000 if is_woken else 1)
    monkeypatch.setattr("penstock.broker.handlers.fetch.encode_response", lambda *_args, **_more: 1 / 0)
    if is_woken:
        bench.partitions.fill(0)
    async with asyncio.timeout(60):
        with pytest.raises(ZeroDivisionError):
            await future


async def test_a_wait_that_is_over_is_answered_with_nothing(make: Make) -> None:
    bench = make(2)
    found = bench.read(await bench.call({0: 0, 1: 0}, wait_ms=1))
    assert [(index, part.records) for index, part in found.items()] == [(0, b""), (1, b"")]


async def test_where_no_index_is_in_memory_a_thread_goes_first(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make(2)
    bench.partitions.fill(0)
    bench.partitions.fill(1)
    cold = bench.partitions[1].log
    monkeypatch.setattr(PartitionLog, "is_near", lambda log, _: log is not cold)
    warmed: list[int] = []
    monkeypatch.setattr(PartitionLog, "warm", lambda _, offset: warmed.append(offset))
    slow = bench.call({0: 0, 1: 0})
    assert bench.pins() == 1, "the other partition's slice, which is let go before the wait"
    found = bench.read(await slow)
    assert (warmed, list(found)) == ([0], [0, 1])
    # At the end there is nothing to look up, and so nothing to load.
    assert list(bench.read(bench.call({1: 1}))) == [1]


def _begin_transaction(bench: FetchBench, index: int, *, value_count: int = 1) -> None:
    partition = bench.partitions[index]
    batch = bench.partitions.batch(value_count, producer=7, sequence=0, transactional=True)
    guard = partition.transactions.begin_check(7, 0, 0)
    partition.append(memoryview(batch), acks=-1, guard=guard)


def _end_transaction(bench: FetchBench, index: int) -> None:
    bench.partitions[index].transactions.append_marker(
        Marker(MarkerType.ABORT, 0), producer_id=7, producer_epoch=0, transaction_version=0
    )


async def test_what_a_reader_of_committed_records_calls_idle_is_what_a_read_would_find(make: Make) -> None:
    """Records 0 and 1 are committed, 2 to 4 undecided."""
    bench = make(1)
    partition = bench.partitions[0]
    bench.partitions.fill(0, batches=2)
    _begin_transaction(bench, 0)
    bench.partitions.fill(0, batches=2)
    idle = []
    for offset in range(-1, 8):
        if partition.is_idle_at(offset, -1, True):
            idle.append(offset)
            answer = read(partition, Asked(0, offset, 1 << 20, -1), True, 1 << 20, at_least_one=True)
            assert answer == idle_answer(partition, True) and answer.records is None
    assert idle == [2, 3, 4, 5]
    assert not partition.is_idle_at(2, -1, False)


async def test_undecided_records_do_not_count_as_bytes_that_could_be_had(make: Make) -> None:
    """A fetch for more than is committed waits, whatever lies beyond the last stable offset, and ends with the
    transaction."""
    bench = make(2)
    bench.partitions.fill(0)
    _begin_transaction(bench, 1, value_count=500)
    asked = {0: 0, 1: 0}
    waiting = bench.call(asked, committed_only=True, wait_ms=600_000, min_bytes=1_000)
    assert isinstance(waiting, Promise)
    await asyncio.sleep(0)
    assert not waiting.done()
    _end_transaction(bench, 1)
    found = bench.read(await waiting)
    aborted = found[1].aborted_transactions
    assert aborted is not None and [each.first_offset for each in aborted] == [0]
    assert (found[1].last_stable_offset, len(found[1].records or b"") > 1_000) == (501, True)


@pytest.mark.parametrize("level", [-1, 2, 7])
@pytest.mark.parametrize("version", [4, 7, 12, 13, 18])
async def test_an_unknown_isolation_level_is_refused_and_shows_nothing(make: Make, level: int, version: int) -> None:
    some = make(1)
    some.partitions.fill(0)
    answer = some.response(some.call({0: 0}, version=version, isolation_level=level), version)
    parts = [(part.error_code, part.records or b"") for topic in answer.responses for part in topic.partitions]
    assert parts == ([(UnknownServerError.code, b"")] if version < 13 else [])
    assert answer.error_code == (UnknownServerError.code if version >= 7 else 0)


# Quotas ---------------------------------------------------------------------------------------------------------------


async def test_a_consumer_above_its_quota_gets_nothing_and_then_all(make: Make) -> None:
    bench = make(1)
    bench.partitions.fill(0, batches=8)
    size = len(bench.read(bench.call({0: 0}))[0].records or b"")
    bench.quotas.set("user=ANONYMOUS", consumer_byte_rate=size / 10)
    assert len(bench.read(bench.call({0: 0}))[0].records or b"") == size
    for version in ALL_VERSIONS:
        held = bench.response(bench.call({0: 0}, version=version), version)
        assert (held.responses, held.error_code, held.throttle_time_ms) == ([], 0, 10_000)
    bench.quotas.clock.advance(11_000)
    assert len(bench.read(bench.call({0: 0}))[0].records or b"") == size


async def test_a_fetch_takes_no_more_than_waiting_would_give_it(make: Make) -> None:
    bench = make(1)
    bench.partitions.fill(0, batches=8)
    size = len(bench.read(bench.call({0: 0}))[0].records or b"")
    bench.quotas.set("user=ANONYMOUS", consumer_byte_rate=size / 20)
    part = bench.read(bench.call({0: 0}))[0]
    assert 0 < len(part.records or b"") <= size / 2


async def test_a_session_goes_on_after_its_consumer_was_held_back(make: Make) -> None:
    bench = make(2)
    bench.partitions.fill(0, batches=2)
    session_id = bench.response(bench.call({0: 0, 1: 0}, session=(0, 0))).session_id
    bench.quotas.set("user=ANONYMOUS", consumer_byte_rate=1)
    bench.call_and_release({0: 0})
    bench.partitions.fill(1, batches=1)
    held = bench.response(bench.call({0: 2}, session=(session_id, 1)))
    assert (held.session_id, held.responses, held.error_code) == (session_id, [], 0)
    assert held.throttle_time_ms > 0
    bench.quotas.set("user=ANONYMOUS")
    found = bench.read(bench.call({}, session=(session_id, 2)))
    assert list(found) == [1] and base_offsets(bytes(found[1].records or b"")) == [0]


async def test_a_session_that_begins_with_nothing_is_none(make: Make) -> None:
    bench = make(1)
    bench.partitions.fill(0, batches=2)
    bench.quotas.set("user=ANONYMOUS", consumer_byte_rate=1)
    bench.call_and_release({0: 0})
    held = bench.response(bench.call({0: 0}, session=(0, 0)))
    assert (held.session_id, held.responses, held.error_code) == (0, [], 0)
    assert len(bench.sessions) == 0


async def test_a_parked_fetch_is_held_to_the_quota_when_it_is_answered(make: Make) -> None:
    bench = make(1)
    bench.quotas.set("user=ANONYMOUS", consumer_byte_rate=1)
    bench.partitions.fill(0)
    bench.call_and_release({0: 0})
    waiting = bench.call({0: 1}, wait_ms=600_000)
    bench.partitions.fill(0)
    held = bench.response(await waiting)
    assert held.responses == [] and held.throttle_time_ms > 0
