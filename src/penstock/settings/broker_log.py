"""Broker settings about logs: where they are, the defaults that topics inherit, flushing, recovery, compaction.

A topic setting's doc in topic.py says what it does; here it is said once more only where the broker's unit differs.
"""

from penstock.settings.checks import at_least, between, between_or, each_of, one_of
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
    seconds,
)

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH
_LOW = Importance.LOW

LOG_DIR = setting(
    "log.dir", _BROKER, LIST, default=("penstock-data",), importance=_HIGH,
    doc="The data folder; used where log.dirs is not set.",
)  # fmt: skip
LOG_DIRS = setting(
    "log.dirs", _BROKER, LIST, default=None, importance=_HIGH,
    doc="The data folders, each on a disk of its own. Partitions are spread over them; a folder that fails takes "
    "only its own partitions offline.",
)  # fmt: skip
PENSTOCK_LOG_DIRS_ACCEPT = setting(
    "penstock.log.dirs.accept", _BROKER, LIST, default=(),
    doc="Changes of log.dirs that a start would refuse, as its error names them: paths of new folders to take, and ids "
    "of former folders to do without. What only those had is lost.",
)  # fmt: skip

# What topics inherit

LOG_SEGMENT_BYTES = setting(
    "log.segment.bytes", _BROKER, INT, default=gib(1), check=at_least(mib(1)), live=True, importance=_HIGH,
    doc="Default of segment.bytes: a segment that would grow beyond this is closed and the next one begun.",
    simulate=(mib(1), mib(2)),
)  # fmt: skip
LOG_ROLL_MS = setting(
    "log.roll.ms", _BROKER, LONG, default=None, live=True, importance=_HIGH,
    doc="Default of segment.ms: a segment whose first record is older than this is closed. Unset, log.roll.hours "
    "counts.",
)  # fmt: skip
LOG_ROLL_HOURS = setting(
    "log.roll.hours", _BROKER, INT, default=168, check=at_least(1), importance=_HIGH,
    doc="Default of segment.ms, in hours; used where log.roll.ms is not set.",
)  # fmt: skip
LOG_ROLL_JITTER_MS = setting(
    "log.roll.jitter.ms", _BROKER, LONG, default=None, live=True, importance=_HIGH,
    doc="Default of segment.jitter.ms. Unset, log.roll.jitter.hours counts.",
)  # fmt: skip
LOG_ROLL_JITTER_HOURS = setting(
    "log.roll.jitter.hours", _BROKER, INT, default=0, check=at_least(0), importance=_HIGH,
    doc="Default of segment.jitter.ms, in hours; used where log.roll.jitter.ms is not set.",
)  # fmt: skip
LOG_RETENTION_MS = setting(
    "log.retention.ms", _BROKER, LONG, default=None, live=True, importance=_HIGH,
    doc="Default of retention.ms; -1 keeps records for good. Unset, log.retention.minutes counts, then "
    "log.retention.hours.",
)  # fmt: skip
LOG_RETENTION_MINUTES = setting(
    "log.retention.minutes", _BROKER, INT, default=None, importance=_HIGH,
    doc="Default of retention.ms, in minutes; used where log.retention.ms is not set.",
)  # fmt: skip
LOG_RETENTION_HOURS = setting(
    "log.retention.hours", _BROKER, INT, default=168, importance=_HIGH,
    doc="Default of retention.ms, in hours; used where neither log.retention.ms nor log.retention.minutes is set.",
)  # fmt: skip
LOG_RETENTION_BYTES = setting(
    "log.retention.bytes", _BROKER, LONG, default=-1, live=True, importance=_HIGH,
    doc="Default of retention.bytes: how large one partition may grow before its oldest segments go; -1 is no limit.",
)  # fmt: skip
LOG_CLEANUP_POLICY = setting(
    "log.cleanup.policy", _BROKER, LIST, default=("delete",), check=each_of("compact", "delete"), live=True,
    doc="Default of cleanup.policy.",
)  # fmt: skip
LOG_INDEX_SIZE_MAX_BYTES = setting(
    "log.index.size.max.bytes", _BROKER, INT, default=mib(10), check=at_least(4), live=True,
    doc="Default of segment.index.bytes.",
)  # fmt: skip
LOG_INDEX_INTERVAL_BYTES = setting(
    "log.index.interval.bytes", _BROKER, INT, default=kib(4), check=at_least(0), live=True,
    doc="Default of index.interval.bytes.",
)  # fmt: skip
LOG_FLUSH_INTERVAL_MESSAGES = setting(
    "log.flush.interval.messages", _BROKER, LONG, default=LONG_MAX, check=at_least(1), live=True, importance=_HIGH,
    doc="Default of flush.messages.",
)  # fmt: skip
LOG_FLUSH_INTERVAL_MS = setting(
    "log.flush.interval.ms", _BROKER, LONG, default=None, live=True, importance=_HIGH,
    doc="Default of flush.ms. Unset, log.flush.scheduler.interval.ms counts.",
)  # fmt: skip
LOG_FLUSH_SCHEDULER_INTERVAL_MS = setting(
    "log.flush.scheduler.interval.ms", _BROKER, LONG, default=LONG_MAX, importance=_HIGH,
    doc="How often the broker looks for logs whose flush.ms is due.",
)  # fmt: skip
LOG_SEGMENT_DELETE_DELAY_MS = setting(
    "log.segment.delete.delay.ms", _BROKER, LONG, default=minutes(1), check=at_least(0), live=True, importance=_HIGH,
    doc="Default of file.delete.delay.ms.",
)  # fmt: skip
LOG_PREALLOCATE = setting(
    "log.preallocate", _BROKER, BOOLEAN, default=False, live=True,
    doc="Default of preallocate, and without effect like it.",
)  # fmt: skip
LOG_MESSAGE_TIMESTAMP_TYPE = setting(
    "log.message.timestamp.type", _BROKER, STRING, default="CreateTime", check=one_of("CreateTime", "LogAppendTime"),
    live=True, doc="Default of message.timestamp.type.",
)  # fmt: skip
LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS = setting(
    "log.message.timestamp.before.max.ms", _BROKER, LONG, default=LONG_MAX, check=at_least(0), live=True,
    doc="Default of message.timestamp.before.max.ms.",
)  # fmt: skip
LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS = setting(
    "log.message.timestamp.after.max.ms", _BROKER, LONG, default=hours(1), check=at_least(0), live=True,
    doc="Default of message.timestamp.after.max.ms.",
)  # fmt: skip
MESSAGE_MAX_BYTES = setting(
    "message.max.bytes", _BROKER, INT, default=mib(1) + 12, check=at_least(0), live=True, importance=_HIGH,
    doc="Default of max.message.bytes: the largest batch taken, as it arrives, compressed if it is. At most 128 KiB "
    "less than socket.request.max.bytes.",
)  # fmt: skip
MIN_INSYNC_REPLICAS = setting(
    "min.insync.replicas", _BROKER, INT, default=1, check=at_least(1), live=True, importance=_HIGH,
    doc="Default of the topic setting of the same name; one for the whole cluster.",
)  # fmt: skip
UNCLEAN_LEADER_ELECTION_ENABLE = setting(
    "unclean.leader.election.enable", _BROKER, BOOLEAN, default=False, live=True, importance=_HIGH,
    doc="Default of the topic setting of the same name.",
)  # fmt: skip
COMPRESSION_TYPE = setting(
    "compression.type", _BROKER, STRING, default="producer",
    check=one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"), live=True, importance=_HIGH,
    doc="Default of the topic setting of the same name.",
)  # fmt: skip
COMPRESSION_GZIP_LEVEL = setting(
    "compression.gzip.level", _BROKER, INT, default=-1, check=between_or(1, 9, exception=-1), live=True,
    doc="Default of the topic setting of the same name.",
)  # fmt: skip
COMPRESSION_LZ4_LEVEL = setting(
    "compression.lz4.level", _BROKER, INT, default=9, check=between(1, 17), live=True,
    doc="Default of the topic setting of the same name.",
)  # fmt: skip
COMPRESSION_ZSTD_LEVEL = setting(
    "compression.zstd.level", _BROKER, INT, default=3, check=between(-131072, 22), live=True,
    doc="Default of the topic setting of the same name.",
)  # fmt: skip
LOG_LOCAL_RETENTION_MS = setting(
    "log.local.retention.ms", _BROKER, LONG, default=-2, check=at_least(-2), live=True,
    doc="Default of local.retention.ms. No effect yet: there is no cold tier.",
)  # fmt: skip
LOG_LOCAL_RETENTION_BYTES = setting(
    "log.local.retention.bytes", _BROKER, LONG, default=-2, check=at_least(-2), live=True,
    doc="Default of local.retention.bytes. No effect yet: there is no cold tier.",
)  # fmt: skip
PENSTOCK_FLUSH_BEFORE_ACK = setting(
    "penstock.flush.before.ack", _BROKER, BOOLEAN, default=False, live=True, importance=_HIGH,
    doc="Default of the topic setting of the same name.", simulate=(False, True),
)  # fmt: skip
PENSTOCK_VALIDATE_RECORDS = setting(
    "penstock.validate.records", _BROKER, STRING, default="sampled", check=one_of("sampled", "full", "header"),
    live=True, doc="Default of the topic setting of the same name.", simulate=("sampled", "full", "header"),
)  # fmt: skip

