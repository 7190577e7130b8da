"""Where each API goes, and whether asking twice does harm: one row an API.

A new API gets its row here; `Core.scatter` and `Core.routed` do the rest: find the brokers, ask them at the same time,
ask again where the answer was that somebody else knows by now.
"""

import enum
from typing import Final, NamedTuple

from penstock.client.network import NotConnected
from penstock.errors import (
    ElectionNotNeeded,
    EligibleLeadersNotAvailable,
    KafkaStorageError,
    NetworkFailure,
    PreferredLeaderNotAvailable,
    Refusal,
    RequestTimedOut,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.wire.api import ApiKey


class Where(enum.Enum):
    ANY = "any broker"
    CONTROLLER = "the controller, or a broker that passes it on"
    GROUP = "the coordinator of the group"
    TRANSACTION = "the coordinator of the transactional id"
    LEADER = "the leader of the partition"
    BROKER = "the broker that is named"


COORDINATOR_KINDS: Final = {Where.GROUP: 0, Where.TRANSACTION: 1}


class Route(NamedTuple):
    where: Where
    reads: bool
    """Asking twice does no harm: asked again where the answer was lost on the way."""


_READ, _WRITE = True, False

ROUTES: Final[dict[ApiKey, Route]] = {
    ApiKey.METADATA: Route(Where.ANY, _READ),
    ApiKey.FIND_COORDINATOR: Route(Where.ANY, _READ),
    ApiKey.DESCRIBE_CLUSTER: Route(Where.ANY, _READ),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: Route(Where.ANY, _READ),
    ApiKey.DESCRIBE_QUORUM: Route(Where.ANY, _READ),
    ApiKey.LIST_CONFIG_RESOURCES: Route(Where.ANY, _READ),
    ApiKey.DESCRIBE_ACLS: Route(Where.ANY, _READ),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: Route(Where.ANY, _READ),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: Route(Where.ANY, _READ),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: Route(Where.ANY, _READ),
    ApiKey.GET_TELEMETRY_SUBSCRIPTIONS: Route(Where.ANY, _READ),
    ApiKey.CREATE_TOPICS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.DELETE_TOPICS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.CREATE_PARTITIONS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.ELECT_LEADERS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Route(Where.CONTROLLER, _READ),
    ApiKey.UPDATE_FEATURES: Route(Where.CONTROLLER, _WRITE),
    ApiKey.UNREGISTER_BROKER: Route(Where.CONTROLLER, _WRITE),
    ApiKey.CREATE_ACLS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.DELETE_ACLS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.ALTER_CLIENT_QUOTAS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: Route(Where.CONTROLLER, _WRITE),
    ApiKey.CREATE_DELEGATION_TOKEN: Route(Where.CONTROLLER, _WRITE),
    ApiKey.RENEW_DELEGATION_TOKEN: Route(Where.CONTROLLER, _WRITE),
    ApiKey.EXPIRE_DELEGATION_TOKEN: Route(Where.CONTROLLER, _WRITE),
    ApiKey.DESCRIBE_CONFIGS: Route(Where.BROKER, _READ),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Route(Where.BROKER, _WRITE),
    ApiKey.DESCRIBE_LOG_DIRS: Route(Where.BROKER, _READ),
    ApiKey.ALTER_REPLICA_LOG_DIRS: Route(Where.BROKER, _WRITE),
    ApiKey.LIST_GROUPS: Route(Where.BROKER, _READ),
    ApiKey.LIST_TRANSACTIONS: Route(Where.BROKER, _READ),
    ApiKey.LIST_OFFSETS: Route(Where.LEADER, _READ),
    ApiKey.FETCH: Route(Where.LEADER, _READ),
    ApiKey.PRODUCE: Route(Where.LEADER, _READ),  # of numbered batches: one that is there already is known again
    ApiKey.DELETE_RECORDS: Route(Where.LEADER, _READ),  # to the same offset once more
    ApiKey.DESCRIBE_PRODUCERS: Route(Where.LEADER, _READ),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Route(Where.LEADER, _READ),
    ApiKey.WRITE_TXN_MARKERS: Route(Where.LEADER, _WRITE),
    ApiKey.DESCRIBE_GROUPS: Route(Where.GROUP, _READ),
    ApiKey.CONSUMER_GROUP_DESCRIBE: Route(Where.GROUP, _READ),
    ApiKey.SHARE_GROUP_DESCRIBE: Route(Where.GROUP, _READ),
    ApiKey.STREAMS_GROUP_DESCRIBE: Route(Where.GROUP, _READ),
    ApiKey.DELETE_GROUPS: Route(Where.GROUP, _WRITE),
    ApiKey.OFFSET_FETCH: Route(Where.GROUP, _READ),
    ApiKey.OFFSET_COMMIT: Route(Where.GROUP, _READ),  # the same offsets once more
    ApiKey.OFFSET_DELETE: Route(Where.GROUP, _READ),
    ApiKey.LEAVE_GROUP: Route(Where.GROUP, _WRITE),
    ApiKey.JOIN_GROUP: Route(Where.GROUP, _WRITE),
    ApiKey.SYNC_GROUP: Route(Where.GROUP, _WRITE),
    ApiKey.HEARTBEAT: Route(Where.GROUP, _READ),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: Route(Where.GROUP, _READ),  # says the same once more
    ApiKey.SHARE_GROUP_HEARTBEAT: Route(Where.GROUP, _READ),
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: Route(Where.GROUP, _READ),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: Route(Where.GROUP, _WRITE),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: Route(Where.GROUP, _WRITE),
    ApiKey.DESCRIBE_TRANSACTIONS: Route(Where.TRANSACTION, _READ),
    # A transactional producer names its epoch: what was done before is known again.
    ApiKey.INIT_PRODUCER_ID: Route(Where.TRANSACTION, _READ),
    ApiKey.ADD_PARTITIONS_TO_TXN: Route(Where.TRANSACTION, _READ),
    ApiKey.ADD_OFFSETS_TO_TXN: Route(Where.TRANSACTION, _READ),
    ApiKey.END_TXN: Route(Where.TRANSACTION, _READ),
    ApiKey.TXN_OFFSET_COMMIT: Route(Where.GROUP, _READ),
}

ANSWERS: Final = (
    UnknownTopicOrPartition,
    UnknownTopicId,
    ElectionNotNeeded,
    PreferredLeaderNotAvailable,
    EligibleLeadersNotAvailable,
)
"""Refusals that Kafka calls retriable, and that are what an operator wanted to know."""

NAMED_BROKER_ATTEMPTS: Final = 3
"""Nobody else can answer for a broker that refuses connections, so there is no point in waiting long."""

STORAGE_ATTEMPTS: Final = 6
"""Some three seconds. A leader whose disk fails has another elected in that time, or there is no other."""


def may_ask_again(route: Route, refusal: Refusal, attempt: int) -> bool:
    if isinstance(refusal, NotConnected):
        return route.where is not Where.BROKER or attempt < NAMED_BROKER_ATTEMPTS
    if isinstance(refusal, (NetworkFailure, RequestTimedOut)):
        return route.reads
    if isinstance(refusal, KafkaStorageError):
        return attempt < STORAGE_ATTEMPTS
    return refusal.retriable and not isinstance(refusal, ANSWERS)
