from collections.abc import AsyncIterator

import pytest
from tests.support.callers import a_context
from tests.support.clusters import a_cluster

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.incremental_alter_configs import incremental_alter_configs
from penstock.broker.loggers import LoggerLevels
from penstock.cluster import BROKER_DEFAULTS, Cluster, CreateTopic
from penstock.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from penstock.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
Change = tuple[str, int, str | None]


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        settings = (("cleanup.policy", "compact"),)
        await one.controller.create_topics([CreateTopic("orders", settings=settings)], timeout_ms=60_000)
        yield one


def resource(type_: int, name: str, *changes: Change) -> AlterConfigsResource:
    configs = [AlterableConfig(name=key, config_operation=operation, value=value) for key, operation, value in changes]
    return AlterConfigsResource(resource_type=type_, resource_name=name, configs=configs)


async def ask(
    cluster: Cluster,
    *resources: AlterConfigsResource,
    version: int = 1,
    validate_only: bool = False,
    loggers: LoggerLevels | None = None,
) -> list[tuple[int, str | None]]:
    request = IncrementalAlterConfigsRequest(resources=list(resources), validate_only=validate_only)
    asked = IncrementalAlterConfigsRequest.decode(request.encode(version), version)
    response = await incremental_alter_configs(
        asked, a_context(), cluster.controller, loggers or LoggerLevels(), Authorizer(), cluster.image
    )
    answers = IncrementalAlterConfigsResponse.decode(response.encode(version), version).responses
    assert [(one.resource_type, one.resource_name) for one in answers] == [
        (one.resource_type, one.resource_name) for one in resources
    ]
    return [(one.error_code, one.error_message) for one in answers]


@pytest.mark.parametrize("version", [0, 1])
async def test_single_settings_change_and_the_others_stay(cluster: Cluster, version: int) -> None:
    changes: list[Change] = [("retention.ms", SET, "5000"), ("cleanup.policy", APPEND, "delete")]
    assert await ask(cluster, resource(TOPIC, "orders", *changes), version=version) == [(0, None)]
    assert cluster.image.topics["orders"].overrides == {"cleanup.policy": "compact,delete", "retention.ms": "5000"}
    changes = [("retention.ms", DELETE, None), ("cleanup.policy", SUBTRACT, "compact")]
    assert await ask(cluster, resource(TOPIC, "orders", *changes), version=version) == [(0, None)]
    assert cluster.image.topics["orders"].overrides == {"cleanup.policy": "delete"}


async def test_a_resource_changes_wholly_or_not_at_all(cluster: Cluster) -> None:
    outcomes = await ask(
        cluster,
        resource(TOPIC, "orders", ("retention.ms", SET, "5000"), ("no.such", SET, "1")),
        resource(GROUP, "g", ("share.auto.offset.reset", SET, "earliest")),
    )
    assert [code for code, _ in outcomes] == [40, 0]
    assert "retention.ms" not in cluster.image.topics["orders"].overrides


async def test_to_validate_only_changes_nothing(cluster: Cluster) -> None:
    loggers = LoggerLevels()
    outcomes = await ask(
        cluster,
        resource(TOPIC, "orders", ("retention.ms", SET, "5000")),
        resource(TOPIC, "orders2", ("retention.ms", SET, "5000")),
        resource(LOGGER, "1", ("root", SET, "DEBUG")),
        validate_only=True,
        loggers=loggers,
    )
    assert [code for code, _ in outcomes] == [0, 3, 0]
    assert cluster.image.topics["orders"].overrides == {"cleanup.policy": "compact"}
    assert loggers.level("root") == "INFO"


async def test_a_resource_that_appears_twice_is_refused_both_times(cluster: Cluster) -> None:
    twice = resource(TOPIC, "orders", ("retention.ms", SET, "5000"))
    assert (
        await ask(cluster, twice, twice)
        == [(42, "the resource comes more than once in the request: put its settings together")] * 2
    )


@pytest.mark.parametrize(
    ("type_", "name", "changes", "error"),
    [
        (TOPIC, "orders", [("retention.ms", SET, "x")], 40),
        (TOPIC, "orders", [("no.such", DELETE, None)], 0),
        (TOPIC, "orders", [("retention.ms", SET, None)], 42),
        (TOPIC, "orders", [("retention.ms", SET, "1"), ("retention.ms", DELETE, None)], 42),
        (TOPIC, "orders", [("retention.ms", APPEND, "1")], 40),
        (TOPIC, "orders", [], 0),
        (TOPIC, "nope", [("retention.ms", SET, "1")], 3),
        (TOPIC, "bad name", [("retention.ms", SET, "1")], 17),
        (TOPIC, "", [("retention.ms", SET, "1")], 42),
        (BROKER, "1", [("log.retention.ms", SET, "12345")], 0),
        (BROKER, "", [("log.segment.bytes", SET, "2097152")], 0),
        (BROKER, "1", [("node.id", SET, "4")], 42),
        (BROKER, "1", [("log.retention.ms", SET, "x")], 42),
        (BROKER, "9", [("log.retention.ms", SET, "4")], 42),
        (BROKER, "x", [("log.retention.ms", SET, "4")], 42),
        (BROKER, "1", [("log.retention.ms", 9, "4")], 42),
        (BROKER, "1", [("leader.replication.throttled.rate", SET, "1000")], 0),
        (GROUP, "", [("consumer.session.timeout.ms", SET, "46000")], 42),
        (METRICS, "m", [("no.such", SET, "1")], 42),
        (LOGGER, "1", [("root", SET, "LOUD")], 40),
        (LOGGER, "1", [("no.such.logger", SET, "INFO")], 40),
        (LOGGER, "1", [("root", DELETE, None)], 42),
        (LOGGER, "1", [("root", APPEND, "INFO")], 42),
        (LOGGER, "5", [("root", SET, "INFO")], 42),
        (LOGGER, "", [("root", SET, "INFO")], 42),
        (0, "x", [("retention.ms", SET, "1")], 42),
        (99, "x", [("retention.ms", SET, "1")], 42),
    ],
)
async def test_each_situation_has_kafkas_code(
    cluster: Cluster, type_: int, name: str, changes: list[Change], error: int
) -> None:
    ((code, message),) = await ask(cluster, resource(type_, name, *changes))
    assert code == error
    assert (message is None) is (error == 0)


async def test_the_clusters_defaults_are_kept_apart_from_the_brokers_own(cluster: Cluster) -> None:
    await ask(
        cluster,
        resource(BROKER, "", ("log.retention.ms", SET, "7000")),
        resource(BROKER, "1", ("log.retention.ms", SET, "5000")),
    )
    assert cluster.image.settings[BROKER_DEFAULTS] == {"log.retention.ms": "7000", "min.insync.replicas": "1"}
    assert len(cluster.image.settings) == 2


async def test_a_loggers_level_acts_until_it_is_deleted_and_is_not_kept(cluster: Cluster) -> None:
    loggers, before = LoggerLevels(), cluster.image.revision
    name = "penstock.cluster.controller"
    assert await ask(cluster, resource(LOGGER, "1", (name, SET, "ERROR")), loggers=loggers) == [(0, None)]
    assert (loggers.level(name), loggers.level("penstock.cluster.image.feed")) == ("ERROR", "INFO")
    assert await ask(cluster, resource(LOGGER, "1", (name, DELETE, None)), loggers=loggers) == [(0, None)]
    assert loggers.level(name) == "INFO"
    assert cluster.image.revision == before
