"""What the etcd adapter costs on this machine: python benchmarks/metastore_etcd.py [MEMBERS]

Starts an etcd of its own (three members unless told otherwise). Prints milliseconds; asserts nothing.
"""

import asyncio
import resource
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path
from statistics import quantiles

from penstock.metastore import Put, Revision, Transaction, unchanged_since
from penstock.metastore.etcd.options import EtcdOptions
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.processes.etcd import EtcdCluster

COMMITS = 1_000
AT_ONCE = 32
KEYS = 100_000
VALUE = b'{"replicas":[1,2,3],"in_sync":[1,2,3],"eligible":[],"leader":1,"leader_epoch":17,"removing":[],"adding":[]}'


def show(what: str, seconds: list[float]) -> None:
    cuts = quantiles(seconds, n=100)
    print(f"{what:<52} p50 {cuts[49] * 1e3:7.2f}   p99 {cuts[98] * 1e3:7.2f} ms")


async def commits(store: EtcdMetastore) -> None:
    revision = await store.commit(Transaction(puts=(Put("/bench/one", VALUE),)))
    took = []
    for _ in range(COMMITS):
        began = time.perf_counter()
        revision = await store.commit(
            Transaction(compares=(unchanged_since("/bench/one", revision),), puts=(Put("/bench/one", VALUE),))
        )
        took.append(time.perf_counter() - began)
    show("commit of one key with a compare", took)


async def concurrent_commits(store: EtcdMetastore) -> None:
    async def some(number: int) -> None:
        for _ in range(COMMITS // AT_ONCE):
            await store.commit(Transaction(puts=(Put(f"/bench/{number}", VALUE),)))

    began = time.perf_counter()
    await asyncio.gather(*(some(number) for number in range(AT_ONCE)))
    rate = COMMITS // AT_ONCE * AT_ONCE / (time.perf_counter() - began)
    print(f"{f'commits, {AT_ONCE} at once':<52} {rate:11.0f} /s")


async def watch_delay(store: EtcdMetastore) -> None:
    """From the call of commit to the watcher's hearing of it, through the same connection."""
    took = []
    start = Revision((await store.range("/bench/watched")).revision + 1)
    async with aclosing(store.watch("/bench/watched", start)) as watch:
        for _ in range(COMMITS // 2):
            began = time.perf_counter()
            committing = asyncio.ensure_future(store.commit(Transaction(puts=(Put("/bench/watched", VALUE),))))
            await anext(watch)
            took.append(time.perf_counter() - began)
            await committing
    show("from commit to the watcher", took)


async def listing(store: EtcdMetastore) -> None:
    began = time.perf_counter()
    for first in range(0, KEYS, 100 * AT_ONCE):
        await asyncio.gather(*(
            store.commit(
                Transaction(
                    puts=tuple(Put(f"/many/{n:06}/{n % 7}", VALUE) for n in range(start, min(KEYS, start + 100)))
                )
            )
            for start in range(first, min(KEYS, first + 100 * AT_ONCE), 100)
        ))  # fmt: skip
    print(f"{f'{KEYS} keys written, 100 a transaction':<52} {time.perf_counter() - began:11.2f} s")
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    found = await store.range("/many/")
    elapsed, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    assert len(found.items) == KEYS
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{f'listing of {KEYS} keys':<52} {elapsed:11.2f} s, {own:.2f} s of it our own CPU time")


async def measure(cluster: EtcdCluster) -> None:
    store = await EtcdMetastore.open(
        EtcdOptions(endpoints=tuple(cluster.endpoints.split(",")), probe_key="/bench/", request_timeout_ms=30_000)
    )
    await commits(store)
    await concurrent_commits(store)
    await watch_delay(store)
    await listing(store)
    await store.close()


def main() -> None:
    members = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder, EtcdCluster(Path(folder), size=members) as cluster:
        print(f"--- etcd {cluster.version}, {members} members ---")
        asyncio.run(measure(cluster))


if __name__ == "__main__":
    main()
