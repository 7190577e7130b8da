"""Mutations a second, and the partitions of tenants."""

from collections.abc import AsyncIterator

import pytest
from tests.support.clusters import a_cluster
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.create_partitions import create_partitions
from penstock.broker.handlers.create_topics import create_topics
from penstock.broker.handlers.delete_topics import delete_topics
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster
from penstock.errors import PolicyViolation, ThrottlingQuotaExceeded
from penstock.settings import Config
from penstock.wire.messages.create_partitions_request import CreatePartitionsRequest, CreatePartitionsTopic
from penstock.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from penstock.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState

EXCEEDED = ThrottlingQuotaExceeded.code


class World:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.some = SomeQuotas()
        self.some.quotas.tenants._image = cluster.image

    def context(self, version: int) -> RequestContext:
        return RequestContext(api_version=version, client_id="me", listener="PLAINTEXT", peer="")

    async def create(self, *topics: tuple[str, int], version: int = 7, validate: bool = False) -> tuple[list[int], int]:
        wanted = [CreatableTopic(name=name, num_partitions=count, replication_factor=1) for name, count in topics]
        request = CreateTopicsRequest(topics=wanted, timeout_ms=5_000, validate_only=validate)
        answer = await create_topics(
            request,
            self.context(version),
            self.cluster.controller,
            Config.for_broker(),
            Authorizer(),
            self.some.quotas,
        )
        codes = {each.name: each.error_code for each in answer.topics}
        return [codes[name] for name, _ in topics], answer.throttle_time_ms

    async def grow(self, name: str, count: int, *, version: int = 3) -> tuple[int, int]:
        request = CreatePartitionsRequest(topics=[CreatePartitionsTopic(name, count, None)], timeout_ms=5_000)
        answer = await create_partitions(
            request,
            self.context(version),
            self.cluster.controller,
            Authorizer(),
            self.cluster.image,
            self.some.quotas,
        )
        return answer.results[0].error_code, answer.throttle_time_ms

    async def delete(self, name: str, *, version: int = 6) -> tuple[int, int]:
        request = DeleteTopicsRequest(topics=[DeleteTopicState(name=name)], timeout_ms=5_000)
        answer = await delete_topics(
            request,
            self.context(version),
            self.cluster.image,
            self.cluster.controller,
            Config.for_broker(),
            Authorizer(),
            self.some.quotas,
        )
        return answer.responses[0].error_code, answer.throttle_time_ms


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with a_cluster() as cluster:
        yield World(cluster)


async def test_a_new_client_is_refused_what_is_too_much_and_told_when_to_come_again(world: World) -> None:
    world.some.set("user=ANONYMOUS", controller_mutation_rate=1)
    assert await world.create(("a", 8), ("b", 8), ("c", 1)) == ([0, 0, EXCEEDED], 5_000)
    assert await world.grow("a", 9) == (EXCEEDED, 5_000)
    assert await world.delete("a") == (EXCEEDED, 5_000)
    world.some.clock.advance(5_000)
    assert await world.delete("a") == (0, 8_000)
    assert set(world.cluster.image.topics) == {"b"}


async def test_an_old_client_gets_all_and_is_held_back(world: World) -> None:
    world.some.set("user=ANONYMOUS", controller_mutation_rate=1)
    assert await world.create(("a", 12), ("b", 1), version=5) == ([0, 0], 2_000)
    assert await world.grow("b", 2, version=2) == (0, 3_000)
    assert await world.delete("b", version=4) == (0, 5_000)


async def test_what_comes_to_nothing_does_not_count(world: World) -> None:
    world.some.set("user=ANONYMOUS", controller_mutation_rate=1)
    assert await world.create(("a", 1)) == ([0], 0)
    codes, held_ms = await world.create(("a", 2**30), ("b", -7))
    assert (0 in codes, EXCEEDED in codes, held_ms) == (False, True, 0)
    assert await world.create(("c", 50), validate=True) == ([0], 0)
    assert await world.create(("c", 10)) == ([0], 0)


async def test_a_tenant_has_so_many_partitions_and_no_more(world: World) -> None:
    world.some.set("tenant=acme.", partitions=5)
    refused = PolicyViolation.code
    assert await world.create(("acme.a", 3), ("acme.b", 3), ("acme.c", 2), ("x", 9)) == ([0, refused, 0, 0], 0)
    assert await world.grow("acme.a", 4) == (refused, 0)
    assert await world.delete("acme.c") == (0, 0)
    assert await world.grow("acme.a", 5) == (0, 0)
