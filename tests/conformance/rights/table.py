"""The table of rights: one request or two of every API, and what each kind of user is told.

No request changes anything that another one looks at: what would be changed is only validated, or is not there, so that
whoever may is told so by some other error. A name in "$..." is none that a rule can be missed by: rules are about all
resources of a kind. Each topic is asked for where it is there and where it is not: who may not describe it must not see
the difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.conformance.rights.row import (
    BROKER_RESOURCE,
    GROUP,
    GROUP_RESOURCE,
    LOGGER_RESOURCE,
    METRICS_RESOURCE,
    MISSING,
    NO_ID,
    THERE,
    TIMEOUT,
    TOPIC_ID,
    TOPIC_RESOURCE,
    TRANSACTION,
    TRANSACTIONAL,
    Body,
    Row,
)  # fmt: skip
from tests.conformance.rights.shares import share_rows
from tests.support.batches import batch

import penstock.broker.handlers  # noqa: F401 - fills the registry
from penstock.access.rights import Operation, ResourceKind, Right
from penstock.broker.registry import REGISTRY
from penstock.wire.api import ApiKey


def key_of(api: str) -> ApiKey:
    return ApiKey[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", api).upper()]


def records(*, transactional: bool = False) -> bytes:
    if transactional:
        return batch(attributes=TRANSACTIONAL, producer_id=999_999, producer_epoch=0, sequence=0)
    return batch()


def _rows() -> Iterator[Row]:
    yield from _data()
    yield from _topics()
    yield from _groups()
    yield from share_rows()
    yield from _transactions()
    yield from _settings()
    yield from _cluster()
    yield from _access()


def _data() -> Iterator[Row]:
    def produced(name: str, data: bytes, **more: Any) -> Body:
        part = {"index": 0, "records": data}
        return {
            "transactional_id": None,
            "acks": 1,
            **TIMEOUT,
            "topic_data": [{"name": name, "partition_data": [part]}],
        } | more

    yield Row("Produce", produced(THERE, records()), "there", 11)
    yield Row("Produce", produced(MISSING, records()), "missing", 11)
    both = [{"name": name, "partition_data": [{"index": 0, "records": records()}]} for name in (THERE, MISSING)]
    yield Row("Produce", {"transactional_id": None, "acks": -1, **TIMEOUT, "topic_data": both}, "both", 3)
    by_id = [{"topic_id": TOPIC_ID, "partition_data": [{"index": 0, "records": records()}]}]
    yield Row("Produce", {"transactional_id": None, "acks": 1, **TIMEOUT, "topic_data": by_id}, "by id", 13)
    no_id = [{"topic_id": NO_ID, "partition_data": [{"index": 0, "records": records()}]}]
    yield Row(
        "Produce", {"transactional_id": None, "acks": 1, **TIMEOUT, "topic_data": no_id}, "by an id of nobody", 13
    )
    in_transaction = produced(THERE, records(transactional=True), transactional_id=TRANSACTION, acks=-1)
    yield Row("Produce", in_transaction, "in a transaction", 11)
    yield Row("Produce", in_transaction, "in a transaction that it begins", 12)

    def fetched(**topic: Any) -> Body:
        part = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1 << 20, "last_fetched_epoch": -1}
        return {"max_wait_ms": 0, "min_bytes": 0, "topics": [topic | {"partitions": [part]}]}

    for name in (THERE, MISSING):
        yield Row("Fetch", fetched(topic=name), name.removeprefix("rights-"), 12)
    yield Row("Fetch", fetched(topic_id=TOPIC_ID), "by id", 16)
    yield Row("Fetch", fetched(topic_id=NO_ID), "by an id of nobody", 16)
    yield Row("Fetch", fetched(topic=THERE), "there", 4)
    for name in (THERE, MISSING):
        where = name.removeprefix("rights-")
        asked = {"replica_id": -1, "topics": [{"name": name, "partitions": [{"partition_index": 0, "timestamp": -1}]}]}
        yield Row("ListOffsets", asked, where, 9)
        yield Row("ListOffsets", asked, where, 1)
        partition = {"partition": 0, "leader_epoch": 0, "current_leader_epoch": -1}
        asked = {"replica_id": -1, "topics": [{"topic": name, "partitions": [partition]}]}
        yield Row("OffsetForLeaderEpoch", asked, where, 4)
        asked = {"topics": [{"name": name, "partitions": [{"partition_index": 0, "offset": 0}]}], **TIMEOUT}
        yield Row("DeleteRecords", asked, where, 2)
        yield Row("DescribeProducers", {"topics": [{"name": name, "partition_indexes": [0]}]}, where, 0)


def _topics() -> Iterator[Row]:
    for name in (THERE, MISSING):
        where = name.removeprefix("rights-")
        for version in (12, 4):
            asked = {"topics": [{"name": name}], "allow_auto_topic_creation": False}
            yield Row("Metadata", asked, where, version)
        yield Row("DescribeTopicPartitions", {"topics": [{"name": name}], "response_partition_limit": 100}, where)
        yield Row(
            "CreatePartitions", {"topics": [{"name": name, "count": 9}], "validate_only": True, **TIMEOUT}, where, 3
        )
    yield Row("Metadata", {"topics": None, "allow_auto_topic_creation": False}, "all", 12, lists="name")
    yield Row("Metadata", {"topics": []}, "all", 0, lists="name")
    yield Row("Metadata", {"topics": [{"topic_id": TOPIC_ID, "name": None}]}, "by id", 12)
    yield Row("Metadata", {"topics": [{"topic_id": NO_ID, "name": None}]}, "by an id of nobody", 12)
    yield Row(
        "Metadata", {"topics": [{"name": "rights bad name"}], "allow_auto_topic_creation": True}, "to be created", 12
    )
    operations = {"topics": [{"name": THERE}], "include_topic_authorized_operations": True}
    yield Row("Metadata", operations, "operations on a topic", 12, lists="topic_authorized_operations")
    operations = {"topics": [], "include_cluster_authorized_operations": True}
    yield Row("Metadata", operations, "operations on the cluster", 9, lists="cluster_authorized_operations")
    yield Row("DescribeTopicPartitions", {"topics": [], "response_partition_limit": 2_000}, "all", lists="name")
    operations = {"topics": [{"name": THERE}], "response_partition_limit": 100}
    yield Row("DescribeTopicPartitions", operations, "operations", lists="topic_authorized_operations")
    for name in (THERE, MISSING):
        where = name.removeprefix("rights-")
        created = {"name": name, "num_partitions": 1, "replication_factor": 1}
        yield Row("CreateTopics", {"topics": [created], "validate_only": True, **TIMEOUT}, where, 7)
    yield Row("CreateTopics", {"topics": [created], "validate_only": True, **TIMEOUT}, "missing", 4)
    yield Row("DeleteTopics", {"topics": [{"name": MISSING}], **TIMEOUT}, "missing", 6)
    yield Row("DeleteTopics", {"topic_names": [MISSING], **TIMEOUT}, "missing", 1)
    yield Row("DeleteTopics", {"topics": [{"name": None, "topic_id": NO_ID}], **TIMEOUT}, "by an id of nobody", 6)


def _groups() -> Iterator[Row]:
    for key_type, key in ((0, GROUP), (1, TRANSACTION)):
        yield Row("FindCoordinator", {"key_type": key_type, "coordinator_keys": [key]}, f"of type {key_type}", 4)
        yield Row("FindCoordinator", {"key_type": key_type, "key": key}, f"of type {key_type}", 1)
    protocols = [{"name": "range", "metadata": b""}]
    joining = {
        "group_id": "rights-other",
        "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 10_000,
        "member_id": "",
    }
    yield Row("JoinGroup", joining | {"protocol_type": "consumer", "protocols": protocols}, version=5)
    member = {"group_id": GROUP, "generation_id": 1, "member_id": "nobody"}
    yield Row(
        "SyncGroup", member | {"protocol_type": "consumer", "protocol_name": "range", "assignments": []}, version=5
    )
    yield Row("Heartbeat", member, version=4)
    yield Row("LeaveGroup", {"group_id": GROUP, "members": [{"member_id": "nobody"}]}, version=4)
    yield Row("LeaveGroup", {"group_id": GROUP, "member_id": "nobody"}, version=1)
    for name in (THERE, MISSING):
        where = name.removeprefix("rights-")
        part = {"partition_index": 0, "committed_offset": 0, "committed_metadata": ""}
        commit = {"group_id": GROUP, "generation_id_or_member_epoch": -1, "member_id": ""}
        for version in (2, 9):
            yield Row("OffsetCommit", commit | {"topics": [{"name": name, "partitions": [part]}]}, where, version)
        asked = {"name": name, "partition_indexes": [0]}
        yield Row("OffsetFetch", {"groups": [{"group_id": GROUP, "topics": [asked]}]}, where, 9)
        for version in (1, 5):
            yield Row("OffsetFetch", {"group_id": GROUP, "topics": [asked]}, where, version)
        deleted = {"group_id": GROUP, "topics": [{"name": name, "partitions": [{"partition_index": 7}]}]}
        yield Row("OffsetDelete", deleted, where, 0)
        part = {"partition_index": 0, "committed_offset": 0, "committed_metadata": ""}
        sent = {"transactional_id": TRANSACTION, "group_id": GROUP, "producer_id": 999_999, "producer_epoch": 0}
        sent |= {"generation_id": 5, "member_id": "nobody"}
        yield Row("TxnOffsetCommit", sent | {"topics": [{"name": name, "partitions": [part]}]}, where, 4)
        heartbeat = {
            "group_id": "rights-other-2",
            "member_id": "nobody",
            "member_epoch": 3,
            "rebalance_timeout_ms": 10_000,
        }
        heartbeat |= {"subscribed_topic_names": [name], "topic_partitions": []}
        yield Row("ConsumerGroupHeartbeat", heartbeat, where, 0)
    commit = {"group_id": GROUP, "generation_id_or_member_epoch": -1, "member_id": ""}
    by_id = {"topic_id": TOPIC_ID, "partitions": [part]}
    yield Row("OffsetCommit", commit | {"topics": [by_id]}, "by id", 10)
    yield Row("OffsetCommit", commit | {"topics": [by_id | {"topic_id": NO_ID}]}, "by an id of nobody", 10)
    for version in (2, 8):
        one: Body = {"group_id": GROUP, "topics": None}
        asked = {"groups": [one]} if version >= 8 else one
        yield Row("OffsetFetch", asked, "all", version, lists="name")
    asked = {"group_id": GROUP, "topics": [{"topic_id": TOPIC_ID, "partition_indexes": [0]}]}
    yield Row("OffsetFetch", {"groups": [asked]}, "by id", 10)
    asked = {"group_id": GROUP, "topics": [{"topic_id": NO_ID, "partition_indexes": [0]}]}
    yield Row("OffsetFetch", {"groups": [asked]}, "by an id of nobody", 10)
    yield Row("ListGroups", {}, version=4, lists="group_id")
    yield Row(
        "DescribeGroups",
        {"groups": [GROUP], "include_authorized_operations": True},
        version=5,
        lists="authorized_operations",
    )
    described = {"group_ids": [GROUP], "include_authorized_operations": True}
    yield Row("ConsumerGroupDescribe", described, lists="authorized_operations")
    yield Row("DeleteGroups", {"groups_names": ["rights-nobodys"]}, version=2)


def _transactions() -> Iterator[Row]:
    yield Row("InitProducerId", {"transactional_id": None, "transaction_timeout_ms": 1_000}, "idempotent", 4)
    # A timeout that nobody may have.
    yield Row(
        "InitProducerId", {"transactional_id": TRANSACTION, "transaction_timeout_ms": 1 << 30}, "transactional", 4
    )
    producer = {"producer_id": 999_999, "producer_epoch": 0}
    for name in (THERE, MISSING):
        added: Body = {
            "v3_and_below_transactional_id": TRANSACTION,
            "v3_and_below_topics": [{"name": name, "partitions": [0]}],
        }
        added = added | {"v3_and_below_producer_id": 999_999, "v3_and_below_producer_epoch": 0}
        yield Row("AddPartitionsToTxn", added, name.removeprefix("rights-"), 3)
    one = {
        "transactional_id": TRANSACTION,
        **producer,
        "topics": [{"name": THERE, "partitions": [0]}],
        "verify_only": True,
    }
    yield Row("AddPartitionsToTxn", {"transactions": [one]}, "from brokers", 4)
    yield Row("AddOffsetsToTxn", {"transactional_id": TRANSACTION, **producer, "group_id": GROUP}, version=3)
    yield Row("EndTxn", {"transactional_id": TRANSACTION, **producer, "committed": True}, version=3)
    marker = {**producer, "transaction_result": False, "coordinator_epoch": 0}
    marked = marker | {"topics": [{"name": MISSING, "partition_indexes": [0]}]}
    yield Row("WriteTxnMarkers", {"markers": [marked]}, version=1)
    described = {"transactional_ids": [TRANSACTION, "rights-nobodys"]}
    yield Row("DescribeTransactions", described, version=0)
    yield Row("ListTransactions", {"state_filters": [], "producer_id_filters": []}, version=0, lists="transactional_id")


def _settings() -> Iterator[Row]:
    kinds = {
        "topic": (TOPIC_RESOURCE, THERE, "retention.ms", "1000"),
        "topic missing": (TOPIC_RESOURCE, MISSING, "retention.ms", "1000"),
        "broker": (BROKER_RESOURCE, "1", "log.retention.ms", "1000"),
        "logger": (LOGGER_RESOURCE, "1", "kafka", "INFO"),
        "metrics": (METRICS_RESOURCE, "rights-metrics", "interval.ms", "1000"),
        "group": (GROUP_RESOURCE, GROUP, "consumer.session.timeout.ms", "50000"),
    }
    for name, (kind, resource, setting, value) in kinds.items():
        asked = {"resource_type": kind, "resource_name": resource}
        yield Row("DescribeConfigs", {"resources": [asked | {"configuration_keys": [setting]}]}, name, 4)
        change = {"name": setting, "config_operation": 0, "value": value}
        yield Row(
            "IncrementalAlterConfigs", {"resources": [asked | {"configs": [change]}], "validate_only": True}, name, 1
        )
        if kind != LOGGER_RESOURCE:
            change = {"name": setting, "value": value}
            yield Row("AlterConfigs", {"resources": [asked | {"configs": [change]}], "validate_only": True}, name, 2)
    yield Row("ListConfigResources", {"resource_types": []}, version=1)


def _cluster() -> Iterator[Row]:
    yield Row("ApiVersions", {"client_software_name": "rights", "client_software_version": "1"}, version=3)
    yield Row("DescribeCluster", {}, version=1)
    operations = {"include_cluster_authorized_operations": True}
    yield Row("DescribeCluster", operations, "operations", 1, lists="cluster_authorized_operations")
    partition = {"topic_name": "__cluster_metadata", "partitions": [{"partition_index": 0}]}
    yield Row("DescribeQuorum", {"topics": [partition]}, version=1)
    for version in (1, 4):
        yield Row("DescribeLogDirs", {"topics": [{"topic": THERE, "partitions": [0]}]}, version=version, lists="name")
    folder = {"path": "/nowhere/at/all", "topics": [{"name": THERE, "partitions": [0]}]}
    yield Row("AlterReplicaLogDirs", {"dirs": [folder]}, version=2)
    for version in (0, 2):
        elected = {"topic_partitions": [{"topic": THERE, "partitions": [0]}], **TIMEOUT}
        yield Row("ElectLeaders", elected, version=version)
    moved = {"topics": [{"name": THERE, "partitions": [{"partition_index": 0, "replicas": None}]}], **TIMEOUT}
    yield Row("AlterPartitionReassignments", moved, version=0)
    yield Row("ListPartitionReassignments", {"topics": None, **TIMEOUT}, version=0)
    update = {"feature": "rights.nonsense", "max_version_level": 1, "upgrade_type": 1}
    yield Row("UpdateFeatures", {"feature_updates": [update], "validate_only": True, **TIMEOUT}, version=1)
    yield Row("UnregisterBroker", {"broker_id": 99}, version=0)


def _access() -> Iterator[Row]:
    anything: Body = {"resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1}
    anything |= {"principal_filter": "User:no one at all", "host_filter": None, "operation": 1, "permission_type": 1}
    yield Row("DescribeAcls", anything, version=2)
    nameless = {"resource_type": 2, "resource_name": "", "resource_pattern_type": 3, "principal": "User:a", "host": "*"}
    yield Row("CreateAcls", {"creations": [nameless | {"operation": 3, "permission_type": 3}]}, version=2)
    yield Row("DeleteAcls", {"filters": [anything]}, version=2)
    yield Row("DescribeClientQuotas", {"components": [], "strict": False}, version=1)
    entity = [{"entity_type": "user", "entity_name": "rights-nobody"}]
    change = {"key": "producer_byte_rate", "value": 1_000_000.0, "remove": False}
    yield Row("AlterClientQuotas", {"entries": [{"entity": entity, "ops": [change]}], "validate_only": True}, version=1)
    yield Row("DescribeUserScramCredentials", {"users": [{"name": "rights-nobody"}]}, version=0)
    deletion = {"name": "rights-nobody", "mechanism": 1}
    yield Row("AlterUserScramCredentials", {"deletions": [deletion], "upsertions": []}, version=0)


ROWS: Final = tuple(row for row in _rows() if key_of(row.api) in REGISTRY)

OF_LOGINS: Final = {ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE}
"""They come before anybody is known; what they refuse is no question of rights."""
OF_TOKENS: Final = {
    ApiKey.CREATE_DELEGATION_TOKEN,
    ApiKey.RENEW_DELEGATION_TOKEN,
    ApiKey.EXPIRE_DELEGATION_TOKEN,
    ApiKey.DESCRIBE_DELEGATION_TOKEN,
}
"""Their owners have a table of their own, with the tests of tokens."""


# Users ----------------------------------------------------------------------------------------------------------

READ, WRITE, DESCRIBE, CREATE, DELETE = (
    Operation.READ,
    Operation.WRITE,
    Operation.DESCRIBE,
    Operation.CREATE,
    Operation.DELETE,
)
TOPIC, GROUP_KIND, TXN, CLUSTER = (
    ResourceKind.TOPIC,
    ResourceKind.GROUP,
    ResourceKind.TRANSACTIONAL_ID,
    ResourceKind.CLUSTER,
)
KINDS: Final = (TOPIC, GROUP_KIND, TXN, CLUSTER)
_ABOUT: Final = {
    TOPIC: (3, 4, 5, 6, 7, 8, 10, 11),
    GROUP_KIND: (3, 6, 8, 10, 11),
    TXN: (4, 8),
    CLUSTER: (5, 6, 7, 8, 9, 10, 11, 12),
}
SINGLE: Final = tuple(Right(Operation(operation), kind) for kind in KINDS for operation in _ABOUT[kind])

TOGETHER: Final = {
    "consumer": (Right(READ, GROUP_KIND), Right(READ, TOPIC)),
    "onlooker": (Right(DESCRIBE, GROUP_KIND), Right(DESCRIBE, TOPIC)),
    "producer": (Right(WRITE, TOPIC), Right(WRITE, TXN)),
    "processor": (Right(WRITE, TXN), Right(READ, GROUP_KIND), Right(READ, TOPIC)),
    "cleaner": (Right(DELETE, GROUP_KIND), Right(READ, TOPIC)),
    "creator": (Right(DESCRIBE, TOPIC), Right(CREATE, CLUSTER)),
    "owner": (Right(DESCRIBE, TOPIC), Right(CREATE, TOPIC)),
    "auditor": (Right(DESCRIBE, TXN), Right(DESCRIBE, TOPIC)),
}


@dataclass(frozen=True)
class User:
    name: str
    allowed: tuple[Right, ...] = ()
    denied: tuple[Right, ...] = ()


def _users() -> Iterator[User]:
    yield User("root")
    yield User("nobody")
    for right in SINGLE:
        yield User(f"only-{right.operation.name}-{right.on.name}".lower(), (right,))
    for name, rights in TOGETHER.items():
        yield User(name, rights)
    everything = tuple(Right(Operation.ALL, kind) for kind in KINDS)
    for right in SINGLE:
        yield User(f"all-but-{right.operation.name}-{right.on.name}".lower(), everything, (right,))


USERS: Final = tuple(_users())
SUPER_USER: Final = "root"
