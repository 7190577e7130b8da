"""Group settings (DescribeConfigs' GROUP resource), with the broker settings each falls back to and is bounded by.

Consumer groups (KIP-848) and share groups (KIP-932) go by theirs. Streams groups are not served yet; their settings can
be read, set and are checked, so that tools find what they expect. Classic groups have broker settings only
(broker_groups.py).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from penstock.settings.checks import Check, at_least, between, not_internal, offset_reset, one_of
from penstock.settings.setting import Scope, Setting, setting
from penstock.settings.types import BOOLEAN, INT, STRING, hours, seconds


class Bounds(NamedTuple):
    """The broker settings between which a group's value must lie."""

    low: Setting[int] | None
    high: Setting[int] | None


BOUNDS: dict[Setting[int], Bounds] = {}

_NOT_SERVED = {"streams": " No effect yet: streams groups are not served."}


def _broker_row(name: str, default: int, check: Check[Any], doc: str, *, live: bool = False) -> Setting[int]:
    return setting(name, Scope.BROKER, INT, default=default, check=check, doc=doc, live=live)


def _bounded(
    name: str,
    *,
    default: int,
    doc: str,
    low: int | None = None,
    high: int | None = None,
    check: Check[Any],
    broker_check: Check[Any] | None = None,
    low_check: Check[Any] | None = None,
    high_check: Check[Any] | None = None,
    infix: Callable[[str, str], str] = lambda family, rest: f"group.{family}.{{}}.{rest}",
) -> Setting[int]:
    """Declare group setting `family.rest`, broker setting `group.family.rest`, and `group.family.min.rest` /
    `.max.rest`.
    """
    family, _, rest = name.partition(".")
    bound_name = infix(family, rest)
    idle = _NOT_SERVED.get(family, "")
    smallest, largest = f"The smallest {name} a group may set.{idle}", f"The largest {name} a group may set.{idle}"
    bounds = Bounds(
        None if low is None else _broker_row(bound_name.format("min"), low, low_check or check, smallest),
        None if high is None else _broker_row(bound_name.format("max"), high, high_check or check, largest),
    )
    fallback = _broker_row(
        f"group.{name}",
        default,
        broker_check or check,
        f"Default of the group setting {name}.{idle}",
        live=rest == "assignment.interval.ms",  # the only one of them that Kafka changes while it runs
    )
    row = setting(name, Scope.GROUP, INT, default=default, check=check, synonyms=(fallback,), doc=doc + idle)
    BOUNDS[row] = bounds
    return row


