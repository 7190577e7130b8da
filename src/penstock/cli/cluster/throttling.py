"""Holding what moves to a rate, by the settings that Kafka's own tool uses: rates on brokers, replicas on topics.

They stay in the cluster until they are removed: a move that this command began goes on at its rate when it is gone.
"""

from collections.abc import Iterable, Sequence

from penstock.cli.asking import Brokers, require_ok
from penstock.cli.cluster.planning.facts import Move
from penstock.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from penstock.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse

TOPIC, BROKER = 2, 4
SET, DELETE = 0, 1
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LEADER_REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS = "follower.replication.throttled.replicas"


def throttle(brokers: Brokers, moves: Sequence[Move], bytes_a_second: int) -> None:
    """Before the moves begin: what is copied without it is copied as fast as it goes.

    The rate goes to every broker: where some partitions move already it is theirs too from now on.
    """
    copied = [move for move in moves if move.adding]
    for topic in sorted({move.topic for move in copied}):
        of_topic = [move for move in copied if move.topic == topic]
        leaders = ",".join(f"{move.index}:{broker}" for move in of_topic for broker in move.before)
        followers = ",".join(f"{move.index}:{broker}" for move in of_topic for broker in move.adding)
        _alter(brokers, TOPIC, topic, {LEADER_REPLICAS: leaders, FOLLOWER_REPLICAS: followers})
    for broker_id in brokers.ids():
        _alter(brokers, BROKER, str(broker_id), dict.fromkeys(RATES, str(bytes_a_second)))


def unthrottle(brokers: Brokers, topics: Iterable[str]) -> None:
    for topic in sorted(set(topics)):
        _alter(brokers, TOPIC, topic, {LEADER_REPLICAS: None, FOLLOWER_REPLICAS: None})
    for broker_id in brokers.ids():
        _alter(brokers, BROKER, str(broker_id), dict.fromkeys(RATES))


def _alter(brokers: Brokers, kind: int, name: str, values: dict[str, str | None]) -> None:
    """None removes a setting, and that it was not there is no failure."""
    changes = [AlterableConfig(key, DELETE if value is None else SET, value) for key, value in values.items()]
    request = IncrementalAlterConfigsRequest(resources=[AlterConfigsResource(kind, name, changes)])
    asked = brokers.at(int(name)) if kind == BROKER else brokers
    for outcome in asked.ask(request, IncrementalAlterConfigsResponse).responses:
        what = f"broker {name}" if kind == BROKER else name
        require_ok(outcome.error_code, outcome.error_message, doing=f"set the replication rate of {what}")
