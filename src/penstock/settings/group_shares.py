"""Group settings of share groups that Apache Kafka does not have. All are off unless a group sets them."""

from penstock.settings.checks import between, one_of, priorities
from penstock.settings.setting import Scope, setting
from penstock.settings.types import DOUBLE, INT, LIST, STRING, days, minutes

_GROUP = Scope.GROUP

RETRY_BACKOFF_MS = setting(
    "penstock.share.retry.backoff.ms", _GROUP, INT, default=0, check=between(0, days(7)),
    doc="How long a record waits before it is delivered for the second time, after a member gave it back or its lock "
        "ended. 0: it does not wait. A record never waits because its member left or its partition has another leader.",
)  # fmt: skip
RETRY_BACKOFF_MULTIPLIER = setting(
    "penstock.share.retry.backoff.multiplier", _GROUP, DOUBLE, default=2.0, check=between(1, 100),
    doc="Each further wait of a record is so many times as long as the one before.",
)  # fmt: skip
RETRY_BACKOFF_MAX_MS = setting(
    "penstock.share.retry.backoff.max.ms", _GROUP, INT, default=minutes(5), check=between(1, days(7)),
    doc="No wait is longer, not even the first.",
)  # fmt: skip
RETRY_BACKOFF_JITTER = setting(
    "penstock.share.retry.backoff.jitter", _GROUP, DOUBLE, default=0.2, check=between(0, 1),
    doc="By what part of itself a wait is made longer or shorter, so that records that failed together are not all "
        "tried again together.",
)  # fmt: skip
WINDOW_MAX = setting(
    "penstock.share.window.max", _GROUP, INT, default=100_000, check=between(100, 1_000_000),
    doc="How many offsets the group may have under way in one partition where it has a back-off or an order: from the "
        "first record that is not done to the last that was looked at. share.partition.max.record.locks then bounds "
        "only what members have at a time.",
)  # fmt: skip
ORDER = setting(
    "penstock.share.order", _GROUP, STRING, default="none", check=one_of("none", "key"),
    doc="With key, of the records of a partition that have one key a member has one at most, and the next is delivered "
        "only when that one is finished. Records without key are not ordered. A change takes effect once all that was "
        "given out is answered.",
)  # fmt: skip
PRIORITY = setting(
    "penstock.share.priority", _GROUP, LIST, default=(), check=priorities(),
    doc="Topics and their priorities, such as orders:9,mails:1: a broker fills an answer from topics of a higher "
        "priority first. A topic that is not named has 0. One that does not exist counts once it does.",
)  # fmt: skip
