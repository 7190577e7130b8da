# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
"""Every API of Kafka 4.3.0 by key, with its versions as the schemas have them. See penstock.wire.api."""

from enum import IntEnum
from typing import NamedTuple


class ApiKey(IntEnum):
    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92


class ApiFacts(NamedTuple):
    module: str | None  # of its messages in penstock.wire.messages, without the ending; None: left out
    oldest: int
    latest: int
    latest_is_unstable: bool
    flexible_from: int | None
    listeners: frozenset[str]


APIS: dict[ApiKey, ApiFacts] = {
    ApiKey.PRODUCE: ApiFacts("produce", 3, 13, False, 9, frozenset(["broker"])),
    ApiKey.FETCH: ApiFacts("fetch", 4, 18, False, 12, frozenset(["broker", "controller"])),
    ApiKey.LIST_OFFSETS: ApiFacts("list_offsets", 1, 11, False, 6, frozenset(["broker"])),
    ApiKey.METADATA: ApiFacts("metadata", 0, 13, False, 9, frozenset(["broker"])),
    ApiKey.OFFSET_COMMIT: ApiFacts("offset_commit", 2, 10, False, 8, frozenset(["broker"])),
    ApiKey.OFFSET_FETCH: ApiFacts("offset_fetch", 1, 10, False, 6, frozenset(["broker"])),
    ApiKey.FIND_COORDINATOR: ApiFacts("find_coordinator", 0, 6, False, 3, frozenset(["broker"])),
    ApiKey.JOIN_GROUP: ApiFacts("join_group", 0, 9, False, 6, frozenset(["broker"])),
    ApiKey.HEARTBEAT: ApiFacts("heartbeat", 0, 4, False, 4, frozenset(["broker"])),
    ApiKey.LEAVE_GROUP: ApiFacts("leave_group", 0, 5, False, 4, frozenset(["broker"])),
    ApiKey.SYNC_GROUP: ApiFacts("sync_group", 0, 5, False, 4, frozenset(["broker"])),
    ApiKey.DESCRIBE_GROUPS: ApiFacts("describe_groups", 0, 6, False, 5, frozenset(["broker"])),
    ApiKey.LIST_GROUPS: ApiFacts("list_groups", 0, 5, False, 3, frozenset(["broker"])),
    ApiKey.SASL_HANDSHAKE: ApiFacts("sasl_handshake", 0, 1, False, None, frozenset(["broker", "controller"])),
    ApiKey.API_VERSIONS: ApiFacts("api_versions", 0, 4, False, 3, frozenset(["broker", "controller"])),
    ApiKey.CREATE_TOPICS: ApiFacts("create_topics", 2, 7, False, 5, frozenset(["broker", "controller"])),
    ApiKey.DELETE_TOPICS: ApiFacts("delete_topics", 1, 6, False, 4, frozenset(["broker", "controller"])),
    ApiKey.DELETE_RECORDS: ApiFacts("delete_records", 0, 2, False, 2, frozenset(["broker"])),
    ApiKey.INIT_PRODUCER_ID: ApiFacts("init_producer_id", 0, 6, True, 2, frozenset(["broker"])),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: ApiFacts("offset_for_leader_epoch", 2, 4, False, 4, frozenset(["broker"])),
    ApiKey.ADD_PARTITIONS_TO_TXN: ApiFacts("add_partitions_to_txn", 0, 5, False, 3, frozenset(["broker"])),
    ApiKey.ADD_OFFSETS_TO_TXN: ApiFacts("add_offsets_to_txn", 0, 4, False, 3, frozenset(["broker"])),
    ApiKey.END_TXN: ApiFacts("end_txn", 0, 5, False, 3, frozenset(["broker"])),
    ApiKey.WRITE_TXN_MARKERS: ApiFacts("write_txn_markers", 1, 2, False, 1, frozenset(["broker"])),
    ApiKey.TXN_OFFSET_COMMIT: ApiFacts("txn_offset_commit", 0, 5, False, 3, frozenset(["broker"])),
    ApiKey.DESCRIBE_ACLS: ApiFacts("describe_acls", 1, 3, False, 2, frozenset(["broker", "controller"])),
    ApiKey.CREATE_ACLS: ApiFacts("create_acls", 1, 3, False, 2, frozenset(["broker", "controller"])),
    ApiKey.DELETE_ACLS: ApiFacts("delete_acls", 1, 3, False, 2, frozenset(["broker", "controller"])),
    ApiKey.DESCRIBE_CONFIGS: ApiFacts("describe_configs", 1, 4, False, 4, frozenset(["broker", "controller"])),
    ApiKey.ALTER_CONFIGS: ApiFacts("alter_configs", 0, 2, False, 2, frozenset(["broker", "controller"])),
    ApiKey.ALTER_REPLICA_LOG_DIRS: ApiFacts("alter_replica_log_dirs", 1, 2, False, 2, frozenset(["broker"])),
    ApiKey.DESCRIBE_LOG_DIRS: ApiFacts("describe_log_dirs", 1, 5, False, 2, frozenset(["broker"])),
    ApiKey.SASL_AUTHENTICATE: ApiFacts("sasl_authenticate", 0, 2, False, 2, frozenset(["broker", "controller"])),
    ApiKey.CREATE_PARTITIONS: ApiFacts("create_partitions", 0, 3, False, 2, frozenset(["broker", "controller"])),
    ApiKey.CREATE_DELEGATION_TOKEN: ApiFacts(
        "create_delegation_token", 1, 3, False, 2, frozenset(["broker", "controller"])
    ),
    ApiKey.RENEW_DELEGATION_TOKEN: ApiFacts(
        "renew_delegation_token", 1, 2, False, 2, frozenset(["broker", "controller"])
    ),
    ApiKey.EXPIRE_DELEGATION_TOKEN: ApiFacts(
        "expire_delegation_token", 1, 2, False, 2, frozenset(["broker", "controller"])
    ),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: ApiFacts(
        "describe_delegation_token", 1, 3, False, 2, frozenset(["broker", "controller"])
    ),
    ApiKey.DELETE_GROUPS: ApiFacts("delete_groups", 0, 2, False, 2, frozenset(["broker"])),
    ApiKey.ELECT_LEADERS: ApiFacts("elect_leaders", 0, 2, False, 2, frozenset(["broker", "controller"])),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: ApiFacts(
        "incremental_alter_configs", 0, 1, False, 1, frozenset(["broker", "controller"])
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: ApiFacts(
        "alter_partition_reassignments", 0, 1, False, 0, frozenset(["broker", "controller"])
    ),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: ApiFacts(
        "list_partition_reassignments", 0, 0, False, 0, frozenset(["broker", "controller"])
    ),
    ApiKey.OFFSET_DELETE: ApiFacts("offset_delete", 0, 0, False, None, frozenset(["broker"])),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: ApiFacts("describe_client_quotas", 0, 1, False, 1, frozenset(["broker"])),
    ApiKey.ALTER_CLIENT_QUOTAS: ApiFacts("alter_client_quotas", 0, 1, False, 1, frozenset(["broker", "controller"])),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: ApiFacts(
        "describe_user_scram_credentials", 0, 0, False, 0, frozenset(["broker", "controller"])
    ),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: ApiFacts(
        "alter_user_scram_credentials", 0, 0, False, 0, frozenset(["broker", "controller"])
    ),
    ApiKey.VOTE: ApiFacts(None, 0, 2, False, 0, frozenset(["controller"])),
    ApiKey.BEGIN_QUORUM_EPOCH: ApiFacts(None, 0, 1, False, 1, frozenset(["controller"])),
    ApiKey.END_QUORUM_EPOCH: ApiFacts(None, 0, 1, False, 1, frozenset(["controller"])),
    ApiKey.DESCRIBE_QUORUM: ApiFacts("describe_quorum", 0, 2, False, 0, frozenset(["broker", "controller"])),
    ApiKey.ALTER_PARTITION: ApiFacts(None, 2, 3, False, 0, frozenset(["controller"])),
    ApiKey.UPDATE_FEATURES: ApiFacts("update_features", 0, 2, False, 0, frozenset(["broker", "controller"])),
    ApiKey.ENVELOPE: ApiFacts(None, 0, 0, False, 0, frozenset(["controller"])),
    ApiKey.FETCH_SNAPSHOT: ApiFacts(None, 0, 1, False, 0, frozenset(["controller"])),
    ApiKey.DESCRIBE_CLUSTER: ApiFacts("describe_cluster", 0, 2, False, 0, frozenset(["broker", "controller"])),
    ApiKey.DESCRIBE_PRODUCERS: ApiFacts("describe_producers", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.BROKER_REGISTRATION: ApiFacts(None, 0, 4, False, 0, frozenset(["controller"])),
    ApiKey.BROKER_HEARTBEAT: ApiFacts(None, 0, 2, False, 0, frozenset(["controller"])),
    ApiKey.UNREGISTER_BROKER: ApiFacts("unregister_broker", 0, 0, False, 0, frozenset(["broker", "controller"])),
    ApiKey.DESCRIBE_TRANSACTIONS: ApiFacts("describe_transactions", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.LIST_TRANSACTIONS: ApiFacts("list_transactions", 0, 2, False, 0, frozenset(["broker"])),
    ApiKey.ALLOCATE_PRODUCER_IDS: ApiFacts(None, 0, 0, False, 0, frozenset(["controller"])),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: ApiFacts("consumer_group_heartbeat", 0, 1, False, 0, frozenset(["broker"])),
    ApiKey.CONSUMER_GROUP_DESCRIBE: ApiFacts("consumer_group_describe", 0, 1, False, 0, frozenset(["broker"])),
    ApiKey.CONTROLLER_REGISTRATION: ApiFacts(None, 0, 0, False, 0, frozenset(["controller"])),
    ApiKey.GET_TELEMETRY_SUBSCRIPTIONS: ApiFacts("get_telemetry_subscriptions", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.PUSH_TELEMETRY: ApiFacts("push_telemetry", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.ASSIGN_REPLICAS_TO_DIRS: ApiFacts(None, 0, 0, False, 0, frozenset(["controller"])),
    ApiKey.LIST_CONFIG_RESOURCES: ApiFacts("list_config_resources", 0, 1, False, 0, frozenset(["broker"])),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: ApiFacts("describe_topic_partitions", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.SHARE_GROUP_HEARTBEAT: ApiFacts("share_group_heartbeat", 1, 1, False, 0, frozenset(["broker"])),
    ApiKey.SHARE_GROUP_DESCRIBE: ApiFacts("share_group_describe", 1, 1, False, 0, frozenset(["broker"])),
    ApiKey.SHARE_FETCH: ApiFacts("share_fetch", 1, 2, False, 0, frozenset(["broker"])),
    ApiKey.SHARE_ACKNOWLEDGE: ApiFacts("share_acknowledge", 1, 2, False, 0, frozenset(["broker"])),
    ApiKey.ADD_RAFT_VOTER: ApiFacts(None, 0, 1, False, 0, frozenset(["broker", "controller"])),
    ApiKey.REMOVE_RAFT_VOTER: ApiFacts(None, 0, 0, False, 0, frozenset(["broker", "controller"])),
    ApiKey.UPDATE_RAFT_VOTER: ApiFacts(None, 0, 0, False, 0, frozenset(["controller"])),
    ApiKey.INITIALIZE_SHARE_GROUP_STATE: ApiFacts(
        "initialize_share_group_state", 0, 0, False, 0, frozenset(["broker"])
    ),
    ApiKey.READ_SHARE_GROUP_STATE: ApiFacts("read_share_group_state", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.WRITE_SHARE_GROUP_STATE: ApiFacts("write_share_group_state", 0, 1, False, 0, frozenset(["broker"])),
    ApiKey.DELETE_SHARE_GROUP_STATE: ApiFacts("delete_share_group_state", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.READ_SHARE_GROUP_STATE_SUMMARY: ApiFacts(
        "read_share_group_state_summary", 0, 1, False, 0, frozenset(["broker"])
    ),
    ApiKey.STREAMS_GROUP_HEARTBEAT: ApiFacts("streams_group_heartbeat", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.STREAMS_GROUP_DESCRIBE: ApiFacts("streams_group_describe", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: ApiFacts(
        "describe_share_group_offsets", 0, 1, False, 0, frozenset(["broker"])
    ),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: ApiFacts("alter_share_group_offsets", 0, 0, False, 0, frozenset(["broker"])),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: ApiFacts("delete_share_group_offsets", 0, 0, False, 0, frozenset(["broker"])),
}
