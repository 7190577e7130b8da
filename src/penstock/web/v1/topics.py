"""Topics: made, described, altered, deleted."""

from typing import Annotated, Any

import msgspec
from litestar import Controller, delete, get, patch, post
from msgspec import Meta

from penstock.client import AsyncClient, Change, NewTopic, Resource, ResourceType, TopicInfo, place
from penstock.client.outcomes import one

Settings = dict[str, str | None]


class TopicToMake(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=249)]
    partitions: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    """Without a number the cluster decides; so with replicas."""
    replication_factor: Annotated[int, Meta(ge=1, le=1000)] | None = None
    settings: Settings = {}


class Alteration(msgspec.Struct, forbid_unknown_fields=True):
    partitions: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    """More than there are."""
    settings: Settings = {}
    """By name; null takes one back to its default."""


class Partition(msgspec.Struct):
    partition: int
    leader: int
    """-1 while nobody leads."""
    replicas: list[int]
    in_sync: list[int]
    begin: int | None
    """The offset of its first record; null while its leader does not tell."""
    end: int | None
    """The offset that the next record gets."""


class Topic(msgspec.Struct):
    name: str
    is_internal: bool
    partitions: list[Partition]
    settings: dict[str, str | None]
    """Those that differ from the cluster's."""


class Listed(msgspec.Struct):
    name: str
    partitions: int
    replication_factor: int
    is_internal: bool


class TopicList(msgspec.Struct):
    topics: list[Listed]


class Topics(Controller):
    path = "/topics"

    @get()
    async def list_topics(self, client: AsyncClient) -> TopicList:
        """All topics that the asker may see."""
        found = await client.list_topics()
        return TopicList([_listed(found[name]) for name in sorted(found)])

    @post()
    async def create_topic(self, client: AsyncClient, data: TopicToMake) -> Topic:
        wanted = NewTopic(data.name, data.partitions or -1, data.replication_factor or -1, data.settings)
        (await client.create_topics([wanted])).all()
        return await _described(client, data.name)

    @get("/{topic:str}")
    async def describe_topic(self, client: AsyncClient, topic: str) -> Topic:
        """Its partitions with their ends, and its settings."""
        return await _described(client, topic)

    @patch("/{topic:str}")
    async def alter_topic(self, client: AsyncClient, topic: str, data: Alteration) -> Topic:
        """Settings first, then partitions: where one is refused, the answer says which, and those before it hold."""
        if data.settings:
            changes: list[tuple[str, Change, Any]] = [
                (name, Change.DELETE if value is None else Change.SET, value) for name, value in data.settings.items()
            ]
            (await client.alter_configs({Resource(ResourceType.TOPIC, topic): changes})).all()
        if data.partitions is not None:
            (await client.create_partitions({topic: data.partitions})).all()
        return await _described(client, topic)

    @delete("/{topic:str}")
    async def delete_topic(self, client: AsyncClient, topic: str) -> None:
        (await client.delete_topics([topic])).all()


async def _described(client: AsyncClient, name: str) -> Topic:
    info = one(await client.describe_topics([name]))
    resource = Resource(ResourceType.TOPIC, name)
    settings = (await client.describe_configs([resource])).get(resource)
    ranges = (await client.offset_ranges([place(name, each) for each in info.partitions], patiently=False)).done
    partitions = []
    for each in info.partitions.values():
        held = ranges.get(place(name, each.index))
        partitions.append(
            Partition(
                each.index, each.leader, list(each.replicas), list(each.in_sync),
                None if held is None else held.begin, None if held is None else held.end,
            )
        )  # fmt: skip
    own = settings if isinstance(settings, dict) else {}  # who may see the topic may not see its settings, perhaps
    return Topic(
        name, info.is_internal, partitions,
        {each.name: each.value for each in own.values() if each.config_source == TOPIC_SOURCE},
    )  # fmt: skip


TOPIC_SOURCE = 1
"""Kafka's number for a setting that the topic has of its own."""


def _listed(info: TopicInfo) -> Listed:
    replicas = max((len(each.replicas) for each in info.partitions.values()), default=0)
    return Listed(info.name, len(info.partitions), replicas, info.is_internal)
