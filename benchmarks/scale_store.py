"""What the scale model's etcd holds: topics and partitions as the controller writes them, only faster."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec

from penstock.cluster import Keys
from penstock.cluster.records import PartitionRecord, TopicRecord, encode
from penstock.metastore import OPERATIONS_MAX, Put, Transaction
from penstock.metastore.etcd.options import EtcdOptions
from penstock.metastore.etcd.store import EtcdMetastore
from penstock.model import BrokerId, LeaderEpoch, TopicId, topic_id_text
from penstock.processes.etcd import EtcdCluster, EtcdMember

KEYS = Keys("main")
AT_ONCE = 32


class Shape(msgspec.Struct, frozen=True):
    topics: int = 500
    partitions_each: int = 200
    brokers: int = 100

    @property
    def partitions(self) -> int:
        return self.topics * self.partitions_each


async def open_store(endpoints: str) -> EtcdMetastore:
    return await EtcdMetastore.open(EtcdOptions(tuple(endpoints.split(",")), probe_key=KEYS.prefix))


def topic_id(number: int) -> TopicId:
    return TopicId((number + 1).to_bytes(16, "big"))


def replicas(number: int, brokers: int) -> tuple[BrokerId, ...]:
    """Evenly led; what one broker leads is followed by all the others, as `placement` would have it."""
    leader, round_ = number % brokers, number // brokers
    second = 1 + round_ % (brokers - 1)
    third = 1 + (second + round_ // (brokers - 1) % (brokers - 2)) % (brokers - 1)
    return tuple(BrokerId(1 + (leader + step) % brokers) for step in (0, second, third))


def puts(shape: Shape) -> Iterator[Put]:
    for number in range(shape.partitions):
        text = topic_id_text(topic_id(number // shape.partitions_each))
        who = replicas(number, shape.brokers)
        record = PartitionRecord(replicas=who, leader=who[0], leader_epoch=LeaderEpoch(3), in_sync=who)
        yield Put(KEYS.partition(text, number % shape.partitions_each), encode(record))
    for number in range(shape.topics):
        id_text = topic_id_text(topic_id(number))
        topic = TopicRecord(id_text, shape.partitions_each, {"retention.ms": "86400000"})
        yield Put(KEYS.topic(f"topic-{number:04}"), encode(topic))


async def fill(store: EtcdMetastore, shape: Shape) -> None:
    """Partitions first, topics last, as the controller does."""
    limit = asyncio.Semaphore(AT_ONCE)

    async def write(some: tuple[Put, ...]) -> None:
        async with limit:
            await store.commit(Transaction(puts=some))

    everything = tuple(puts(shape))
    await asyncio.gather(
        *(write(everything[at : at + OPERATIONS_MAX]) for at in range(0, len(everything), OPERATIONS_MAX))
    )


class EtcdUse(msgspec.Struct, frozen=True):
    """What the members of an etcd have used so far, all together; memory and data of the largest."""

    cpu_s: float
    resident_mib: float
    data_mib: float

    @classmethod
    def of(cls, etcd: EtcdCluster) -> "EtcdUse":
        return cls(
            sum(_cpu_s(member.pid) for member in etcd.members),
            max(resident_mib(member.pid) for member in etcd.members),
            max(_data_bytes(member) for member in etcd.members) / 2**20,
        )


def resident_mib(pid: int | str = "self") -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _data_bytes(member: EtcdMember) -> int:
    return (member.folder / "data" / "member" / "snap" / "db").stat().st_size