# Retention, flushing, recovery

LOG_RETENTION_CHECK_INTERVAL_MS = setting(
    "log.retention.check.interval.ms", _BROKER, LONG, default=minutes(5), check=at_least(1),
    doc="How often the broker looks for segments that may be deleted.",
)  # fmt: skip
LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS = setting(
    "log.flush.offset.checkpoint.interval.ms", _BROKER, INT, default=minutes(1), check=at_least(0), importance=_HIGH,
    doc="How often recovery points are written down: what lies below one need not be scanned after a crash.",
)  # fmt: skip
REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS = setting(
    "replica.high.watermark.checkpoint.interval.ms", _BROKER, LONG, default=seconds(5), importance=_HIGH,
    doc="How often high watermarks are written down.",
)  # fmt: skip
NUM_RECOVERY_THREADS_PER_DATA_DIR = setting(
    "num.recovery.threads.per.data.dir", _BROKER, INT, default=2, check=at_least(1), live=True, importance=_HIGH,
    doc="Threads that open and recover a data folder's logs at start.",
)  # fmt: skip
PRODUCER_ID_EXPIRATION_MS = setting(
    "producer.id.expiration.ms", _BROKER, INT, default=days(1), check=at_least(1), live=True, importance=_LOW,
    doc="How long a partition remembers an idempotent producer that writes nothing. One with an open transaction is "
    "never forgotten.",
)  # fmt: skip
PENSTOCK_PRODUCERS_PER_PARTITION_MAX = setting(
    "penstock.producers.per.partition.max", _BROKER, INT, default=50_000, check=at_least(1), live=True,
    doc="How many idempotent producers a partition remembers. One more, and one that has been silent for long is "
    "forgotten, but never one with an open transaction: a batch that it sends again would be written again.",
)  # fmt: skip
PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS = setting(
    "producer.id.expiration.check.interval.ms", _BROKER, INT, default=minutes(10), check=at_least(1), importance=_LOW,
    internal=True, doc="How often the broker looks for producers to forget.",
)  # fmt: skip
ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MS = setting(
    "add.partitions.to.txn.retry.backoff.ms", _BROKER, INT, default=20, check=at_least(1), importance=_HIGH,
    doc="The longest pause before a coordinator that is busy with a producer's former transaction is asked again to "
    "add a partition to the next one. The first pauses are shorter.",
)  # fmt: skip
ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MAX_MS = setting(
    "add.partitions.to.txn.retry.backoff.max.ms", _BROKER, INT, default=100, check=at_least(0), importance=_HIGH,
    doc="How long such a coordinator is asked again before the producer is told to try later.",
)  # fmt: skip

