"""Holding what moves to a rate, by the settings that Kafka's own tool uses: rates on brokers, replicas on topics.

They stay in the cluster until they are removed: a move that this command began goes on at its rate when it is gone.
"""

from collections.abc import Iterable, Sequence

from penstock.cli.client import Cluster
from penstock.cli.cluster.planning.facts import Move
from penstock.client import Change, Resource, ResourceType

TOPIC, BROKER = ResourceType.TOPIC, ResourceType.BROKER
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LEADER_REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS = "follower.replication.throttled.replicas"


def throttle(cluster: Cluster, moves: Sequence[Move], bytes_a_second: int) -> None:
    """Before the moves begin: what is copied without it is copied as fast as it goes.

    The rate goes to every broker: where some partitions move already it is theirs too from now on.
    """
    copied = [move for move in moves if move.adding]
    for topic in sorted({move.topic for move in copied}):
        of_topic = [move for move in copied if move.topic == topic]
        leaders = ",".join(f"{move.index}:{broker}" for move in of_topic for broker in move.before)
        followers = ",".join(f"{move.index}:{broker}" for move in of_topic for broker in move.adding)
        _alter(cluster, TOPIC, topic, {LEADER_REPLICAS: leaders, FOLLOWER_REPLICAS: followers})
    for broker_id in _ids(cluster):
        _alter(cluster, BROKER, str(broker_id), dict.fromkeys(RATES, str(bytes_a_second)))


def unthrottle(cluster: Cluster, topics: Iterable[str]) -> None:
    for topic in sorted(set(topics)):
        _alter(cluster, TOPIC, topic, {LEADER_REPLICAS: None, FOLLOWER_REPLICAS: None})
    for broker_id in _ids(cluster):
        _alter(cluster, BROKER, str(broker_id), dict.fromkeys(RATES))


def _alter(cluster: Cluster, kind: ResourceType, name: str, values: dict[str, str | None]) -> None:
    """None removes a setting, and that it was not there is no failure."""
    changes = [(key, Change.DELETE if value is None else Change.SET, value) for key, value in values.items()]
    what = f"broker {name}" if kind == BROKER else name
    for outcome in cluster.client().alter_configs({Resource(kind, name): changes}).values():
        cluster.value(outcome, doing=f"set the replication rate of {what}")


def _ids(cluster: Cluster) -> list[int]:
    with cluster.doing("find the brokers") as client:
        return sorted(client.describe_cluster().brokers)
