"""Views as the controller makes them and the image shows them."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.support.brokers import some_brokers
from tests.support.clusters import a_cluster
from tests.support.virtual_time import in_virtual_time

from penstock.cluster import (
    Cluster,
    CreateTopic,
    GrowTopic,
    ImageChange,
    TopicImage,
    ViewAltered,
    ViewCreated,
    ViewDeleted,
)
from penstock.cluster.commands import (
    AlterSettings,
    CreatedTopic,
    ElectionType,
    ElectLeader,
    Operation,
    Reassign,
    ReplaceSettings,
    SettingChange,
)
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import (
    InvalidConfig,
    InvalidPartitions,
    InvalidReplicationFactor,
    InvalidRequest,
    PolicyViolation,
    Refusal,
    UnknownTopicOrPartition,
)

OF, FILTER = "penstock.view.of", "penstock.view.filter"
EU = "header.region = 'eu'"


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        await make(one, CreateTopic("orders", partitions=3, replication_factor=1))
        yield one


def a_view(name: str = "eu", of: str = "orders", text: str = EU, **how: Any) -> CreateTopic:
    return CreateTopic(name, settings=((OF, of), (FILTER, text)), **how)


async def make(cluster: Cluster, topic: CreateTopic) -> CreatedTopic | Refusal:
    (outcome,) = await cluster.controller.create_topics([topic], timeout_ms=60_000)
    return outcome


async def alter(cluster: Cluster, name: str, changes: dict[str, str | None]) -> Refusal | None:
    steps = tuple(
        SettingChange(each, Operation.DELETE if value is None else Operation.SET, value)
        for each, value in changes.items()
    )
    (outcome,) = await cluster.controller.alter_settings([AlterSettings(Resource(ResourceType.TOPIC, name), steps)])
    return outcome


async def delete(cluster: Cluster, name: str) -> TopicImage | Refusal:
    (outcome,) = await cluster.controller.delete_topics([cluster.image.topics[name].topic_id], timeout_ms=60_000)
    return outcome


async def test_a_view_has_an_id_of_its_own_and_the_partitions_of_its_source(cluster: Cluster) -> None:
    created = await make(cluster, a_view())
    assert isinstance(created, CreatedTopic)
    assert (created.partitions, created.replication_factor) == (3, 1)
    view, source = cluster.image.topics["eu"], cluster.image.topics["orders"]
    assert view.topic_id == created.topic_id != source.topic_id
    assert view.source is source and source.views == [view] and view.partitions == source.partitions
    assert [topic.name for topic, _ in cluster.image.partitions()] == ["orders"] * 3, "each partition once"


async def test_a_view_grows_with_its_source(cluster: Cluster) -> None:
    await make(cluster, a_view())
    await cluster.controller.create_partitions([GrowTopic("orders", 5)], timeout_ms=60_000)
    assert len(cluster.image.topics["eu"].partitions) == 5


@pytest.mark.parametrize(
    ("asked", "refusal", "words"),
    [
        (a_view("two", of="nowhere"), UnknownTopicOrPartition, "there is no such topic"),
        (a_view("two", of="eu"), PolicyViolation, "which is a view itself: make one of the topic that it shows"),
        (a_view("two", of="__consumer_offsets"), UnknownTopicOrPartition, "no such topic"),
        (a_view("two", partitions=2), InvalidPartitions, "has the 3 partitions of orders"),
        (a_view("two", replication_factor=2), InvalidReplicationFactor, "has the replicas of orders"),
        (a_view("two", assignments=((0, (1,)),)), InvalidRequest, "do not assign any"),
        (a_view("two", text="size <"), InvalidConfig, "position 7"),
        (a_view("two", of=""), UnknownTopicOrPartition, "no such topic"),
        (
            CreateTopic("two", settings=((OF, "orders"), ("retention.ms", "5"))),
            InvalidConfig,
            "is a view, and has no retention.ms",
        ),
        (CreateTopic("two", settings=((FILTER, EU),)), InvalidConfig, "is for views, and two is none"),
    ],
)
async def test_what_cannot_be_a_view_is_refused_in_words(
    cluster: Cluster, asked: CreateTopic, refusal: type[Refusal], words: str
) -> None:
    await make(cluster, a_view())
    outcome = await make(cluster, asked)
    assert isinstance(outcome, refusal) and words in outcome.message


async def test_a_view_of_an_internal_topic_is_refused(cluster: Cluster) -> None:
    await make(cluster, CreateTopic("__consumer_offsets", partitions=1))
    outcome = await make(cluster, a_view(of="__consumer_offsets"))
    assert isinstance(outcome, PolicyViolation) and "keeps for itself" in outcome.message


async def test_a_source_is_not_deleted_while_it_has_views(cluster: Cluster) -> None:
    await make(cluster, a_view())
    refused = await delete(cluster, "orders")
    assert isinstance(refused, PolicyViolation) and "delete them first (eu)" in refused.message
    assert isinstance(await delete(cluster, "eu"), TopicImage)
    assert isinstance(await delete(cluster, "orders"), TopicImage)
    assert not cluster.image.topics and not cluster.image.leftovers


async def test_its_filter_changes_and_nothing_else_of_it(cluster: Cluster) -> None:
    await make(cluster, a_view())
    assert await alter(cluster, "eu", {FILTER: "size < 5"}) is None
    assert cluster.image.topics["eu"].overrides == {OF: "orders", FILTER: "size < 5"}
    assert len(cluster.image.topics["eu"].partitions) == 3
    wrong: list[dict[str, str | None]] = [{OF: "others"}, {OF: None}, {"retention.ms": "5"}, {FILTER: "size <"}]
    for changes in wrong:
        assert isinstance(await alter(cluster, "eu", changes), InvalidConfig)
    assert isinstance(await alter(cluster, "orders", {OF: "eu"}), InvalidConfig)
    replaced = ReplaceSettings(Resource(ResourceType.TOPIC, "eu"), ((OF, "orders"),))
    assert await cluster.controller.alter_settings([replaced]) == [None]
    assert cluster.image.topics["eu"].overrides == {OF: "orders"}


async def test_what_concerns_its_partitions_is_asked_of_its_source(cluster: Cluster) -> None:
    await make(cluster, a_view())
    (grown,) = await cluster.controller.create_partitions([GrowTopic("eu", 5)], timeout_ms=60_000)
    (moved,) = await cluster.controller.reassign([Reassign("eu", 0, (1,))], timeout_ms=60_000)
    (elected,) = await cluster.controller.elect_leaders(
        [ElectLeader("eu", 0, ElectionType.PREFERRED)], timeout_ms=60_000
    )
    for outcome in (grown, moved, elected):
        assert isinstance(outcome, PolicyViolation) and "eu is a view:" in outcome.message


async def test_subscribers_hear_of_views_by_changes_of_their_own(cluster: Cluster) -> None:
    """Whoever keeps logs, or elects leaders, must not take a view for a topic."""
    told: list[ImageChange] = []
    cluster.image.subscribe(told.extend)
    await make(cluster, a_view())
    view = cluster.image.topics["eu"]
    await alter(cluster, "eu", {FILTER: ""})
    await delete(cluster, "eu")
    assert told == [ViewCreated(view), ViewAltered(view), ViewDeleted(view)]


@in_virtual_time
async def test_a_broker_that_has_not_seen_a_new_view_does_not_delete_its_source() -> None:
    async with some_brokers(2) as brokers:
        first, second = brokers.clusters[1], brokers.clusters[2]
        await make(first, CreateTopic("orders", partitions=1, replication_factor=1))
        await brokers.agree()
        made, deleted = await asyncio.gather(make(first, a_view()), delete(second, "orders"))
        await brokers.agree()
        image = brokers.image(2)
        if isinstance(made, CreatedTopic):
            assert isinstance(deleted, PolicyViolation) and image.topics["eu"].source is image.topics["orders"]
        else:
            assert isinstance(deleted, TopicImage) and not image.topics


@in_virtual_time
async def test_a_broker_that_starts_finds_views_whose_names_come_before_their_sources() -> None:
    async with some_brokers(1) as brokers:
        await make(brokers.clusters[1], CreateTopic("orders", partitions=2, replication_factor=1))
        await make(brokers.clusters[1], a_view("a-first"))
        await brokers.start(2)
        await brokers.agree()
        assert len(brokers.image(2).topics["a-first"].partitions) == 2
