"""The cluster: its brokers, their settings, features, data folders and quorum."""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

import msgspec

from penstock.client.core import Core
from penstock.client.network import Node
from penstock.client.outcomes import Outcomes, by_topic, outcome, place
from penstock.errors import Refusal
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from penstock.wire.messages.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_cluster_response import DescribeClusterResponse
from penstock.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from penstock.wire.messages.describe_configs_response import DescribeConfigsResourceResult, DescribeConfigsResponse
from penstock.wire.messages.describe_log_dirs_request import DescribableLogDirTopic, DescribeLogDirsRequest
from penstock.wire.messages.describe_log_dirs_response import DescribeLogDirsResponse, DescribeLogDirsResult
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from penstock.wire.messages.describe_quorum_response import DescribeQuorumResponse
from penstock.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from penstock.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from penstock.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from penstock.wire.messages.list_config_resources_response import ListConfigResourcesResponse
from penstock.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from penstock.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from penstock.wire.messages.update_features_response import UpdateFeaturesResponse

FENCED_FROM = 2


class ResourceType(IntEnum):
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class Resource(NamedTuple):
    """What has settings. A broker's name is its id as text; the empty name stands for all brokers."""

    type: ResourceType
    name: str


class Change(IntEnum):
    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ClusterInfo(msgspec.Struct, frozen=True):
    cluster_id: str
    controller_id: int
    brokers: dict[int, Node]
    fenced: frozenset[int] = frozenset()
    """Those of them that are away."""
    tells_fenced: bool = False
    """Whether brokers that are away are among them; older clusters cannot tell."""


class Features(msgspec.Struct, frozen=True):
    supported: dict[str, tuple[int, int]]
    finalized: dict[str, int]


async def describe_cluster(core: Core, *, include_fenced: bool = False) -> ClusterInfo:
    """Brokers and controller. `include_fenced`: also brokers that are away, where the cluster can tell of them."""
    tells_fenced = False

    def request(version: int) -> DescribeClusterRequest:
        nonlocal tells_fenced
        tells_fenced = include_fenced and version >= FENCED_FROM
        return DescribeClusterRequest(include_fenced_brokers=tells_fenced)

    key = ApiKey.DESCRIBE_CLUSTER
    answer: DescribeClusterResponse = await core.routed(request, api=key, api_key=key)
    return ClusterInfo(
        answer.cluster_id,
        answer.controller_id,
        {each.broker_id: Node(each.broker_id, each.host, each.port, each.rack) for each in answer.brokers},
        frozenset(each.broker_id for each in answer.brokers if each.is_fenced),
        tells_fenced,
    )


async def find_coordinators(core: Core, keys: Iterable[str], *, transactional: bool = False) -> Outcomes[str, Node]:
    """The coordinators of groups, or of transactional ids."""

    async def ask(node: Node | None, some: list[str]) -> dict[str, Node]:
        assert node is not None
        return dict.fromkeys(some, node)

    api = ApiKey.DESCRIBE_TRANSACTIONS if transactional else ApiKey.DESCRIBE_GROUPS
    return await core.scatter(api, keys, ask)


async def api_versions(core: Core, broker_id: int | None = None) -> dict[ApiKey | int, tuple[int, int]]:
    """The oldest and newest version of every API that the broker, or any, offers."""
    if broker_id is None:
        await core.refresh([])
        broker_id = min(core.metadata.brokers)
    elif broker_id not in core.metadata.brokers:
        await core.refresh([])
    node = core.node(broker_id)
    offered = (await core.network.wire_to(node)).connection.versions
    known = set(ApiKey)
    return {ApiKey(key) if key in known else key: versions for key, versions in sorted(offered.items())}


# Settings -----------------------------------------------------------------------------------------------------------


def _home(resource: Resource) -> int | None:
    is_of_one_broker = resource.type in (ResourceType.BROKER, ResourceType.BROKER_LOGGER) and resource.name
    return int(resource.name) if is_of_one_broker else None


async def describe_configs(
    core: Core,
    resources: Iterable[Resource],
    *,
    names: Iterable[str] | None = None,
    synonyms: bool = False,
    documentation: bool = False,
) -> Outcomes[Resource, dict[str, DescribeConfigsResourceResult]]:
    """Settings by name, all of them where none are named. A broker's own are asked of that broker."""
    keys = None if names is None else list(names)

    async def ask(
        node: Node | None, some: list[Resource]
    ) -> dict[Resource, dict[str, DescribeConfigsResourceResult] | Refusal]:
        wanted = [DescribeConfigsResource(each.type, each.name, keys) for each in some]
        request = DescribeConfigsRequest(wanted, include_synonyms=synonyms, include_documentation=documentation)
        answer: DescribeConfigsResponse = await core.ask(node, request)
        return {
            Resource(ResourceType(each.resource_type), each.resource_name): outcome(
                each.error_code, {setting.name: setting for setting in each.configs}, each.error_message
            )
            for each in answer.results
        }

    return await core.scatter(ApiKey.DESCRIBE_CONFIGS, resources, ask, place=_home)


