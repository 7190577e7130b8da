"""A broker, alive or not, that is to keep nothing: each of its replicas goes to another one, and nothing else moves."""

from collections.abc import Collection

from penstock.cli.cluster.planning.broker_loads import BrokerLoads
from penstock.cli.cluster.planning.facts import ClusterFacts, Key, Move, NoPlace, moves_between, replaced
from penstock.cli.cluster.planning.leaders import even_leaders


def drained(facts: ClusterFacts, leaving: Collection[int]) -> list[Move]:
    """Raises NoPlace where too few brokers would be left."""
    staying = [broker for broker in facts.brokers if broker not in leaving]
    loads = BrokerLoads(facts, staying)
    touched = [each for each in facts.partitions if any(broker in leaving for broker in each.replicas)]
    # Large ones first, while there is most room to choose.
    for each in sorted(touched, key=lambda each: (-(each.size_bytes or 0), each.key)):
        for broker in each.replicas:
            if broker in leaving:
                loads.move(each.key, old=broker, new=_newcomer(loads, each.key, broker))
    keys = {each.key for each in touched}
    return moves_between(facts, even_leaders(loads.replicas, staying, may_change=keys))


def _newcomer(loads: BrokerLoads, key: Key, leaving: int) -> int:
    """Where the partition is spread widest; then who keeps least."""
    replicas = loads.replicas[key]
    possible = [broker for broker in loads.brokers if broker not in replicas]
    if not possible:
        topic, index = key
        raise NoPlace(
            f"{topic}-{index} has {len(replicas)} replicas, and {len(loads.brokers)} brokers would be left: add a"
            " broker, or give the topic fewer replicas"
        )

    def cost(broker: int) -> tuple[int, int, int, int, int]:
        hosts, racks = loads.facts.spread(replaced(replicas, old=leaving, new=broker))
        return -hosts, -racks, loads.count(broker), loads.size_bytes[broker], broker

    return min(possible, key=cost)
