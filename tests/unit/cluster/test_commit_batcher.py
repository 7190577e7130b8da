"""Commits that are made together, and fail apart."""

import asyncio
from contextlib import suppress

import pytest
from tests.support.clocks import ManualClock

from penstock.cluster.commit_batcher import GATHERED_MAX, IN_FLIGHT_MAX, CommitBatcher
from penstock.metastore import (
    OPERATIONS_MAX,
    Conflict,
    MemoryMetastore,
    Put,
    Revision,
    Transaction,
    Unavailable,
    absent,
    unchanged_since,
)


class CountingStore(MemoryMetastore):
    def __init__(self) -> None:
        super().__init__(ManualClock())
        self.sizes: list[int] = []
        self.is_away = False

    async def commit(self, transaction: Transaction) -> Revision:
        self.sizes.append(len(transaction.puts))
        await asyncio.sleep(0)
        if self.is_away:
            raise Unavailable("away")
        return await super().commit(transaction)


def create(key: str) -> Transaction:
    return Transaction(compares=(absent(key),), puts=(Put(key, b"new"),))


async def test_what_is_committed_in_one_turn_goes_in_few_transactions() -> None:
    store = CountingStore()
    gathering = CommitBatcher(store)
    revisions = await asyncio.gather(*(gathering.commit(create(f"/{n:03}")) for n in range(2 * GATHERED_MAX + 5)))
    assert store.sizes == [GATHERED_MAX, GATHERED_MAX, 5]
    assert sorted(set(revisions)) == [1, 2, 3]
    assert len((await store.range("/")).items) == 2 * GATHERED_MAX + 5


async def test_no_more_go_together_than_one_transaction_may_compare() -> None:
    """As where many brokers have come back, and every partition has others of them to wait for."""
    store = CountingStore()
    gathering = CommitBatcher(store)
    each = [Transaction((absent(f"/{n}"), absent(f"/x{n}"), absent(f"/y{n}")), (Put(f"/{n}", b""),)) for n in range(50)]
    await asyncio.gather(*(gathering.commit(transaction) for transaction in each))
    assert store.sizes == [OPERATIONS_MAX // 3, 50 - OPERATIONS_MAX // 3]


async def test_the_one_that_has_moved_on_has_its_conflict_and_the_others_are_written() -> None:
    store = CountingStore()
    await store.commit(create("/7"))
    gathering = CommitBatcher(store)
    outcomes = await asyncio.gather(*(gathering.commit(create(f"/{n}")) for n in range(10)), return_exceptions=True)
    assert [number for number, outcome in enumerate(outcomes) if isinstance(outcome, Conflict)] == [7]
    assert len((await store.range("/")).items) == 10


async def test_a_store_that_is_away_is_away_for_all_of_them() -> None:
    store = CountingStore()
    store.is_away = True
    gathering = CommitBatcher(store)
    outcomes = await asyncio.gather(*(gathering.commit(create(f"/{n}")) for n in range(10)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 10 and store.sizes == [10]


async def test_two_writes_of_one_key_are_made_one_after_the_other() -> None:
    store = CountingStore()
    gathering = CommitBatcher(store)
    first, second = create("/a"), Transaction(compares=(unchanged_since("/a", Revision(1)),), puts=(Put("/a", b"2"),))
    assert list(await asyncio.gather(gathering.commit(first), gathering.commit(second))) == [1, 2]


async def test_whoever_has_given_up_is_left_out() -> None:
    store = CountingStore()
    gathering = CommitBatcher(store)
    tasks = [asyncio.create_task(gathering.commit(create(f"/{n:03}"))) for n in range(GATHERED_MAX * IN_FLIGHT_MAX + 5)]
    await asyncio.sleep(0)  # asked
    await asyncio.sleep(0)  # the first two transactions are under way
    assert store.sizes == [GATHERED_MAX] * IN_FLIGHT_MAX
    tasks[-1].cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert store.sizes[-1] == 4 and isinstance(outcomes[-1], asyncio.CancelledError)


async def test_closing_ends_what_is_under_way() -> None:
    gathering = CommitBatcher(CountingStore())
    waiting = asyncio.create_task(gathering.commit(create("/a")))
    await asyncio.sleep(0)
    await gathering.close()
    with suppress(asyncio.CancelledError):
        await waiting
        pytest.fail("nobody was to answer")


class GatedStore(MemoryMetastore):
    """Answers all that wait in one turn of the loop, as answers do that come in one packet."""

    def __init__(self) -> None:
        super().__init__(ManualClock())
        self.gate = asyncio.Event()
        self.waiting = 0

    async def commit(self, transaction: Transaction) -> Revision:
        self.waiting += 1
        await self.gate.wait()
        return await super().commit(transaction)


async def test_a_commit_that_follows_from_the_last_ones_is_carried_out_without_another() -> None:
    store = GatedStore()
    gathering = CommitBatcher(store)

    async def twice() -> Revision:
        await gathering.commit(create("/first"))
        return await gathering.commit(create("/following"))

    following = asyncio.create_task(twice())
    while store.waiting < 1:
        await asyncio.sleep(0)
    last = asyncio.create_task(gathering.commit(create("/last")))
    while store.waiting < IN_FLIGHT_MAX:
        await asyncio.sleep(0)
    store.gate.set()
    async with asyncio.timeout(60):
        assert sorted([await last, await following]) == [2, 3]
