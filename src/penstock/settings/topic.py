"""Topic settings: all of Kafka 4.3's, and Penstock's own. What a topic does not set it takes from the broker's
synonyms.
"""

from penstock.settings import broker_log as broker
from penstock.settings.checks import at_least, between, between_or, each_of, matching, one_of, throttled_replicas
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import (
    BOOLEAN,
    DOUBLE,
    INT,
    LIST,
    LONG,
    LONG_MAX,
    STRING,
    days,
    gib,
    hours,
    kib,
    mib,
    minutes,
)
from penstock.settings.view_filter.parsing import IS_FILTER

_TOPIC = Scope.TOPIC

# Retention and segments

CLEANUP_POLICY = setting(
    "cleanup.policy", _TOPIC, LIST, default=("delete",), check=each_of("compact", "delete"),
    synonyms=(broker.LOG_CLEANUP_POLICY,),
    doc="What happens to old records: delete drops whole segments by age and size, compact keeps the latest record "
    "of each key; both may be given, and none keeps everything.",
    simulate=(("delete",), ("compact",), ("compact", "delete")),
)  # fmt: skip
RETENTION_MS = setting(
    "retention.ms", _TOPIC, LONG, default=days(7), check=at_least(-1),
    synonyms=(
        broker.LOG_RETENTION_MS, (broker.LOG_RETENTION_MINUTES, minutes), (broker.LOG_RETENTION_HOURS, hours),
    ),
    doc="How long records are kept before their segment may be deleted; -1 keeps them for good.",
    simulate=(1, minutes(1), -1),
)  # fmt: skip
RETENTION_BYTES = setting(
    "retention.bytes", _TOPIC, LONG, default=-1, synonyms=(broker.LOG_RETENTION_BYTES,),
    doc="How large one partition may grow before its oldest segments are deleted; -1 is no limit.",
    simulate=(mib(1), -1),
)  # fmt: skip
SEGMENT_BYTES = setting(
    "segment.bytes", _TOPIC, INT, default=gib(1), check=at_least(mib(1)), synonyms=(broker.LOG_SEGMENT_BYTES,),
    doc="A segment that would grow beyond this is closed and the next one begun. Retention and compaction work on "
    "closed segments.",
    simulate=(mib(1),),
)  # fmt: skip
INTERNAL_SEGMENT_BYTES = setting(
    "internal.segment.bytes", _TOPIC, INT, default=None, internal=True,
    doc="segment.bytes without its lower bound, for tests that need many small segments.",
)  # fmt: skip
SEGMENT_MS = setting(
    "segment.ms", _TOPIC, LONG, default=days(7), check=at_least(1),
    synonyms=(broker.LOG_ROLL_MS, (broker.LOG_ROLL_HOURS, hours)),
    doc="A segment whose first record is older than this is closed at the next append, so that retention and "
    "compaction get at it.",
    simulate=(1, minutes(1)),
)  # fmt: skip
SEGMENT_JITTER_MS = setting(
    "segment.jitter.ms", _TOPIC, LONG, default=0, check=at_least(0),
    synonyms=(broker.LOG_ROLL_JITTER_MS, (broker.LOG_ROLL_JITTER_HOURS, hours)),
    doc="Up to this much, by chance, is taken off segment.ms, so that partitions do not all begin a segment at once.",
)  # fmt: skip
SEGMENT_INDEX_BYTES = setting(
    "segment.index.bytes", _TOPIC, INT, default=mib(10), check=at_least(4), synonyms=(broker.LOG_INDEX_SIZE_MAX_BYTES,),
    doc="The largest a segment's index may be; a full index closes the segment.",
)  # fmt: skip
INDEX_INTERVAL_BYTES = setting(
    "index.interval.bytes", _TOPIC, INT, default=kib(4), check=at_least(0), synonyms=(broker.LOG_INDEX_INTERVAL_BYTES,),
    doc="Every so many bytes of records get an index entry: fewer bytes, faster lookups and larger indexes.",
)  # fmt: skip
FILE_DELETE_DELAY_MS = setting(
    "file.delete.delay.ms", _TOPIC, LONG, default=minutes(1), check=at_least(0),
    synonyms=(broker.LOG_SEGMENT_DELETE_DELAY_MS,),
    doc="How long a segment's files stay on disk after it has left the log, for readers still at it.",
)  # fmt: skip
PREALLOCATE = setting(
    "preallocate", _TOPIC, BOOLEAN, default=False, synonyms=(broker.LOG_PREALLOCATE,),
    doc="Accepted for compatibility. Linux file systems gain nothing from it, and Penstock does not do it.",
)  # fmt: skip

