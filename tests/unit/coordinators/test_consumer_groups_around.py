"""What stands around the machine of consumer groups: the cluster as it sees it, checks of requests, work in threads."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.clusters import a_cluster
from tests.support.shards import Add, ShardWorld

from penstock.cluster import AlterSettings, CreateTopic, GrowTopic, Operation, Resource, ResourceType, SettingChange
from penstock.coordinators.decision import Decision, Work
from penstock.coordinators.groups.assigned.cluster_view import ClusterView
from penstock.coordinators.groups.consumer.limits import consumer_limits_of
from penstock.coordinators.groups.consumer.request_checks import check_heartbeat
from penstock.errors import InvalidRequest, Refusal, UnsupportedAssignor
from penstock.model import Millis
from penstock.settings import Config
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions

JOINING: dict[str, Any] = {
    "group_id": "g",
    "member_id": "m",
    "rebalance_timeout_ms": 1_000,
    "subscribed_topic_names": ["orders"],
    "topic_partitions": [],
}


@pytest.mark.parametrize(
    ("facts", "version", "refusal"),
    [
        ({}, 1, None),
        ({"member_id": ""}, 0, None),
        ({"member_id": ""}, 1, InvalidRequest),
        ({"group_id": " "}, 1, InvalidRequest),
        ({"instance_id": ""}, 1, InvalidRequest),
        ({"rack_id": ""}, 1, InvalidRequest),
        ({"rebalance_timeout_ms": -1}, 1, InvalidRequest),
        ({"topic_partitions": None}, 1, InvalidRequest),
        ({"topic_partitions": [TopicPartitions(bytes(16), [0])]}, 1, InvalidRequest),
        ({"subscribed_topic_names": None}, 1, InvalidRequest),
        ({"member_epoch": -2}, 1, InvalidRequest),
        ({"member_epoch": -3}, 1, InvalidRequest),
        ({"member_epoch": -1, "member_id": ""}, 0, InvalidRequest),
        ({"server_assignor": "sticky"}, 1, UnsupportedAssignor),
        ({"server_assignor": "range"}, 1, None),
    ],
)
def test_a_request_that_is_wrong_whatever_the_group_is_refused(
    facts: dict[str, Any], version: int, refusal: type[Refusal] | None
) -> None:
    request = ConsumerGroupHeartbeatRequest(**(JOINING | facts))
    if refusal is None:
        check_heartbeat(request, version, ("uniform", "range"))
    else:
        with pytest.raises(refusal):
            check_heartbeat(request, version, ("uniform", "range"))


async def test_the_view_tells_when_topics_come_grow_and_go() -> None:
    async with a_cluster() as cluster:
        view = ClusterView(cluster.image, Config.for_broker())
        assert view.topic_named("orders") is None
        await cluster.controller.create_topics([CreateTopic("orders", partitions=2)], timeout_ms=60_000)
        facts = view.topic_named("orders")
        assert facts is not None and facts.partitions == 2 and view.topic_with(facts.topic_id) == facts
        created = view.topics_created_at
        assert view.topics_changed_at == created == view.revision
        await cluster.controller.create_partitions([GrowTopic("orders", 5)], timeout_ms=60_000)
        grown = view.topic_named("orders")
        assert grown is not None and grown.partitions == 5 and grown.digest != facts.digest
        assert view.topics_changed_at > created == view.topics_created_at
        await cluster.controller.delete_topics([facts.topic_id], timeout_ms=60_000)
        assert view.topic_named("orders") is None and view.topic_names() == []


async def test_settings_of_a_group_win_over_those_of_the_broker() -> None:
    async with a_cluster() as cluster:
        view = ClusterView(cluster.image, Config.for_broker({"group.consumer.heartbeat.interval.ms": "6000"}))
        assert view.settings_of("g").heartbeat_interval_ms == 6_000
        change = SettingChange("consumer.heartbeat.interval.ms", Operation.SET, "7000")
        resource = Resource(ResourceType.GROUP, "g")
        assert await cluster.controller.alter_settings([AlterSettings(resource, (change,))]) == [None]
        assert view.settings_of("g").heartbeat_interval_ms == 7_000
        assert view.settings_of("other").heartbeat_interval_ms == 6_000


@pytest.mark.parametrize(
    ("policy", "upgrades", "downgrades"),
    [
        ("BIDIRECTIONAL", True, True),
        ("upgrade", True, False),
        ("downgrade", False, True),
        ("disabled", False, False),
    ],
)
def test_the_migration_policy_says_which_ways_are_open(policy: str, upgrades: bool, downgrades: bool) -> None:
    limits = consumer_limits_of(Config.for_broker({"group.consumer.migration.policy": policy}))
    assert (limits.upgrades, limits.downgrades) == (upgrades, downgrades)


async def test_work_runs_beside_the_loop_and_comes_back_as_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await ShardWorld().loaded()
    decide: Callable[[Any, Millis], Decision] = world.machine.decide

    def decide_with_work(command: Any, now: Millis) -> Decision:
        if isinstance(command, Add) and command.value == b"long":
            return Decision(work=(Work(("w",), lambda: Add(value=b"done")), Work(("x",), _fails)))
        return decide(command, now)

    monkeypatch.setattr(world.machine, "decide", decide_with_work)
    world.runtime.tell(0, Add(value=b"long"))
    while world.machine.kept != [b"done"]:
        await asyncio.sleep(0.001)


def _fails() -> Add:
    raise ValueError("a bug in the work must not end the shard")