# Compaction

LOG_CLEANER_ENABLE = setting(
    "log.cleaner.enable", _BROKER, BOOLEAN, default=True,
    doc="Whether topics with cleanup.policy=compact are compacted at all. Off, they grow without bound.",
)  # fmt: skip
LOG_CLEANER_THREADS = setting(
    "log.cleaner.threads", _BROKER, INT, default=1, check=at_least(0), live=True,
    doc="How many logs are compacted at the same time, each in a thread.",
)  # fmt: skip
LOG_CLEANER_BACKOFF_MS = setting(
    "log.cleaner.backoff.ms", _BROKER, LONG, default=seconds(15), check=at_least(0), live=True,
    doc="How long compaction waits before it looks again, when there was nothing to do.",
)  # fmt: skip
LOG_CLEANER_DEDUPE_BUFFER_SIZE = setting(
    "log.cleaner.dedupe.buffer.size", _BROKER, LONG, default=mib(128), live=True,
    doc="Memory that compaction may use for remembering keys, over all threads, in bytes. More keys than fit are "
    "compacted in several rounds.",
)  # fmt: skip
LOG_CLEANER_IO_BUFFER_LOAD_FACTOR = setting(
    "log.cleaner.io.buffer.load.factor", _BROKER, DOUBLE, default=0.9, live=True,
    doc="How full the memory for keys may get before a round ends.",
)  # fmt: skip
LOG_CLEANER_IO_MAX_BYTES_PER_SECOND = setting(
    "log.cleaner.io.max.bytes.per.second", _BROKER, DOUBLE, default=1.7976931348623157e308, live=True,
    doc="How fast compaction may read and write, so that it leaves the disk to clients.",
)  # fmt: skip
LOG_CLEANER_DELETE_RETENTION_MS = setting(
    "log.cleaner.delete.retention.ms", _BROKER, LONG, default=days(1), check=at_least(0), live=True,
    doc="Default of delete.retention.ms.",
)  # fmt: skip
LOG_CLEANER_MIN_COMPACTION_LAG_MS = setting(
    "log.cleaner.min.compaction.lag.ms", _BROKER, LONG, default=0, check=at_least(0), live=True,
    doc="Default of min.compaction.lag.ms.",
)  # fmt: skip
LOG_CLEANER_MAX_COMPACTION_LAG_MS = setting(
    "log.cleaner.max.compaction.lag.ms", _BROKER, LONG, default=LONG_MAX, check=at_least(1), live=True,
    doc="Default of max.compaction.lag.ms.",
)  # fmt: skip
LOG_CLEANER_MIN_CLEANABLE_RATIO = setting(
    "log.cleaner.min.cleanable.ratio", _BROKER, DOUBLE, default=0.5, check=between(0, 1), live=True,
    doc="Default of min.cleanable.dirty.ratio.",
)  # fmt: skip

# Scrubbing

PENSTOCK_SCRUB_INTERVAL_MS = setting(
    "penstock.scrub.interval.ms", _BROKER, LONG, default=days(7), check=at_least(-1), live=True, importance=_LOW,
    doc="How often every closed segment is read and its checksums verified in the background; -1 never does.",
)  # fmt: skip
PENSTOCK_SCRUB_BYTES_PER_SECOND = setting(
    "penstock.scrub.bytes.per.second", _BROKER, DOUBLE, default=float(mib(16)), check=at_least(1), live=True,
    importance=_LOW, doc="How fast that reading goes, so that it leaves the disk to clients.",
)  # fmt: skip
