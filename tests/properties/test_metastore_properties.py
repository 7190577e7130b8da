"""The stores on disk and in etcd do what the one in memory does; the one on disk also after any restart."""

import asyncio
import tempfile
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.clocks import ManualClock
from tests.support.etcd import open_etcd

from penstock.metastore import (
    NO_REVISION,
    Changes,
    Compare,
    Conflict,
    Delete,
    Deleted,
    Event,
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
from penstock.metastore.embedded import EmbeddedMetastore
from penstock.metastore.etcd.messages import WatchAnswer
from penstock.metastore.etcd.watch_assembler import WatchAssembler
from penstock.processes.etcd import EtcdCluster

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


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(TRANSACTIONS, max_size=12))
def test_etcd_and_memory_agree_on_every_outcome_and_tell_watchers_the_same(
    etcd: EtcdCluster, steps: list[Transaction]
) -> None:
    async def run() -> None:
        memory, store = MemoryMetastore(ManualClock()), await open_etcd(etcd)
        base = await store.commit(Transaction(deletes=(Delete("", prefix=True),)))
        for step in [*steps, Transaction(puts=(Put("/end", b""),))]:
            outcome = await _outcome(store, _later(step, base))
            assert (outcome - base if isinstance(outcome, int) else outcome) == await _outcome(memory, step)
        watch = store.watch("", Revision(base + 1))
        async for changes in memory.watch("", Revision(1)):
            assert _earlier(await asyncio.wait_for(anext(watch), 10), base) == changes
            if changes.revision == (await memory.range("")).revision:
                break
        await store.close()

    asyncio.run(run())


def _later(step: Transaction, base: Revision) -> Transaction:
    """The same transaction in a store that began to count at another revision."""
    compares = [
        Compare(each.key, each.field, Revision(each.revision + base) if each.revision else NO_REVISION)
        for each in step.compares
    ]
    return msgspec.structs.replace(step, compares=tuple(compares))


def _earlier(changes: Changes, base: Revision) -> Changes:
    events: list[Event] = []
    for event in changes.events:
        if isinstance(event, Written):
            created, changed = event.item.create_revision - base, event.item.mod_revision - base
            events.append(Written(msgspec.structs.replace(event.item, create_revision=created, mod_revision=changed)))
        else:
            events.append(msgspec.structs.replace(event, mod_revision=event.mod_revision - base))
    return Changes(Revision(changes.revision - base), tuple(events))


EVENTS = st.tuples(st.integers(0, 3), st.integers(1, 4))  # how far the revision moves on, and how many events it has
CUTS = st.lists(st.integers(0, 40), max_size=6)


@given(transactions=st.lists(EVENTS, max_size=10), cuts=CUTS, fragments=CUTS, start=st.integers(0, 20))
def test_transactions_are_put_together_however_they_were_cut(
    transactions: list[tuple[int, int]], cuts: list[int], fragments: list[int], start: int
) -> None:
    """Answers end between transactions; only those marked as fragments end within one."""
    events: list[Event] = []
    revision = 0
    ends = set()
    for further, count in transactions:
        revision += 1 + further
        events += [Deleted(f"/{number}", Revision(revision)) for number in range(count)]
        ends.add(len(events))
    answers, begin = [], 0
    between = {cut for cut in cuts if cut in ends}
    within = {cut for cut in fragments if cut < len(events)}
    for end in [*sorted(between | within), len(events)]:
        answers.append(WatchAnswer(False, False, Revision(0), "", end not in ends, events[begin:end]))
        begin = end
    assembly = WatchAssembler(Revision(start))
    whole = [changes for answer in answers for changes in assembly.add(answer)]
    assert [event for changes in whole for event in changes.events] == [
        event for event in events if isinstance(event, Deleted) and event.mod_revision >= start
    ]
    assert len({changes.revision for changes in whole}) == len(whole)


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
