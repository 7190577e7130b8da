"""ShareAcknowledge: what a member may say of records, and when it is answered."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.share_readers import Make, Rows, ShareBench, acquired, share_benches

from penstock.delivery.shares.rules import ShareRules
from penstock.errors import (
    CoordinatorNotAvailable,
    FencedLeaderEpoch,
    GroupIdNotFound,
    InvalidRecordState,
    InvalidRequest,
    InvalidShareSessionEpoch,
    NotCoordinator,
    NotLeaderOrFollower,
    Refusal,
    RequestTimedOut,
    ShareSessionNotFound,
    UnknownServerError,
    UnknownTopicId,
    UnknownTopicOrPartition,
)

OK, STATE, REQUEST = 0, InvalidRecordState.code, InvalidRequest.code


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with share_benches(tmp_path) as making:
        yield making


async def with_records(make: Make, count: int = 10, rules: ShareRules | None = None) -> ShareBench:
    """Member `a` has all of them, `b` has a session."""
    bench: ShareBench = make(rules=rules or ShareRules(reset="earliest"))
    bench.partitions.fill(0, batches=count)
    await bench.open("a", max_records=0)
    await bench.open("b", max_records=0)
    assert acquired(await bench.fetch("a", batch_size=count)) == [(0, count - 1, 1)]
    return bench


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        pytest.param([(0, 9, [1])], OK, id="all with one word"),
        pytest.param([(0, 2, [1, 2, 3])], OK, id="each with its own"),
        pytest.param([(0, 1, [1]), (5, 6, [2])], OK, id="several rows"),
        pytest.param([(3, 3, [0])], OK, id="a gap"),
        pytest.param([(5, 4, [1])], REQUEST, id="backwards"),
        pytest.param([(4, 5, [1]), (2, 3, [1])], REQUEST, id="not in order"),
        pytest.param([(4, 5, [])], REQUEST, id="nothing said"),
        pytest.param([(0, 2, [1, 1])], REQUEST, id="too few words"),
        pytest.param([(0, 0, [5])], REQUEST, id="an unknown word"),
        pytest.param([(0, 0, [-1])], REQUEST, id="a word below zero"),
        pytest.param([(0, 0, [4])], REQUEST, id="renewing in a request that does not"),
        pytest.param([(9, 10, [1])], REQUEST, id="beyond what was given out"),
        pytest.param([(0, 1, [1]), (1, 2, [1])], STATE, id="twice"),
    ],
)
async def test_what_can_be_said(make: Make, rows: Rows, code: int) -> None:
    bench = await with_records(make)
    assert await bench.acknowledge("a", {0: rows}) == {0: code}
    if code != OK:
        assert bench.states.of(bench.key()).cells == {}, "all of it or nothing"
        assert await bench.acknowledge("a", {0: [(0, 9, [1])]}) == {0: OK}


async def test_nobody_says_anything_of_records_that_another_has(make: Make) -> None:
    bench = await with_records(make)
    assert await bench.acknowledge("b", {0: [(0, 0, [1])]}) == {0: STATE}
    assert await bench.acknowledge("a", {0: [(0, 0, [2])]}) == {0: OK}
    assert await bench.acknowledge("a", {0: [(0, 0, [1])]}) == {0: STATE}, "it was given back"


@pytest.mark.parametrize(("version", "code"), [(1, REQUEST), (2, OK)])
async def test_members_may_ask_for_more_time_from_version_2_on(make: Make, version: int, code: int) -> None:
    bench = await with_records(make)
    bench.clock.advance(29_000)
    renews = version == 2
    assert await bench.acknowledge("a", {0: [(0, 4, [4])]}, version=version, renews=renews) == {0: code}
    bench.clock.advance(2_000)
    share = bench.share_partitions.find(bench.key())
    assert share is not None and share.machine is not None
    _rows, count = share.machine.expire(share.rules, bench.clock.monotonic())
    assert count == (5 if code == OK else 10)


async def test_a_group_may_forbid_it(make: Make) -> None:
    bench = await with_records(make, rules=ShareRules(reset="earliest", may_renew=False))
    assert await bench.acknowledge("a", {0: [(0, 4, [4])]}, renews=True) == {0: STATE}


async def test_the_answer_tells_how_long_locks_last(make: Make) -> None:
    bench = await with_records(make)
    assert (await bench.whole_acknowledge("a", {}, version=2)).acquisition_lock_timeout_ms == 30_000
    assert (await bench.whole_acknowledge("a", {}, version=1)).acquisition_lock_timeout_ms == 0


async def test_an_answer_leaves_after_the_write_and_many_share_one(make: Make) -> None:
    bench = await with_records(make)
    before = bench.states.writes
    bench.states.gate.clear()
    waiting = [asyncio.ensure_future(bench.acknowledge("a", {0: [(each, each, [1])]})) for each in range(5)]
    await bench.settle()
    assert not any(each.done() for each in waiting)
    share = bench.share_partitions.find(bench.key())
    assert share is not None and share.machine is not None
    assert share.machine.start_offset == 0, "nothing is done before it is written"
    bench.states.gate.set()
    assert await asyncio.gather(*waiting) == [{0: OK}] * 5
    assert bench.states.writes - before == 1, "what was said together is written together"
    assert share.machine.start_offset == 5


@pytest.mark.parametrize(
    ("refusal", "told", "is_dropped"),
    [
        (NotCoordinator("x"), CoordinatorNotAvailable, False),
        (CoordinatorNotAvailable("x"), CoordinatorNotAvailable, False),
        (FencedLeaderEpoch("x"), NotLeaderOrFollower, True),
        (GroupIdNotFound("x"), GroupIdNotFound, True),
        (UnknownTopicOrPartition("x"), UnknownTopicOrPartition, True),
        (RequestTimedOut("x"), UnknownServerError, False),
    ],
)
async def test_what_cannot_be_written_is_as_it_was(
    make: Make, refusal: Refusal, told: type[Refusal], is_dropped: bool
) -> None:
    bench = await with_records(make)
    bench.states.refusal = refusal
    assert await bench.acknowledge("a", {0: [(0, 9, [1])]}) == {0: told.code}
    bench.states.refusal = None
    assert (bench.share_partitions.find(bench.key()) is None) is is_dropped
    again = await bench.acknowledge("a", {0: [(0, 9, [1])]})
    assert again == {0: UnknownTopicOrPartition.code if is_dropped else OK}


async def test_a_leader_that_is_back_under_its_epoch_reads_what_it_was_writing(make: Make) -> None:
    """It was cut off for a moment, and nobody else was elected: no new epoch keeps its former writes out."""
    bench = await with_records(make)
    held, write = asyncio.Event(), bench.states.write

    async def late(*about: Any, **what: Any) -> None:
        await held.wait()
        await write(*about, **what)

    bench.states.write = late  # type: ignore[method-assign]
    word = asyncio.ensure_future(bench.acknowledge("a", {0: [(0, 9, [1])]}))
    await bench.settle()
    partition = bench.partitions[0]
    partition.leadership.stand_aside()
    bench.partitions.tell(0)
    me = partition.broker_id
    partition.leadership.lead(epoch=partition.leader_epoch, leader=me, replicas=(me,), in_sync=(me,))
    bench.partitions.tell(0)
    await bench.fetch("b")
    await bench.settle()
    held.set()
    assert await word == {0: OK}
    await bench.settle()
    assert acquired(await bench.fetch("b")) == [], "that they are accepted was answered"


async def test_a_lock_that_ended_meanwhile_has_ended(make: Make) -> None:
    bench = await with_records(make)
    bench.states.gate.clear()
    waiting = asyncio.ensure_future(bench.acknowledge("a", {0: [(0, 4, [1])]}))
    await bench.settle()
    bench.clock.advance(31_000)
    bench.states.refusal = CoordinatorNotAvailable("gone")
    bench.states.gate.set()
    assert await waiting == {0: CoordinatorNotAvailable.code}
    bench.states.refusal = None
    assert acquired(await bench.fetch("b", batch_size=9))[0] == (0, 4, 2)


async def test_a_session_is_needed_and_goes_on(make: Make) -> None:
    bench = make()
    assert (await bench.whole_acknowledge("z", {}, epoch=1)).error_code == ShareSessionNotFound.code
    await bench.open("a")
    assert (await bench.whole_acknowledge("a", {}, epoch=0)).error_code == InvalidShareSessionEpoch.code
    assert (await bench.whole_acknowledge("a", {}, epoch=2)).error_code == InvalidShareSessionEpoch.code
    assert (await bench.whole_acknowledge("a", {}, epoch=1)).error_code == 0
    assert (await bench.fetch("a", epoch=2)).error_code == 0, "fetches and acknowledgements are counted together"


async def test_the_final_request_gives_back_what_was_not_answered(make: Make) -> None:
    bench = await with_records(make)
    assert await bench.acknowledge("a", {0: [(0, 3, [1])]}, epoch=-1) == {0: OK}
    await bench.settle()
    assert acquired(await bench.fetch("b", batch_size=99)) == [(4, 9, 2)]
    assert (await bench.whole_acknowledge("a", {}, epoch=-1)).error_code == ShareSessionNotFound.code


async def test_partitions_of_which_nothing_was_given_out_are_refused(make: Make) -> None:
    bench = await with_records(make)
    assert await bench.acknowledge("a", {3: [(0, 0, [1])], 0: [(0, 0, [1])]}) == {
        3: UnknownTopicOrPartition.code,
        0: OK,
    }
    stranger = await bench.whole_acknowledge("a", {0: [(0, 0, [1])]}, topic_id=bytes(15) + b"\1")
    assert stranger.responses[0].partitions[0].error_code == UnknownTopicId.code


async def test_a_record_is_given_up_after_so_many_deliveries(make: Make) -> None:
    bench = await with_records(make, count=1, rules=ShareRules(reset="earliest", delivery_limit=3))
    for delivery in (2, 3):
        await bench.acknowledge("a", {0: [(0, 0, [2])]})
        assert acquired(await bench.fetch("a")) == [(0, 0, delivery)]
    await bench.acknowledge("a", {0: [(0, 0, [2])]})
    assert acquired(await bench.fetch("a")) == []
    assert bench.states.of(bench.key()).cells[0] == (4, 3)
