from collections.abc import AsyncIterator

import pytest
from tests.support.callers import a_context
from tests.support.clusters import a_cluster
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.create_partitions import create_partitions
from penstock.cluster import Cluster, CreateTopic
from penstock.wire.messages.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from penstock.wire.messages.create_partitions_response import CreatePartitionsResponse

QUOTAS = SomeQuotas().quotas


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        await one.controller.create_topics([CreateTopic("a", partitions=2)], timeout_ms=60_000)
        yield one


def to(name: str, count: int, *by_hand: list[int], none: bool = True) -> CreatePartitionsTopic:
    assignments = None if none and not by_hand else [CreatePartitionsAssignment(broker_ids=ids) for ids in by_hand]
    return CreatePartitionsTopic(name=name, count=count, assignments=assignments)


async def ask(
    cluster: Cluster,
    *topics: CreatePartitionsTopic,
    version: int = 3,
    validate_only: bool = False,
) -> list[tuple[str, int, str | None]]:
    request = CreatePartitionsRequest(topics=list(topics), timeout_ms=60_000, validate_only=validate_only)
    asked = CreatePartitionsRequest.decode(request.encode(version), version)
    response = await create_partitions(asked, a_context(), cluster.controller, Authorizer(), cluster.image, QUOTAS)
    results = CreatePartitionsResponse.decode(response.encode(version), version).results
    return [(result.name, result.error_code, result.error_message) for result in results]


@pytest.mark.parametrize("version", range(4))
async def test_every_version_adds_partitions(cluster: Cluster, version: int) -> None:
    assert await ask(cluster, to("a", 5), version=version) == [("a", 0, None)]
    assert len(cluster.image.topics["a"].partitions) == 5


async def test_partitions_are_added_where_they_were_assigned(cluster: Cluster) -> None:
    assert await ask(cluster, to("a", 3, [1])) == [("a", 0, None)]
    assert await ask(cluster, to("a", 4, [7])) == [
        ("a", 39, "a partition is assigned to broker 7, which is not registered")
    ]


async def test_an_empty_list_of_assignments_is_one_that_is_too_short(cluster: Cluster) -> None:
    assert await ask(cluster, to("a", 3, none=False)) == [
        ("a", 39, "Attempted to add 1 additional partition(s), but only 0 assignment(s) were specified.")
    ]


async def test_to_validate_only_adds_nothing(cluster: Cluster) -> None:
    assert await ask(cluster, to("a", 9), validate_only=True) == [("a", 0, None)]
    assert len(cluster.image.topics["a"].partitions) == 2


async def test_there_are_never_fewer(cluster: Cluster) -> None:
    assert await ask(cluster, to("a", 2)) == [("a", 37, "a has that many partitions already: 2")]
    assert await ask(cluster, to("a", -4)) == [
        ("a", 37, "partitions can only become more: a has 2, the request asks for -4")
    ]


async def test_a_topic_named_twice_or_not_there_is_refused(cluster: Cluster) -> None:
    results = await ask(cluster, to("a", 5), to("a", 6), to("nope", 3))
    assert [(name, code) for name, code, _ in results] == [("a", 42), ("nope", 3)]
    assert len(cluster.image.topics["a"].partitions) == 2
