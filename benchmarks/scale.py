"""The scale model: python -m benchmarks.scale [--members N] [--topics N] [--partitions N] [--brokers N]

The real cluster code against a real etcd that holds 100,000 partitions of 100 brokers (docs/scale.md). Prints a table;
asserts nothing.
"""

import argparse
import asyncio
import os
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import structlog

from benchmarks import host
from benchmarks.scale_brokers import Apart, WholeBroker, apart, serve_light
from benchmarks.scale_observer import serve_observer
from benchmarks.scale_store import EtcdUse, Shape, fill, open_store, resident_mib
from penstock.admin.memory import freeze_memory
from penstock.cluster import CreateTopic
from penstock.processes.etcd import EtcdCluster

REST_S = 5.0


def show(what: str, figure: str) -> None:
    print(f"| {what} | {figure} |", flush=True)


class Model:
    def __init__(self, etcd: EtcdCluster, shape: Shape, controller: WholeBroker, observer: Apart, light: Apart) -> None:
        self._etcd = etcd
        self._shape = shape
        self._controller = controller
        self._observer = observer
        self._light = light

    async def start(self) -> None:
        """Brokers first: a controller that finds the partitions of brokers that are not there gives them to others."""
        await self._controller.start()
        await self._observer.ask("start")
        seconds = await self._light.ask("start", 3, self._shape.brokers)
        show(f"{self._shape.brokers - 2} brokers connected and registered", f"{seconds:.2f} s")
        before_mib, began = await self._observer.ask("memory"), time.perf_counter()
        await fill(self._controller.store, self._shape)
        written_s = time.perf_counter() - began
        await self._observer.ask("catch_up")
        seen_s = time.perf_counter() - began
        show("everything written", f"{written_s:.1f} s; another broker's image has it after {seen_s:.1f} s")
        mib = await self._observer.ask("memory")
        show("image: memory", f"{mib - before_mib:.0f} MiB (the process: {mib:.0f} MiB)")
        took = await self._observer.ask("load")
        show("image: made at start", f"listing {took['listed_s']:.2f} s + {took['loaded_s']:.2f} s")
        await self._light.ask("watch")
        await asyncio.sleep(2)

    async def rest(self) -> None:
        await self._light.ask("told")
        before = EtcdUse.of(self._etcd)
        await asyncio.sleep(REST_S)
        after, told = EtcdUse.of(self._etcd), await self._light.ask("told")
        show(
            "lease renewals at rest",
            f"{told['renewals'] / REST_S:.0f}/s, p50 {told['p50_ms']:.1f} ms, longest {told['max_ms']:.1f} ms",
        )
        cpu = (after.cpu_s - before.cpu_s) / REST_S
        show("etcd at rest (all members)", f"{cpu * 100:.0f} % of a core, {after.resident_mib:.0f} MiB the largest")
        show("etcd's data", f"{after.data_mib:.0f} MiB")

    async def events(self) -> None:
        for count in (1, 126):
            seconds = await self._observer.ask("events", count)
            show(f"image: a transaction of {count} partitions", f"{seconds * 1e6:.0f} µs")
        await self._observer.ask("held")
        seconds = await self._observer.ask("list_anew")
        held = await self._observer.ask("held")
        show("image: listing anew", f"{seconds:.2f} s, loop held {_held(held)}")

    async def answers(self) -> None:
        for what, topics in (
            ("metadata of one topic", ["topic-0001"]),
            ("metadata of ten topics", [f"topic-{number:04}" for number in range(10)]),
            ("metadata of everything", None),
        ):
            await self._observer.ask("held")
            told = await self._observer.ask("metadata", topics)
            held = await self._observer.ask("held")
            show(
                what,
                f"{told['handler_ms']:.2f} ms + {told['encode_ms']:.2f} ms to encode, {told['bytes'] / 1024:,.0f} KiB,"
                f" loop held {_held(held)}",
            )

    async def creation(self) -> None:
        self._controller.held()
        topic = CreateTopic("one-more", partitions=self._shape.partitions_each, replication_factor=3)
        began = time.perf_counter()
        await self._controller.cluster.controller.create_topics([topic], timeout_ms=30_000)
        seconds = time.perf_counter() - began
        show(
            f"a topic of {self._shape.partitions_each} partitions created",
            f"{seconds * 1000:.0f} ms, loop held {_held(self._controller.held())}",
        )

    async def death(self, broker_id: int) -> None:
        await self._light.ask("told")
        await self._observer.ask("held")
        self._controller.held()
        before = EtcdUse.of(self._etcd)
        await self._light.ask("kill", broker_id)
        self._controller.probe.dead.add(broker_id)
        told = await self._observer.ask("death", broker_id)
        await asyncio.sleep(2)  # for the others to hear of it
        cpu_s = EtcdUse.of(self._etcd).cpu_s - before.cpu_s
        watched = await self._light.ask("told")
        show(f"death of a broker that led {told['led']} and followed {told['held'] - told['led']}", "")
        show("- all led again, in another broker's image", f"{told['led_again_s'] * 1000:.0f} ms")
        show("- all in-sync sets without it", f"{told['gone_s'] * 1000:.0f} ms")
        rate = told["revisions"] / told["gone_s"]
        show("- transactions", f"{told['revisions']} ({rate:.0f}/s), etcd's CPU {cpu_s:.2f} s")
        show("- sent to watchers", f"{watched['received_mib']:.0f} MiB; longest renewal {watched['max_ms']:.0f} ms")
        show("- controller's loop held", _held(self._controller.held()))
        show("- other broker's loop held", _held(await self._observer.ask("held")))

    async def in_sync(self) -> None:
        told = await self._observer.ask("in_sync")
        writes = 2 * told["partitions"] / (told["left_s"] + told["joined_s"])
        show(
            f"in-sync writes of one broker that leads {told['partitions']}",
            f"{writes:.0f}/s in {told['revisions']} transactions (a follower out: {told['left_s'] * 1000:.0f} ms,"
            f" in again: {told['joined_s'] * 1000:.0f} ms)",
        )


