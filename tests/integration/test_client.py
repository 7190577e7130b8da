"""Penstock's own client against Penstock and against Apache Kafka: the same calls, the same outcomes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.faults import eventually

from penstock.client import (
    AsyncClient,
    Change,
    Client,
    CommittedOffset,
    NewTopic,
    OffsetSpec,
    Resource,
    ResourceType,
    place,
)
from penstock.errors import GroupIdNotFound, TopicAlreadyExists, UnknownTopicOrPartition

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "client.md"


@pytest.fixture
def client(either_cluster: str) -> Iterator[Client]:
    with Client(either_cluster, timeout_s=30) as client:
        yield client


def make(client: Client, name: str, partitions: int = 1) -> None:
    """A topic, and its leaders known: Kafka's controller answers before its brokers have heard of what it made."""
    client.create_topics([NewTopic(name, partitions)]).all()
    eventually(lambda: leaders(client, name) == [1] * partitions, f"{name} has leaders")


def leaders(client: Client, name: str) -> list[int]:
    topic = client.describe_topics([name]).done.get(name)
    return [each.leader for each in topic.partitions.values()] if topic else []


def test_topics_are_made_described_widened_and_deleted(client: Client) -> None:
    client.create_topics([NewTopic("life", 2, settings={"retention.ms": "1000"})]).all()
    assert isinstance(client.create_topics(["life"])["life"], TopicAlreadyExists)
    client.create_partitions({"life": 3}).all()
    eventually(lambda: leaders(client, "life") == [1, 1, 1], "the third partition has a leader")
    assert isinstance(client.describe_topics(["life", "nowhere"])["nowhere"], UnknownTopicOrPartition)
    client.delete_topics(["life"]).all()


def test_settings_are_changed_and_read(client: Client) -> None:
    make(client, "settings")
    topic = Resource(ResourceType.TOPIC, "settings")
    client.alter_configs({topic: [("retention.ms", Change.SET, "7000")]}).all()

    def retention() -> str | None:
        return client.describe_configs([topic], names=["retention.ms"]).all()[topic]["retention.ms"].value

    eventually(lambda: retention() == "7000", "the new value is read")


def test_offsets_of_partitions_and_groups(client: Client) -> None:
    make(client, "offsets", 2)
    places = [place("offsets", 0), place("offsets", 1)]
    assert {each.offset for each in client.list_offsets(dict.fromkeys(places, OffsetSpec.LATEST)).all().values()} == {0}
    client.commit_offsets("readers", {places[0]: CommittedOffset(0, metadata="here")}).all()
    assert client.committed_offsets("readers").all()[places[0]].metadata == "here"
    assert "readers" in [each.group_id for found in client.list_groups().all().values() for each in found]
    client.delete_groups(["readers"]).all()
    assert isinstance(client.delete_groups(["readers"])["readers"], GroupIdNotFound)


def test_what_is_asked_of_every_broker(client: Client) -> None:
    assert list(client.describe_cluster().brokers) == [1]
    (folders,) = client.describe_log_dirs().all().values()
    assert folders
    assert client.list_transactions().all() == {1: []}
    assert client.list_reassignments() == {}


def test_many_at_once_under_asyncio(either_cluster: str) -> None:
    async def ask() -> list[int]:
        async with AsyncClient(either_cluster, timeout_s=30) as client:
            found = await asyncio.gather(*(client.describe_cluster() for _ in range(20)))
        return [len(each.brokers) for each in found]

    assert asyncio.run(ask()) == [1] * 20


def test_the_examples_of_the_page_run(either_cluster: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 5
    for block in blocks:
        exec(block.replace("127.0.0.1:9092", either_cluster), {})
