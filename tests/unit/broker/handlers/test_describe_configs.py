import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.support.clocks import ManualClock
from tests.support.clusters import BROKER_ID, SeededDice, a_broker

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers import describe_configs as handler
from penstock.broker.handlers.describe_configs import AT_ONCE, describe_configs
from penstock.broker.loggers import LoggerLevels
from penstock.broker.registry import RequestContext
from penstock.cluster import AlterSettings, Cluster, CreateTopic, Operation, Resource, ResourceType, SettingChange
from penstock.errors import InvalidRequest
from penstock.metastore import MemoryMetastore
from penstock.settings.config import Config
from penstock.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from penstock.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32


class Asking:
    def __init__(self, cluster: Cluster, config: Config) -> None:
        self.cluster = cluster
        self.config = config

    async def ask(
        self,
        *resources: tuple[int, str],
        keys: list[str] | None = None,
        version: int = 4,
        synonyms: bool = False,
        documentation: bool = False,
    ) -> list[DescribeConfigsResult]:
        request = DescribeConfigsRequest(
            resources=[DescribeConfigsResource(type_, name, keys) for type_, name in resources],
            include_synonyms=synonyms,
            include_documentation=documentation,
        )
        asked = DescribeConfigsRequest.decode(request.encode(version), version)
        response = await describe_configs(
            asked,
            RequestContext(api_version=version, client_id=None, listener="PLAINTEXT", peer=""),
            self.cluster.image,
            self.cluster.controller,
            self.config,
            LoggerLevels("WARN"),
            Authorizer(),
        )
        return DescribeConfigsResponse.decode(response.encode(version), version).results

    async def one(self, type_: int, name: str, key: str, *, synonyms: bool = False) -> DescribeConfigsResourceResult:
        (result,) = await self.ask((type_, name), keys=[key], synonyms=synonyms)
        assert result.error_code == 0
        (entry,) = result.configs
        return entry

    async def set(self, type_: ResourceType, name: str, setting: str, value: str) -> None:
        changes = (SettingChange(setting, Operation.SET, value),)
        (outcome,) = await self.cluster.controller.alter_settings([AlterSettings(Resource(type_, name), changes)])
        assert outcome is None


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    store = MemoryMetastore(ManualClock())
    config = Config.for_broker({"node.id": "1", "log.retention.hours": "48"})
    cluster = Cluster(store, broker_id=BROKER_ID, config=config, dice=SeededDice())
    await cluster.start()
    await cluster.join(a_broker())
    settings = (("segment.bytes", "2097152"),)
    await cluster.controller.create_topics([CreateTopic("orders", settings=settings)], timeout_ms=60_000)
    yield Asking(cluster, config)
    await cluster.stop()
    await store.close()


def steps(entry: DescribeConfigsResourceResult) -> list[tuple[str, str | None, int]]:
    return [(step.name, step.value, step.source) for step in entry.synonyms]


async def test_a_topics_own_setting_comes_before_the_brokers(asking: Asking) -> None:
    entry = await asking.one(TOPIC, "orders", "segment.bytes", synonyms=True)
    assert (entry.value, entry.config_source, entry.config_type) == ("2097152", 1, 3)
    assert (entry.read_only, entry.is_sensitive, entry.documentation) == (False, False, None)
    assert steps(entry) == [("segment.bytes", "2097152", 1), ("log.segment.bytes", "1073741824", 5)]


async def test_what_the_topic_does_not_set_comes_from_the_broker(asking: Asking) -> None:
    assert (await asking.one(TOPIC, "orders", "retention.ms")).value == str(48 * 3_600_000)
    await asking.set(ResourceType.BROKER, "", "log.retention.ms", "7000")
    entry = await asking.one(TOPIC, "orders", "retention.ms", synonyms=True)
    assert (entry.value, entry.config_source) == ("7000", 3)
    await asking.set(ResourceType.BROKER, "1", "log.retention.ms", "5000")
    entry = await asking.one(TOPIC, "orders", "retention.ms", synonyms=True)
    assert (entry.value, entry.config_source) == ("5000", 2)
    assert steps(entry)[:2] == [("log.retention.ms", "5000", 2), ("log.retention.ms", "7000", 3)]


async def test_all_settings_are_listed_when_no_names_are_given(asking: Asking) -> None:
    nothing: list[list[str] | None] = [None, []]
    for keys in nothing:
        (result,) = await asking.ask((TOPIC, "orders"), keys=keys)
        assert {"cleanup.policy", "retention.ms", "compression.type"} <= {entry.name for entry in result.configs}
        assert all(entry.synonyms == [] for entry in result.configs)


async def test_names_that_are_no_settings_are_left_out(asking: Asking) -> None:
    (result,) = await asking.ask((TOPIC, "orders"), keys=["flush.ms", "no.such"])
    assert [entry.name for entry in result.configs] == ["flush.ms"]


async def test_documentation_is_told_when_asked_for(asking: Asking) -> None:
    (result,) = await asking.ask((TOPIC, "orders"), documentation=True)
    assert all(entry.documentation for entry in result.configs)


@pytest.mark.parametrize("version", [1, 2, 3, 4])
async def test_every_version_describes(asking: Asking, version: int) -> None:
    (result,) = await asking.ask((TOPIC, "orders"), keys=["retention.ms"], version=version)
    assert [(entry.name, entry.value) for entry in result.configs] == [("retention.ms", "172800000")]


