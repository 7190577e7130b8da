"""Settings of topics, of brokers, and the cluster's defaults for its brokers: read, set, taken back."""

from enum import Enum
from typing import Any, Final

import msgspec
from litestar import Controller, delete, get, post, put

from penstock.client import Change, Resource, ResourceType
from penstock.client.outcomes import one
from penstock.web.problems import Problem
from penstock.web.v3.here import Answer, Here
from penstock.wire.messages.describe_configs_response import DescribeConfigsResourceResult

SOURCES: Final = {
    1: "DYNAMIC_TOPIC_CONFIG", 2: "DYNAMIC_BROKER_CONFIG", 3: "DYNAMIC_DEFAULT_BROKER_CONFIG",
    4: "STATIC_BROKER_CONFIG", 5: "DEFAULT_CONFIG", 6: "DYNAMIC_BROKER_LOGGER_CONFIG",
    7: "DYNAMIC_CLIENT_METRICS_CONFIG", 8: "DYNAMIC_GROUP_CONFIG",
}  # fmt: skip


class NewValue(msgspec.Struct):
    value: str | None


class Operation(Enum):
    SET = "SET"
    DELETE = "DELETE"


class Alteration(msgspec.Struct):
    name: str
    value: str | None = None
    operation: Operation = Operation.SET


class Alterations(msgspec.Struct):
    data: list[Alteration]
    validate_only: bool = False


class _Of(msgspec.Struct, frozen=True):
    """What the settings are of, and how answers call it."""

    resource: Resource
    kind: str
    path: tuple[object, ...]
    members: dict[str, Any]


def _of_topic(topic_name: str) -> _Of:
    return _Of(
        Resource(ResourceType.TOPIC, topic_name), "TopicConfig", ("topics", topic_name, "configs"),
        {"topic_name": topic_name},
    )  # fmt: skip


def _of_broker(broker_id: int) -> _Of:
    return _Of(
        Resource(ResourceType.BROKER, str(broker_id)), "BrokerConfig", ("brokers", broker_id, "configs"),
        {"broker_id": broker_id},
    )  # fmt: skip


_OF_CLUSTER: Final = _Of(
    Resource(ResourceType.BROKER, ""), "ClusterConfig", ("broker-configs",), {"config_type": "BROKER"}
)


async def _listed(here: Here, of: _Of) -> Answer:
    found = one(await here.client.describe_configs([of.resource], synonyms=True))
    return here.many(of.kind, [_shape(here, of, each) for each in found.values()])


async def _found(here: Here, of: _Of, name: str) -> Answer:
    found = one(await here.client.describe_configs([of.resource], synonyms=True))
    if name not in found:
        raise Problem(404, "unknown-setting", f"There is no setting {name} here")
    return _shape(here, of, found[name])


async def _altered(here: Here, of: _Of, changes: list[Alteration], *, validate_only: bool = False) -> None:
    wanted = [
        (each.name, Change.DELETE if each.operation is Operation.DELETE else Change.SET, each.value) for each in changes
    ]
    (await here.client.alter_configs({of.resource: wanted}, validate_only=validate_only)).all()


def _shape(here: Here, of: _Of, setting: DescribeConfigsResourceResult) -> Answer:
    synonyms = [
        {"name": each.name, "value": each.value, "source": SOURCES.get(each.source, "UNKNOWN")}
        for each in setting.synonyms
    ]
    return here.one(
        of.kind, (*of.path, setting.name), **of.members, name=setting.name, value=setting.value,
        is_default=SOURCES.get(setting.config_source) == "DEFAULT_CONFIG", is_read_only=setting.read_only,
        is_sensitive=setting.is_sensitive, source=SOURCES.get(setting.config_source, "UNKNOWN"), synonyms=synonyms,
    )  # fmt: skip


class TopicConfigs(Controller):
    path = "/{cluster_id:str}/topics/{topic_name:str}"

    @get("/configs")
    async def list_topic_configs(self, here: Here, cluster_id: str, topic_name: str) -> Answer:
        return await _listed(here, _of_topic(topic_name))

    @get("/configs/{name:str}")
    async def get_topic_config(self, here: Here, cluster_id: str, topic_name: str, name: str) -> Answer:
        return await _found(here, _of_topic(topic_name), name)

    @put("/configs/{name:str}", status_code=204)
    async def update_topic_config(
        self, here: Here, cluster_id: str, topic_name: str, name: str, data: NewValue
    ) -> None:
        await _altered(here, _of_topic(topic_name), [Alteration(name, data.value)])

    @delete("/configs/{name:str}")
    async def reset_topic_config(self, here: Here, cluster_id: str, topic_name: str, name: str) -> None:
        await _altered(here, _of_topic(topic_name), [Alteration(name, None, Operation.DELETE)])

    @post("/configs:alter", status_code=204)
    async def alter_topic_configs(self, here: Here, cluster_id: str, topic_name: str, data: Alterations) -> None:
        await _altered(here, _of_topic(topic_name), data.data, validate_only=data.validate_only)


class BrokerConfigs(Controller):
    path = "/{cluster_id:str}/brokers/{broker_id:int}"

    @get("/configs")
    async def list_broker_configs(self, here: Here, cluster_id: str, broker_id: int) -> Answer:
        return await _listed(here, _of_broker(broker_id))

    @get("/configs/{name:str}")
    async def get_broker_config(self, here: Here, cluster_id: str, broker_id: int, name: str) -> Answer:
        return await _found(here, _of_broker(broker_id), name)

    @put("/configs/{name:str}", status_code=204)
    async def update_broker_config(
        self, here: Here, cluster_id: str, broker_id: int, name: str, data: NewValue
    ) -> None:
        await _altered(here, _of_broker(broker_id), [Alteration(name, data.value)])

    @delete("/configs/{name:str}")
    async def reset_broker_config(self, here: Here, cluster_id: str, broker_id: int, name: str) -> None:
        await _altered(here, _of_broker(broker_id), [Alteration(name, None, Operation.DELETE)])

    @post("/configs:alter", status_code=204)
    async def alter_broker_configs(self, here: Here, cluster_id: str, broker_id: int, data: Alterations) -> None:
        await _altered(here, _of_broker(broker_id), data.data, validate_only=data.validate_only)


class ClusterConfigs(Controller):
    path = "/{cluster_id:str}"

    @get("/broker-configs")
    async def list_cluster_configs(self, here: Here, cluster_id: str) -> Answer:
        return await _listed(here, _OF_CLUSTER)

    @get("/broker-configs/{name:str}")
    async def get_cluster_config(self, here: Here, cluster_id: str, name: str) -> Answer:
        return await _found(here, _OF_CLUSTER, name)

    @put("/broker-configs/{name:str}", status_code=204)
    async def update_cluster_config(self, here: Here, cluster_id: str, name: str, data: NewValue) -> None:
        await _altered(here, _OF_CLUSTER, [Alteration(name, data.value)])

    @delete("/broker-configs/{name:str}")
    async def reset_cluster_config(self, here: Here, cluster_id: str, name: str) -> None:
        await _altered(here, _OF_CLUSTER, [Alteration(name, None, Operation.DELETE)])

    @post("/broker-configs:alter", status_code=204)
    async def alter_cluster_configs(self, here: Here, cluster_id: str, data: Alterations) -> None:
        await _altered(here, _OF_CLUSTER, data.data, validate_only=data.validate_only)
