"""What only the store on etcd does: page, join fragments, be compacted, be behind."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.clocks import ManualClock
from tests.support.etcd import compact, open_etcd

from penstock.metastore import (
    OPERATIONS_MAX,
    TRANSACTION_BYTES_MAX,
    Compacted,
    Compare,
    Delete,
    Put,
    Revision,
    Transaction,
    Unavailable,
    open_metastore,
)
from penstock.metastore.etcd import store as module
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.processes.etcd import EtcdCluster
from penstock.settings import load_settings


@pytest.fixture
async def store(etcd: EtcdCluster) -> AsyncIterator[EtcdMetastore]:
    opened = await open_etcd(etcd)
    await opened.commit(Transaction(deletes=(Delete("", prefix=True),)))
    yield opened
    await opened.close()


def put(key: str, value: bytes = b"v") -> Transaction:
    return Transaction(puts=(Put(key, value),))


async def test_a_listing_of_many_pages_is_of_one_revision_whatever_is_written_meanwhile(
    store: EtcdMetastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_KEYS_MAX", 7)
    before = await store.commit(Transaction(puts=tuple(Put(f"/{n:03}", b"old") for n in range(100))))
    listing_all = asyncio.ensure_future(store.range("/"))
    await asyncio.gather(*(store.commit(put(f"/{n:03}", b"new")) for n in range(100)))
    listing = await listing_all
    assert [item.key for item in listing.items] == [f"/{n:03}" for n in range(100)]
    assert all(item.mod_revision <= listing.revision for item in listing.items)
    new = sum(item.value == b"new" for item in listing.items)
    assert listing.revision == before + new


async def test_a_listing_compacted_under_its_pages_begins_anew(
    store: EtcdMetastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_KEYS_MAX", 1)
    await store.commit(Transaction(puts=(Put("/a", b""), Put("/b", b""))))
    page = store._page
    compactions = [True]

    async def page_then_compaction(request: bytes) -> object:
        answer = await page(request)
        if compactions:
            compactions.pop()
            await compact(store, await store.commit(put("/c")))
        return answer

    monkeypatch.setattr(store, "_page", page_then_compaction)
    assert [item.key for item in (await store.range("/")).items] == ["/a", "/b", "/c"]


async def test_transactions_larger_than_one_answer_arrive_whole(store: EtcdMetastore) -> None:
    start = (await store.range("")).revision
    for _ in range(4):
        await store.commit(Transaction(puts=tuple(Put(f"/{n:02}", b"x" * 32_000) for n in range(40))))
    watch = store.watch("/", Revision(start + 1))
    arrived = [await asyncio.wait_for(anext(watch), 10) for _ in range(4)]
    assert [(changes.revision - start, len(changes.events)) for changes in arrived] == [
        (1, 40),
        (2, 40),
        (3, 40),
        (4, 40),
    ]


async def test_the_largest_transaction_that_is_allowed_is_one_that_etcd_takes(store: EtcdMetastore) -> None:
    keys = [f"/{n:03}" + "k" * 96 for n in range(OPERATIONS_MAX)]
    value = b"x" * (TRANSACTION_BYTES_MAX // OPERATIONS_MAX - 200)
    await store.commit(
        Transaction(
            compares=tuple(Compare(key, "create", Revision(0)) for key in keys),
            puts=tuple(Put(key, value) for key in keys),
        )
    )


async def test_a_watch_may_start_after_the_compaction_and_not_at_it(store: EtcdMetastore) -> None:
    for _ in range(3):
        last = await store.commit(put("/a"))
    await compact(store, last)
    for start in (last - 1, last):
        with pytest.raises(Compacted) as refused:
            await asyncio.wait_for(anext(store.watch("/", Revision(start))), 10)
        assert refused.value.oldest == last + 1
    watch = store.watch("/", refused.value.oldest)
    await store.commit(put("/a"))
    assert (await asyncio.wait_for(anext(watch), 10)).revision == last + 1


async def test_the_settings_choose_etcd_and_the_folder_remembers_its_revision(
    etcd: EtcdCluster, tmp_path: Path
) -> None:
    config = load_settings(overrides={"penstock.etcd.endpoints": etcd.endpoints})
    store = await open_metastore(config, tmp_path, ManualClock())
    revision = await store.commit(put("/a"))
    await store.close()
    with pytest.raises(Unavailable):
        await store.commit(put("/a"))
    assert (tmp_path / "penstock-etcd-revision").read_text() == f"{revision}\n"
