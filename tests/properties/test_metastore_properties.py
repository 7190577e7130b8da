"""The store on disk does what the one in memory does, and goes on doing so after being opened again at any moment."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.clocks import ManualClock

from penstock.metastore import (
    Changes,
    Conflict,
    Delete,
    EmbeddedMetastore,
    InvalidTransaction,
    KeyValue,
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

KEYS = st.sampled_from(["/a", "/a/1", "/a/2", "/b", "/b/1"])
COMPARES = st.one_of(
    KEYS.map(absent),
    st.tuples(KEYS, st.integers(1, 6).map(Revision)).map(lambda pair: created_at(*pair)),
    st.tuples(KEYS, st.integers(1, 6).map(Revision)).map(lambda pair: unchanged_since(*pair)),
)
TRANSACTIONS = st.builds(
    Transaction,
    compares=st.lists(COMPARES, max_size=1).map(tuple),
    puts=st.lists(st.builds(Put, KEYS, st.binary(max_size=3)), max_size=3).map(tuple),
    deletes=st.lists(st.builds(Delete, KEYS, st.booleans()), max_size=1).map(tuple),
)
REOPEN = st.just("reopen")


async def _outcome(store: Metastore, transaction: Transaction) -> Revision | type[Exception]:
    try:
        return await store.commit(transaction)
    except (Conflict, InvalidTransaction) as refused:
        return type(refused)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(TRANSACTIONS | REOPEN, max_size=12))
def test_embedded_and_memory_agree_on_every_outcome(steps: list[Transaction | str]) -> None:
    async def run(folder: Path) -> None:
        memory = MemoryMetastore(ManualClock())
        embedded = await EmbeddedMetastore.open(folder, ManualClock())
        for step in steps:
            if isinstance(step, str):
                await embedded.close()
                embedded = await EmbeddedMetastore.open(folder, ManualClock())
            else:
                assert await _outcome(embedded, step) == await _outcome(memory, step)
        assert await embedded.range("") == await memory.range("")
        await embedded.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


@settings(max_examples=100, deadline=None)
@given(steps=st.lists(TRANSACTIONS, max_size=12), start=st.integers(0, 12))
def test_a_listing_with_the_changes_after_it_is_the_listing_at_the_end(steps: list[Transaction], start: int) -> None:
    async def run() -> None:
        store = MemoryMetastore(ManualClock())
        for step in steps[:start]:
            await _outcome(store, step)
        listing = await store.range("/a")
        watch = store.watch("/a", Revision(listing.revision + 1))
        for step in steps[start:]:
            await _outcome(store, step)
        await store.commit(Transaction(puts=(Put("/a", b"the end"),)))
        seen = {item.key: item for item in listing.items}
        async for changes in watch:
            _replay(changes, seen)
            if seen.get("/a") is not None and seen["/a"].value == b"the end":
                break
        assert tuple(seen[key] for key in sorted(seen)) == (await store.range("/a")).items

    asyncio.run(run())


def _replay(changes: Changes, seen: dict[str, KeyValue]) -> None:
    for event in changes.events:
        if isinstance(event, Written):
            seen[event.item.key] = event.item
        else:
            del seen[event.key]
