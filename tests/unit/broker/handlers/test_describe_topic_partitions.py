from collections.abc import AsyncIterator

import pytest
from tests.support.clusters import a_cluster

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.describe_topic_partitions import describe_topic_partitions
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster, CreateTopic
from penstock.settings.config import Config
from penstock.wire.messages.describe_topic_partitions_request import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from penstock.wire.messages.describe_topic_partitions_response import DescribeTopicPartitionsResponse

Shown = tuple[list[tuple[str | None, list[int]]], tuple[str, int] | None]
CONTEXT = RequestContext(api_version=0, client_id=None, listener="PLAINTEXT", peer="")


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    """Topic a has 4 partitions, b and c have one each."""
    async with a_cluster() as one:
        topics = [CreateTopic("c", partitions=1), CreateTopic("a", partitions=4), CreateTopic("b", partitions=1)]
        await one.controller.create_topics(topics, timeout_ms=60_000)
        yield one


async def ask(
    cluster: Cluster,
    *names: str,
    limit: int = 2000,
    cursor: tuple[str, int] | None = None,
    settings: dict[str, str] | None = None,
) -> DescribeTopicPartitionsResponse:
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=Cursor(*cursor) if cursor else None,
    )
    response = await describe_topic_partitions(
        request, CONTEXT, cluster.image, Config.for_broker(settings), Authorizer()
    )
    return DescribeTopicPartitionsResponse.decode(response.encode(0), 0)


def shown(response: DescribeTopicPartitionsResponse) -> Shown:
    topics = [(topic.name, [part.partition_index for part in topic.partitions]) for topic in response.topics]
    cursor = response.next_cursor
    return topics, (cursor.topic_name, cursor.partition_index) if cursor else None


async def test_topics_come_in_name_order_without_a_cursor_when_all_fit(cluster: Cluster) -> None:
    assert shown(await ask(cluster, "b", "a")) == ([("a", [0, 1, 2, 3]), ("b", [0])], None)


async def test_a_partition_is_described_with_its_sets(cluster: Cluster) -> None:
    (topic,) = (await ask(cluster, "b")).topics
    (part,) = topic.partitions
    assert (part.leader_id, part.leader_epoch, part.replica_nodes, part.isr_nodes) == (1, 0, [1], [1])
    assert (part.eligible_leader_replicas, part.last_known_elr, part.offline_replicas) == ([], [], [])
    assert topic.topic_authorized_operations == 3576


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (1, ([("a", [0])], ("a", 1))),
        (0, ([("a", [0])], ("a", 1))),
        (-5, ([("a", [0])], ("a", 1))),
        (4, ([("a", [0, 1, 2, 3])], ("b", 0))),
        (5, ([("a", [0, 1, 2, 3]), ("b", [0])], ("c", 0))),
        (6, ([("a", [0, 1, 2, 3]), ("b", [0]), ("c", [0])], None)),
    ],
)
async def test_past_the_limit_a_cursor_says_where_to_go_on(cluster: Cluster, limit: int, expected: Shown) -> None:
    assert shown(await ask(cluster, limit=limit)) == expected


async def test_the_brokers_own_limit_counts_too(cluster: Cluster) -> None:
    assert shown(await ask(cluster, settings={"max.request.partition.size.limit": "3"}))[1] == ("a", 3)


async def test_following_the_cursor_shows_everything_once(cluster: Cluster) -> None:
    seen: list[tuple[str | None, int]] = []
    cursor: tuple[str, int] | None = ("", 0)
    while cursor is not None:
        topics, cursor = shown(await ask(cluster, limit=2, cursor=cursor))
        seen += [(name, index) for name, indexes in topics for index in indexes]
    assert seen == [("a", 0), ("a", 1), ("a", 2), ("a", 3), ("b", 0), ("c", 0)]


@pytest.mark.parametrize("cursor", [("nope", 0), ("a", -1)])
async def test_a_cursor_that_cannot_be_refuses_every_topic(cluster: Cluster, cursor: tuple[str, int]) -> None:
    response = await ask(cluster, "a", "b", cursor=cursor)
    assert [(topic.name, topic.error_code) for topic in response.topics] == [("a", 42), ("b", 42)]


async def test_topics_that_are_not_there_are_said_only_where_they_were_named(cluster: Cluster) -> None:
    response = await ask(cluster, "zz", "bad name", "b")
    assert [(topic.name, topic.error_code) for topic in response.topics] == [("b", 0), ("bad name", 17), ("zz", 3)]
    assert shown(await ask(cluster, cursor=("bb", 3))) == ([("c", [0])], None)


async def test_a_cursor_past_the_last_partition_shows_the_topic_empty(cluster: Cluster) -> None:
    assert shown(await ask(cluster, "a", "b", cursor=("a", 9))) == ([("a", []), ("b", [0])], None)
