"""A whole cluster of one broker in memory, for tests of what stands on it.

For several brokers: `brokers.py` has their cluster sides alone, in virtual time; `nodes.py` has whole ones, with logs
and sockets, over one store in this process.
"""

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from tests.support.clocks import ManualClock

from penstock.cluster import BrokerRecord, Cluster, Endpoint
from penstock.metastore import MemoryMetastore, Metastore
from penstock.model import BrokerId
from penstock.settings.config import Config

BROKER_ID = BrokerId(1)


class SeededDice:
    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)

    def random_bytes(self, count: int) -> bytes:
        return self._random.randbytes(count)

    def uniform(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)


def a_broker(*, folder_id: str = "folder", machine: str = "m1", rack: str | None = None) -> BrokerRecord:
    return BrokerRecord(
        endpoints={"PLAINTEXT": Endpoint("127.0.0.1", 9092), "OUTSIDE": Endpoint("broker.example", 19092)},
        folder_id=folder_id,
        incarnation="first",
        machine=machine,
        rack=rack,
    )


@asynccontextmanager
async def a_cluster(
    *, settings: Mapping[str, str] | None = None, metastore: Metastore | None = None, seed: int = 1
) -> AsyncIterator[Cluster]:
    """A started cluster whose only broker, number 1, has joined."""
    store = metastore or MemoryMetastore(ManualClock())
    config = Config.for_broker({"node.id": "1", **(settings or {})})
    cluster = Cluster(store, broker_id=BROKER_ID, config=config, dice=SeededDice(seed))
    await cluster.start()
    try:
        await cluster.join(a_broker())
        yield cluster
    finally:
        await cluster.stop()
        if metastore is None:
            await store.close()
