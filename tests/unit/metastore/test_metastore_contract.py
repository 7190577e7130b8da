"""What every metastore must do, whichever it is.

An etcd counts revisions for all who use it, so figures here count from where the store stood when the test began.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.clocks import ManualClock
from tests.support.etcd import open_etcd

from penstock.metastore import (
    NO_LEASE,
    OPERATIONS_MAX,
    TRANSACTION_BYTES_MAX,
    Changes,
    Conflict,
    Delete,
    Deleted,
    InvalidTransaction,
    LeaseGone,
    LeaseId,
    MemoryMetastore,
    Metastore,
    Put,
    Revision,
    Transaction,
    Written,
    absent,
    created_at,
    unchanged_since,
)
from penstock.metastore.embedded import EmbeddedMetastore


@pytest.fixture(params=["memory", "embedded", "etcd"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Metastore]:
    opened: Metastore
    match request.param:
        case "memory":
            opened = MemoryMetastore(ManualClock())
        case "embedded":
            opened = await EmbeddedMetastore.open(tmp_path, ManualClock())
        case _:
            opened = await open_etcd(request.getfixturevalue("etcd"))
            await opened.commit(Transaction(deletes=(Delete("", prefix=True),)))
    yield opened
    await opened.close()


@pytest.fixture
async def start(store: Metastore) -> Revision:
    return (await store.range("")).revision


def at(start: Revision, count: int) -> Revision:
    """The revision of the transaction of that number, counted from 1 at the start of the test."""
    return Revision(start + count)


def put(key: str, value: bytes = b"v", lease: LeaseId = NO_LEASE) -> Transaction:
    return Transaction(puts=(Put(key, value, lease),))


async def next_changes(watch: AsyncIterator[Changes]) -> Changes:
    return await asyncio.wait_for(anext(watch), timeout=60)


async def test_a_key_that_was_never_written_is_absent(store: Metastore) -> None:
    assert await store.get("/a") is None
    assert (await store.range("/")).items == ()


async def test_a_key_knows_when_it_came_to_be_when_it_last_changed_and_how_often(
    store: Metastore, start: Revision
) -> None:
    assert await store.commit(put("/other")) == at(start, 1)
    assert await store.commit(put("/a", b"1")) == at(start, 2)
    assert await store.commit(put("/a", b"2")) == at(start, 3)
    item = await store.get("/a")
    assert item is not None
    assert (item.value, item.create_revision, item.mod_revision, item.version) == (b"2", at(start, 2), at(start, 3), 2)


async def test_a_key_deleted_and_written_again_begins_anew(store: Metastore, start: Revision) -> None:
    await store.commit(put("/a"))
    await store.commit(Transaction(deletes=(Delete("/a"),)))
    await store.commit(put("/a"))
    item = await store.get("/a")
    assert item is not None
    assert (item.create_revision, item.mod_revision, item.version) == (at(start, 3), at(start, 3), 1)


async def test_all_writes_of_a_transaction_carry_its_one_revision(store: Metastore, start: Revision) -> None:
    await store.commit(Transaction(puts=(Put("/a", b"1"), Put("/b", b"2"))))
    listing = await store.range("/")
    assert listing.revision == at(start, 1)
    assert [(item.key, item.mod_revision) for item in listing.items] == [("/a", at(start, 1)), ("/b", at(start, 1))]


async def test_a_range_lists_only_its_prefix_in_key_order(store: Metastore) -> None:
    await store.commit(Transaction(puts=(Put("/b/2", b""), Put("/b/10", b""), Put("/a", b""), Put("/c", b""))))
    assert [item.key for item in (await store.range("/b/")).items] == ["/b/10", "/b/2"]


async def test_a_transaction_that_changes_nothing_takes_no_revision(store: Metastore, start: Revision) -> None:
    await store.commit(put("/a"))
    assert await store.commit(Transaction(deletes=(Delete("/nothing"),))) == at(start, 1)
    assert await store.commit(Transaction(compares=(unchanged_since("/a", at(start, 1)),))) == at(start, 1)


async def test_create_if_absent_succeeds_once(store: Metastore) -> None:
    create = Transaction(compares=(absent("/a"),), puts=(Put("/a", b"first"),))
    await store.commit(create)
    with pytest.raises(Conflict):
        await store.commit(create)


async def test_a_write_compared_on_mod_revision_loses_to_one_that_came_between(
    store: Metastore, start: Revision
) -> None:
    await store.commit(put("/a", b"1"))
    await store.commit(put("/a", b"2"))
    with pytest.raises(Conflict):
        await store.commit(Transaction(compares=(unchanged_since("/a", at(start, 1)),), puts=(Put("/a", b"3"),)))
    item = await store.get("/a")
    assert item is not None and item.value == b"2"


async def test_a_compare_on_create_revision_holds_across_writes_but_not_across_a_deletion(
    store: Metastore, start: Revision
) -> None:
    await store.commit(put("/fence", b"1"))
    await store.commit(put("/fence", b"2"))
    fenced = Transaction(compares=(created_at("/fence", at(start, 1)),), puts=(Put("/a", b""),))
    await store.commit(fenced)
    await store.commit(Transaction(deletes=(Delete("/fence"),)))
    await store.commit(put("/fence", b"3"))
    with pytest.raises(Conflict):
        await store.commit(fenced)


async def test_a_conflict_writes_nothing_at_all(store: Metastore) -> None:
    await store.commit(put("/a"))
    with pytest.raises(Conflict):
        await store.commit(Transaction(compares=(absent("/a"),), puts=(Put("/b", b""),), deletes=(Delete("/a"),)))
    assert [item.key for item in (await store.range("/")).items] == ["/a"]


async def test_deleting_a_prefix_is_one_operation(store: Metastore) -> None:
    await store.commit(Transaction(puts=tuple(Put(f"/t/{n}", b"") for n in range(OPERATIONS_MAX))))
    await store.commit(Transaction(puts=(Put("/t/last", b""), Put("/u", b""))))
    await store.commit(Transaction(deletes=(Delete("/t/", prefix=True),)))
    assert [item.key for item in (await store.range("/")).items] == ["/u"]


@pytest.mark.parametrize(
    "transaction",
    [
        Transaction(puts=tuple(Put(f"/{n}", b"") for n in range(129))),
        Transaction(compares=tuple(absent(f"/{n}") for n in range(129))),
        Transaction(puts=(Put("/a", b"x" * TRANSACTION_BYTES_MAX),)),
        Transaction(puts=(Put("/a", b"1"), Put("/a", b"2"))),
        Transaction(puts=(Put("/a/1", b"1"),), deletes=(Delete("/a/", prefix=True),)),
    ],
    ids=["129 writes", "129 compares", "more than 1.5 MiB", "one key twice", "put and deleted"],
)
async def test_what_etcd_would_refuse_is_refused(store: Metastore, start: Revision, transaction: Transaction) -> None:
    with pytest.raises(InvalidTransaction):
        await store.commit(transaction)
    assert (await store.range("/")).revision == start


async def test_a_watch_sees_each_transaction_whole_and_in_order(store: Metastore, start: Revision) -> None:
    watch = store.watch("/a/", at(start, 1))
    await store.commit(Transaction(puts=(Put("/a/1", b"1"), Put("/a/2", b"2"), Put("/b", b""))))
    await store.commit(put("/b"))
    await store.commit(Transaction(puts=(Put("/a/1", b"3"),), deletes=(Delete("/a/2"),)))
    first, second = await next_changes(watch), await next_changes(watch)
    assert [event.item.key for event in first.events if isinstance(event, Written)] == ["/a/1", "/a/2"]
    assert second.revision == at(start, 3)
    assert Deleted("/a/2", at(start, 3)) in second.events
    assert [event.item.value for event in second.events if isinstance(event, Written)] == [b"3"]


async def test_a_watch_from_the_past_sees_the_past_first_and_nothing_twice(store: Metastore, start: Revision) -> None:
    for _ in range(3):
        await store.commit(put("/a"))
    watch = store.watch("/a", at(start, 2))
    assert (await next_changes(watch)).revision == at(start, 2)
    await store.commit(put("/a"))
    assert [(await next_changes(watch)).revision for _ in range(2)] == [at(start, 3), at(start, 4)]


async def test_a_listing_and_the_watch_after_it_leave_no_gap(store: Metastore) -> None:
    await store.commit(put("/a"))
    listing = await store.range("/")
    await store.commit(put("/b"))
    changes = await next_changes(store.watch("/", Revision(listing.revision + 1)))
    assert [event.item.key for event in changes.events if isinstance(event, Written)] == ["/b"]


async def test_closing_the_store_ends_its_watches(store: Metastore, start: Revision) -> None:
    async def count() -> int:
        return len([changes async for changes in store.watch("/", at(start, 1))])

    counting = asyncio.create_task(count())
    await store.commit(put("/a"))
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.wait_for(counting, timeout=60) in (0, 1)


async def test_revoking_a_lease_deletes_its_keys_at_once(store: Metastore, start: Revision) -> None:
    lease = await store.grant(10_000)
    await store.commit(Transaction(puts=(Put("/a", b"", lease), Put("/b", b"", lease), Put("/c", b""))))
    await store.revoke(lease)
    listing = await store.range("/")
    assert [item.key for item in listing.items] == ["/c"]
    assert listing.revision == at(start, 2)


async def test_a_lease_that_has_ended_cannot_be_kept_alive_used_or_revoked(store: Metastore) -> None:
    lease = await store.grant(10_000)
    await store.revoke(lease)
    with pytest.raises(LeaseGone):
        await store.keep_alive(lease)
    with pytest.raises(LeaseGone):
        await store.revoke(lease)
    with pytest.raises(LeaseGone):
        await store.commit(put("/a", lease=lease))


async def test_a_key_written_again_without_the_lease_outlives_it(store: Metastore) -> None:
    lease = await store.grant(10_000)
    await store.commit(put("/a", lease=lease))
    await store.commit(put("/a"))
    await store.revoke(lease)
    assert await store.get("/a") is not None


async def test_commits_made_at_once_are_decided_one_after_the_other(store: Metastore, start: Revision) -> None:
    create = Transaction(compares=(absent("/a"),), puts=(Put("/a", b""),))
    outcomes = await asyncio.gather(*(store.commit(create) for _ in range(50)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes].count(Conflict) == 49
    assert [outcome for outcome in outcomes if not isinstance(outcome, Conflict)] == [at(start, 1)]