# Durability

FLUSH_MESSAGES = setting(
    "flush.messages", _TOPIC, LONG, default=LONG_MAX, check=at_least(1), synonyms=(broker.LOG_FLUSH_INTERVAL_MESSAGES,),
    doc="After so many records the log is flushed to disk. Replication usually makes this needless.",
    simulate=(1, LONG_MAX),
)  # fmt: skip
FLUSH_MS = setting(
    "flush.ms", _TOPIC, LONG, default=LONG_MAX, check=at_least(0),
    synonyms=(broker.LOG_FLUSH_INTERVAL_MS, broker.LOG_FLUSH_SCHEDULER_INTERVAL_MS),
    doc="The longest that a record may be in memory only.",
)  # fmt: skip
PENSTOCK_FLUSH_BEFORE_ACK = setting(
    "penstock.flush.before.ack", _TOPIC, BOOLEAN, default=False, synonyms=(broker.PENSTOCK_FLUSH_BEFORE_ACK,),
    importance=Importance.HIGH,
    doc="Acknowledge records only once they are on disk, here and at every in-sync follower. Records that arrive "
    "together are flushed together.",
    simulate=(False, True),
)  # fmt: skip
MIN_INSYNC_REPLICAS = setting(
    "min.insync.replicas", _TOPIC, INT, default=1, check=at_least(1), synonyms=(broker.MIN_INSYNC_REPLICAS,),
    doc="With fewer replicas in sync than this, writes with acks=all are refused.",
)  # fmt: skip
UNCLEAN_LEADER_ELECTION_ENABLE = setting(
    "unclean.leader.election.enable", _TOPIC, BOOLEAN, default=False, synonyms=(broker.UNCLEAN_LEADER_ELECTION_ENABLE,),
    doc="Whether a replica that lacks acknowledged records may lead when no other can: availability at the price of "
    "loss.",
)  # fmt: skip

# What may be written

MAX_MESSAGE_BYTES = setting(
    "max.message.bytes", _TOPIC, INT, default=mib(1) + 12, check=at_least(0), synonyms=(broker.MESSAGE_MAX_BYTES,),
    doc="The largest batch taken, as it arrives, compressed if it is. At most 128 KiB less than "
    "socket.request.max.bytes.",
)  # fmt: skip
MESSAGE_TIMESTAMP_TYPE = setting(
    "message.timestamp.type", _TOPIC, STRING, default="CreateTime", check=one_of("CreateTime", "LogAppendTime"),
    synonyms=(broker.LOG_MESSAGE_TIMESTAMP_TYPE,),
    doc="Whether records keep the producer's timestamp (CreateTime) or get the broker's (LogAppendTime).",
    simulate=("CreateTime", "LogAppendTime"),
)  # fmt: skip
MESSAGE_TIMESTAMP_BEFORE_MAX_MS = setting(
    "message.timestamp.before.max.ms", _TOPIC, LONG, default=LONG_MAX, check=at_least(0),
    synonyms=(broker.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS,),
    doc="How far a producer's timestamp may lie behind the broker's clock. Not looked at with LogAppendTime.",
)  # fmt: skip
MESSAGE_TIMESTAMP_AFTER_MAX_MS = setting(
    "message.timestamp.after.max.ms", _TOPIC, LONG, default=hours(1), check=at_least(0),
    synonyms=(broker.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS,),
    doc="How far a producer's timestamp may lie ahead of the broker's clock. Not looked at with LogAppendTime.",
)  # fmt: skip
PENSTOCK_VALIDATE_RECORDS = setting(
    "penstock.validate.records", _TOPIC, STRING, default="sampled", check=one_of("sampled", "full", "header"),
    synonyms=(broker.PENSTOCK_VALIDATE_RECORDS,),
    doc="How far an append looks. header: size, checksum and all that the batch header says. full: every batch is "
    "unpacked too, and its record count, offsets and timestamps are checked. sampled: as full for the first 10 batches "
    "of each connection and partition (fewer if they hold hundreds of records), for one in 100 after them, and for all "
    "of a producer whose records were wrong once. Topics that are compacted, or that compress anew, open every batch "
    "in any case.",
    simulate=("sampled", "full", "header"),
)  # fmt: skip

# Schedules

