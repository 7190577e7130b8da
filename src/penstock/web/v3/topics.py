"""Topics, their partitions and replicas."""

from typing import Annotated

import msgspec
from litestar import Controller, delete, get, patch, post
from msgspec import Meta

from penstock.client import NewTopic, PartitionInfo, TopicInfo
from penstock.client.outcomes import one
from penstock.web.problems import Problem
from penstock.web.v3.here import Answer, Here

Count = Annotated[int, Meta(ge=1, le=100_000)]


class NewConfig(msgspec.Struct):
    name: str
    value: str | None = None


class CreateTopic(msgspec.Struct):
    topic_name: Annotated[str, Meta(min_length=1, max_length=249)]
    partitions_count: Count | None = None
    replication_factor: Annotated[int, Meta(ge=1, le=1000)] | None = None
    configs: list[NewConfig] = []
    validate_only: bool = False


class UpdateTopic(msgspec.Struct):
    partitions_count: Count


class Topics(Controller):
    path = "/{cluster_id:str}/topics"

    @get()
    async def list_topics(self, here: Here, cluster_id: str) -> Answer:
        found = await here.client.list_topics()
        return here.many("Topic", [_topic(here, found[name]) for name in sorted(found)])

    @post()
    async def create_topic(self, here: Here, cluster_id: str, data: CreateTopic) -> Answer:
        settings = {each.name: each.value for each in data.configs}
        wanted = NewTopic(data.topic_name, data.partitions_count or -1, data.replication_factor or -1, settings)
        made = one(await here.client.create_topics([wanted], validate_only=data.validate_only))
        return _shape(here, data.topic_name, False, made.num_partitions, made.replication_factor)

    @get("/{topic_name:str}")
    async def get_topic(self, here: Here, cluster_id: str, topic_name: str) -> Answer:
        return _topic(here, one(await here.client.describe_topics([topic_name])))

    @patch("/{topic_name:str}")
    async def update_topic(self, here: Here, cluster_id: str, topic_name: str, data: UpdateTopic) -> Answer:
        """More partitions."""
        (await here.client.create_partitions({topic_name: data.partitions_count})).all()
        info = one(await here.client.describe_topics([topic_name]))
        return _shape(here, topic_name, info.is_internal, data.partitions_count, _replicas(info))

    @delete("/{topic_name:str}")
    async def delete_topic(self, here: Here, cluster_id: str, topic_name: str) -> None:
        (await here.client.delete_topics([topic_name])).all()

    @get("/{topic_name:str}/partitions")
    async def list_partitions(self, here: Here, cluster_id: str, topic_name: str) -> Answer:
        info = one(await here.client.describe_topics([topic_name]))
        return here.many("Partition", [_partition(here, topic_name, each) for each in info.partitions.values()])

    @get("/{topic_name:str}/partitions/{partition_id:int}")
    async def get_partition(self, here: Here, cluster_id: str, topic_name: str, partition_id: int) -> Answer:
        return _partition(here, topic_name, await _found(here, topic_name, partition_id))

    @get("/{topic_name:str}/partitions/{partition_id:int}/replicas")
    async def list_replicas(self, here: Here, cluster_id: str, topic_name: str, partition_id: int) -> Answer:
        info = await _found(here, topic_name, partition_id)
        return here.many("Replica", [_replica(here, topic_name, info, each) for each in info.replicas])

    @get("/{topic_name:str}/partitions/{partition_id:int}/replicas/{broker_id:int}")
    async def get_replica(
        self, here: Here, cluster_id: str, topic_name: str, partition_id: int, broker_id: int
    ) -> Answer:
        info = await _found(here, topic_name, partition_id)
        if broker_id not in info.replicas:
            raise Problem(404, "unknown-replica", f"Broker {broker_id} has no replica of {topic_name}-{partition_id}")
        return _replica(here, topic_name, info, broker_id)


async def _found(here: Here, topic: str, partition: int) -> PartitionInfo:
    info = one(await here.client.describe_topics([topic]))
    known = {int(index): each for index, each in info.partitions.items()}
    if partition not in known:
        raise Problem(404, "unknown-partition", f"{topic} has {len(known)} partitions, counted from 0")
    return known[partition]


def _topic(here: Here, info: TopicInfo) -> Answer:
    return _shape(here, info.name, info.is_internal, len(info.partitions), _replicas(info))


def _replicas(info: TopicInfo) -> int:
    return max((len(each.replicas) for each in info.partitions.values()), default=0)


def _shape(here: Here, name: str, is_internal: bool, partitions: int, replicas: int) -> Answer:
    path = ("topics", name)
    return here.one(
        "Topic", path, topic_name=name, is_internal=is_internal, replication_factor=replicas,
        partitions_count=partitions, partitions=here.link(*path, "partitions"), configs=here.link(*path, "configs"),
    )  # fmt: skip


def _partition(here: Here, topic: str, info: PartitionInfo) -> Answer:
    path = ("topics", topic, "partitions", info.index)
    leader = None if info.leader < 0 else here.link(*path, "replicas", info.leader)
    return here.one(
        "Partition", path, topic_name=topic, partition_id=info.index, leader=leader,
        replicas=here.link(*path, "replicas"),
    )  # fmt: skip


def _replica(here: Here, topic: str, info: PartitionInfo, broker: int) -> Answer:
    return here.one(
        "Replica", ("topics", topic, "partitions", info.index, "replicas", broker), topic_name=topic,
        partition_id=info.index, broker_id=broker, is_leader=broker == info.leader, is_in_sync=broker in info.in_sync,
        broker=here.link("brokers", broker),
    )  # fmt: skip
