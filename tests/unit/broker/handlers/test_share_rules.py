"""ShareFetch and ShareAcknowledge in groups with a back-off or an order by key: who is woken when, and what is kept."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.partitions import ME
from tests.support.share_readers import Make, ShareBench, acquired, share_benches

from penstock.delivery.shares import fetching
from penstock.delivery.shares.backoff import Backoff
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.sessions import FINAL
from penstock.model import LeaderEpoch
from penstock.wire.markers import Marker, MarkerType

ACCEPT, RELEASE = [1], [2]
BACK_OFF = ShareRules(reset="earliest", backoff=Backoff(1, jitter=0.0), lock_ms=30_000)
LONG = ShareRules(reset="earliest", backoff=Backoff(60_000, jitter=0.0))
BY_KEY = ShareRules(reset="earliest", by_key=True)


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with share_benches(tmp_path) as making:
        yield making


def write(bench: ShareBench, *keys: bytes | None) -> None:
    for key in keys:
        bench.partitions[0].append(memoryview(bench.partitions.batch(key=key)), acks=1)


def offsets(response: object) -> list[int]:
    return [offset for first, last, _ in acquired(response) for offset in range(first, last + 1)]  # type: ignore[arg-type]


async def reading(make: Make, rules: ShareRules, *keys: bytes | None, members: str = "ab") -> ShareBench:
    bench = make(rules=rules)
    write(bench, *keys)
    for member in members:
        await bench.open(member, max_records=0)
    return bench


async def test_a_parked_fetch_wakes_when_a_wait_is_over(make: Make) -> None:
    bench = await reading(make, BACK_OFF, b"k")
    assert offsets(await bench.fetch("a")) == [0]
    await bench.acknowledge("a", {0: [(0, 0, RELEASE)]})
    assert offsets(await bench.fetch("b")) == []
    parked = bench.call("b", wait_ms=60_000)
    bench.clock.advance(2)
    assert acquired(bench.response(await parked)) == [(0, 0, 2)]


async def test_until_when_a_record_waits_is_kept_and_another_leader_keeps_to_it(make: Make) -> None:
    bench = await reading(make, LONG, b"k", b"k")
    assert offsets(await bench.fetch("a")) == [0, 1]
    await bench.acknowledge("a", {0: [(0, 0, RELEASE)]})
    kept = bench.states.of(bench.key())
    assert kept.cells == {0: (0, 1)}
    assert 60_000 <= kept.waits[0] - bench.clock.now() <= 61_000
    share = bench.share_partitions.find(bench.key())
    assert share is not None
    partition = bench.partitions[0]
    partition.leadership.lead(epoch=LeaderEpoch(4), leader=ME, replicas=(ME,), in_sync=(ME,))
    bench.partitions.tell(0)
    assert share.is_gone
    await bench.open("c", max_records=0)
    assert offsets(await bench.fetch("c")) == [1], "what was with a member does not wait, what was given back does"
    parked = bench.call("c", wait_ms=60_000)
    bench.clock.advance(61_000)
    again = bench.share_partitions.find(bench.key())
    assert again is not None
    again._look_at_locks()  # as its timer does
    assert acquired(bench.response(await parked)) == [(0, 0, 2)]


async def test_what_a_member_gives_back_as_it_leaves_does_not_wait(make: Make) -> None:
    bench = await reading(make, LONG, b"k", b"k")
    assert offsets(await bench.fetch("a")) == [0, 1]
    await bench.acknowledge("a", {0: [(0, 0, RELEASE)]}, epoch=FINAL)
    await bench.settle()
    assert acquired(await bench.fetch("b")) == [(0, 1, 2)]


async def test_what_a_member_had_whose_connection_is_gone_does_not_wait(make: Make) -> None:
    bench = await reading(make, LONG, b"k")
    assert offsets(await bench.fetch("a")) == [0]
    bench.hang_up("a")
    await bench.settle()
    assert acquired(await bench.fetch("b")) == [(0, 0, 2)]


async def test_metrics_tell_what_waits_and_what_is_blocked(make: Make) -> None:
    bench = await reading(make, ShareRules(reset="earliest", by_key=True, backoff=Backoff(60_000)), b"k", b"k", b"k")
    assert offsets(await bench.fetch("a")) == [0]
    await bench.acknowledge("a", {0: [(0, 0, RELEASE)]})
    told = {family.name: family.values for family in bench.registry.snapshot()}
    here = ("g", "orders", "0")
    assert told["penstock_share_backing_off"] == [(here, 1)]
    assert told["penstock_share_key_blocked"] == [(here, 2)]
    assert told["penstock_share_window_span"] == [(here, 3)]


async def test_a_parked_fetch_wakes_when_it_is_the_turn_of_the_next_of_a_key(make: Make) -> None:
    bench = await reading(make, BY_KEY, b"k", b"k", b"x")
    assert offsets(await bench.fetch("a")) == [0, 2]
    parked = bench.call("b", wait_ms=60_000)
    await bench.acknowledge("a", {0: [(0, 0, ACCEPT)]})
    assert acquired(bench.response(await parked)) == [(1, 1, 1)]


async def test_a_wait_of_a_former_leader_ends_where_keys_have_an_order(make: Make) -> None:
    """It begins to count when its key is read: before that, nobody knows whose turn it is."""
    bench = make(rules=ShareRules(reset="earliest", by_key=True, backoff=Backoff(1_000)))
    write(bench, b"k", b"k")
    kept = bench.states.of(bench.key())
    kept.start_offset, kept.cells, kept.waits = 0, {0: (0, 1)}, {0: bench.clock.now() + 5}
    await bench.open("a", max_records=0)
    parked = bench.call("a", wait_ms=60_000)
    await bench.settle()
    bench.clock.advance(10)
    assert acquired(bench.response(await parked)) == [(0, 0, 2)]


async def test_new_records_of_a_key_that_is_open_wake_nobody(make: Make) -> None:
    bench = await reading(make, BY_KEY, b"k")
    assert offsets(await bench.fetch("a")) == [0]
    parked = bench.call("b", wait_ms=60_000)
    write(bench, b"k", b"k")
    await bench.settle()
    assert not parked.done()
    write(bench, b"x")
    assert offsets(bench.response(await parked)) == [3]


async def test_many_keys_are_read_bit_by_bit(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is free lies behind more than is read in one turn of the loop: whoever waits comes to it all the same."""
    monkeypatch.setattr(fetching, "KEYS_OF_A_LOOK", 100)
    bench = await reading(make, BY_KEY, *[b"hot"] * 20, b"cold")
    assert offsets(await bench.fetch("a")) == [0]
    assert offsets(bench.response(await bench.come(bench.call("b", wait_ms=60_000)))) == [20]


