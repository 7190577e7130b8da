"""The scale model's brokers: two whole cluster sides in processes of their own, and the light rest in a third.

A whole one is `Cluster` as a broker runs it: image, watch, registration, duties. A light one is what etcd sees of a
broker: its own connection, a registration under a lease that is renewed each second, and a watch over everything, of
which it only counts the bytes. No broker serves clients here, and pings between brokers are answered by the model.
"""

import asyncio
import multiprocessing
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import structlog

from benchmarks.scale_store import KEYS, open_store
from benchmarks.timed_loop import Holds, time_steps
from penstock.admin.memory import freeze_memory
from penstock.broker.clock import SystemClock, SystemDice
from penstock.cluster import BrokerImage, BrokerRecord, Cluster, ClusterPorts, Endpoint, PeerView, ProbeResult
from penstock.cluster.records import encode
from penstock.metastore import LeaseId, Put, Revision, Transaction
from penstock.metastore.etcd import messages, methods
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.model import BrokerId
from penstock.settings.config import Config

LEASE_MS = 15_000
"""Of the light ones: all share one process with one core, whose pauses are not to count as deaths."""
HEARTBEAT_S = 1.0
ANSWER_TIMEOUT_S = 40.0

Call = Callable[..., Awaitable[Any]]
Calls = dict[str, Call]


class ToldProbe:
    """Refuses whom it was told to be dead."""

    def __init__(self) -> None:
        self.dead: set[int] = set()

    async def ping(self, broker: BrokerImage) -> ProbeResult:
        return ProbeResult.REFUSED if broker.id in self.dead else ProbeResult.ALIVE

    async def opinion(self, broker: BrokerImage, about: BrokerId) -> PeerView:
        return PeerView.REFUSED if broker.id in self.dead else PeerView.MEMBER

    def watch(self, on_break: Callable[[BrokerId], None]) -> None:
        pass

    def close(self) -> None:
        pass


def record_of(broker_id: int) -> BrokerRecord:
    return BrokerRecord(
        endpoints={"PLAINTEXT": Endpoint(f"broker-{broker_id}.example", 9092)},
        folder_id=f"folder-{broker_id}-0123456789",
        incarnation=f"life-{broker_id}-0123456789",
        boot_id="9a9bd0a5-3b0b-4f0f-8b56-2f8f3ad9f1c1",
        machine=f"machine-{broker_id}",
    )


class WholeBroker:
    """One cluster side, with every step of its loop timed."""

    def __init__(self, broker_id: int, store: EtcdMetastore) -> None:
        self.probe = ToldProbe()
        self.store = store
        self.config = Config.for_broker({"node.id": str(broker_id)})
        self.cluster = Cluster(
            store,
            broker_id=BrokerId(broker_id),
            config=self.config,
            dice=SystemDice(),
            others=ClusterPorts(SystemClock(), self.probe),
        )
        self.holds = Holds(Path())
        self._id = broker_id

    async def start(self) -> None:
        await self.cluster.start()
        await self.cluster.join(record_of(self._id))
        time_steps(self.holds)

    def held(self) -> dict[str, Any]:
        """The longest step since it was last asked for."""
        told = {"wall_ms": self.holds.wall_s * 1000, "cpu_ms": self.holds.cpu_s * 1000, "of": self.holds.cpu_of}
        self.holds.forget()
        return told


