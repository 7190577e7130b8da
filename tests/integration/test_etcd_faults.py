"""A real etcd that is killed, hung, cut off, compacted and restored under the store that brokers use."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from tests.support.etcd import compact, open_etcd
from tests.support.proxy import Proxy

from penstock.metastore import (
    Changes,
    Compacted,
    Delete,
    LeaseGone,
    Put,
    Revision,
    StoreBehind,
    Transaction,
    Unavailable,
)
from penstock.metastore.etcd.options import EtcdOptions
from penstock.metastore.etcd.seen import FILE_NAME
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.processes.etcd import EtcdCluster, EtcdMember

_T = TypeVar("_T")

WITHIN_S = 120.0
"""Far more than anything here needs, so that only 'never' fails."""


@pytest.fixture
def three(tmp_path: Path) -> Iterator[EtcdCluster]:
    with EtcdCluster(tmp_path / "etcd", size=3) as cluster:
        yield cluster


@pytest.fixture
def one(tmp_path: Path) -> Iterator[EtcdCluster]:
    with EtcdCluster(tmp_path / "etcd") as cluster:
        yield cluster


def put(key: str, value: bytes = b"v") -> Transaction:
    return Transaction(puts=(Put(key, value),))


class Watcher:
    """Collects what one watch brings."""

    def __init__(self, store: EtcdMetastore, prefix: str, start: Revision) -> None:
        self.seen: list[Changes] = []
        self._task = asyncio.create_task(self._run(store, prefix, start))

    async def _run(self, store: EtcdMetastore, prefix: str, start: Revision) -> None:
        async with aclosing(store.watch(prefix, start)) as changes:
            async for each in changes:
                self.seen.append(each)

    async def reaches(self, revision: Revision) -> list[Changes]:
        async with asyncio.timeout(WITHIN_S):
            while not self.seen or self.seen[-1].revision < revision:
                assert not self._task.done(), self._task
                await asyncio.sleep(0.01)
        return self.seen

    async def ended(self) -> None:
        async with asyncio.timeout(WITHIN_S):
            await self._task


class Load:
    """Commits one after the other, going on when one stays unanswered."""

    def __init__(self, store: EtcdMetastore) -> None:
        self.written: dict[Revision, int] = {}
        self.unknown: list[str] = []
        self._store = store
        self._is_ending = False
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        number = 0
        while not self._is_ending:
            number += 1
            pair = (Put("/load/a", b"%d" % number), Put(f"/load/{number % 7}", b"x" * 100))
            try:
                self.written[await self._store.commit(Transaction(puts=pair))] = number
            except Unavailable as error:
                self.unknown.append(str(error))

    async def goes_on(self, *, for_commits: int) -> None:
        goal = len(self.written) + for_commits
        async with asyncio.timeout(WITHIN_S):
            while len(self.written) < goal:
                assert not self._task.done(), self._task
                await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """After the commit under way: cancelled, it might still be carried out, and later than what comes next."""
        self._is_ending = True
        async with asyncio.timeout(WITHIN_S):
            await self._task


async def used_by(store: EtcdMetastore, cluster: EtcdCluster) -> EtcdMember:
    """Once it uses one: whoever stalled was left."""
    async with asyncio.timeout(WITHIN_S):
        while (endpoint := store.endpoint) is None:
            await asyncio.sleep(0.01)
    return next(member for member in cluster.members if member.endpoint == endpoint)


async def leader_of(cluster: EtcdCluster) -> EtcdMember:
    """Once there is one, and it says so in time."""
    async with asyncio.timeout(WITHIN_S):
        while (leader := cluster.leader) is None:
            await asyncio.sleep(0.01)
    return leader


async def replayed(cluster: EtcdCluster, start: Revision, end: Revision) -> list[Changes]:
    """What etcd itself remembers, read by a store that saw no fault."""
    store = await open_etcd(cluster)
    changes: list[Changes] = []
    async with asyncio.timeout(WITHIN_S):
        async for each in store.watch("/load/", start):
            changes.append(each)
            if each.revision >= end:
                break
    await store.close()
    return changes


async def test_the_kill_of_etcds_leader_costs_a_watch_nothing_and_commits_go_on(three: EtcdCluster) -> None:
    store = await open_etcd(three)
    start = Revision((await store.range("")).revision + 1)
    watcher, load = Watcher(store, "/load/", start), Load(store)
    await load.goes_on(for_commits=50)
    for _ in range(2):
        leader = await leader_of(three)
        leader.kill()
        await load.goes_on(for_commits=100)
        three.launch(leader)
        await asyncio.to_thread(three.wait_until_healthy, three.members)
    await load.goes_on(for_commits=50)
    await load.stop()
    end = await _patiently(lambda: store.commit(Transaction(puts=(Put("/load/a", b"end"), Put("/load/end", b"")))))
    seen = await watcher.reaches(end)
    assert seen == await replayed(three, start, end)
    assert [change.revision for change in seen] == sorted({change.revision for change in seen})
    assert all(len(change.events) == 2 for change in seen)
    assert load.written.keys() <= {change.revision for change in seen}
    await store.close()
    await watcher.ended()


@pytest.fixture
def quick_three(tmp_path: Path) -> Iterator[EtcdCluster]:
    """They elect within tenths of a second, and give up what was passed on only after five, as any etcd."""
    arguments = ("--heartbeat-interval", "20", "--election-timeout", "200")
    with EtcdCluster(tmp_path / "etcd", size=3, arguments=arguments) as cluster:
        yield cluster


async def test_a_commit_passed_on_to_a_leader_that_dies_is_given_up_once_there_is_another(
    quick_three: EtcdCluster,
) -> None:
    leader = await leader_of(quick_three)
    follower = next(member for member in quick_three.members if member is not leader)
    store = await open_etcd(
        quick_three,
        change=lambda options: msgspec.structs.replace(
            options, endpoints=(follower.endpoint,), request_timeout_ms=600_000
        ),
    )
    loads = [Load(store) for _ in range(8)]
    for load in loads:
        await load.goes_on(for_commits=5)
    # One that hangs answers nobody: whatever is passed on from here is under way when it dies.
    leader.pause()
    leader.kill()
    for load in loads:
        await load.goes_on(for_commits=5)
        await load.stop()
    await store.close()
    reasons = {reason.rpartition(": ")[2] for load in loads for reason in load.unknown}
    assert "etcd has a new leader since it was sent" in reasons


async def test_the_kill_of_the_endpoint_in_use_moves_reads_watch_and_lease_to_another(three: EtcdCluster) -> None:
    store = await open_etcd(three)
    start = Revision((await store.range("")).revision + 1)
    watcher, lease = Watcher(store, "/", start), await store.grant(600_000)
    await watcher.reaches(await _patiently(lambda: store.commit(put("/a"))))
    used = await used_by(store, three)
    used.kill()
    async with asyncio.timeout(WITHIN_S):
        assert await _patiently(lambda: store.get("/a")) is not None
        await _patiently(lambda: store.keep_alive(lease))
        last = await _patiently(lambda: store.commit(put("/b")))
    await watcher.reaches(last)
    assert store.endpoint != used.endpoint
    await store.close()
    await watcher.ended()


async def _patiently(ask: Callable[[], Awaitable[_T]]) -> _T:
    """The member that went may have led, and one that stalls for a second is replaced as leader without having gone:
    what was asked of it may never be answered. On a busy machine an election outlasts a call, too, as anything does
    whose patience is short.
    """
    while True:
        try:
            return await ask()
        except Unavailable:
            pass


async def test_a_hung_endpoint_delays_reads_and_leases_and_makes_no_call_wait_for_ever(three: EtcdCluster) -> None:
    store = await _patiently(lambda: open_etcd(three, change=_as_brokers))
    start = Revision((await _patiently(lambda: store.range(""))).revision + 1)
    watcher, lease = Watcher(store, "/", start), await _patiently(lambda: store.grant(600_000))
    await watcher.reaches(await _patiently(lambda: store.commit(put("/a"))))
    hung = await used_by(store, three)
    hung.pause()
    async with asyncio.timeout(WITHIN_S):
        assert await _patiently(lambda: store.get("/a")) is not None
        await _patiently(lambda: store.keep_alive(lease))
        last = await _patiently(lambda: store.commit(put("/b")))
    await watcher.reaches(last)
    assert store.endpoint != hung.endpoint
    hung.resume()
    await store.close()
    await watcher.ended()


async def test_a_commit_whose_answer_is_lost_is_pending_not_failed_and_not_made_again(one: EtcdCluster) -> None:
    other = await open_etcd(one)
    async with Proxy(one.members[0].endpoint) as proxy:
        # Not in haste: what a stall keeps here until it is given up does not reach etcd, and is never written.
        store = await _patiently(lambda: open_etcd(one, change=lambda options: _as_brokers(_through(proxy, options))))
        proxy.hold_answers()
        with pytest.raises(Unavailable, match="whether it was written is unknown"):
            await store.commit(put("/a"))
        with pytest.raises(Unavailable):
            await store.get("/a")
        proxy.pass_answers()
        async with asyncio.timeout(WITHIN_S):
            while (item := await other.get("/a")) is None:
                await asyncio.sleep(0.01)
        assert item.version == 1
        await store.close()
    await other.close()


async def test_an_etcd_that_hangs_altogether_makes_no_call_wait_for_ever(one: EtcdCluster) -> None:
    store = await _patiently(lambda: open_etcd(one, change=_hasty))
    lease = await _patiently(lambda: store.grant(600_000))
    one.members[0].pause()
    for call in (store.commit(put("/a")), store.get("/a"), store.range("/"), store.keep_alive(lease)):
        with pytest.raises(Unavailable):
            await asyncio.wait_for(call, WITHIN_S)
    one.members[0].resume()
    async with asyncio.timeout(WITHIN_S):
        await _patiently(lambda: store.get("/a"))
        await _patiently(lambda: store.keep_alive(lease))
    await store.close()


async def test_a_watch_notices_that_its_endpoint_hangs_though_nobody_calls(three: EtcdCluster) -> None:
    store, other = await _patiently(lambda: open_etcd(three, change=_hasty)), await open_etcd(three)
    start = Revision((await other.range("")).revision + 1)
    watcher = Watcher(store, "/", start)
    await watcher.reaches(await _patiently(lambda: other.commit(put("/a"))))
    hung = await used_by(store, three)
    hung.pause()
    async with asyncio.timeout(WITHIN_S):
        last = await _patiently(lambda: other.commit(put("/b")))
    await watcher.reaches(last)
    hung.resume()
    await store.close()
    await other.close()
    await watcher.ended()


async def test_a_watch_that_was_away_during_a_compaction_must_list_anew(one: EtcdCluster) -> None:
    other = await open_etcd(one)
    async with Proxy(one.members[0].endpoint) as proxy:
        store = await open_etcd(one, change=lambda options: _through(proxy, options))
        await other.commit(put("/a", b"1"))
        async with aclosing(store.watch("/", Revision(2))) as watch:
            assert (await asyncio.wait_for(anext(watch), WITHIN_S)).revision == 2
            await proxy.cut()
            await other.commit(put("/a", b"2"))
            last = await other.commit(Transaction(deletes=(Delete("/a"),)))
            await compact(other, last)
            await proxy.open()
            with pytest.raises(Compacted) as refused:
                await asyncio.wait_for(anext(watch), WITHIN_S)
        assert refused.value.oldest == last + 1
        watch = store.watch("/", refused.value.oldest)
        await other.commit(put("/b"))
        assert (await asyncio.wait_for(anext(watch), WITHIN_S)).revision == last + 1
        await store.close()
    await other.close()


async def test_a_watch_cut_off_while_things_change_hears_of_each_once(one: EtcdCluster) -> None:
    other = await open_etcd(one)
    async with Proxy(one.members[0].endpoint) as proxy:
        store = await open_etcd(one, change=lambda options: _through(proxy, options))
        watcher = Watcher(store, "/", Revision(2))
        for _ in range(3):
            await watcher.reaches(await other.commit(put("/a")))
            await proxy.cut()
            await other.commit(put("/a"))
            await other.commit(Transaction(puts=(Put("/b", b""), Put("/c", b""))))
            await proxy.open()
        seen = await watcher.reaches(await other.commit(put("/a")))
        assert [change.revision for change in seen] == list(range(2, 12))
        await store.close()
        await watcher.ended()
    await other.close()


async def test_a_lease_ends_when_nobody_keeps_it_alive_and_lives_when_somebody_does(one: EtcdCluster) -> None:
    store = await open_etcd(one)
    # Long enough that a machine which stalls does not keep us from keeping the one alive.
    kept, left = await store.grant(20_000), await store.grant(20_000)
    await store.commit(Transaction(puts=(Put("/kept", b"", kept), Put("/left", b"", left))))
    async with asyncio.timeout(WITHIN_S):
        while await store.get("/left") is not None:
            await store.keep_alive(kept)
            await asyncio.sleep(0.2)
    assert await store.get("/kept") is not None
    with pytest.raises(LeaseGone):
        await store.keep_alive(left)
    await store.close()


@pytest.fixture
async def emptied(one: EtcdCluster, tmp_path: Path) -> AsyncIterator[tuple[EtcdMetastore, EtcdCluster]]:
    """A store on an etcd that has lost all it held, as one restored from a very old backup."""
    store = await open_etcd(one, tmp_path)
    for _ in range(20):
        await store.commit(put("/a"))
    one.members[0].kill()
    shutil.rmtree(one.members[0].folder / "data")
    one.launch(one.members[0])
    await asyncio.to_thread(one.wait_until_healthy, one.members)
    yield store, one
    await store.close()


async def test_an_etcd_that_has_forgotten_is_refused_by_whoever_knew_it(
    emptied: tuple[EtcdMetastore, EtcdCluster], tmp_path: Path
) -> None:
    store, cluster = emptied
    with pytest.raises(StoreBehind, match=r"at revision 1, and this broker has seen 21: .* restore"):
        await store.commit(put("/b"))
    with pytest.raises(StoreBehind):
        await anext(store.watch("/", Revision(22)))
    await store.close()
    with pytest.raises(StoreBehind):
        await open_etcd(cluster, tmp_path)
    (tmp_path / FILE_NAME).unlink()
    again = await open_etcd(cluster, tmp_path)
    assert (await again.range("")).items == ()
    await again.close()


async def test_an_etcd_that_is_not_there_is_said_so_in_words(one: EtcdCluster) -> None:
    one.members[0].kill()
    with pytest.raises(Unavailable, match=r"no etcd endpoint could be used: .*[Cc]onnection refused"):
        await open_etcd(one, change=_as_brokers)


def _as_brokers(options: EtcdOptions) -> EtcdOptions:
    return msgspec.structs.replace(options, request_timeout_ms=3_000)


def _hasty(options: EtcdOptions) -> EtcdOptions:
    return msgspec.structs.replace(options, request_timeout_ms=500)


def _through(proxy: Proxy, options: EtcdOptions) -> EtcdOptions:
    return msgspec.structs.replace(options, endpoints=(proxy.url,))
