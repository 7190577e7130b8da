"""Broker settings about share groups: how their coordinators keep what became of records, and what their readers may
take up at the leaders of partitions.
"""

from penstock.settings.checks import at_least, between
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import BOOLEAN, INT, SHORT, STRING, mib, minutes, seconds

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH
_LOW = Importance.LOW

SHARE_COORDINATOR_STATE_TOPIC_NUM_PARTITIONS = setting(
    "share.coordinator.state.topic.num.partitions", _BROKER, INT, default=50, check=at_least(1), importance=_HIGH,
    doc="Partitions of `__share_group_state` when it is created. It says which partition keeps the state of a share "
        "partition, so it must not be changed later.",
)  # fmt: skip
SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR = setting(
    "share.coordinator.state.topic.replication.factor", _BROKER, SHORT, default=3, check=at_least(1), importance=_HIGH,
    doc="Replicas of `__share_group_state` when it is created. A broker that stands alone makes one.",
)  # fmt: skip
SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR = setting(
    "share.coordinator.state.topic.min.isr", _BROKER, SHORT, default=2, check=at_least(1), importance=_HIGH,
    doc="Replicas of `__share_group_state` that must be in sync for share groups to go on. No more than it has.",
)  # fmt: skip
SHARE_COORDINATOR_STATE_TOPIC_SEGMENT_BYTES = setting(
    "share.coordinator.state.topic.segment.bytes", _BROKER, INT, default=mib(100), check=at_least(1), importance=_HIGH,
    doc="Size at which a segment of `__share_group_state` is closed. Closed ones are deleted once all that they say "
        "was said again.",
)  # fmt: skip
SHARE_COORDINATOR_STATE_TOPIC_COMPRESSION_CODEC = setting(
    "share.coordinator.state.topic.compression.codec", _BROKER, INT, default=0, check=between(0, 4), importance=_HIGH,
    doc="How batches in `__share_group_state` are compressed: 0 not, 1 gzip, 2 snappy, 3 lz4, 4 zstd.",
)  # fmt: skip
SHARE_COORDINATOR_SNAPSHOT_UPDATE_RECORDS_PER_SNAPSHOT = setting(
    "share.coordinator.snapshot.update.records.per.snapshot", _BROKER, INT, default=500, check=between(0, 500),
    doc="So many changes of a share partition are written as increments before all of its state is written again.",
)  # fmt: skip
SHARE_COORDINATOR_WRITE_TIMEOUT_MS = setting(
    "share.coordinator.write.timeout.ms", _BROKER, INT, default=seconds(5), check=at_least(1), importance=_HIGH,
    doc="How long a share coordinator waits for a change to be replicated before it answers "
        "COORDINATOR_NOT_AVAILABLE.",
)  # fmt: skip
SHARE_COORDINATOR_STATE_TOPIC_PRUNE_INTERVAL_MS = setting(
    "share.coordinator.state.topic.prune.interval.ms", _BROKER, INT, default=minutes(5), check=at_least(1),
    importance=_LOW, internal=True,
    doc="How often the beginning of each partition of `__share_group_state` is cut off, as far as all that it says was "
        "said again.",
)  # fmt: skip
SHARE_COORDINATOR_COLD_PARTITION_SNAPSHOT_INTERVAL_MS = setting(
    "share.coordinator.cold.partition.snapshot.interval.ms", _BROKER, INT, default=minutes(5), check=at_least(1),
    importance=_LOW, internal=True,
    doc="The state of a share partition that is older than this is written again where it keeps the log from being "
        "cut.",
)  # fmt: skip
PENSTOCK_SHARE_PARTITIONS_PER_STATE_PARTITION_MAX = setting(
    "penstock.share.partitions.per.state.partition.max", _BROKER, INT, default=20_000, check=at_least(1),
    doc="Share partitions (a partition as one share group sees it) that one partition of `__share_group_state` keeps. "
        "Further ones are refused (POLICY_VIOLATION) until groups or topics are deleted.",
)  # fmt: skip

ERRORS_DEADLETTERQUEUE_AUTO_CREATE_TOPICS_ENABLE = setting(
    "errors.deadletterqueue.auto.create.topics.enable", _BROKER, BOOLEAN, default=False, live=True,
    doc="Whether brokers make a share group's dead-letter topic when they need it and there is none.",
)  # fmt: skip
ERRORS_DEADLETTERQUEUE_TOPIC_NAME_PREFIX = setting(
    "errors.deadletterqueue.topic.name.prefix", _BROKER, STRING, default="dlq.", live=True,
    doc="What the name of a dead-letter topic begins with: no group may set another. Empty: any name will do.",
)  # fmt: skip

GROUP_SHARE_MAX_SHARE_SESSIONS = setting(
    "group.share.max.share.sessions", _BROKER, INT, default=2000, check=at_least(1),
    doc="Share sessions of this broker: each member of a share group has one with every broker that it reads from. Who "
        "comes after them waits as long as a fetch would, and is told to try again (SHARE_SESSION_LIMIT_REACHED).",
)  # fmt: skip
PENSTOCK_SHARE_PARTITIONS_MAX = setting(
    "penstock.share.partitions.max", _BROKER, INT, default=100_000, check=at_least(1),
    doc="Partitions that share groups read at this broker, counted once for each group. Further ones are refused with "
        "POLICY_VIOLATION.",
)  # fmt: skip