class LightBrokers:
    def __init__(self, endpoints: str) -> None:
        self._endpoints = endpoints
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._watching = asyncio.Event()
        self.received_bytes = 0
        self.renewals: list[float] = []

    async def start(self, first: int, last: int) -> float:
        """Seconds until all are registered. They do not watch yet: filling the store is not to be told to everybody."""
        began = time.perf_counter()
        for start in range(first, last + 1, 20):
            some = range(start, min(start + 20, last + 1))
            for broker_id, store in zip(
                some, await asyncio.gather(*(open_store(self._endpoints) for _ in some)), strict=True
            ):
                lease = await store.grant(LEASE_MS)
                puts = (Put(KEYS.broker(broker_id), encode(record_of(broker_id)), lease),)
                await store.commit(Transaction(puts=puts))
                self._tasks[broker_id] = asyncio.create_task(self._live(store, lease))
        return time.perf_counter() - began

    async def watch(self) -> None:
        self._watching.set()

    async def kill(self, broker_id: int) -> None:
        task = self._tasks.pop(broker_id)
        task.cancel()
        await asyncio.wait([task])

    async def stop(self) -> None:
        for broker_id in list(self._tasks):
            await self.kill(broker_id)

    async def told(self) -> dict[str, float]:
        """Bytes watched and how long a renewal took, since it was last asked for."""
        renewals, received = sorted(self.renewals), self.received_bytes
        self.renewals, self.received_bytes = [], 0
        return {
            "received_mib": received / 2**20,
            "renewals": len(renewals),
            "p50_ms": renewals[len(renewals) // 2] * 1000 if renewals else 0.0,
            "max_ms": renewals[-1] * 1000 if renewals else 0.0,
        }

    async def _live(self, store: EtcdMetastore, lease: LeaseId) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._watch(store))
                group.create_task(self._renew(store, lease))
        finally:
            await store.close()

    async def _renew(self, store: EtcdMetastore, lease: LeaseId) -> None:
        while True:
            began = time.perf_counter()
            await store.keep_alive(lease)
            self.renewals.append(time.perf_counter() - began)
            await asyncio.sleep(HEARTBEAT_S)

    async def _watch(self, store: EtcdMetastore) -> None:
        """As the adapter does, but what comes is not decoded: a hundred images are not this process's to keep."""
        await self._watching.wait()
        revision = (await store.range(KEYS.controller)).revision
        channel = await store._client.connected(asyncio.get_running_loop().time() + 10)
        stream = channel.open_stream(methods.WATCH)
        await stream.send(messages.watch_request(KEYS.prefix, Revision(revision + 1)), timeout_s=10)
        try:
            while True:
                data = await stream.receive()
                self.received_bytes += len(data)
        finally:
            stream.cancel()


# A process apart, asked through a pipe ------------------------------------------------------------------------------


class Apart:
    """Calls by name in a process of its own, where a loop runs on between them."""

    def __init__(self, serve: Callable[[Connection, str], None], endpoints: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, endpoints), daemon=True)
        self._process.start()

    async def ask(self, name: str, *arguments: Any) -> Any:
        self._pipe.send((name, arguments))
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            while not self._pipe.poll():
                await asyncio.sleep(0.005)
        is_answer, answer = self._pipe.recv()
        if not is_answer:
            raise RuntimeError(f"{name} failed: {answer}")
        return answer

    async def end(self) -> None:
        self._pipe.send(("end", ()))
        await asyncio.to_thread(self._process.join, 20)
        if self._process.is_alive():
            self._process.kill()


@asynccontextmanager
async def apart(serve: Callable[[Connection, str], None], endpoints: str) -> AsyncIterator[Apart]:
    process = Apart(serve, endpoints)
    try:
        yield process
    finally:
        with suppress(BrokenPipeError):
            await process.end()


async def answer_calls(pipe: Connection, calls: Calls) -> None:
    asked = asyncio.Event()
    asyncio.get_running_loop().add_reader(pipe.fileno(), asked.set)
    while True:
        await asked.wait()
        asked.clear()
        while pipe.poll():
            name, arguments = pipe.recv()
            if name == "end":
                return
            try:
                pipe.send((True, await calls[name](*arguments)))
            except Exception as failure:
                pipe.send((False, repr(failure)))


def serve_light(pipe: Connection, endpoints: str) -> None:
    async def serve() -> None:
        brokers = LightBrokers(endpoints)
        await answer_calls(
            pipe, {"start": brokers.start, "watch": brokers.watch, "kill": brokers.kill, "told": brokers.told}
        )
        await brokers.stop()

    run(serve())


def run(work: Coroutine[Any, Any, None]) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    freeze_memory()  # as `penstock up` does
    asyncio.run(work)
