"""Broker settings about transactions: how long they may last, and how their coordinators keep what they know."""

from penstock.settings.checks import at_least
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import INT, SHORT, days, hours, mib, minutes, seconds

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH
_LOW = Importance.LOW

TRANSACTION_MAX_TIMEOUT_MS = setting(
    "transaction.max.timeout.ms", _BROKER, INT, default=minutes(15), check=at_least(1), importance=_HIGH,
    doc="The longest transaction timeout that a producer may ask for: so long may an open transaction keep readers of "
        "committed records waiting.",
)  # fmt: skip
TRANSACTION_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS = setting(
    "transaction.abort.timed.out.transaction.cleanup.interval.ms", _BROKER, INT, default=seconds(10),
    check=at_least(1), importance=_LOW,
    doc="How often it is looked for transactions that are open for longer than their timeout. They are aborted.",
)  # fmt: skip
TRANSACTIONAL_ID_EXPIRATION_MS = setting(
    "transactional.id.expiration.ms", _BROKER, INT, default=days(7), check=at_least(1), importance=_HIGH,
    doc="How long a transactional id is remembered that nobody uses. One with an open transaction is not forgotten.",
)  # fmt: skip
TRANSACTION_REMOVE_EXPIRED_TRANSACTION_CLEANUP_INTERVAL_MS = setting(
    "transaction.remove.expired.transaction.cleanup.interval.ms", _BROKER, INT, default=hours(1), check=at_least(1),
    importance=_LOW,
    doc="How often it is looked for transactional ids that nobody uses any more.",
)  # fmt: skip
TRANSACTION_STATE_LOG_NUM_PARTITIONS = setting(
    "transaction.state.log.num.partitions", _BROKER, INT, default=50, check=at_least(1), importance=_HIGH,
    doc="Partitions of `__transaction_state` when it is created. It says which partition coordinates a transactional "
        "id, so it must not be changed later.",
)  # fmt: skip
TRANSACTION_STATE_LOG_REPLICATION_FACTOR = setting(
    "transaction.state.log.replication.factor", _BROKER, SHORT, default=3, check=at_least(1), importance=_HIGH,
    doc="Replicas of `__transaction_state` when it is created. A broker that stands alone makes one.",
)  # fmt: skip
TRANSACTION_STATE_LOG_MIN_ISR = setting(
    "transaction.state.log.min.isr", _BROKER, INT, default=2, check=at_least(1), importance=_HIGH,
    doc="Replicas of `__transaction_state` that must be in sync for a transaction to go on. No more than it has.",
)  # fmt: skip
TRANSACTION_STATE_LOG_SEGMENT_BYTES = setting(
    "transaction.state.log.segment.bytes", _BROKER, INT, default=mib(100), check=at_least(1), importance=_HIGH,
    doc="Size at which a segment of `__transaction_state` is closed; closed ones are compacted.",
)  # fmt: skip
PENSTOCK_TRANSACTIONAL_IDS_PER_PARTITION_MAX = setting(
    "penstock.transactional.ids.per.partition.max", _BROKER, INT, default=20_000, check=at_least(1),
    doc="Transactional ids that one partition of `__transaction_state` keeps. Producers with new ones are refused "
        "(POLICY_VIOLATION) until others are forgotten, see transactional.id.expiration.ms.",
)  # fmt: skip