async def test_a_broker_tells_which_settings_need_a_restart(asking: Asking) -> None:
    assert (await asking.one(BROKER, "1", "node.id")).read_only is True
    assert (await asking.one(BROKER, "1", "node.id")).config_source == 4
    assert (await asking.one(BROKER, "1", "log.segment.bytes")).read_only is False
    assert (await asking.one(BROKER, "1", "log.segment.bytes")).config_source == 5


async def test_the_clusters_defaults_are_only_what_was_set(asking: Asking) -> None:
    (result,) = await asking.ask((BROKER, ""))
    assert [entry.name for entry in result.configs] == ["min.insync.replicas"]  # the founder did
    await asking.set(ResourceType.BROKER, "", "log.segment.bytes", "2097152")
    (result,) = await asking.ask((BROKER, ""), synonyms=True)
    assert [(entry.name, entry.value, entry.config_source) for entry in result.configs] == [
        ("log.segment.bytes", "2097152", 3),
        ("min.insync.replicas", "1", 3),
    ]


async def test_a_group_and_a_subscription_have_defaults_until_they_are_set(asking: Asking) -> None:
    entry = await asking.one(GROUP, "g", "consumer.session.timeout.ms")
    assert (entry.value, entry.config_source) == ("45000", 5)
    await asking.set(ResourceType.GROUP, "g", "consumer.session.timeout.ms", "46000")
    entry = await asking.one(GROUP, "g", "consumer.session.timeout.ms", synonyms=True)
    assert (entry.value, entry.config_source) == ("46000", 8)
    assert steps(entry) == [
        ("consumer.session.timeout.ms", "46000", 8),
        ("group.consumer.session.timeout.ms", "45000", 5),
    ]
    assert (await asking.one(METRICS, "m", "interval.ms")).config_source == 5
    await asking.set(ResourceType.CLIENT_METRICS, "m", "interval.ms", "1000")
    assert (await asking.one(METRICS, "m", "interval.ms")).config_source == 7


async def test_loggers_are_listed_with_their_levels(asking: Asking) -> None:
    (result,) = await asking.ask((LOGGER, "1"))
    levels = {entry.name: entry.value for entry in result.configs}
    assert levels["root"] == "WARN" and levels["penstock.cluster.controller"] == "WARN"
    assert {(entry.config_source, entry.read_only) for entry in result.configs} == {(6, False)}


@pytest.mark.parametrize(
    ("type_", "name", "error"),
    [
        (TOPIC, "nope", 3),
        (TOPIC, "bad name", 17),
        (TOPIC, "", 17),
        (BROKER, "9", 42),
        (BROKER, "x", 42),
        (LOGGER, "", 42),
        (LOGGER, "9", 42),
        (LOGGER, "x", 42),
        (GROUP, "", 42),
        (METRICS, "", 42),
    ],
)
async def test_resources_that_cannot_be_are_refused_one_by_one(
    asking: Asking, type_: int, name: str, error: int
) -> None:
    refused, fine = await asking.ask((type_, name), (TOPIC, "orders"))
    assert (refused.error_code, refused.resource_type, refused.resource_name, refused.configs) == (
        error,
        type_,
        name,
        [],
    )
    assert fine.error_code == 0 and fine.configs


@pytest.mark.parametrize("type_", [0, 1, 99])
async def test_a_type_that_nobody_knows_spoils_the_whole_request(asking: Asking, type_: int) -> None:
    results = await asking.ask((TOPIC, "orders"), (type_, "x"))
    assert [(result.resource_type, result.error_code) for result in results] == [(TOPIC, 42), (type_, 42)]


async def test_settings_come_by_name(asking: Asking) -> None:
    (result,) = await asking.ask((BROKER, str(BROKER_ID)))
    names = [entry.name for entry in result.configs]
    assert names == sorted(names)


async def test_topics_with_settings_of_their_own_are_told_apart(asking: Asking) -> None:
    others = [CreateTopic("plain"), CreateTopic("plain-too"), CreateTopic("own", settings=(("retention.ms", "7"),))]
    await asking.cluster.controller.create_topics(others, timeout_ms=60_000)
    names = ("plain", "own", "plain-too", "orders", "nowhere")
    results = await asking.ask(*((TOPIC, name) for name in names), keys=["retention.ms"])
    assert [(result.resource_name, [entry.value for entry in result.configs]) for result in results] == [
        ("plain", ["172800000"]),
        ("own", ["7"]),
        ("plain-too", ["172800000"]),
        ("orders", ["172800000"]),
        ("nowhere", []),
    ]


async def test_others_are_served_while_many_resources_are_explained(asking: Asking) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    assert len(await asking.ask(*((TOPIC, "orders"),) * 40 * AT_ONCE)) == 40 * AT_ONCE
    assert turns >= 39
    counting.cancel()


async def test_what_would_be_too_long_an_answer_is_refused(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "ENTRIES_MAX", 100)
    await asking.ask((TOPIC, "orders"), (TOPIC, "orders"))
    with pytest.raises(InvalidRequest, match="more than 100 settings"):
        await asking.ask(*((TOPIC, "orders"),) * 3)