SCHEDULE_MS_MAX = days(366 * 1_000)
PENSTOCK_SCHEDULE_TARGET = setting(
    "penstock.schedule.target", _TOPIC, STRING, default="",
    doc="Makes the topic a schedule topic of this one: each of its records goes on to the same partition there when it "
    "is due, by its header penstock-deliver-at, penstock-delay-ms or penstock-cron. Given when the topic is made, and "
    "not altered.",
)  # fmt: skip
PENSTOCK_SCHEDULE_DELAY_MS = setting(
    "penstock.schedule.delay.ms", _TOPIC, LONG, default=-1, check=between(-1, SCHEDULE_MS_MAX),
    doc="In a schedule topic: how long a record waits that says no time itself; -1 refuses such records. Given when "
    "the topic is made, and not altered: what waits would be due at another time after the next start.",
)  # fmt: skip
PENSTOCK_RETRY_GROUP = setting(
    "penstock.retry.group", _TOPIC, STRING, default="",
    doc="Makes a schedule topic the retry topic of this group: a record waits by how often it has failed "
    "(penstock.retry.backoff.ms of the group), and goes to the group's dead-letter topic after "
    "penstock.retry.max.attempts. Given when the topic is made, and not altered.",
)  # fmt: skip
PENSTOCK_SCHEDULE_MAX_MS = setting(
    "penstock.schedule.max.ms", _TOPIC, LONG, default=days(366 * 10), check=between(1, SCHEDULE_MS_MAX),
    doc="In a schedule topic: how far ahead a record may be due. Others are refused with POLICY_VIOLATION.",
)  # fmt: skip
PENSTOCK_SCHEDULE_WAITING_MAX = setting(
    "penstock.schedule.waiting.max", _TOPIC, LONG, default=10_000_000, check=at_least(1),
    doc="In a schedule topic: how many records may wait in a partition. More are refused with POLICY_VIOLATION.",
)  # fmt: skip

# Dedup by id

PENSTOCK_DEDUP_BY = setting(
    "penstock.dedup.by", _TOPIC, STRING, default="",
    check=matching(r"|key|header:.+", text="key, or header: and the header's name"),
    doc="Where a record's id is to be found: header:NAME or key. A record whose id is in the partition already is left "
    "out. Empty: every record is taken.",
)  # fmt: skip
PENSTOCK_DEDUP_WINDOW_MS = setting(
    "penstock.dedup.window.ms", _TOPIC, LONG, default=minutes(10), check=at_least(1),
    doc="With penstock.dedup.by: for how long an id counts, from the first record that has it, or from the commit of "
    "its transaction; up to a thirtieth longer.",
)  # fmt: skip
PENSTOCK_DEDUP_IDS_MAX = setting(
    "penstock.dedup.ids.max", _TOPIC, INT, default=1_000_000, check=at_least(1),
    doc="With penstock.dedup.by: how many ids of a partition count at most, for some 250 bytes of memory each on every "
    "replica. Beyond it the oldest go early, and penstock_dedup_window_effective_ms tells how long ids count then.",
)  # fmt: skip

# Compression

COMPRESSION_TYPE = setting(
    "compression.type", _TOPIC, STRING, default="producer",
    check=one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"), synonyms=(broker.COMPRESSION_TYPE,),
    doc="How records are stored: producer leaves them as they arrive, which costs the broker nothing; a codec makes "
    "the broker compress again whatever comes otherwise.",
    simulate=("producer", "uncompressed", "lz4"),
)  # fmt: skip
COMPRESSION_GZIP_LEVEL = setting(
    "compression.gzip.level", _TOPIC, INT, default=-1, check=between_or(1, 9, exception=-1),
    synonyms=(broker.COMPRESSION_GZIP_LEVEL,),
    doc="How hard gzip tries, where compression.type is gzip; -1 is its default.",
)  # fmt: skip
COMPRESSION_LZ4_LEVEL = setting(
    "compression.lz4.level", _TOPIC, INT, default=9, check=between(1, 17), synonyms=(broker.COMPRESSION_LZ4_LEVEL,),
    doc="How hard lz4 tries, where compression.type is lz4.",
)  # fmt: skip
COMPRESSION_ZSTD_LEVEL = setting(
    "compression.zstd.level", _TOPIC, INT, default=3, check=between(-131072, 22),
    synonyms=(broker.COMPRESSION_ZSTD_LEVEL,),
    doc="How hard zstd tries, where compression.type is zstd.",
)  # fmt: skip

# Compaction

