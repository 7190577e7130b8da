"""Broker settings about replication: how followers fetch, and when they have stayed behind for too long."""

from penstock.settings.checks import at_least, one_of
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import INT, LONG, STRING, mib, seconds

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH

REPLICA_LAG_TIME_MAX_MS = setting(
    "replica.lag.time.max.ms", _BROKER, LONG, default=seconds(30), check=at_least(1), importance=_HIGH,
    doc="A follower that has not been up with its leader for so long leaves the in-sync set.",
)  # fmt: skip
REPLICA_FETCH_MAX_BYTES = setting(
    "replica.fetch.max.bytes", _BROKER, INT, default=mib(1), check=at_least(0),
    doc="Bytes that a follower fetches of one partition at a time; a larger batch comes all the same, alone.",
)  # fmt: skip
REPLICA_FETCH_RESPONSE_MAX_BYTES = setting(
    "replica.fetch.response.max.bytes", _BROKER, INT, default=mib(10), check=at_least(0),
    doc="Bytes that a follower fetches of all partitions of one leader at a time.",
)  # fmt: skip
REPLICA_FETCH_MIN_BYTES = setting(
    "replica.fetch.min.bytes", _BROKER, INT, default=1, importance=_HIGH,
    doc="Bytes that a leader waits for before it answers a follower. More than 1 makes acks=all slower.",
)  # fmt: skip
REPLICA_FETCH_WAIT_MAX_MS = setting(
    "replica.fetch.wait.max.ms", _BROKER, INT, default=500, importance=_HIGH,
    doc="How long a leader lets a follower wait for records before it says that there are none.",
)  # fmt: skip
REPLICA_FETCH_BACKOFF_MS = setting(
    "replica.fetch.backoff.ms", _BROKER, INT, default=seconds(1), check=at_least(0),
    doc="The longest pause before a follower asks again for what was refused; the first ones are much shorter.",
)  # fmt: skip
REPLICA_SOCKET_TIMEOUT_MS = setting(
    "replica.socket.timeout.ms", _BROKER, INT, default=seconds(30), importance=_HIGH,
    doc="A leader that answers nothing for so long is given up, and connected to anew. More than "
        "replica.fetch.wait.max.ms.",
)  # fmt: skip
RACK_AWARE_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
REPLICA_SELECTOR_CLASS = setting(
    "replica.selector.class", _BROKER, STRING, default=None,
    check=one_of(RACK_AWARE_SELECTOR, "org.apache.kafka.common.replica.LeaderSelector"),
    doc="How a leader tells consumers which replica to read from: with the class RackAwareReplicaSelector of "
        "org.apache.kafka.common.replica each reads in its own rack if it can. Without it all read from the leader.",
)  # fmt: skip
