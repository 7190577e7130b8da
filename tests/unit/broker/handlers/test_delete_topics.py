from collections.abc import AsyncIterator

import pytest
from tests.support.clusters import a_cluster
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.delete_topics import delete_topics
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster, CreateTopic
from penstock.settings.config import Config
from penstock.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from penstock.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse

QUOTAS = SomeQuotas().quotas


ZERO = bytes(16)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        await one.controller.create_topics([CreateTopic("a"), CreateTopic("b")], timeout_ms=60_000)
        yield one


async def ask(
    cluster: Cluster,
    *topics: DeleteTopicState,
    names: tuple[str, ...] = (),
    version: int = 6,
    settings: dict[str, str] | None = None,
    timeout_ms: int = 5_000,
) -> list[DeletableTopicResult]:
    request = DeleteTopicsRequest(topics=list(topics), topic_names=list(names), timeout_ms=timeout_ms)
    asked = DeleteTopicsRequest.decode(request.encode(version), version)
    context = RequestContext(api_version=version, client_id=None, listener="PLAINTEXT", peer="")
    config = Config.for_broker(settings)
    response = await delete_topics(asked, context, cluster.image, cluster.controller, config, Authorizer(), QUOTAS)
    return DeleteTopicsResponse.decode(response.encode(version), version).responses


def by_name(name: str) -> DeleteTopicState:
    return DeleteTopicState(name=name)


def by_id(topic_id: bytes) -> DeleteTopicState:
    return DeleteTopicState(name=None, topic_id=topic_id)


async def test_a_topic_is_deleted_by_name_and_told_with_its_id(cluster: Cluster) -> None:
    topic_id = cluster.image.topics["a"].topic_id
    (result,) = await ask(cluster, by_name("a"))
    assert (result.name, result.topic_id, result.error_code, result.error_message) == ("a", topic_id, 0, None)
    assert list(cluster.image.topics) == ["b"]


async def test_a_topic_is_deleted_by_id_and_told_with_its_name(cluster: Cluster) -> None:
    topic_id = cluster.image.topics["a"].topic_id
    (result,) = await ask(cluster, by_id(topic_id))
    assert (result.name, result.error_code) == ("a", 0)
    assert [result.error_code for result in await ask(cluster, by_id(topic_id))] == [100]


@pytest.mark.parametrize("version", range(1, 6))
async def test_older_versions_delete_by_name_alone(cluster: Cluster, version: int) -> None:
    results = await ask(cluster, names=("a", "nope"), version=version)
    assert sorted((result.name, result.error_code) for result in results) == [("a", 0), ("nope", 3)]


async def test_what_is_said_twice_is_not_deleted(cluster: Cluster) -> None:
    (result,) = await ask(cluster, by_name("a"), by_name("a"))
    assert (result.error_code, result.error_message) == (42, "the topic is named more than once in the request")
    topic_id = cluster.image.topics["a"].topic_id
    (result,) = await ask(cluster, by_id(topic_id), by_id(topic_id))
    assert (result.error_code, result.error_message) == (42, "the topic's id comes more than once in the request")
    (result,) = await ask(cluster, by_id(topic_id), by_name("a"))
    assert (result.error_code, result.topic_id) == (42, topic_id)
    assert "a" in cluster.image.topics


async def test_name_and_id_together_or_neither_is_refused(cluster: Cluster) -> None:
    both = DeleteTopicState(name="a", topic_id=cluster.image.topics["a"].topic_id)
    results = await ask(cluster, both, by_id(ZERO))
    assert [(result.name, result.error_code) for result in results] == [("a", 42), (None, 42)]


async def test_unknown_topics_are_said_to_be(cluster: Cluster) -> None:
    results = await ask(cluster, by_name("nope"), by_name("bad name"), by_id(b"\2" * 16))
    assert {(result.name, result.error_code) for result in results} == {("nope", 3), ("bad name", 3), (None, 100)}


@pytest.mark.parametrize(("version", "error"), [(2, 42), (3, 73), (5, 73)])
async def test_deletion_can_be_switched_off(cluster: Cluster, version: int, error: int) -> None:
    settings = {"delete.topic.enable": "false"}
    results = await ask(cluster, names=("a", "b"), version=version, settings=settings)
    assert [(result.name, result.error_code) for result in results] == [("a", error), ("b", error)]
    assert set(cluster.image.topics) == {"a", "b"}


async def test_without_time_nothing_is_deleted(cluster: Cluster) -> None:
    assert [result.error_code for result in await ask(cluster, by_name("a"), timeout_ms=0)] == [7]
    assert "a" in cluster.image.topics