async def alter_configs(
    core: Core,
    changes: Mapping[Resource, Iterable[tuple[str, Change, str | None]]],
    *,
    validate_only: bool = False,
) -> Outcomes[Resource, None]:
    """Change the named settings and leave the others: (name, Change.SET, value), (name, Change.DELETE, None)."""

    async def ask(node: Node | None, some: list[Resource]) -> dict[Resource, Refusal | None]:
        wanted = [
            AlterConfigsResource(each.type, each.name, [AlterableConfig(*change) for change in changes[each]])
            for each in some
        ]
        request = IncrementalAlterConfigsRequest(wanted, validate_only=validate_only)
        answer: IncrementalAlterConfigsResponse = await core.ask(node, request)
        return {
            Resource(ResourceType(each.resource_type), each.resource_name): outcome(
                each.error_code, None, each.error_message
            )
            for each in answer.responses
        }

    return await core.scatter(ApiKey.INCREMENTAL_ALTER_CONFIGS, changes, ask, place=_home)


async def list_config_resources(core: Core, types: Iterable[ResourceType] = ()) -> list[Resource]:
    """All that has settings of its own, of these types or of all."""
    request = ListConfigResourcesRequest([int(each) for each in types])
    answer: ListConfigResourcesResponse = await core.routed(request)
    return [Resource(ResourceType(each.resource_type), each.resource_name) for each in answer.config_resources]


# Features, brokers, quorum ------------------------------------------------------------------------------------------


async def describe_features(core: Core) -> Features:
    """Which features the cluster could use, and at which level each is fixed."""
    await core.refresh([])
    connection = (await core.network.wire_to(core.node(min(core.metadata.brokers)))).connection
    return Features(dict(connection.supported_features), dict(connection.features))


async def update_features(
    core: Core, levels: Mapping[str, int], *, upgrade_type: int = 1, validate_only: bool = False
) -> None:
    """Set each feature to a level; 0 takes it out. `upgrade_type` 2 is a safe downgrade, 3 one that may lose metadata.

    All or none, as brokers do it.
    """
    updates = [FeatureUpdateKey(name, level, upgrade_type=upgrade_type) for name, level in levels.items()]
    request = UpdateFeaturesRequest(core.timeout_ms, updates, validate_only=validate_only)
    answer: UpdateFeaturesResponse = await core.routed(request, at_least=1)
    Outcomes({each.feature: outcome(each.error_code, None, each.error_message) for each in answer.results}).all()


async def unregister_broker(core: Core, broker_id: int) -> None:
    await core.routed(UnregisterBrokerRequest(broker_id))


async def describe_quorum(core: Core) -> DescribeQuorumResponse:
    """Voters and observers of Kafka's metadata quorum; UnsupportedVersion where a cluster has none."""
    topics = [TopicData("__cluster_metadata", [PartitionData(0)])]
    answer: DescribeQuorumResponse = await core.routed(DescribeQuorumRequest(topics))
    for topic in answer.topics:
        for each in topic.partitions:
            Outcomes({0: outcome(each.error_code, None, each.error_message)}).all()
    return answer


# Data folders -------------------------------------------------------------------------------------------------------


async def describe_log_dirs(
    core: Core, brokers: Iterable[int] | None = None, *, partitions: Iterable[TopicPartition] | None = None
) -> Outcomes[int, dict[str, DescribeLogDirsResult]]:
    """The data folders of each broker, by path, with the replicas in them and their sizes."""
    topics = None
    if partitions is not None:
        topics = [DescribableLogDirTopic(topic, indexes) for topic, indexes in by_topic(partitions).items()]

    async def ask(node: Node | None, some: list[int]) -> dict[int, dict[str, DescribeLogDirsResult] | Refusal]:
        answer: DescribeLogDirsResponse = await core.ask(node, DescribeLogDirsRequest(topics))
        return {broker: {each.log_dir: each for each in answer.results} for broker in some}

    ids = await core.broker_ids() if brokers is None else brokers
    return await core.scatter(ApiKey.DESCRIBE_LOG_DIRS, ids, ask)


async def alter_replica_log_dirs(
    core: Core, broker_id: int, folders: Mapping[TopicPartition, str]
) -> Outcomes[TopicPartition, None]:
    """Move this broker's replicas to other data folders of it."""

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, Refusal | None]:
        dirs = [
            AlterReplicaLogDir(
                path,
                [
                    AlterReplicaLogDirTopic(topic, indexes)
                    for topic, indexes in by_topic(each for each in some if folders[each] == path).items()
                ],
            )
            for path in dict.fromkeys(folders[each] for each in some)
        ]
        answer: AlterReplicaLogDirsResponse = await core.ask(node, AlterReplicaLogDirsRequest(dirs))
        return {
            place(topic.topic_name, each.partition_index): outcome(each.error_code, None)
            for topic in answer.results
            for each in topic.partitions
        }

    return await core.scatter(ApiKey.ALTER_REPLICA_LOG_DIRS, folders, ask, place=lambda _: broker_id)
