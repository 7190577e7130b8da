import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest
from tests.support.callers import a_context
from tests.support.clusters import a_cluster
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.create_topics import AT_ONCE, create_topics
from penstock.cluster import Cluster
from penstock.settings.config import Config, TopicConfig
from penstock.wire.messages.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from penstock.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse

QUOTAS = SomeQuotas().quotas


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        yield one


def a_topic(name: str, partitions: int = 1, replicas: int = 1, **settings: str) -> CreatableTopic:
    configs = [CreatableTopicConfig(key.replace("_", "."), value) for key, value in settings.items()]
    return CreatableTopic(name=name, num_partitions=partitions, replication_factor=replicas, configs=configs)


async def ask(
    cluster: Cluster, *topics: CreatableTopic, version: int = 7, validate_only: bool = False, timeout_ms: int = 5_000
) -> list[CreatableTopicResult]:
    request = CreateTopicsRequest(topics=list(topics), timeout_ms=timeout_ms, validate_only=validate_only)
    asked = CreateTopicsRequest.decode(request.encode(version), version)
    response = await create_topics(asked, a_context(), cluster.controller, Config.for_broker({}), Authorizer(), QUOTAS)
    return CreateTopicsResponse.decode(response.encode(version), version).topics


async def test_a_created_topic_is_told_with_its_id_counts_and_settings_in_order(cluster: Cluster) -> None:
    (result,) = await ask(cluster, a_topic("orders", partitions=3, retention_ms="1000"))
    assert (result.error_code, result.error_message, result.topic_config_error_code) == (0, None, 0)
    assert result.topic_id == cluster.image.topics["orders"].topic_id
    assert (result.num_partitions, result.replication_factor) == (3, 1)
    assert result.configs is not None
    names = [config.name for config in result.configs]
    assert names == sorted(names) and len(names) > 30
    by_name = {config.name: config for config in result.configs}
    assert (by_name["retention.ms"].value, by_name["retention.ms"].config_source) == ("1000", 1)
    assert (by_name["segment.bytes"].value, by_name["segment.bytes"].config_source) == ("1073741824", 5)
    assert not any(config.read_only or config.is_sensitive for config in result.configs)


@pytest.mark.parametrize("version", range(2, 8))
async def test_every_version_creates(cluster: Cluster, version: int) -> None:
    (result,) = await ask(cluster, a_topic("orders", -1, -1), version=version)
    assert result.error_code == 0 and "orders" in cluster.image.topics


async def test_a_refused_topic_has_no_counts_and_no_id(cluster: Cluster) -> None:
    (result,) = await ask(cluster, a_topic("orders", replicas=3))
    assert result.error_code == 38 and "brokers registered: 1" in (result.error_message or "")
    assert (result.topic_id, result.num_partitions, result.replication_factor, result.configs) == (
        bytes(16),
        -1,
        -1,
        [],
    )


async def test_a_name_given_twice_is_refused_once_and_the_others_are_created(cluster: Cluster) -> None:
    results = await ask(cluster, a_topic("d"), a_topic("d"), a_topic("e"))
    assert [(result.name, result.error_code, result.error_message) for result in results] == [
        ("e", 0, None),
        ("d", 42, "the topic is named more than once in the request"),
    ]


async def test_the_metadata_topic_of_kafka_cannot_be_created(cluster: Cluster) -> None:
    (result,) = await ask(cluster, a_topic("__cluster_metadata"))
    assert (result.error_code, result.error_message) == (
        42,
        "Creation of internal topic __cluster_metadata is prohibited.",
    )


async def test_to_validate_only_tells_what_would_be_and_creates_nothing(cluster: Cluster) -> None:
    (result,) = await ask(cluster, a_topic("orders", partitions=3), validate_only=True)
    assert (result.error_code, result.num_partitions) == (0, 3) and result.configs
    assert not cluster.image.topics


async def test_assignments_by_hand_decide_the_counts(cluster: Cluster) -> None:
    topic = a_topic("orders", -1, -1)
    topic.assignments = [CreatableReplicaAssignment(partition_index=index, broker_ids=[1]) for index in range(2)]
    (result,) = await ask(cluster, topic)
    assert (result.num_partitions, result.replication_factor) == (2, 1)


@pytest.mark.parametrize(("partitions", "replicas"), [(2, -1), (-1, 1)])
async def test_counts_beside_assignments_are_refused(cluster: Cluster, partitions: int, replicas: int) -> None:
    topic = a_topic("orders", partitions, replicas)
    topic.assignments = [CreatableReplicaAssignment(partition_index=0, broker_ids=[1])]
    assert [result.error_code for result in await ask(cluster, topic)] == [42]


async def test_bad_settings_are_refused(cluster: Cluster) -> None:
    topic = a_topic("null")
    topic.configs = [CreatableTopicConfig("retention.ms", None)]
    results = await ask(cluster, a_topic("value", retention_ms="soon"), a_topic("name", no_such="1"), topic)
    assert [(result.name, result.error_code) for result in results] == [("value", 40), ("name", 40), ("null", 40)]


async def test_without_time_every_topic_times_out(cluster: Cluster) -> None:
    assert [result.error_code for result in await ask(cluster, a_topic("a"), a_topic("b"), timeout_ms=0)] == [7, 7]


async def test_too_many_partitions_in_one_request_are_refused_together(cluster: Cluster) -> None:
    results = await ask(cluster, a_topic("a", partitions=9_999), a_topic("b", partitions=2))
    assert [result.error_code for result in results] == [44, 44]
    assert not cluster.image.topics


async def test_others_are_served_while_the_settings_of_many_topics_are_told(cluster: Cluster) -> None:
    topics = [a_topic(f"t{number}", retention_ms=str(number)) for number in range(10 * AT_ONCE)]
    request = CreateTopicsRequest(topics=topics, timeout_ms=5_000, validate_only=True)
    turns = told = 0

    class Counting(Config):
        def for_topic(self, overrides: Mapping[str, str] | None = None) -> TopicConfig:
            nonlocal told
            told += 1
            assert told <= (turns + 2) * AT_ONCE
            return super().for_topic(overrides)

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += told > 0

    counting = asyncio.create_task(count())
    response = await create_topics(
        request, a_context(), cluster.controller, Counting.for_broker({}), Authorizer(), QUOTAS
    )
    counting.cancel()
    assert len(response.topics) == told == 10 * AT_ONCE


async def test_topics_that_are_alike_share_what_is_told_of_their_settings(cluster: Cluster) -> None:
    request = CreateTopicsRequest(topics=[a_topic("a"), a_topic("b"), a_topic("c", retention_ms="7")], timeout_ms=5_000)
    a, b, c = (
        await create_topics(request, a_context(), cluster.controller, Config.for_broker({}), Authorizer(), QUOTAS)
    ).topics
    assert a.configs is b.configs and a.configs != c.configs
