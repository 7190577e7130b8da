"""Which partitions go where: pure functions of what a cluster says of itself. Nothing here asks or changes anything."""

from penstock.cli.cluster.planning.draining import drained
from penstock.cli.cluster.planning.facts import ClusterFacts, Move, NoPlace, PartitionFacts, Place, moves_between
from penstock.cli.cluster.planning.leaders import even_leaders
from penstock.cli.cluster.planning.rebalancing import rebalanced

__all__ = [
    "ClusterFacts",
    "Move",
    "NoPlace",
    "PartitionFacts",
    "Place",
    "drained",
    "even_leaders",
    "moves_between",
    "rebalanced",
]
