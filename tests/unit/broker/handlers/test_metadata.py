import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from tests.support.clocks import ManualClock
from tests.support.clusters import a_cluster
from tests.support.quotas import SomeQuotas

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.metadata import metadata
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster, CreateTopic, Keys
from penstock.metastore import Delete, MemoryMetastore, Transaction
from penstock.settings.config import Config
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse

ZERO = bytes(16)
TOPIC_OPERATIONS, CLUSTER_OPERATIONS, NOT_ASKED_FOR = 3576, 8096, -(2**31)


class Asking:
    """A cluster with topics a (2 partitions) and b, and a client that asks about it."""

    def __init__(self, cluster: Cluster, config: Config) -> None:
        self.quotas = SomeQuotas()
        self.quotas.quotas.tenants._image = cluster.image
        self.cluster = cluster
        self.config = config

    async def ask(
        self, *names: str, version: int = 13, listener: str = "PLAINTEXT", auto: bool = False, ops: bool = False
    ) -> MetadataResponse:
        return await self.ask_for([MetadataRequestTopic(name=name) for name in names], version, listener, auto, ops)

    async def ask_for(
        self,
        topics: Sequence[MetadataRequestTopic] | None,
        version: int = 13,
        listener: str = "PLAINTEXT",
        auto: bool = False,
        ops: bool = False,
    ) -> MetadataResponse:
        request = MetadataRequest(
            topics=None if topics is None else list(topics),
            allow_auto_topic_creation=auto or version < 4,  # before version 4 nobody could say no
            include_topic_authorized_operations=ops,
            include_cluster_authorized_operations=ops and 8 <= version <= 10,
        )
        context = RequestContext(api_version=version, client_id="test", listener=listener, peer="127.0.0.1:1")
        # As the wire carries it: what the version has no field for is not there.
        asked = MetadataRequest.decode(request.encode(version), version)
        response = await metadata(
            asked,
            context,
            self.cluster.image,
            self.cluster.controller,
            self.cluster.availability,
            self.config,
            Authorizer(),
            self.quotas.quotas,
        )
        return MetadataResponse.decode(response.encode(version), version)


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    async with a_cluster() as cluster:
        await cluster.controller.create_topics(
            [CreateTopic("a", partitions=2), CreateTopic("b", partitions=1)], timeout_ms=60_000
        )
        yield Asking(cluster, Config.for_broker({}))


async def test_a_topic_by_name_has_its_partitions_leaders_and_id(asking: Asking) -> None:
    response = await asking.ask("a")
    (topic,) = response.topics
    assert (topic.error_code, topic.name, topic.is_internal) == (0, "a", False)
    assert topic.topic_id == asking.cluster.image.topics["a"].topic_id
    assert [
        (part.error_code, part.partition_index, part.leader_id, part.leader_epoch, part.replica_nodes, part.isr_nodes)
        for part in topic.partitions
    ] == [(0, 0, 1, 0, [1], [1]), (0, 1, 1, 0, [1], [1])]
    assert [part.offline_replicas for part in topic.partitions] == [[], []]


async def test_the_cluster_is_told_with_its_brokers_id_and_controller(asking: Asking) -> None:
    response = await asking.ask()
    assert response.cluster_id == asking.cluster.image.cluster_id
    assert response.controller_id == 1
    assert [(broker.node_id, broker.host, broker.port, broker.rack) for broker in response.brokers] == [
        (1, "127.0.0.1", 9092, None)
    ]


async def test_addresses_are_those_of_the_listener_the_request_came_in_on(asking: Asking) -> None:
    response = await asking.ask("a", listener="OUTSIDE")
    assert [(broker.host, broker.port) for broker in response.brokers] == [("broker.example", 19092)]


@pytest.mark.parametrize(("version", "error"), [(5, 5), (6, 72), (13, 72)])
async def test_a_listener_that_the_leader_does_not_have_is_said_from_version_6(
    asking: Asking, version: int, error: int
) -> None:
    response = await asking.ask("b", version=version, listener="ELSEWHERE")
    assert [(part.error_code, part.leader_id) for part in response.topics[0].partitions] == [(error, -1)]
    assert response.brokers == [] and response.controller_id == -1


@pytest.mark.parametrize(
    ("version", "topics", "names"),
    [(0, [], ["a", "b"]), (1, [], []), (1, None, ["a", "b"]), (13, None, ["a", "b"]), (13, [], [])],
)
async def test_all_topics_are_asked_for_by_null_or_in_version_0_by_an_empty_list(
    asking: Asking, version: int, topics: list[MetadataRequestTopic] | None, names: list[str]
) -> None:
    response = await asking.ask_for(topics, version)
    assert sorted(topic.name or "" for topic in response.topics) == names


async def test_a_topic_by_id_is_told_with_its_name(asking: Asking) -> None:
    topic_id = asking.cluster.image.topics["b"].topic_id
    response = await asking.ask_for([MetadataRequestTopic(name=None, topic_id=topic_id)])
    assert [(topic.error_code, topic.name, topic.topic_id) for topic in response.topics] == [(0, "b", topic_id)]


async def test_an_unknown_id_has_no_name(asking: Asking) -> None:
    response = await asking.ask_for([MetadataRequestTopic(name=None, topic_id=b"\1" * 16)], ops=True)
    (topic,) = response.topics
    assert (topic.error_code, topic.name, topic.topic_id) == (100, None, b"\1" * 16)
    assert topic.topic_authorized_operations == NOT_ASKED_FOR


