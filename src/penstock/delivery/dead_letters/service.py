"""Dead letters of the share partitions at this broker."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from penstock.cluster import ClusterImage, Controller, ProducerIds
from penstock.delivery.dead_letters.home import DeadLetterHome
from penstock.delivery.dead_letters.metrics import ARCHIVING, DeadLetterMetrics
from penstock.delivery.dead_letters.topics import DeadLetterTopics
from penstock.delivery.relay.metrics import OPEN, RelayMetrics
from penstock.delivery.relay.sender import Peers, RelaySender
from penstock.delivery.shares.share_partition import SharePartition
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock
from penstock.replication import Partitions
from penstock.settings import Config


class DeadLetters:
    def __init__(
        self,
        *,
        me: BrokerId,
        image: ClusterImage,
        controller: Controller,
        partitions: Partitions,
        producer_ids: ProducerIds,
        peers: Peers,
        catch_up: Callable[[], Awaitable[None]],
        config: Config,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        registry: MetricsRegistry,
    ) -> None:
        self._topics = DeadLetterTopics(image, controller, config, clock, spawn)
        self._sender = RelaySender(me=me, image=image, partitions=partitions, peers=peers, catch_up=catch_up)
        self._next_producer_id = producer_ids.next
        self._clock = clock
        self._spawn = spawn
        self._registry = registry

    def home_of(self, share: SharePartition, relay: bytes) -> DeadLetterHome:
        return DeadLetterHome(
            share,
            relay,
            topics=self._topics,
            sender=self._sender,
            next_producer_id=self._next_producer_id,
            clock=self._clock,
            spawn=self._spawn,
            metrics=self._registry.of(DeadLetterMetrics, group=share.key.group_id, topic=share.partition.topic),
            relay_metrics=self._registry.of(RelayMetrics),
        )


def expose(share_partitions: Iterable[SharePartition], registry: MetricsRegistry) -> None:
    def archiving() -> list[tuple[tuple[str, ...], float]]:
        return [
            ((share.key.group_id, share.partition.topic, str(share.key.partition)), share.machine.window.archiving)
            for share in share_partitions
            if share.machine is not None and share.machine.window.archiving
        ]

    def open_intents() -> list[tuple[tuple[str, ...], float]]:
        sums: dict[str, float] = {}
        for share in share_partitions:
            if isinstance(share.archiver, DeadLetterHome):
                sums[share.partition.topic] = sums.get(share.partition.topic, 0) + len(share.archiver.machine)
        return [((topic,), value) for topic, value in sorted(sums.items())]

    registry.read(ARCHIVING, archiving)
    registry.read(OPEN, open_intents)
