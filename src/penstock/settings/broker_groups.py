"""Broker settings about groups: their members' timeouts, and how committed offsets are kept."""

from penstock.settings.checks import at_least, between, each_of, matching
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import INT, INT_MAX, LIST, LONG, SHORT, STRING, mib, minutes, seconds

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH

GROUP_MIN_SESSION_TIMEOUT_MS = setting(
    "group.min.session.timeout.ms", _BROKER, INT, default=seconds(6),
    doc="The shortest session a member of a classic group may ask for.",
)  # fmt: skip
GROUP_MAX_SESSION_TIMEOUT_MS = setting(
    "group.max.session.timeout.ms", _BROKER, INT, default=minutes(30),
    doc="The longest session a member of a classic group may ask for: so long may it be silent before it is given up.",
)  # fmt: skip
GROUP_INITIAL_REBALANCE_DELAY_MS = setting(
    "group.initial.rebalance.delay.ms", _BROKER, INT, default=seconds(3),
    doc="How long a classic group that was empty waits for more members, again for each that comes, before its first "
        "rebalance. 0 shares partitions out at once.",
)  # fmt: skip
GROUP_MAX_SIZE = setting(
    "group.max.size", _BROKER, INT, default=INT_MAX, check=at_least(1),
    doc="Members of one classic group. Who comes after them is refused.",
)  # fmt: skip
PENSTOCK_GROUPS_PER_PARTITION_MAX = setting(
    "penstock.groups.per.partition.max", _BROKER, INT, default=20_000, check=at_least(1),
    doc="Groups that one partition of `__consumer_offsets` coordinates. At this many, members and commits of a group "
        "that is not there yet are refused with POLICY_VIOLATION; the groups that are there go on.",
)  # fmt: skip
GROUP_CONSUMER_MAX_SIZE = setting(
    "group.consumer.max.size", _BROKER, INT, default=INT_MAX, check=at_least(1),
    doc="Members of one group of the consumer protocol (KIP-848). Who comes after them is refused.",
)  # fmt: skip
GROUP_CONSUMER_ASSIGNORS = setting(
    "group.consumer.assignors", _BROKER, LIST, default=("uniform", "range"), check=each_of("uniform", "range"),
    doc="Server-side assignors that members of consumer groups may ask for. The first serves those who do not ask.",
)  # fmt: skip
GROUP_SHARE_MAX_SIZE = setting(
    "group.share.max.size", _BROKER, INT, default=200, check=between(1, 1000),
    doc="Members of one share group (KIP-932). Who comes after them is refused.",
)  # fmt: skip
GROUP_SHARE_ASSIGNORS = setting(
    "group.share.assignors", _BROKER, LIST, default=("simple",), check=each_of("simple"),
    doc="The server-side assignor of share groups. There is one: simple.",
)  # fmt: skip
GROUP_SHARE_INITIALIZE_RETRY_INTERVAL_MS = setting(
    "group.share.initialize.retry.interval.ms", _BROKER, INT, default=seconds(30), check=at_least(1),
    doc="After so long without an outcome a share group has the state of a partition begun anew. Never below "
        "offsets.commit.timeout.ms.",
)  # fmt: skip
GROUP_CONSUMER_MIGRATION_POLICY = setting(
    "group.consumer.migration.policy", _BROKER, STRING, default="bidirectional",
    check=matching("(?i)disabled|upgrade|downgrade|bidirectional", text="disabled, upgrade, downgrade, bidirectional"),
    doc="Whether a group with members may change its protocol: to the consumer protocol when a member comes that "
        "speaks it (upgrade), back when the last of them goes (downgrade), both ways, or not at all.",
)  # fmt: skip
GROUP_CONSUMER_REGEX_REFRESH_INTERVAL_MS = setting(
    "group.consumer.regex.refresh.interval.ms", _BROKER, INT, default=minutes(10), check=at_least(10_000),
    internal=True, doc="How often patterns that consumer groups are subscribed to are matched again with all topics, "
        "beside whenever a topic is created.",
)  # fmt: skip
OFFSET_METADATA_MAX_BYTES = setting(
    "offset.metadata.max.bytes", _BROKER, INT, default=4096, importance=_HIGH,
    doc="The longest text that may be committed with an offset.",
)  # fmt: skip
OFFSETS_COMMIT_TIMEOUT_MS = setting(
    "offsets.commit.timeout.ms", _BROKER, INT, default=seconds(5), check=at_least(1), importance=_HIGH,
    doc="How long a commit may take to reach all in-sync replicas before its client is told to try again.",
)  # fmt: skip
OFFSETS_RETENTION_MINUTES = setting(
    "offsets.retention.minutes", _BROKER, INT, default=7 * 24 * 60, check=at_least(1), importance=_HIGH,
    doc="How long offsets are kept of a group without members, counted from when it lost the last, or from a commit "
        "after that; and of topics that its members are not subscribed to, counted from the commit.",
)  # fmt: skip
OFFSETS_RETENTION_CHECK_INTERVAL_MS = setting(
    "offsets.retention.check.interval.ms", _BROKER, LONG, default=minutes(10), check=at_least(1), importance=_HIGH,
    doc="How often it is looked for offsets that are kept too long.",
)  # fmt: skip
OFFSETS_TOPIC_NUM_PARTITIONS = setting(
    "offsets.topic.num.partitions", _BROKER, INT, default=50, check=at_least(1), importance=_HIGH,
    doc="Partitions of `__consumer_offsets` when it is created. It says which partition coordinates a group, so it "
        "must not be changed later.",
)  # fmt: skip
OFFSETS_TOPIC_REPLICATION_FACTOR = setting(
    "offsets.topic.replication.factor", _BROKER, SHORT, default=3, check=at_least(1), importance=_HIGH,
    doc="Replicas of `__consumer_offsets` when it is created. A broker that stands alone makes one.",
)  # fmt: skip
OFFSETS_TOPIC_SEGMENT_BYTES = setting(
    "offsets.topic.segment.bytes", _BROKER, INT, default=mib(100), check=at_least(1), importance=_HIGH,
    doc="Size at which a segment of `__consumer_offsets` is closed; closed ones are compacted.",
)  # fmt: skip
OFFSETS_TOPIC_COMPRESSION_CODEC = setting(
    "offsets.topic.compression.codec", _BROKER, INT, default=0, check=between(0, 4), importance=_HIGH,
    doc="How batches in `__consumer_offsets` are compressed: 0 not, 1 gzip, 2 snappy, 3 lz4, 4 zstd.",
)  # fmt: skip