CONSUMER_SESSION_TIMEOUT_MS = _bounded(
    "consumer.session.timeout.ms", default=seconds(45), low=seconds(45), high=seconds(60), check=at_least(1),
    doc="A member of a consumer group that is silent for so long is given up.",
)  # fmt: skip
CONSUMER_HEARTBEAT_INTERVAL_MS = _bounded(
    "consumer.heartbeat.interval.ms", default=seconds(5), low=seconds(5), high=seconds(15), check=at_least(1),
    doc="How often members of a consumer group send heartbeats.",
)  # fmt: skip
CONSUMER_ASSIGNMENT_INTERVAL_MS = _bounded(
    "consumer.assignment.interval.ms", default=seconds(1), low=0, high=seconds(15), check=at_least(0),
    doc="The shortest time between two assignments of a consumer group.",
)  # fmt: skip
SHARE_SESSION_TIMEOUT_MS = _bounded(
    "share.session.timeout.ms", default=seconds(45), low=seconds(45), high=seconds(60), check=at_least(1),
    doc="A member of a share group that is silent for so long is given up.",
)  # fmt: skip
SHARE_HEARTBEAT_INTERVAL_MS = _bounded(
    "share.heartbeat.interval.ms", default=seconds(5), low=seconds(5), high=seconds(15), check=at_least(1),
    doc="How often members of a share group send heartbeats.",
)  # fmt: skip
SHARE_ASSIGNMENT_INTERVAL_MS = _bounded(
    "share.assignment.interval.ms", default=seconds(1), low=0, high=seconds(15), check=at_least(0),
    doc="The shortest time between two assignments of a share group.",
)  # fmt: skip
SHARE_RECORD_LOCK_DURATION_MS = _bounded(
    "share.record.lock.duration.ms", default=seconds(30), low=seconds(15), high=seconds(60), check=at_least(1000),
    broker_check=between(1000, hours(1)), low_check=between(1000, 30_000), high_check=between(30_000, hours(1)),
    doc="How long a record given to a member of a share group stays with it unacknowledged.",
)  # fmt: skip
SHARE_DELIVERY_COUNT_LIMIT = _bounded(
    "share.delivery.count.limit", default=5, low=2, high=10, check=at_least(2), broker_check=between(2, 10),
    low_check=between(2, 5), high_check=between(5, 25),
    doc="How often a record is tried before a share group gives it up.",
)  # fmt: skip
SHARE_PARTITION_MAX_RECORD_LOCKS = _bounded(
    "share.partition.max.record.locks", default=2000, low=100, high=4000, check=at_least(100),
    broker_check=between(100, 10_000), low_check=between(100, 2000), high_check=between(2000, 10_000),
    doc="How many offsets a share group may have under way in one partition, from the first record that is not done to "
        "the last that was given out. One that is held open stops the partition after so many more.",
)  # fmt: skip
SHARE_AUTO_OFFSET_RESET = setting(
    "share.auto.offset.reset", Scope.GROUP, STRING, default="latest", check=offset_reset(),
    doc="Where a share group begins on a partition it has not read: earliest, latest, or by_duration:P... before now.",
)  # fmt: skip
SHARE_ISOLATION_LEVEL = setting(
    "share.isolation.level", Scope.GROUP, STRING, default="read_uncommitted",
    check=one_of("read_committed", "read_uncommitted"),
    doc="Whether a share group gets records of transactions that are not committed.",
)  # fmt: skip
SHARE_RENEW_ACKNOWLEDGE_ENABLE = setting(
    "share.renew.acknowledge.enable", Scope.GROUP, BOOLEAN, default=True,
    doc="Whether members of a share group may ask for more time with a record.",
)  # fmt: skip
ERRORS_DEADLETTERQUEUE_TOPIC_NAME = setting(
    "errors.deadletterqueue.topic.name", Scope.GROUP, STRING, default="", check=not_internal(),
    doc="Where a share group's records go that it gives up: rejected, tried too often, too old. The topic must allow "
        "it (errors.deadletterqueue.group.enable) and cannot be one that the group reads. Empty: they go nowhere.",
)  # fmt: skip
ERRORS_DEADLETTERQUEUE_COPY_RECORD_ENABLE = setting(
    "errors.deadletterqueue.copy.record.enable", Scope.GROUP, BOOLEAN, default=True,
    doc="Whether a dead letter has the record's key, value and headers, or says only where it was and why. Apache "
        "Kafka's default is false, and it never copies headers.",
)  # fmt: skip
PENSTOCK_DLQ_ON_FAILURE = setting(
    "penstock.dlq.on.failure", Scope.GROUP, STRING, default="hold", check=one_of("hold", "drop"),
    doc="What becomes of records whose dead letter cannot be written: hold keeps them, and tries until it can be "
        "written; drop gives them up after five attempts, as Apache Kafka does.",
)  # fmt: skip
PENSTOCK_SHARE_TTL = setting(
    "penstock.share.ttl", Scope.GROUP, STRING, default="none", check=one_of("none", "header"),
    doc="With header, a record that is older than its header penstock-ttl-ms says is given up when a member would get "
        "it. Every record is opened for that.",
)  # fmt: skip
STREAMS_SESSION_TIMEOUT_MS = _bounded(
    "streams.session.timeout.ms", default=seconds(45), low=seconds(45), high=seconds(60), check=at_least(1),
    doc="A member of a streams group that is silent for so long is given up.",
)  # fmt: skip
STREAMS_HEARTBEAT_INTERVAL_MS = _bounded(
    "streams.heartbeat.interval.ms", default=seconds(5), low=seconds(5), high=seconds(15), check=at_least(1),
    doc="How often members of a streams group send heartbeats.",
)  # fmt: skip
STREAMS_ASSIGNMENT_INTERVAL_MS = _bounded(
    "streams.assignment.interval.ms", default=seconds(1), low=0, high=seconds(15), check=at_least(0),
    doc="The shortest time between two assignments of a streams group.",
)  # fmt: skip
STREAMS_NUM_STANDBY_REPLICAS = _bounded(
    "streams.num.standby.replicas", default=0, high=2, check=at_least(0),
    infix=lambda family, _: f"group.{family}.{{}}.standby.replicas",
    doc="Standby copies of each task's state in a streams group.",
)  # fmt: skip
STREAMS_INITIAL_REBALANCE_DELAY_MS = _bounded(
    "streams.initial.rebalance.delay.ms", default=seconds(3), check=at_least(0),
    doc="How long a new streams group waits for more members before its first assignment.",
)  # fmt: skip