async def test_where_ids_are_given_names_do_not_count(asking: Asking) -> None:
    wanted = [MetadataRequestTopic(name=None, topic_id=b"\1" * 16), MetadataRequestTopic(name="a")]
    response = await asking.ask_for(wanted)
    assert [(topic.error_code, topic.name) for topic in response.topics] == [(100, None)]


@pytest.mark.parametrize("version", [10, 11])
async def test_ids_before_version_12_refuse_the_whole_request(asking: Asking, version: int) -> None:
    topic_id = asking.cluster.image.topics["a"].topic_id
    response = await asking.ask_for([MetadataRequestTopic(name="a", topic_id=topic_id)], version)
    assert [(topic.error_code, topic.name) for topic in response.topics] == [(42, "a")]
    assert response.brokers == [] and response.cluster_id is None and response.controller_id == -1


async def test_neither_name_nor_id_refuses_the_whole_request(asking: Asking) -> None:
    response = await asking.ask_for([MetadataRequestTopic(name=None)])
    assert response.error_code == 42 and [topic.error_code for topic in response.topics] == [42]


@pytest.mark.parametrize(
    ("name", "auto", "error"),
    [
        ("nope", False, 3),
        ("bad name", False, 17),
        ("bad name", True, 17),
        ("", True, 17),
        ("__consumer_offsets", True, 3),
        ("__cluster_metadata", True, 3),
    ],
)
async def test_topics_that_are_not_there_and_are_not_made(asking: Asking, name: str, auto: bool, error: int) -> None:
    response = await asking.ask(name, auto=auto)
    (topic,) = response.topics
    assert (topic.error_code, topic.name, topic.topic_id, topic.partitions) == (error, name, ZERO, [])
    assert topic.is_internal is (name == "__consumer_offsets")


async def test_a_topic_made_on_demand_is_unknown_at_first_and_there_for_who_asks_again(asking: Asking) -> None:
    def told(response: MetadataResponse) -> list[tuple[str, int, int]]:
        return sorted((topic.name or "", topic.error_code, len(topic.partitions)) for topic in response.topics)

    assert told(await asking.ask("new", "a", "new", auto=True)) == [("a", 0, 2), ("new", 3, 0)]
    await asking.cluster.controller.stop()  # lets what was begun come to its end
    assert told(await asking.ask("new", "a", auto=True)) == [("a", 0, 2), ("new", 0, 1)]


async def test_topics_are_not_made_on_demand_where_the_broker_forbids_it() -> None:
    async with a_cluster() as cluster:
        asking = Asking(cluster, Config.for_broker({"auto.create.topics.enable": "false"}))
        assert [topic.error_code for topic in (await asking.ask("new", auto=True)).topics] == [3]


async def test_a_topic_that_cannot_be_made_on_demand_stays_unknown(asking: Asking) -> None:
    for name in ("x.y", "x_y"):
        await asking.ask(name, auto=True)
        await asking.cluster.controller.stop()
    assert [topic.error_code for topic in (await asking.ask("x.y")).topics] == [0]
    assert [topic.error_code for topic in (await asking.ask("x_y", auto=True)).topics] == [3]


async def test_authorized_operations_are_all_of_them_when_asked_for(asking: Asking) -> None:
    response = await asking.ask("a", "nope", version=9, ops=True)
    assert [topic.topic_authorized_operations for topic in response.topics] == [TOPIC_OPERATIONS] * 2
    assert response.cluster_authorized_operations == CLUSTER_OPERATIONS
    response = await asking.ask("a", version=9)
    assert response.topics[0].topic_authorized_operations == NOT_ASKED_FOR
    assert response.cluster_authorized_operations == NOT_ASKED_FOR


@pytest.mark.parametrize(("version", "error", "replicas"), [(0, 5, []), (13, 5, [1])])
async def test_a_partition_whose_broker_is_gone_has_no_leader(version: int, error: int, replicas: list[int]) -> None:
    store = MemoryMetastore(ManualClock())
    async with a_cluster(metastore=store) as cluster:
        await cluster.controller.create_topics([CreateTopic("a", partitions=1)], timeout_ms=60_000)
        revision = await store.commit(Transaction(deletes=(Delete(Keys("main").broker(1)),)))
        await cluster._feed.reached(revision)
        response = await Asking(cluster, Config.for_broker({})).ask("a", version=version)
        (part,) = response.topics[0].partitions
        assert (part.error_code, part.leader_id, part.replica_nodes) == (error, -1, replicas)
        if version:
            assert part.offline_replicas == [1]
    await store.close()


@pytest.mark.parametrize("version", range(14))
async def test_every_version_can_be_answered(asking: Asking, version: int) -> None:
    asking.config = Config.for_broker({"auto.create.topics.enable": "false"})
    response = await asking.ask("a", "nope", version=version)
    assert sorted((topic.error_code, topic.name or "") for topic in response.topics) == [(0, "a"), (3, "nope")]


async def test_a_tenant_that_has_its_partitions_gets_no_topic_on_demand(asking: Asking) -> None:
    asking.quotas.set("tenant=acme.", partitions=1)
    await asking.ask("acme.a", "acme.b", auto=True)
    await eventually_made(asking, "acme.a")
    await asking.ask("acme.b", "x", auto=True)
    await eventually_made(asking, "x")
    assert "acme.b" not in asking.cluster.image.topics


async def eventually_made(asking: Asking, topic: str) -> None:
    async with asyncio.timeout(60):
        while topic not in asking.cluster.image.topics:
            await asyncio.sleep(0.001)
