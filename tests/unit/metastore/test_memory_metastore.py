"""Leases on a clock that the test moves, and the bounds of what watchers may ask for."""

import pytest
from tests.support.clocks import ManualClock

from penstock.metastore import Compacted, LeaseGone, MemoryMetastore, Put, Revision, Transaction, local


async def test_a_lease_that_is_not_kept_alive_takes_its_keys_with_it() -> None:
    clock = ManualClock()
    store = MemoryMetastore(clock)
    lease = await store.grant(2_000)
    await store.commit(Transaction(puts=(Put("/a", b"", lease),)))
    clock.advance(by_ms=1_999)
    await store.expire_leases()
    assert await store.get("/a") is not None
    clock.advance(by_ms=1)
    await store.expire_leases()
    assert await store.get("/a") is None
    with pytest.raises(LeaseGone):
        await store.keep_alive(lease)


async def test_keeping_a_lease_alive_gives_it_its_full_time_again() -> None:
    clock = ManualClock()
    store = MemoryMetastore(clock)
    lease = await store.grant(2_000)
    clock.advance(by_ms=1_500)
    await store.keep_alive(lease)
    clock.advance(by_ms=1_500)
    await store.expire_leases()
    await store.keep_alive(lease)


async def test_a_revision_that_is_no_longer_remembered_is_said_to_be_compacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "HISTORY_REVISIONS_MAX", 10)
    store = MemoryMetastore(ManualClock())
    for _ in range(12):
        await store.commit(Transaction(puts=(Put("/a", b""),)))
    with pytest.raises(Compacted) as refused:
        await anext(store.watch("/", Revision(2)))
    assert refused.value.oldest == 3
    assert (await anext(store.watch("/", Revision(3)))).revision == 3


async def test_a_watcher_that_falls_too_far_behind_must_list_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "WATCH_BACKLOG_MAX", 5)
    store = MemoryMetastore(ManualClock())
    watch = store.watch("/", Revision(1))
    await store.commit(Transaction(puts=(Put("/a", b""),)))
    assert (await anext(watch)).revision == 1
    for _ in range(6):
        await store.commit(Transaction(puts=(Put("/a", b""),)))
    assert [(await anext(watch)).revision for _ in range(5)] == [2, 3, 4, 5, 6]
    with pytest.raises(Compacted):
        await anext(watch)