def _held(told: dict[str, Any]) -> str:
    return f"{told['wall_ms']:.1f} ms at most, of CPU time {told['cpu_ms']:.1f} ms ({told['of']})"


async def measure(etcd: EtcdCluster, shape: Shape) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    freeze_memory()  # as `penstock up` does
    store = await open_store(etcd.endpoints)
    async with AsyncExitStack() as stack:
        observer = await stack.enter_async_context(apart(serve_observer, etcd.endpoints))
        light = await stack.enter_async_context(apart(serve_light, etcd.endpoints))
        controller = WholeBroker(1, store)
        stack.push_async_callback(controller.cluster.stop)
        model = Model(etcd, shape, controller, observer, light)
        await model.start()
        await model.rest()
        await model.events()
        await model.answers()
        await model.creation()
        for broker_id in (shape.brokers, shape.brokers - 1):
            await model.death(broker_id)
            await asyncio.sleep(1)
        await model.in_sync()
        use = EtcdUse.of(etcd)
        show("after all that", f"etcd's data {use.data_mib:.0f} MiB, controller's process {resident_mib():.0f} MiB")
    await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--members", type=int, action="append")
    parser.add_argument("--topics", type=int, default=500)
    parser.add_argument("--partitions", type=int, default=200)
    parser.add_argument("--brokers", type=int, default=100)
    asked = parser.parse_args()
    shape = Shape(asked.topics, asked.partitions, asked.brokers)
    print(f"commit {host.commit(Path(__file__).parent.parent)}, {host.machine()}, load {os.getloadavg()[0]:.1f}")
    for members in asked.members or (1, 3):
        with tempfile.TemporaryDirectory() as folder, EtcdCluster(Path(folder), size=members) as etcd:
            what = f"{shape.partitions:,} partitions, {shape.brokers} brokers, RF 3"
            print(f"\n| {what} | etcd {etcd.version}, members: {members} |")
            print("| --- | --- |")
            asyncio.run(measure(etcd, shape))


if __name__ == "__main__":
    main()
