"""Broker settings about being one of many: how long it counts as alive, and who leads what."""

from penstock.settings.checks import at_least
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import BOOLEAN, INT, LONG, minutes, seconds

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH

PENSTOCK_BROKER_LEASE_MS = setting(
    "penstock.broker.lease.ms", _BROKER, INT, default=seconds(3), check=at_least(100),
    doc="How long a broker of a cluster counts as alive after the metadata store last heard of it. It is for hangs and "
        "lost networks: a process that died is known by refused connections, at once. (etcd's shortest lease is 2 s.)",
    simulate=(500, seconds(10)),
)  # fmt: skip
PENSTOCK_BROKER_HEARTBEAT_MS = setting(
    "penstock.broker.heartbeat.ms", _BROKER, INT, default=seconds(1), check=at_least(10),
    doc="How often a broker of a cluster renews its lease, and the controller asks each broker whether it is there.",
    simulate=(100, seconds(2)),
)  # fmt: skip
PENSTOCK_BROKER_HEARTBEATS_MISSED_MAX = setting(
    "penstock.broker.heartbeats.missed.max", _BROKER, INT, default=3, check=at_least(1),
    doc="How many times in a row a broker may fail to answer the controller before others take over what it leads.",
)  # fmt: skip
PENSTOCK_BROKER_DOUBT_MS = setting(
    "penstock.broker.doubt.ms", _BROKER, LONG, default=seconds(30), check=at_least(0),
    doc="How long a broker that was declared lost while it lived must be reachable again before it is preferred as a "
        "leader; twice as long each time that it happens again.",
)  # fmt: skip
AUTO_LEADER_REBALANCE_ENABLE = setting(
    "auto.leader.rebalance.enable", _BROKER, BOOLEAN, default=True, importance=_HIGH,
    doc="Whether partitions go back, from time to time, to the replica that is named first and should lead.",
)  # fmt: skip
LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS = setting(
    "leader.imbalance.check.interval.seconds", _BROKER, LONG, default=minutes(5) // 1000, check=at_least(1),
    importance=_HIGH,
    doc="How often it is looked for partitions that another replica than the first one leads.",
)  # fmt: skip