MIN_CLEANABLE_DIRTY_RATIO = setting(
    "min.cleanable.dirty.ratio", _TOPIC, DOUBLE, default=0.5, check=between(0, 1),
    synonyms=(broker.LOG_CLEANER_MIN_CLEANABLE_RATIO,),
    doc="A log is compacted once this share of it is new since the last time: lower, less space and more work.",
    simulate=(0.0, 0.5),
)  # fmt: skip
MIN_COMPACTION_LAG_MS = setting(
    "min.compaction.lag.ms", _TOPIC, LONG, default=0, check=at_least(0),
    synonyms=(broker.LOG_CLEANER_MIN_COMPACTION_LAG_MS,),
    doc="Records younger than this are not compacted away.",
)  # fmt: skip
MAX_COMPACTION_LAG_MS = setting(
    "max.compaction.lag.ms", _TOPIC, LONG, default=LONG_MAX, check=at_least(1),
    synonyms=(broker.LOG_CLEANER_MAX_COMPACTION_LAG_MS,),
    doc="A record older than this is compacted whatever the dirty ratio; the segment it is in is closed for that.",
)  # fmt: skip
DELETE_RETENTION_MS = setting(
    "delete.retention.ms", _TOPIC, LONG, default=days(1), check=at_least(0),
    synonyms=(broker.LOG_CLEANER_DELETE_RETENTION_MS,),
    doc="How long compaction keeps tombstones and transaction markers, so that a reader who began at the start sees "
    "them.",
    simulate=(0, days(1)),
)  # fmt: skip

# Replication throttles, written by the reassignment tool

LEADER_REPLICATION_THROTTLED_REPLICAS = setting(
    "leader.replication.throttled.replicas", _TOPIC, LIST, default=(), check=throttled_replicas(),
    doc="Replicas whose leaders keep to leader.replication.throttled.rate: partition:broker pairs, or * for all.",
)  # fmt: skip
FOLLOWER_REPLICATION_THROTTLED_REPLICAS = setting(
    "follower.replication.throttled.replicas", _TOPIC, LIST, default=(), check=throttled_replicas(),
    doc="Replicas that keep to follower.replication.throttled.rate: partition:broker pairs, or * for all.",
)  # fmt: skip

# The cold tier, which is not built yet: refused when turned on

REMOTE_STORAGE_ENABLE = setting(
    "remote.storage.enable", _TOPIC, BOOLEAN, default=False,
    doc="Whether closed segments move to object storage. Cannot be turned on yet.",
)  # fmt: skip
REMOTE_LOG_COPY_DISABLE = setting(
    "remote.log.copy.disable", _TOPIC, BOOLEAN, default=False,
    doc="Whether the topic's cold tier is read only. No effect yet: there is no cold tier.",
)  # fmt: skip
REMOTE_LOG_DELETE_ON_DISABLE = setting(
    "remote.log.delete.on.disable", _TOPIC, BOOLEAN, default=False,
    doc="Whether turning the cold tier off deletes what is in it. No effect yet: there is no cold tier.",
)  # fmt: skip
LOCAL_RETENTION_MS = setting(
    "local.retention.ms", _TOPIC, LONG, default=-2, check=at_least(-2), synonyms=(broker.LOG_LOCAL_RETENTION_MS,),
    doc="How long segments that are in the cold tier also stay on disk; -2 is as long as retention.ms."
    " No effect yet: there is no cold tier.",
)  # fmt: skip
LOCAL_RETENTION_BYTES = setting(
    "local.retention.bytes", _TOPIC, LONG, default=-2, check=at_least(-2), synonyms=(broker.LOG_LOCAL_RETENTION_BYTES,),
    doc="How much of a partition that is in the cold tier also stays on disk; -2 is as much as retention.bytes."
    " No effect yet: there is no cold tier.",
)  # fmt: skip

# Views

ERRORS_DEADLETTERQUEUE_GROUP_ENABLE = setting(
    "errors.deadletterqueue.group.enable", _TOPIC, BOOLEAN, default=False,
    doc="Whether share groups may have their dead letters written to the topic (their setting "
    "errors.deadletterqueue.topic.name).",
)  # fmt: skip
PENSTOCK_VIEW_OF = setting(
    "penstock.view.of", _TOPIC, STRING, default="",
    doc="Makes the topic a view: it has no records of its own and shows those of the topic named here. Given when the "
    "topic is created, and never changed.",
)  # fmt: skip
PENSTOCK_VIEW_FILTER = setting(
    "penstock.view.filter", _TOPIC, STRING, default="", check=IS_FILTER,
    doc="Which records a view shows, such as: header.region = 'eu' and size < 10000. Empty, it shows all. A change "
    "acts from the next fetch.",
)  # fmt: skip
