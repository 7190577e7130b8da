"""Every place where Penstock means to answer otherwise than Apache Kafka 4.3.0, with the reason.

An answer that differs and is not covered here fails the suite, and so does a line here that covers nothing any more.
Each line says what Penstock answers: by a value, by a kind of value, or in answers.json, which
`python -m tests.conformance.pin` writes anew, for a look at what changed.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.compare import ABSENT, ANYTHING, PINNED, Difference, Kind

# What is not built is not advertised (RULES 44); these come with the issues named beside them.
_NOT_BUILT = {
    "streams groups": (88, 89),
    "raft, which Penstock does not have": (80, 81),
}
_FEATURES = {
    "eligible.leader.replicas.version": "replication",
    "kraft.version": "raft, which Penstock does not have",
    "streams.version": "streams groups",
}
_TOPIC_CONFIGS_SHOWN = ("CreateTopics", "DescribeConfigs")


def _at(api: str, situation: str, reason: str, path: str = "*", **more: Any) -> Difference:
    return Difference(api, situation, path, reason, **more)


_LISTED_APIS = [
    *(
        Difference("ApiVersions", "*", f"*.api_keys.{key}.*", f"not built yet: {what}", penstock=ABSENT)
        for what, keys in _NOT_BUILT.items()
        for key in keys
    ),
    *(
        Difference("ApiVersions", "*", f"*_features.{feature}.*", f"not built yet: {what}", penstock=ABSENT)
        for feature, what in _FEATURES.items()
    ),
]

_WORDING = [
    *(
        Difference(api, "*", path, "we say what is wrong where Kafka says nothing", kafka=silent, penstock="words")
        for api, path, silent in (
            ("Produce", "*.error_message", None),
            ("CreatePartitions", "*.error_message", None),
            ("AlterPartitionReassignments", "*.error_message", None),
            ("IncrementalAlterConfigs", "*.error_message", None),
            ("DescribeProducers", "*.error_message", None),
            ("DescribeConfigs", "*.error_message", ""),
            ("FindCoordinator", "*.error_message", ""),
            ("ConsumerGroupDescribe", "*.error_message", None),
            ("ShareGroupHeartbeat", "*.error_message", None),
            ("ShareGroupDescribe", "*.error_message", None),
            ("ShareFetch", "*.error_message", None),
            ("ShareAcknowledge", "*.error_message", None),
        )
    ),
    # Of an existing topic Kafka says that it "already exists", and so do we.
    Difference(
        "CreateTopics",
        "a timeout of nothing",
        "*.error_message",
        "we say what is wrong where Kafka says nothing",
        kafka=None,
        penstock="words",
    ),
]

_NO_RAFT = "the metadata is in a store, not in a Raft log: offsets are its revisions, voters are the brokers"
_COUNT = Kind("a number from 0 on", lambda value: isinstance(value, int) and value >= 0)
_CLUSTER = [
    *(
        _at("DescribeQuorum", "of the metadata", _NO_RAFT, path, penstock=_COUNT)
        for path in ("*.leader_epoch", "*.high_watermark", "*.log_end_offset", "*_timestamp")
    ),
    _at(
        "DescribeQuorum",
        "of the metadata",
        _NO_RAFT,
        "*.replica_directory_id",
        penstock=Kind("an id", lambda value: isinstance(value, str) and value.startswith(("b'", 'b"'))),
    ),
    _at("DescribeQuorum", "of the metadata", _NO_RAFT, "*.listeners.*"),
]

_FAILS_ALONE = "a bad partition fails alone: in Kafka it fails the whole request"
_SAYS_INVALID = "what is wrong has a code; Kafka answers UNKNOWN_SERVER_ERROR"

_PRODUCE = [
    *(
        _at("Produce", name, _SAYS_INVALID, "0.*.partition_responses.0.error_code", kafka=-1, penstock=87)
        for name in (
            "records that are noise",
            "a compressed batch of noise",
            "a compressed batch with offsets that jump",
        )
    ),
    _at(
        "Produce",
        "a duplicate of the sixth last",
        "it is known to be in the log; Kafka takes it for one that is out of order (docs/adr/0090)",
        "6.*.error_code",
        kafka=45,
        penstock=46,
    ),
    *(_at("Produce", name, _FAILS_ALONE, "*.1.*") for name in ("magic 3", "magic -1", "a negative length")),
    *(
        _at("Produce", name, "an unknown codec has a code of its own; Kafka answers UNKNOWN_SERVER_ERROR")
        for name in ("an unknown codec", "codec 7")
    ),
    *(
        _at("Produce", name, "an attribute we do not know may change how the batch is read, so it is refused")
        for name in ("bits without a meaning", "a delete horizon from a client")
    ),
    _at("Produce", "bytes after the batch", "Kafka drops the bytes silently; we refuse what is not one batch"),
    *(
        _at("Produce", name, "records that share an offset or skip one are refused; Kafka takes them if not compressed")
        for name in ("offsets inside that jump", "offsets inside that repeat")
    ),
    _at("Produce", "null records", "Kafka never answers; we say that a batch is missing"),
    _at("Produce", "one partition twice", "we append both batches; Kafka keeps one and drops the other silently"),
    _at("Produce", "a producer id without an epoch", "Kafka keeps state under epoch -1; no producer means that"),
    _at(
        "Produce",
        "transactions: a batch that names no producer",
        "a transactional batch of nobody belongs to no transaction that could be decided; Kafka takes it",
    ),
]

_MARKERS = [
    _at("WriteTxnMarkers", "transactions: one partition twice", "we write both; Kafka writes one and never answers"),
    _at(
        "WriteTxnMarkers",
        "transactions: a negative epoch",
        "INVALID_REQUEST: Kafka fails with UNKNOWN_SERVER_ERROR",
        "0.*.error_code",
        kafka=-1,
        penstock=42,
    ),
    _at(
        "WriteTxnMarkers",
        "transactions: records after a marker that came too early",
        "we say what is wrong where Kafka says nothing",
        "2.*.error_message",
        kafka=None,
        penstock="words",
    ),
]

_WIRE = [
    _at(
        "ApiVersions",
        "wire: a TLS hello",
        "it is told so in TLS, for its user to read; then both close",
        "0.connection",
        penstock="a TLS alert",
    ),
]

_TRANSACTIONS = [
    _at("AddPartitionsToTxn", "no transactions", "Kafka never answers; there is nothing to say, and we say it"),
]

_FETCH = [
    _at("Fetch", "room for one batch and a half", "we send whole batches; clients drop Kafka's half", "*.partial"),
    _at("Fetch", "one partition twice", "we answer both; Kafka answers the last"),
    _at("Fetch", "a negative limit", "taken for zero; Kafka answers UNKNOWN_SERVER_ERROR"),
    _at("DeleteRecords", "one partition twice", "we do both in turn; Kafka does the last"),
]

_METADATA = [
    _at(
        "CreateTopics",
        "names that collide in a request",
        "names that would be one in metrics are kept apart within a request too; Kafka looks only at topics that exist",
        "*.topics.$c_d.*",
    ),
    _at("Metadata", "neither id nor name", "a bad request has a code; Kafka answers UNKNOWN_SERVER_ERROR", kafka=-1),
    _at("DescribeTopicPartitions", "an empty name", "an invalid name has a code; Kafka answers UNKNOWN_SERVER_ERROR"),
]

_OURS = "a setting of Penstock's own"
_OF_A_SETTING = Kind("what a setting has", lambda value: value is None or isinstance(value, str | int | list))
_ADDRESS = Kind("an address", lambda value: isinstance(value, str) and value.startswith("PLAINTEXT://127.0.0.1:"))
_FOLDER = Kind("a folder", lambda value: isinstance(value, str) and value.startswith("/"))
_BROKER_SETTINGS_NOT_LISTED = {
    "there is no Raft": (
        "controller.quorum.*",
        "controller.socket.timeout.ms",
        "early.start.listeners",
        "initial.broker.registration.timeout.ms",
        "metadata.*",
        "process.roles",
        "broker.heartbeat.interval.ms",
        "broker.session.timeout.ms",
    ),
    "not spoken here, or a client's": (
        "ssl.*",
        "sasl.*",
        "security.*",
        "principal.builder.class",
    ),
    "quotas cannot be left to a plug-in": ("client.quota.callback.class",),
    "replication throttles have no windows to size": (
        "replication.quota.window.*",
        "alter.log.dirs.replication.quota.window.*",
    ),
    "there is no cold tier yet": ("remote.*", "follower.fetch.last.tiered.offset.enable"),
    "streams groups are not built yet": ("group.streams.max.size",),
    "clients' metrics are not taken yet": ("telemetry.max.bytes",),
    "two-phase commit by clients is not built": ("transaction.two.phase.commit.enable",),
    "a partition is always verified": ("transaction.partition.verification.enable",),
    "a clean stop always hands leadership over": ("controlled.shutdown.enable",),
    "both protocols are always on": ("group.coordinator.rebalance.protocols",),
    "one event loop a core, no pools of threads and no queues between them": (
        "background.threads",
        "group.coordinator.background.threads",
        "group.coordinator.threads",
        "share.coordinator.threads",
        "num.io.threads",
        "num.network.threads",
        "num.replica.alter.log.dirs.threads",
        "num.replica.fetchers",
        "queued.max.requests",
    ),
    "nothing waits in a purgatory": (
        "delete.records.purgatory.purge.interval.requests",
        "fetch.purgatory.purge.interval.requests",
        "producer.purgatory.purge.interval.requests",
        "share.fetch.purgatory.purge.interval.requests",
    ),
    "buffers and timers of Kafka's own code": (
        "group.coordinator.append.linger.ms",
        "group.coordinator.cached.buffer.max.bytes",
        "log.cleaner.io.buffer.size",
        "log.flush.start.offset.checkpoint.interval.ms",
        "offsets.load.buffer.size",
        "share.coordinator.append.linger.ms",
        "share.coordinator.cached.buffer.max.bytes",
        "share.coordinator.load.buffer.size",
        "replica.socket.receive.buffer.bytes",
        "socket.connection.setup.timeout*",
        "transaction.state.log.load.buffer.size",
    ),
    "a failed folder's partitions move at once": ("log.dir.failure.timeout.ms", "cordoned.log.dirs"),
    "plug-ins and metrics of the JVM": (
        "alter.config.policy.class.name",
        "config.providers",
        "create.topic.policy.class.name",
        "kafka.metrics.*",
        "metric.reporters",
        "metrics.*",
    ),
}
_MECHANISMS = "SCRAM-SHA-512,SCRAM-SHA-256"
_LATER_RELEASE = "dead letters of share groups (KIP-1191), which Kafka 4.3 does not have"
_DEAD_LETTERS = [
    *(
        Difference(api, "*", "*.configs.errors.deadletterqueue.*", _LATER_RELEASE, kafka=ABSENT, penstock=_OF_A_SETTING)
        for api in _TOPIC_CONFIGS_SHOWN
    ),
    Difference("ApiVersions", "*", "*_features.share.version.max_version*", _LATER_RELEASE, kafka=1, penstock=2),
    Difference("ApiVersions", "*", "*_features.share.version.min_version_level", _LATER_RELEASE, kafka=1, penstock=2),
]
_SETTINGS = [
    *(
        Difference(api, "*", "*.configs.penstock.*", _OURS, kafka=ABSENT, penstock=_OF_A_SETTING)
        for api in _TOPIC_CONFIGS_SHOWN
    ),
    *(
        _at("DescribeConfigs", "a broker*", f"not listed: {why}", f"*.4:1.configs.{name}.*", penstock=ABSENT)
        for why, names in _BROKER_SETTINGS_NOT_LISTED.items()
        for name in names
    ),
    *(
        _at("DescribeConfigs", "a broker*", reason, f"*.4:1.configs.{path}", kafka=kafka, penstock=penstock)
        for path, reason, kafka, penstock in (
            ("sasl.enabled.mechanisms.value", "Kerberos is not spoken here", "GSSAPI", _MECHANISMS),
            ("sasl.enabled.mechanisms.synonyms.*", "Kerberos is not spoken here", "GSSAPI", _MECHANISMS),
            ("sasl.enabled.mechanisms.read_only", "Kafka can change it while it runs", False, True),
            ("ssl.*.read_only", "Kafka can change it while it runs; files are read again here", False, True),
            ("ssl.*store.type.value", "certificates and keys are PEM", "JKS", "PEM"),
            ("ssl.*store.type.synonyms.*", "certificates and keys are PEM", "JKS", "PEM"),
            ("security.inter.broker.protocol.value", "brokers speak what their listener speaks", "PLAINTEXT", None),
            (
                "security.inter.broker.protocol.synonyms",
                "brokers speak what their listener speaks",
                ABSENT,
                _OF_A_SETTING,
            ),
            *(
                (f"{name}.*", "Kafka's authorizer takes it without listing it", ABSENT, _OF_A_SETTING)
                for name in ("super.users", "allow.everyone.if.no.acl.found")
            ),
            ("*.replication.throttled.rate.*", "Kafka takes it without listing it", ABSENT, PINNED),
            (
                "group.share.initialize.retry.interval.ms.*",
                "Kafka takes it without listing it",
                ABSENT,
                _OF_A_SETTING,
            ),
            (
                "replica.alter.log.dirs.io.max.bytes.per.second.*",
                "Kafka takes it without listing it",
                ABSENT,
                PINNED,
            ),
            ("advertised.listeners.*", "Kafka's is set, ours is what it listens on", ANYTHING, PINNED),
            ("listeners.read_only", "Kafka can change it while it runs", False, True),
            ("listeners.value", "the two listen elsewhere", ANYTHING, _ADDRESS),
            ("listeners.synonyms.listeners:?.value", "the two listen elsewhere", ANYTHING, _ADDRESS),
            ("listener.security.protocol.map.*", "Kafka has a controller's listener too", ANYTHING, PINNED),
            ("controller.listener.names.*", "Kafka has a controller's listener too", ANYTHING, PINNED),
            ("node.id.synonyms.*", "a broker alone needs no number given: it has a default here", ABSENT, PINNED),
            ("log.dir.value", "the two keep their data elsewhere", "/tmp/kafka-logs", "penstock-data"),
            ("log.dir.synonyms.*", "the two keep their data elsewhere", "/tmp/kafka-logs", "penstock-data"),
            ("log.dirs.value", "the two keep their data elsewhere", ANYTHING, _FOLDER),
            ("log.dirs.synonyms.*", "the two keep their data elsewhere", ANYTHING, _FOLDER),
            ("queued.max.request.bytes.*", "memory for requests is always bounded", "-1", PINNED),
            ("socket.*.buffer.bytes.*", "the kernel sizes them, at two thirds of the CPU a GB", "102400", "-1"),
        )
    ),
    _at("AlterConfigs", "a topic twice", "Kafka never answers; we refuse both"),
    _at(
        "IncrementalAlterConfigs",
        "an operation that does not exist",
        "a bad request has a code; Kafka answers UNKNOWN_SERVER_ERROR",
        kafka=-1,
    ),
    _at(
        "IncrementalAlterConfigs",
        "batches larger than any request",
        "no batch of that size could be sent: what a topic takes has to fit socket.request.max.bytes",
        "0.*.error_code",
        kafka=0,
        penstock=40,
    ),
    _at(
        "CreatePartitions",
        "too many to be meant",
        "the limit is said with a code of its own; Kafka answers UNKNOWN_SERVER_ERROR",
        "0.*.error_code",
    ),
]

_ACLS = [
    _at(api, "of a kind that does not exist", "there are none of any kind, and we say so; Kafka closes the connection")
    for api in ("DescribeAcls", "CreateAcls", "DeleteAcls")
]

_CONSUMER_GROUPS = [
    _at(
        "ConsumerGroupHeartbeat",
        "into a classic group with data of a known assignor",
        "librdkafka's sticky assignor repeats what members told: nothing is lost, and its groups may change too",
        "2.*",
    ),
    _at(
        "ConsumerGroupHeartbeat",
        "a static member joins again under its own id",
        "the answer to its first request was lost: refused, as Kafka does it, a Java consumer ends",
        "1.*",
    ),
    _at(
        "JoinGroup",
        "into a consumer group",
        "we name members after their clients in such groups too",
        "*.member_id",
        kafka="uuid",
        penstock="raw-uuid",
    ),
    _at(
        "OffsetFetch",
        "a member of a consumer group",
        "UNKNOWN_MEMBER_ID for an epoch without a member: Kafka fails with UNKNOWN_SERVER_ERROR",
        "6.groups.$g.error_code",
        kafka=-1,
        penstock=25,
    ),
]

_SHARE_GROUPS = [
    _at("ShareFetch", "a topic that does not exist", "UNKNOWN_TOPIC_ID of that partition; Kafka fails whole, with -1"),
    _at("ShareFetch", "a way to acquire that does not exist", _SAYS_INVALID, "0.error_code", kafka=-1, penstock=42),
    _at(
        "ShareFetch", "an empty group", "nothing is there to read; Kafka answers UNKNOWN_SERVER_ERROR of the partition"
    ),
    _at(
        "DescribeShareGroupOffsets",
        "an empty group id",
        "no group can have that id: it is refused, as in all other APIs",
    ),
    _at(
        "AlterShareGroupOffsets",
        "an empty group",
        "acts at once; Kafka goes on with what it holds of a partition until the last connection of the group ends",
        "5.*",
    ),
]

DIFFERENCES = [
    *_LISTED_APIS,
    *_CONSUMER_GROUPS,
    *_SHARE_GROUPS,
    *_WIRE,
    *_WORDING,
    *_PRODUCE,
    *_MARKERS,
    *_TRANSACTIONS,
    *_FETCH,
    *_METADATA,
    *_DEAD_LETTERS,
    *_SETTINGS,
    *_CLUSTER,
    *_ACLS,
]