async def test_markers_and_aborted_records_hold_up_no_key(make: Make) -> None:
    bench = make(rules=ShareRules(reset="earliest", by_key=True, committed_only=True))
    partition = bench.partitions[0]
    guard = partition.transactions.begin_check(7, 0, 0)
    batch = bench.partitions.batch(producer=7, sequence=0, transactional=True)
    partition.append(memoryview(batch), acks=1, guard=guard)
    marker = Marker(MarkerType.ABORT, 0)
    partition.transactions.append_marker(marker, producer_id=7, producer_epoch=0, transaction_version=0)
    write(bench, b"k", b"k")
    await bench.open("a", max_records=0)
    assert offsets(await bench.fetch("a")) == [2]


async def test_an_order_begins_when_what_was_given_out_without_it_is_answered(make: Make) -> None:
    bench = await reading(make, ShareRules(reset="earliest"), b"k", b"k", b"k")
    assert offsets(await bench.fetch("a", max_records=2)) == [0, 1]
    bench.rules.rules = BY_KEY
    assert offsets(await bench.fetch("b")) == [], "two of a key are open"
    parked = bench.call("b", wait_ms=60_000)
    await bench.acknowledge("a", {0: [(0, 0, ACCEPT)]})
    await bench.settle()
    assert not parked.done()
    await bench.acknowledge("a", {0: [(1, 1, RELEASE)]})
    assert acquired(bench.response(await parked)) == [(1, 1, 2)]
    assert offsets(await bench.fetch("b")) == [], "and 2 is the same key's"
