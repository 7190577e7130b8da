"""The scale model's second whole broker: what another broker than the controller sees, and how long it takes."""

import asyncio
import gc
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.scale_brokers import HEARTBEAT_S, WholeBroker, answer_calls, run
from benchmarks.scale_store import KEYS, open_store, resident_mib
from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.broker.clock import SystemClock
from penstock.broker.handlers.metadata import metadata
from penstock.broker.registry import RequestContext
from penstock.cluster import ClusterImage, ImageChange, PartitionChanged, PartitionImage, TopicImage
from penstock.cluster.image.shapes import record_from
from penstock.cluster.records import encode
from penstock.metastore import Changes, KeyValue, Revision, Written
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, topic_id_text
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic

OBSERVER_ID = 2
METADATA_VERSION = 12


class Observer:
    def __init__(self, endpoints: str) -> None:
        self._endpoints = endpoints
        self._whole: WholeBroker | None = None
        self._waits: list[tuple[set[tuple[str, int]], int, asyncio.Future[float]]] = []

    @property
    def whole(self) -> WholeBroker:
        assert self._whole is not None
        return self._whole

    async def start(self) -> None:
        self._whole = WholeBroker(OBSERVER_ID, await open_store(self._endpoints))
        await self._whole.start()
        self.whole.cluster.image.subscribe(self._on_changes)

    async def load(self) -> dict[str, float]:
        """One more image beside the one that followed from the beginning: as a broker makes it that starts now."""
        began = time.perf_counter()
        listing = await self.whole.store.range(KEYS.prefix)
        listed = time.perf_counter()
        image = ClusterImage(KEYS)
        image.load(listing)
        loaded = time.perf_counter()
        del listing, image
        return {"listed_s": listed - began, "loaded_s": loaded - listed, "resident_mib": resident_mib()}

    async def memory(self) -> float:
        gc.collect()
        return resident_mib()

    async def catch_up(self) -> None:
        await self.whole.cluster._feed.catch_up()

    async def stop(self) -> None:
        if self._whole is not None:
            await self._whole.cluster.stop()
            await self._whole.store.close()

    async def held(self) -> dict[str, Any]:
        return self.whole.held()

    async def list_anew(self) -> float:
        began = time.perf_counter()
        await self.whole.cluster._feed._list_anew()
        return time.perf_counter() - began

    # Elections --------------------------------------------------------------------------------------------------

    async def death(self, broker_id: int) -> dict[str, float]:
        """Suspect it; seconds until this image has a leader for all that it led, and no set with it."""
        image = self.whole.cluster.image
        led = {(topic.name, part.index) for topic, part in image.partitions() if part.leader == broker_id}
        held = {(topic.name, part.index) for topic, part in image.partitions() if broker_id in part.in_sync}
        loop = asyncio.get_running_loop()
        led_again, gone = loop.create_future(), loop.create_future()
        self._lost, self._led, self._held = broker_id, set(led), set(held)
        self._led_again, self._gone = led_again, gone
        first = image.revision
        await asyncio.sleep(0)
        self.whole.holds.forget()  # what was counted above is no part of it
        self._began = time.perf_counter()
        self.whole.cluster.suspect(BrokerId(broker_id))
        self._on_changes(())
        try:
            async with asyncio.timeout(30):
                led_again_s, gone_s = await led_again, await gone
        except TimeoutError:
            left = sorted(self._held)[:3]
            raise RuntimeError(f"{len(self._led)}, {len(self._held)} left of {len(led)}, {len(held)}: {left}") from None
        return {
            "led": len(led),
            "held": len(held),
            "led_again_s": led_again_s,
            "gone_s": gone_s,
            "revisions": image.revision - first,
        }

    _lost = -1

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        if self._lost < 0:
            return
        for change in changes:
            if isinstance(change, PartitionChanged):
                part = change.partition
                if part.leader != self._lost:
                    self._led.discard((change.topic.name, part.index))
                if self._lost not in part.in_sync:
                    self._held.discard((change.topic.name, part.index))
        for left, told in ((self._led, self._led_again), (self._held, self._gone)):
            if not left and not told.done():
                told.set_result(time.perf_counter() - self._began)

    # What one broker does ---------------------------------------------------------------------------------------

    async def events(self, count: int) -> float:
        """Seconds of applying a transaction that changes so many partitions of one topic each, and back."""
        image = self.whole.cluster.image
        chosen = [topic for topic in image.topics.values() if len(topic.partitions) > 1][:count]
        took = 0.0
        for _ in range(20):
            written = tuple(Written(_as_written(topic, topic.partitions[1])) for topic in chosen)
            changes = Changes(image.revision, written)
            began = time.perf_counter()
            image.apply(changes)
            took += time.perf_counter() - began
        return took / 20

    async def metadata(self, topics: list[str] | None) -> dict[str, float]:
        cluster = self.whole.cluster
        wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        context = RequestContext(METADATA_VERSION, "scale", "PLAINTEXT", "model")
        quotas = ClientQuotas(cluster.image, self.whole.config, SystemClock(), MetricsRegistry())
        times = []
        for _ in range(5):
            began = time.perf_counter()
            answer = await metadata(
                MetadataRequest(topics=wanted),
                context,
                cluster.image,
                cluster.controller,
                cluster.availability,
                self.whole.config,
                Authorizer(),
                quotas,
            )
            made = time.perf_counter()
            size = sum(len(chunk) for chunk in (answer.encode(METADATA_VERSION),))
            times.append((made - began, time.perf_counter() - made))
            await asyncio.sleep(HEARTBEAT_S / 2)
        return {
            "handler_ms": min(handler for handler, _ in times) * 1000,
            "encode_ms": min(encoding for _, encoding in times) * 1000,
            "bytes": size,
        }

    async def in_sync(self) -> dict[str, float]:
        """All that this broker leads, at once: one follower leaves every set, then comes back."""
        cluster = self.whole.cluster
        led = [(topic, part.index) for topic, part in cluster.image.partitions() if part.leader == OBSERVER_ID]
        first, began = cluster.image.revision, time.perf_counter()
        revision = max(await asyncio.gather(*(self._write(topic, index, joins=False) for topic, index in led)))
        left_s = time.perf_counter() - began
        await cluster._feed.reached(revision)
        began = time.perf_counter()
        await cluster._feed.reached(
            max(await asyncio.gather(*(self._write(topic, index, joins=True) for topic, index in led)))
        )
        joined_s = time.perf_counter() - began
        return {
            "partitions": len(led),
            "left_s": left_s,
            "joined_s": joined_s,
            "revisions": cluster.image.revision - first,
        }

    async def _write(self, topic: TopicImage, index: int, *, joins: bool) -> Revision:
        part, cluster = topic.partitions[index], self.whole.cluster
        absent = [broker for broker in part.replicas if broker in cluster.image.brokers and broker not in part.in_sync]
        if joins and not absent:
            return part.revision
        joining = {broker: cluster.image.brokers[broker].epoch for broker in absent} if joins else {}
        return await cluster.in_sync_writes.write(
            topic.topic_id,
            index,
            expected_revision=part.revision,
            in_sync=(*part.in_sync, *joining) if joins else part.in_sync[:-1],
            eligible=part.eligible,
            joining=joining,
        )


def _as_written(topic: TopicImage, part: PartitionImage) -> KeyValue:
    """A new leader epoch, as if somebody had written it."""
    value = encode(record_from(part, leader_epoch=part.leader_epoch + 1))
    key = KEYS.partition(topic_id_text(topic.topic_id), part.index)
    return KeyValue(key, value, part.revision, part.revision, 1)


def serve_observer(pipe: Connection, endpoints: str) -> None:
    async def serve() -> None:
        observer = Observer(endpoints)
        calls = ("start", "load", "memory", "catch_up", "held", "list_anew", "death", "events", "metadata", "in_sync")
        await answer_calls(pipe, {name: getattr(observer, name) for name in calls})
        await observer.stop()

    run(serve())
